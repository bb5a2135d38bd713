import { describe, expect, it } from 'vitest';
import type { SessionEvent, StoredEvent } from '../../../../../src/journal/entry.ts';
import { type CallNode, createTimeline, type TurnTimeline } from '../../../../doors/timeline.ts';
import { createWait } from '../../../../fixtures/a-wait.ts';
import { callEnded, createModelReplied, sessionOpened, turnStarted } from '../../journal/journal.ts';

/** Stores each event 10 ms after the previous one. */
const toStored = (events: readonly SessionEvent[]): StoredEvent[] =>
  events.map((event, index) => ({ ...event, seq: index + 1, at: 10 * (index + 1) }));

function drawTimeline(events: readonly SessionEvent[]): TurnTimeline {
  const timeline = createTimeline(toStored(events), 't1');
  if (!timeline) throw new Error('The turn has not started.');
  return timeline;
}

const createTurnResumed = (cause: 'expired' | 'handed-over'): SessionEvent => ({
  type: 'turn-resumed',
  turn: 't1',
  cause,
});
const callStarted = (call: string, effect: 'read' | 'idempotent' | 'once' = 'once'): SessionEvent => ({
  type: 'tool-call-started',
  turn: 't1',
  call,
  effect,
});
const createTurnEnded = (outcome: 'completed' | 'cancelled'): SessionEvent => ({
  type: 'turn-ended',
  turn: 't1',
  outcome,
});
const usage = { inputTokens: 100, outputTokens: 20, cachedInputTokens: 60, cost: 0.5 };

const createAttempt = (of: string, number: number, rest: object) => ({
  kind: 'attempt',
  id: `${of}/attempt.${number}`,
  seqs: [],
  ...rest,
});

const findFirstCall = ({ loop }: TurnTimeline): CallNode | undefined => loop.iterations.at(0)?.calls.at(0);

describe('the timeline of a turn', () => {
  it('has its loop, iterations, model calls and tool calls, and the invocations that crashed', () => {
    const timeline = drawTimeline([
      sessionOpened,
      turnStarted,
      createTurnResumed('expired'),
      createModelReplied(['c1 pay'], { usage, finish: 'tool-calls' }),
      callStarted('c1', 'idempotent'),
      createTurnResumed('expired'),
      { ...callEnded('c1'), ms: 7 } as SessionEvent,
      createModelReplied([], { usage, text: 'Paid.' }),
      createTurnEnded('completed'),
    ]);
    expect(timeline).toEqual({
      kind: 'turn',
      id: 'turn',
      start: 20,
      end: 90,
      seqs: [2, 9],
      status: 'ended',
      outcome: 'completed',
      usage: { inputTokens: 200, outputTokens: 40, cachedInputTokens: 120, cost: 1 },
      invocations: [
        {
          ...{ kind: 'invocation', id: 'invocation.1', number: 1, cause: 'started', seqs: [] },
          ...{ start: 20, lastSeen: 20, end: 30, outcome: 'died' },
        },
        {
          ...{ kind: 'invocation', id: 'invocation.2', number: 2, cause: 'expired', seqs: [3] },
          ...{ start: 30, lastSeen: 50, end: 60, outcome: 'died' },
        },
        {
          ...{ kind: 'invocation', id: 'invocation.3', number: 3, cause: 'expired', seqs: [6] },
          ...{ start: 60, lastSeen: 90, end: 90, outcome: 'done' },
        },
      ],
      loop: {
        ...{ kind: 'loop', id: 'loop', start: 20, end: 90, seqs: [], marks: [] },
        iterations: [
          {
            ...{ kind: 'iteration', id: 'loop/1', number: 1, start: 20, end: 70, seqs: [] },
            model: {
              ...{ kind: 'model', id: 'loop/1/model', start: 20, end: 40, seqs: [4], model: 'm' },
              ...{ finish: 'tool-calls', usage, planned: false, last: false },
              attempts: [
                createAttempt('loop/1/model', 1, { start: 20, end: 30, invocation: 1, outcome: 'lost' }),
                createAttempt('loop/1/model', 2, { start: 30, end: 40, invocation: 2, outcome: 'done' }),
              ],
            },
            calls: [
              {
                ...{ kind: 'call', id: 'c1', name: 'pay', tool: 'pay', start: 40, end: 70, seqs: [5, 7] },
                ...{ effect: 'idempotent', outcome: 'success', ms: 7, waits: [] },
                attempts: [
                  createAttempt('c1', 1, { start: 50, end: 60, invocation: 2, outcome: 'lost' }),
                  createAttempt('c1', 2, { start: 60, end: 70, invocation: 3, outcome: 'done' }),
                ],
              },
            ],
          },
          {
            ...{ kind: 'iteration', id: 'loop/2', number: 2, start: 70, end: 80, seqs: [], calls: [] },
            model: {
              ...{ kind: 'model', id: 'loop/2/model', start: 70, end: 80, seqs: [8], model: 'm' },
              ...{ finish: 'stop', usage, planned: false, last: false },
              attempts: [
                createAttempt('loop/2/model', 1, { start: 70, end: 80, invocation: 3, outcome: 'done' }),
              ],
            },
          },
        ],
      },
    });
  });

  it('shows a wait for an approval, and is suspended until the answer', () => {
    const events: SessionEvent[] = [
      sessionOpened,
      turnStarted,
      createModelReplied(['c1 pay']),
      { type: 'tool-call-suspended', turn: 't1', call: 'c1', wait: createWait() },
      createTurnResumed('handed-over'),
      {
        type: 'tool-call-answered',
        turn: 't1',
        call: 'c1',
        answer: { type: 'decision', decision: 'approve' },
      },
      callStarted('c1'),
      callEnded('c1'),
    ];
    expect(drawTimeline(events.slice(0, 4)).status).toBe('suspended');
    const timeline = drawTimeline(events);
    expect(timeline.status).toBe('running');
    expect(timeline.invocations.map(({ outcome, end }) => [outcome, end])).toEqual([
      ['suspended', 40],
      [undefined, undefined],
    ]);
    expect(findFirstCall(timeline)).toEqual({
      ...{ kind: 'call', id: 'c1', name: 'pay', tool: 'pay', start: 30, end: 80, seqs: [7, 8] },
      ...{ effect: 'once', outcome: 'success' },
      waits: [
        {
          ...{ kind: 'wait', id: 'c1#0', start: 40, end: 60, seqs: [4, 6] },
          ...{ for: 'decision', answer: 'approve', expired: false },
        },
      ],
      attempts: [createAttempt('c1', 1, { start: 70, end: 80, invocation: 2, outcome: 'done' })],
    });
  });

  it('nests the loop of a call inside the call', () => {
    const inside = { frame: 'c1' };
    const timeline = drawTimeline([
      sessionOpened,
      turnStarted,
      createModelReplied(['c1 dig']),
      { type: 'frame-started', turn: 't1', frame: 'c1', name: 'dig', message: 'Dig.' },
      createModelReplied(['c2 look'], inside),
      callEnded('c2', { type: 'error', message: 'No.', reason: 'threw' }, inside),
      createModelReplied([], inside),
      callEnded('c1'),
    ]);
    const loop = findFirstCall(timeline)?.loop;
    expect(loop).toMatchObject({ id: 'c1/loop', name: 'dig', frame: 'c1', start: 40, end: 80, seqs: [4] });
    expect(loop?.iterations.map(({ id, start, end }) => [id, start, end])).toEqual([
      ['c1/loop/1', 40, 60],
      ['c1/loop/2', 60, 70],
    ]);
    expect(loop?.iterations[0]?.calls[0]).toMatchObject({ id: 'c2', outcome: 'error', reason: 'threw' });
    expect(timeline.loop.iterations.map(({ id }) => id)).toEqual(['loop/1', 'loop/2']);
  });

  it('keeps a request that a cancel has cut off, and drops a request that was not made', () => {
    const cancel: SessionEvent = { type: 'cancel-requested', turn: 't1' };
    const asked = drawTimeline([sessionOpened, turnStarted, cancel, createTurnEnded('cancelled')]);
    expect(asked.loop.iterations.map(({ model, end }) => [model.attempts[0]?.outcome, end])).toEqual([
      ['unanswered', 40],
    ]);
    const direct = drawTimeline([
      sessionOpened,
      turnStarted,
      createModelReplied(['c1 pay']),
      callEnded('c1'),
      createTurnEnded('completed'),
    ]);
    expect(direct.loop.iterations.map(({ id }) => id)).toEqual(['loop/1']);
  });

  it('shows an invocation that handed over the turn, and the call that the next invocation tries again', () => {
    const yielded: SessionEvent = { type: 'turn-yielded', turn: 't1', reason: 'time is up' };
    expect(drawTimeline([sessionOpened, turnStarted, yielded]).status).toBe('handed-over');
    const { invocations, loop } = drawTimeline([
      sessionOpened,
      turnStarted,
      yielded,
      createTurnResumed('handed-over'),
      createModelReplied([]),
    ]);
    expect(invocations.map(({ outcome, seqs }) => [outcome, seqs])).toEqual([
      ['handed-over', [3]],
      [undefined, [4]],
    ]);
    expect(loop.iterations[0]?.model.attempts.map(({ outcome }) => outcome)).toEqual(['handed-over', 'done']);
  });

  it('closes the open calls of a cancelled turn', () => {
    const events = [
      sessionOpened,
      turnStarted,
      createModelReplied(['c1 pay', 'c2 look']),
      callStarted('c1'),
      createTurnEnded('cancelled'),
    ];
    expect(drawTimeline(events).loop.iterations[0]?.calls.map(({ reason, end }) => [reason, end])).toEqual([
      ['unknown-outcome', 50],
      ['cancelled', 50],
    ]);
  });

  it('has one attempt of a call that one invocation has started twice', () => {
    const events = [
      sessionOpened,
      turnStarted,
      createModelReplied(['c1 pay']),
      callStarted('c1'),
      callStarted('c1'),
      callEnded('c1'),
    ];
    expect(findFirstCall(drawTimeline(events))?.attempts).toEqual([
      createAttempt('c1', 1, { start: 40, end: 60, invocation: 1, outcome: 'done' }),
    ]);
  });

  it('is undefined for a turn that has not started', () => {
    expect(createTimeline(toStored([sessionOpened, turnStarted]), 't2')).toBe(undefined);
  });
});
