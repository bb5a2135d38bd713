import { describe, expect, it } from 'vitest';
import { formatHelp, readOptions } from './options.ts';

const readArguments = (...args: readonly string[]) => readOptions(args, ['read', 'once']);

describe('the options of the crash matrix', () => {
  it('default to all positions and 200 samples', () => {
    const all = { only: undefined, at: undefined, without: undefined, seed: 1, samples: 200 };
    expect(readArguments()).toEqual(all);
    expect(readArguments('--only', 'once', '--seed', '7', '--samples', '3')).toEqual({
      ...all,
      only: 'once',
      seed: 7,
      samples: 3,
    });
    expect(readArguments('--without', 'fencing')).toEqual({ ...all, without: 'fencing' });
  });

  it('can select a single position of the in-memory matrix', () => {
    expect(readArguments('--at', '4')).toMatchObject({ at: 4, samples: 0 });
  });

  it.each([
    [['--only', 'nothing'], "--only must name a kind of tool, not 'nothing'."],
    [['--without', 'mercy'], "--without must name a guard, not 'mercy'."],
    [['--without', 'toString'], "--without must name a guard, not 'toString'."],
    [['--seed', 'x'], "--seed must be a whole number, not 'x'."],
    [['--samples', '-1'], /is ambiguous/],
    [['--what'], /^Unknown option '--what'/],
    [['extra'], /^Unexpected argument 'extra'/],
  ])('refuse %j', (args, problem) => {
    expect(() => readArguments(...args)).toThrow(problem);
  });

  it('are listed in the usage', () => {
    expect(readArguments('--help')).toBeUndefined();
    expect(formatHelp(['read', 'once'])).toContain('  --only <kind>      one kind alone: read, once\n');
  });
});
