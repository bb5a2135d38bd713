/**
 * Limits how often the habits in `test/measure/english.ts` occur. Never raise a ceiling; rephrase the
 * sentence that exceeds it. `npm run english -- --list told` shows the places.
 */
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { countHabits, type Habit, type TextKind } from '../../measure/english.ts';
import { readOwnTexts } from '../../measure/english-texts.ts';

const texts = readOwnTexts(resolve(import.meta.dirname, '../../..'));

/** The maximum number of occurrences of each habit, by kind of text. */
const CEILINGS: Readonly<Record<TextKind, Partial<Record<Habit, number>>>> = {
  comments: {
    told: 2,
    nobody: 150,
    whoever: 12,
    stands: 6,
    answers: 14,
    'unless given': 0,
    'goes on': 0,
    'begins with what': 5,
  },
  errors: {
    told: 1,
    nobody: 12,
    whoever: 0,
    stands: 0,
    answers: 0,
    'unless given': 0,
    'goes on': 0,
    'begins with what': 0,
  },
  titles: {
    told: 0,
    nobody: 29,
    whoever: 1,
    stands: 0,
    answers: 0,
    'unless given': 0,
    'goes on': 1,
    'begins with what': 0,
  },
  docs: {
    told: 4,
    nobody: 49,
    whoever: 0,
    stands: 2,
    answers: 0,
    'unless given': 0,
    'goes on': 6,
    'begins with what': 3,
  },
};

it.each(Object.entries(CEILINGS))('%s contain no more unwanted phrases than before', (kind, ceilings) => {
  const { counts } = countHabits(texts.filter((text) => text.kind === kind));
  const above = Object.entries(ceilings).filter(([habit, most]) => counts[habit as Habit] > most);
  expect(above.map(([habit, most]) => `${habit}: ${counts[habit as Habit]}, at most ${most}`)).toEqual([]);
});
