import { expect, it } from 'vitest';
import { type SummaryOptions, summarised } from '../../../../src/index.ts';

it.each<[object, string]>([
  [{ overTokens: 0 }, 'summarised: overTokens is 0; use a positive whole number.'],
  [{ overTokens: 1.5 }, 'summarised: overTokens is 1.5; use a positive whole number.'],
  [{}, 'summarised: overTokens is undefined; use a positive whole number.'],
  [{ overTokens: 9, keepTurns: -1 }, 'summarised: keepTurns is -1; use a whole number from 0.'],
  [{ overTokens: 9, summarise: 'short' }, 'summarised: summarise is a string; use a function.'],
  [{ overTokens: 9, instructions: 7 }, 'summarised: instructions is a number; use words.'],
  [{ overTokens: 9, instructions: ' ' }, 'summarised: instructions is blank; use words.'],
  [
    { overTokens: 9, instructions: 'Be brief.', summarise: () => '' },
    "summarised: use either 'summarise' or 'instructions'.",
  ],
])('cannot work with %j', (options, message) => {
  // Some of these can only be said by callers without types.
  expect(() => summarised(options as SummaryOptions)).toThrow(new RangeError(message));
});
