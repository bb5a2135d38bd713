import { expect, it } from 'vitest';
import { type SummaryOptions, summarize } from '../../../../src/modules/compaction/entry.ts';

it.each<[object, string]>([
  [{ overTokens: 0 }, 'summarize: overTokens is 0; use a positive whole number.'],
  [{ overTokens: 1.5 }, 'summarize: overTokens is 1.5; use a positive whole number.'],
  [{}, 'summarize: overTokens is undefined; use a positive whole number.'],
  [{ overTokens: 9, keepTurns: -1 }, 'summarize: keepTurns is -1; use a whole number from 0.'],
  [{ overTokens: 9, summarize: 'short' }, 'summarize: summarize is a string; use a function.'],
  [{ overTokens: 9, instructions: 7 }, 'summarize: instructions is a number; use text.'],
  [{ overTokens: 9, instructions: ' ' }, 'summarize: instructions is blank; use text.'],
  [
    { overTokens: 9, instructions: 'Be brief.', summarize: () => '' },
    "summarize: use either 'summarize' or 'instructions'.",
  ],
])('compaction cannot work with %j', (options, message) => {
  // Some of these can only be said by callers without types.
  expect(() => summarize(options as SummaryOptions)).toThrow(new RangeError(message));
});
