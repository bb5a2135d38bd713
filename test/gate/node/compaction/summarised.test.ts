import { expect, it } from 'vitest';
import { type SummaryOptions, summarize } from '../../../../src/modules/compaction/entry.ts';

it.each<[object, string]>([
  [{ overTokens: 0 }, 'summarize: overTokens is 0. Use a positive whole number.'],
  [{ overTokens: 1.5 }, 'summarize: overTokens is 1.5. Use a positive whole number.'],
  [{}, 'summarize: overTokens is undefined. Use a positive whole number.'],
  [{ overTokens: 9, keepTurns: -1 }, 'summarize: keepTurns is -1. Use a whole number of at least 0.'],
  [{ overTokens: 9, summarize: 'short' }, 'summarize: summarize is a string. Use a function.'],
  [{ overTokens: 9, instructions: 7 }, 'summarize: instructions is a number. Use text.'],
  [{ overTokens: 9, instructions: ' ' }, 'summarize: instructions is blank. Use text.'],
  [
    { overTokens: 9, instructions: 'Be brief.', summarize: () => '' },
    "summarize: 'summarize' replaces 'instructions'. Use only one of them.",
  ],
])('summarize throws for the options %j', (options, message) => {
  // Only callers without types can pass some of these.
  expect(() => summarize(options as SummaryOptions)).toThrow(new RangeError(message));
});
