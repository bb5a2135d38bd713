/** Tests the counts and problems that a crash matrix reports for hand-made plays. */
import { describe, expect, it } from 'vitest';
import type { SessionEvent, StoredEvent } from '../../../../src/journal/entry.ts';
import type { ModelReply, ModelRequest } from '../../../../src/model/entry.ts';
import {
  computeDamage,
  type Damage,
  type Mode,
  type PlayResult,
  type RepeatEffect,
  type SeenRun,
} from '../../../doors/testing.ts';

const createModelReplied = (calls: number): SessionEvent => ({
  type: 'model-replied',
  turn: 't1',
  model: 'script',
  text: '',
  toolCalls: Array.from({ length: calls }, (_, at) => ({
    id: `t1.3.${at}`,
    providerId: `p${at}`,
    name: 'act',
    input: '{}',
  })),
  finish: 'tool-calls',
});
const turnEnded: SessionEvent = { type: 'turn-ended', turn: 't1', outcome: 'completed' };
const unknownEnd: SessionEvent = {
  type: 'tool-call-ended',
  turn: 't1',
  call: 't1.3.0',
  result: { type: 'error', reason: 'unknown-outcome', message: 'Who knows.' },
};

const toStored = (...events: readonly SessionEvent[]): StoredEvent[] =>
  events.map((event, at) => ({ seq: at + 1, at: 0, ...event }));

const run = (more: Partial<SeenRun> = {}): SeenRun => ({
  tool: 'act',
  care: 'reconciled',
  call: 't1.3.0',
  key: 'k1',
  isDone: true,
  ...more,
});

const expectedResult: PlayResult = {
  events: toStored(createModelReplied(1), turnEnded),
  turns: ['t1'],
  runs: [run()],
  reported: [],
  requests: [],
  replies: [],
  missed: [],
  positions: [],
  disturbed: true,
  timersLeft: 0,
};

const findDamage = (
  seen: Partial<PlayResult>,
  expected: Partial<PlayResult> = {},
  mode: Mode = 'hangs',
): Damage =>
  computeDamage(
    { ...expectedResult, ...expected, ...seen },
    { expected: { ...expectedResult, ...expected }, modes: [mode], isOpen: false },
  );

const NO_DAMAGE: Damage = {
  turnsCompleted: 1,
  messagesLost: 0,
  effectsDoubled: 0,
  effectsUnknown: 0,
  problems: [],
};

/** Makes a reply of texts. `createRequest` makes a request in which the reply is sent back. */
const createReplyInParts = (...texts: readonly string[]): ModelReply => ({
  text: texts.join(''),
  toolCalls: [],
  parts: texts.map((text) => ({ type: 'text', text })),
  provider: { maker: 1 },
  finish: 'stop',
});
const createRequest = (...texts: readonly string[]): ModelRequest => ({
  messages: [{ role: 'assistant', ...createReplyInParts(...texts) }],
  tools: [],
});

const createRuns = (care: RepeatEffect): Partial<PlayResult> => ({ runs: [run({ care })] });

describe('`computeDamage`', () => {
  it('reports no damage for a play without differences', () => {
    expect(findDamage({})).toEqual(NO_DAMAGE);
  });

  it('allows a cut-off invocation to repeat reads, and idempotent calls with the same key', () => {
    for (const care of ['read', 'idempotent'] as const) {
      expect(findDamage({ runs: [run({ care }), run({ care })] }, createRuns(care))).toEqual(NO_DAMAGE);
    }
  });

  it('counts a `once` call with an unknown outcome as unknown, whether or not its effect happened', () => {
    const events = toStored(createModelReplied(1), unknownEnd, turnEnded);
    for (const runs of [[], [run({ care: 'once' })]]) {
      expect(findDamage({ events, runs }, createRuns('once'))).toEqual({ ...NO_DAMAGE, effectsUnknown: 1 });
    }
  });

  it('ignores a cut-off run without a finished effect', () => {
    expect(findDamage({ runs: [run({ isDone: false })] })).toEqual(NO_DAMAGE);
    expect(findDamage({ runs: [run({ isDone: false }), run()] })).toEqual(NO_DAMAGE);
  });

  it.each<[string, Damage, Partial<Damage>]>([
    [
      'a message without an outcome',
      findDamage({ events: toStored(createModelReplied(1)) }),
      { turnsCompleted: 0, messagesLost: 1, problems: ['turn t1 has 0 outcomes, not 1'] },
    ],
    [
      'a message with two outcomes',
      findDamage({ events: toStored(createModelReplied(1), turnEnded, turnEnded) }),
      { turnsCompleted: 0, messagesLost: 1, problems: ['turn t1 has 2 outcomes, not 1'] },
    ],
    [
      'a message that was never accepted',
      findDamage({ turns: [] }),
      { turnsCompleted: 0, problems: ['the message of turn t1 was never accepted'] },
    ],
    [
      'another outcome',
      findDamage({ events: toStored(createModelReplied(1), { ...turnEnded, outcome: 'failed' }) }),
      { turnsCompleted: 0, problems: ['turn t1 ended as failed, not completed'] },
    ],
    [
      'a reply that was sent back in another order',
      findDamage({
        replies: [createReplyInParts('b', 'a')],
        requests: [createRequest('b', 'a'), createRequest('a', 'b'), createRequest('a', 'b')],
      }),
      {
        problems: [
          'the model was shown a reply that it had not given: ' +
            '[[[["text","a"],["type","text"]],[["text","b"],["type","text"]]],{"maker":1}]',
        ],
      },
    ],
    ['a lost effect', findDamage({ runs: [] }), { problems: ["call t1:1.0 of 'act' had 0 effects, not 1"] }],
    [
      'a call that ran twice',
      findDamage({ runs: [run(), run()] }),
      { effectsDoubled: 1, problems: ["call t1:1.0 of 'act' had 2 effects, not 1"] },
    ],
    [
      'an idempotent call with two keys',
      findDamage(
        { runs: ['k1', 'k2'].map((key) => run({ care: 'idempotent', key })) },
        createRuns('idempotent'),
      ),
      { effectsDoubled: 1, problems: ["call t1:1.0 of 'act' had 2 effects, not 1"] },
    ],
    [
      'a call of a lost reply that was made again',
      findDamage({ runs: [run(), run({ call: 't1.9.0', key: 'k2' })] }),
      { effectsDoubled: 1, problems: ["calls of 'act' that are not in the journal had 1 effects, not 0"] },
    ],
    [
      'an effect that a receiver reported twice',
      findDamage(
        { reported: ['a', 'b'].map((key) => ({ name: 'paid', key })) },
        { reported: [createPaidEffect()] },
      ),
      { effectsDoubled: 1, problems: ["'paid' happened 2 times, not 1"] },
    ],
    [
      'an effect that no receiver reported',
      findDamage({ reported: [] }, { reported: [createPaidEffect()] }),
      { problems: ["'paid' happened 0 times, not 1"] },
    ],
    [
      'an unknown outcome of a call that can be reconciled',
      findDamage({ events: toStored(createModelReplied(1), unknownEnd, turnEnded) }),
      { problems: ['call t1:1.0 (reconciled) is unknown'], toolError: "tool 'act' answered: Who knows." },
    ],
    [
      'an unknown outcome without an interruption',
      findDamage(
        { events: toStored(createModelReplied(1), unknownEnd, turnEnded) },
        createRuns('once'),
        'restart',
      ),
      { problems: ['call t1:1.0 (once) is unknown'], toolError: "tool 'act' answered: Who knows." },
    ],
    [
      'a read that ran again without an interruption',
      findDamage({ runs: [run({ care: 'read' }), run({ care: 'read' })] }, createRuns('read'), 'cold-fold'),
      { problems: ['call t1:1.0 ran 2 times, not 1, without an interruption'] },
    ],
    [
      'a request for which the script has no reply',
      findDamage({ missed: ["reply 3 to 'Go.'"] }),
      { problems: ["the script has no reply 3 to 'Go.'"] },
    ],
    ['timers that are left', findDamage({ timersLeft: 2 }), { problems: ['2 timers are left'] }],
    [
      'a play that threw',
      findDamage({ broken: new Error('The invocation hangs.') }),
      { problems: ['The invocation hangs.'] },
    ],
    [
      'a disturbance after the end of the play',
      findDamage({ disturbed: false }),
      { problems: ['the play was over before it was disturbed'] },
    ],
  ])('reports %s', (_, found, expected) => {
    expect(found).toEqual({ ...NO_DAMAGE, ...expected });
  });
});

function createPaidEffect() {
  return { name: 'paid', key: undefined };
}
