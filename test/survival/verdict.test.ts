import { describe, expect, it } from 'vitest';
import type { NamedEffect, Portrait } from './lab/portrait.ts';
import { type Verdict, verdictOf } from './lab/verdict.ts';

const effect = (name: string | undefined, more: Partial<NamedEffect> = {}): NamedEffect => ({
  tool: 'act',
  care: 'reconciled',
  call: 't1.3.0',
  key: 'k1',
  name,
  ...more,
});

const undisturbed: Portrait = {
  shown: ['a', 'b'],
  story: ['one', 'two'],
  memory: { blackboard: '[]' },
  effects: [effect('t1:1.0')],
  takenOver: 0,
  unknown: new Set(),
  unjustified: [],
};

const once: Portrait = { ...undisturbed, effects: [effect('t1:1.0', { care: 'once' })] };

const against = (
  seen: Partial<Portrait>,
  mode: 'hangs' | 'cold-fold' = 'hangs',
  expected = undisturbed,
): Verdict =>
  verdictOf(
    { ...expected, ...seen },
    { modes: [mode], undisturbed: expected, expected, alsoShown: ['a', 'b', 'also'] },
  );

describe('verdictOf', () => {
  it('finds a play equal that differs in nothing', () => {
    expect(against({})).toEqual({ is: 'equal' });
  });

  it('lets whoever was cut off show the model again what it was shown, and what only he knew', () => {
    expect(against({ shown: ['a', 'a', 'also', 'b'] })).toEqual({ is: 'equal' });
  });

  it('finds a call unknown that may be', () => {
    expect(against({ unknown: new Set(['t1:1.0']), effects: [] }, 'hangs', once)).toEqual({ is: 'unknown' });
  });

  it.each<[string, Partial<Portrait>, string]>([
    ['a request of its own', { shown: ['a', 'b', 'c'] }, 'the model was shown c'],
    ['a request that was never made', { shown: ['a'] }, 'the model was never shown b'],
    ['an event too many', { story: ['one', 'one', 'two'] }, 'there is one'],
    ['an event too few', { story: ['one'] }, 'there is no two'],
    ['another memory', { memory: { blackboard: '[1]' } }, "'blackboard' is [1], not []"],
    ['a memory too many', { memory: { blackboard: '[]', more: '1' } }, "'more' is 1, not undefined"],
    [
      'an effect that was lost',
      { effects: [] },
      "call t1:1.0 of 'act' (reconciled) had 0 effects under 0 keys, not 1",
    ],
    ['an effect too many', { effects: [effect('t1:1.0'), effect('t1:1.0')] }, "'act' acted 2 times, not 1"],
    [
      'an effect that the journal does not know of',
      { effects: [effect('t1:1.0'), effect(undefined, { care: 'idempotent', tool: 'put' })] },
      "call t1.3.0 of 'put' is in no journal",
    ],
    [
      'a second key for one call',
      {
        effects: [
          effect('t1:1.0', { care: 'idempotent' }),
          effect('t1:1.0', { care: 'idempotent', key: 'k2' }),
        ],
      },
      "call t1:1.0 of 'act' (reconciled) had 2 effects under 2 keys, not 1",
    ],
    [
      'a doubt about what can be asked about',
      { unknown: new Set(['t1:1.0']) },
      'call t1:1.0 (reconciled) is unknown',
    ],
    [
      'a doubt of whoever began it',
      { unjustified: ['t1:1.0'] },
      'call t1:1.0 is unknown to whoever began it',
    ],
  ])('finds %s', (_, seen, why) => {
    const verdict = against(seen);
    expect(verdict.is === 'failed' && verdict.why).toContain(why);
  });

  it('lets nothing happen twice, or be in doubt, where nobody was cut off', () => {
    const again = against({ shown: ['a', 'a', 'b'] }, 'cold-fold');
    expect(again).toEqual({ is: 'failed', why: ['the model was asked 3 times, not 2'] });
    const lost = against({ takenOver: 1 }, 'cold-fold');
    expect(lost).toEqual({ is: 'failed', why: ['an invocation was lost that nobody had cut off'] });
    const doubt = against({ unknown: new Set(['t1:1.0']) }, 'cold-fold', once);
    expect(doubt).toEqual({ is: 'failed', why: ['call t1:1.0 (once) is unknown'] });
  });
});
