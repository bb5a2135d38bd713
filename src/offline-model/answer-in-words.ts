import type { Fact } from './facts.ts';
import type { Memory, PastCall } from './memory.ts';
import type { Plan } from './plan.ts';
import { onlyPointed } from './situation.ts';
import { callInWords, factInWords, resultInWords } from './summary.ts';
import type { ToolCard } from './tool-card.ts';
import { kinOf, topicOf } from './words.ts';

/** The answer: what fits the question best, what each call of the turn found, what was not done, and the notice. */
export function answerInWords(memory: Memory, plan: Plan, cards: readonly ToolCard[]): string {
  const turn = withoutPointers(memory.turn.flat(), cards);
  const undone = plan.undone.map(
    ({ step, missing }) =>
      `Not done: "${step.text.slice(0, 200)}".${missing.length > 0 ? ` Missing: ${[...new Set(missing)].join(', ')}.` : ''}`,
  );
  const best = bestFacts(memory.task, turn.length > 0 ? turn : memory.earlier);
  const lines = [
    ...best.map(factInWords),
    ...turn.map((call) => `${callInWords(call)}: ${resultInWords(call)}`),
    ...undone,
    ...(turn.length === 0 && undone.length === 0 ? fromBefore(memory, best, cards) : []),
  ];
  // A nested loop's answer has said so as well.
  const own = lines.map((line) => line.replaceAll(offlineNotice, '').trim());
  return [...new Set(own), offlineNotice].join('\n');
}

/** It ends every answer. */
export const offlineNotice =
  "(Answered by Holdfast's offline planner, which is not a language model. To use one, set MODEL to its name, and OPENAI_API_KEY or OPENAI_BASE_URL.)";

/** What only said which tools there are tells the user nothing, unless nothing else was found. */
function withoutPointers(calls: readonly PastCall[], cards: readonly ToolCard[]): readonly PastCall[] {
  const telling = calls.filter((call) => !onlyPointed(call, cards));
  return telling.length > 0 ? telling : calls;
}

/** What an asking word looks for ("where": a location) answers better than a word that the question repeats. */
const kinCounts = 3;
const repeatedCounts = 2;

/** Up to three facts whose names answer the question, the best first. */
function bestFacts(task: string, calls: readonly PastCall[]): readonly Fact[] {
  const asked = topicOf(task);
  const who = /\bwho(?:m|se)?\b/i.test(task);
  const rank = (fact: Fact): number => {
    const direct = asked.filter((word) => fact.words.includes(word)).length;
    const kin = asked.filter((word) => kinOf(word).some((other) => fact.words.includes(other))).length;
    const person = !who || /^\p{L}[^\d]*$|@/u.test(String(fact.value));
    return fact.marked || !person ? 0 : kinCounts * kin + repeatedCounts * direct;
  };
  const ranked = calls.flatMap(({ facts, absent }) => [...facts, ...absent]).filter((fact) => rank(fact) > 0);
  return ranked.toSorted((left, right) => rank(right) - rank(left)).slice(0, 3);
}

/** The answer when this turn called nothing: the results that hold the best facts or else the latest, or what there is to ask. */
function fromBefore({ earlier }: Memory, best: readonly Fact[], cards: readonly ToolCard[]): string[] {
  const worked = earlier.filter((call) => !call.failed && !onlyPointed(call, cards));
  const holding = worked.filter(({ facts, absent }) =>
    [...facts, ...absent].some((fact) => best.includes(fact)),
  );
  const results = (holding.length > 0 ? holding : worked).slice(0, 3);
  if (results.length > 0)
    return results.map((call) => `Known from ${callInWords(call)}: ${resultInWords(call)}`);
  const names = cards.slice(0, 10).map(({ name }) => name);
  return [`Nothing here fits this message.${names.length > 0 ? ` Tools offered: ${names.join(', ')}.` : ''}`];
}
