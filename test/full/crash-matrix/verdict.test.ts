import { describe, expect, it } from 'vitest';
import type { ComparableResult } from './lab/comparable-result.ts';
import { computeVerdict, type Verdict } from './lab/verdict.ts';

const undisturbedResult: ComparableResult = {
  shown: ['a', 'b'],
  happened: ['one', 'two'],
  memory: { blackboard: '[]' },
  takenOver: 0,
  unknown: new Set(),
  unjustified: [],
};

const judgeAgainst = (seen: Partial<ComparableResult>, mode: 'hangs' | 'cold-fold' = 'hangs'): Verdict =>
  computeVerdict(
    { ...undisturbedResult, ...seen },
    { modes: [mode], expected: undisturbedResult, alsoShown: ['a', 'b', 'also'] },
  );

describe('`computeVerdict`', () => {
  it('accepts a play without differences', () => {
    expect(judgeAgainst({})).toEqual({ is: 'equal' });
  });

  it('allows a cut-off holder to repeat requests and to include messages that only it had received', () => {
    expect(judgeAgainst({ shown: ['a', 'a', 'also', 'b'] })).toEqual({ is: 'equal' });
  });

  it('reports an unknown call', () => {
    expect(judgeAgainst({ unknown: new Set(['t1:1.0']) })).toEqual({ is: 'unknown' });
  });

  it.each<[string, Partial<ComparableResult>, string]>([
    ['an additional request', { shown: ['a', 'b', 'c'] }, 'the model was shown c'],
    ['a missing request', { shown: ['a'] }, 'the model was never shown b'],
    ['an additional event', { happened: ['one', 'one', 'two'] }, 'there is one'],
    ['a missing event', { happened: ['one'] }, 'there is no two'],
    ['a different memory', { memory: { blackboard: '[1]' } }, "'blackboard' is [1], not []"],
    ['an additional memory', { memory: { blackboard: '[]', more: '1' } }, "'more' is 1, not undefined"],
    [
      'an unknown outcome in the invocation that started the call',
      { unjustified: ['t1:1.0'] },
      'call t1:1.0 is unknown to whoever began it',
    ],
  ])('reports %s', (_, seen, why) => {
    const verdict = judgeAgainst(seen);
    expect(verdict.is === 'failed' && verdict.why).toContain(why);
  });

  it('reports a repeated request if no holder was cut off', () => {
    const again = judgeAgainst({ shown: ['a', 'a', 'b'] }, 'cold-fold');
    expect(again).toEqual({ is: 'failed', why: ['the model was asked 3 times, not 2'] });
    const lost = judgeAgainst({ takenOver: 1 }, 'cold-fold');
    expect(lost).toEqual({ is: 'failed', why: ['an invocation was lost that nobody had cut off'] });
  });
});
