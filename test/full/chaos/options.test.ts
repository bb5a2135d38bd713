import { describe, expect, it } from 'vitest';
import { createChance } from '../process/chance.ts';
import { drawRounds } from './draw.ts';
import { readOptions } from './options.ts';
import { drawLives } from './schedule.ts';

describe('the options of the chaos run', () => {
  it('default to 20 kills, 50 sessions and leases of 3 s', () => {
    expect(readOptions([])).toEqual({ seed: 1, kills: 20, sessions: 50, leaseMs: 3_000 });
    expect(readOptions(['--seed', '7', '--kills', '2', '--sessions', '3', '--lease-ms', '500'])).toEqual({
      seed: 7,
      kills: 2,
      sessions: 3,
      leaseMs: 500,
    });
  });

  it('are listed in the usage', () => {
    expect(readOptions(['--help'])).toBeUndefined();
  });

  it.each([
    [['--seed', 'x'], "--seed must be a whole number of at least 0, not 'x'."],
    [['--kills', '0'], "--kills must be a whole number of at least 1, not '0'."],
    [['--sessions', '1.5'], "--sessions must be a whole number of at least 1, not '1.5'."],
    [['--lease-ms', '20'], "--lease-ms must be a whole number of at least 300, not '20'."],
    [['--what'], /^Unknown option '--what'/],
    [['extra'], /^Unexpected argument 'extra'/],
  ])('refuse %j', (args, problem) => {
    expect(() => readOptions(args)).toThrow(problem);
  });
});

describe('a seed of the chaos run', () => {
  const drawTestRounds = (seed: number) => {
    const rounds = drawRounds(createChance(seed), 's00', 'approver');
    return Array.from({ length: 30 }, () => rounds.next().value);
  };

  it('yields the same user actions every time', () => {
    expect(drawTestRounds(1)).toEqual(drawTestRounds(1));
    expect(drawTestRounds(1)).not.toEqual(drawTestRounds(2));
  });

  it('yields the same kill times every time', () => {
    const lives = drawLives(createChance(5), 20, 3_000);
    expect(lives).toEqual(drawLives(createChance(5), 20, 3_000));
    expect(lives.every((life) => life >= 600 && life <= 10_800)).toBe(true);
  });
});
