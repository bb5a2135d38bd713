import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../../../src/journal/entry.ts';
import type { ToolMemory } from '../../../../src/module.ts';
import type { SessionState } from '../../../../src/testing/entry.ts';
import { FOLDING, openBatch, ROOT } from '../../../doors/journal.ts';
import { createWait } from '../../../fixtures/a-wait.ts';
import { callEnded, createModelReplied, fold, sessionOpened, turnStarted } from './journal.ts';

const getTurn = (state: SessionState) => {
  if (!state.turn) throw new Error('There is no turn.');
  return state.turn;
};
const getFrame = (state: SessionState, id = ROOT) => {
  const frame = getTurn(state).frames.get(id);
  if (!frame) throw new Error(`There is no frame '${id}'.`);
  return frame;
};

describe('reduce', () => {
  it('session-opened: sets the incarnation and the agent', () => {
    expect(fold([sessionOpened])).toMatchObject({
      seq: 1,
      incarnation: 'i1',
      agent: 'tester',
      turn: undefined,
    });
  });

  it('turn-started: opens the loop of the turn at the path of the agent', () => {
    const state = fold([sessionOpened, turnStarted]);
    expect(state.messages).toEqual([{ role: 'user', text: 'Hello' }]);
    expect(getTurn(state)).toMatchObject({
      id: 't1',
      loopId: 'loop',
      context: { locale: 'de' },
      principal: { id: 'ann' },
      outcome: undefined,
      lastEvent: 'turn-started',
    });
    expect(getFrame(state)).toMatchObject({ id: '', path: 'tester', iterations: 0 });
    expect(getFrame(state).messages).toBe(state.messages);
  });

  it('turn-resumed: is counted until the next reply, and does not become the last event', () => {
    const resumed: SessionEvent = { type: 'turn-resumed', turn: 't1', cause: 'expired' };
    expect(getTurn(fold([sessionOpened, turnStarted, resumed, resumed]))).toMatchObject({
      resumedSinceReply: 2,
      lastEvent: 'turn-started',
    });
    expect(
      getTurn(fold([sessionOpened, turnStarted, resumed, createModelReplied([])])).resumedSinceReply,
    ).toBe(0);
  });

  it('turn-resumed: is not counted if the turn resumes after a wait, when no model call was running', () => {
    const resumed: SessionEvent = { type: 'turn-resumed', turn: 't1', cause: 'handed-over' };
    const yielded: SessionEvent = { type: 'turn-yielded', turn: 't1', reason: 'its client has gone' };
    const asked = [sessionOpened, turnStarted, createModelReplied(['a pay']), callEnded('a')];
    expect(getTurn(fold([...asked, resumed])).resumedSinceReply).toBe(0);
    expect(getTurn(fold([...asked, yielded, resumed])).resumedSinceReply).toBe(1);
  });

  it.each<SessionEvent>([
    createModelReplied([]),
    { type: 'tools-listed', turn: 't1', facts: [] },
    { type: 'frame-started', turn: 't1', frame: 'a', name: 'dig', message: 'Dig.' },
    callEnded('a'),
    { type: 'tool-call-answered', turn: 't1', call: 'a', answer: { type: 'decision', decision: 'reject' } },
    { type: 'conversation-cut', turn: 't1', results: 9 },
  ])('$type: resets the count of idle invocations', (progress) => {
    const resumed: SessionEvent = { type: 'turn-resumed', turn: 't1', cause: 'expired' };
    expect(getTurn(fold([sessionOpened, turnStarted, resumed, resumed])).resumedIdly).toBe(2);
    expect(getTurn(fold([sessionOpened, turnStarted, resumed, progress, resumed])).resumedIdly).toBe(1);
  });

  it('model-replied: counts the reply, its tokens, and its calls in total and by tool', () => {
    const usage = { inputTokens: 3, outputTokens: 4 };
    const first = createModelReplied(['a look', 'b look', 'c pay'], { usage });
    const state = fold([
      sessionOpened,
      turnStarted,
      first,
      callEnded('a'),
      callEnded('b'),
      callEnded('c'),
      createModelReplied(['d look']),
    ]);
    expect(getTurn(state)).toMatchObject({ iterations: 2, toolCalls: 4, model: 'm', usage });
    expect(state.usage).toEqual(usage);
    expect([...getTurn(state).callsByTool]).toEqual([
      ['look', 3],
      ['pay', 1],
    ]);
    expect(openBatch(getFrame(state))).toMatchObject([{ id: 'd' }]);
  });

  it('answer-rejected: adds a message without a sender that lists every problem, and marks the loop', () => {
    const problems = ['total: must be a number', 'due: is missing'];
    const rejected: SessionEvent = { type: 'answer-rejected', turn: 't1', problems };
    const state = fold([sessionOpened, turnStarted, createModelReplied([]), rejected]);
    expect(state.messages.at(-1)).toEqual({
      role: 'user',
      by: 'loop',
      text:
        'Your answer does not have the form that was asked for:\n- total: must be a number\n- due: is missing\n' +
        'Answer again with the corrected JSON text, and nothing else.',
    });
    expect([getFrame(state).rejected, getTurn(state).lastEvent]).toEqual([true, 'answer-rejected']);
    expect(getFrame(fold([sessionOpened, turnStarted, createModelReplied([])])).rejected).toBe(false);
  });

  it('model-replied: counts consecutive blank replies, until a reply has text or calls (EMP-05)', () => {
    const counts = [[' \n'], [' ', ''], ['', 'words'], ['words', '']].map(
      (texts) =>
        getFrame(fold([sessionOpened, turnStarted, ...texts.map((text) => createModelReplied([], { text }))]))
          .blankReplies,
    );
    expect(counts).toEqual([1, 2, 0, 1]);
    expect(
      getFrame(fold([sessionOpened, turnStarted, createModelReplied([]), createModelReplied(['a look'])]))
        .blankReplies,
    ).toBe(0);
  });

  it('model-replied: marks the turn as limited if its last reply is at the limit, but not for a frame', () => {
    expect(getTurn(fold([sessionOpened, turnStarted, createModelReplied([], { last: true })])).limited).toBe(
      true,
    );
    const inFrame = [
      sessionOpened,
      turnStarted,
      createModelReplied(['a dig']),
      frameStarted,
      createModelReplied([], { frame: 'a', last: true }),
    ];
    expect(getTurn(fold(inFrame)).limited).toBe(false);
  });

  it('tool-call-started and tool-call-suspended: mark the open call until it ends', () => {
    const events: SessionEvent[] = [
      sessionOpened,
      turnStarted,
      createModelReplied(['a pay', 'b ask']),
      { type: 'tool-call-started', turn: 't1', call: 'a', effect: 'once' },
      { type: 'tool-call-suspended', turn: 't1', call: 'b', wait: createWait() },
    ];
    expect(openBatch(getFrame(fold(events)))).toMatchObject([
      { started: 'once' },
      { waits: [{ wait: createWait() }] },
    ]);
    const [, reply] = fold([...events, callEnded('a'), callEnded('b')]).messages;
    const kept = ['ended', 'id', 'input', 'name', 'providerId'];
    expect(reply?.role === 'assistant' && reply.calls.map((call) => Object.keys(call).sort())).toEqual([
      kept,
      kept,
    ]);
  });

  it('tool-call-ended: adds artifacts to the turn in source order when the batch is complete', () => {
    const two = { type: 'artifact', value: 2, artifactType: 'Two' } as const;
    const events = [
      sessionOpened,
      turnStarted,
      createModelReplied(['a look', 'b look']),
      callEnded('b', two),
    ];
    expect(getTurn(fold(events)).artifacts).toEqual([]);
    expect(getTurn(fold([...events, callEnded('a', { type: 'artifact', value: 1 })])).artifacts).toEqual([
      { call: 'a', tool: 'look', value: 1 },
      { call: 'b', tool: 'look', type: 'Two', value: 2 },
    ]);
  });

  it.each([
    ['a', 'b', 'c'],
    ['c', 'b', 'a'],
    ['b', 'c', 'a'],
  ])(
    'tool-call-ended: applies changes in source order, even if the calls end in another order: %s %s %s',
    (...order) => {
      const createChanges = (call: string) => ({
        state: { last: call, [call]: true },
        blackboard: [{ value: call }],
      });
      const ends = order.map((call) => callEnded(call, 'ok', { changes: createChanges(call) }));
      const events = [
        sessionOpened,
        turnStarted,
        createModelReplied(['a look', 'b look', 'c look']),
        ...ends,
      ];
      const before = fold(events.slice(0, -1));
      expect([before.callState.size, before.blackboard]).toEqual([0, []]);
      const state = fold(events);
      expect([...state.callState]).toEqual([['tester', { last: 'c', a: true, b: true, c: true }]]);
      expect(state.blackboard).toEqual([{ value: 'a' }, { value: 'b' }, { value: 'c' }]);
    },
  );

  it('tool-call-ended: counts consecutive unknown tools, and a known tool resets the count (TNF-06)', () => {
    const unknown = { type: 'error', message: 'x', reason: 'unknown-tool' } as const;
    const inRow = [
      sessionOpened,
      turnStarted,
      createModelReplied(['a x', 'b x']),
      callEnded('b', unknown),
      callEnded('a', unknown),
    ];
    expect(getFrame(fold(inRow)).unknownTools).toBe(2);
    expect(getFrame(fold([...inRow, createModelReplied(['c look']), callEnded('c')])).unknownTools).toBe(0);
    const reset = [
      sessionOpened,
      turnStarted,
      createModelReplied(['a x', 'b look', 'c x']),
      callEnded('a', unknown),
      callEnded('b'),
    ];
    expect(getFrame(fold([...reset, callEnded('c', unknown)])).unknownTools).toBe(1);
  });

  const frameStarted: SessionEvent = {
    type: 'frame-started',
    turn: 't1',
    frame: 'a',
    name: 'dig',
    message: 'Dig.',
  };

  it('frame-started: opens a loop with its own messages, which closes when its call ends', () => {
    const inFrame = createModelReplied(['b look'], { frame: 'a' });
    const events = [sessionOpened, turnStarted, createModelReplied(['a dig']), frameStarted, inFrame];
    const state = fold(events);
    expect(getFrame(state, 'a')).toMatchObject({ path: 'tester/dig', iterations: 1 });
    expect(getFrame(state, 'a').messages).toMatchObject([
      { role: 'user', text: 'Dig.' },
      { role: 'assistant' },
    ]);
    expect(state.messages).toHaveLength(2);
    expect(getTurn(state)).toMatchObject({ iterations: 2, toolCalls: 2 });
    const changes = { state: { x: 1 } };
    const after = fold([
      ...events,
      callEnded('b', { type: 'artifact', value: 1 }, { frame: 'a', changes }),
      callEnded('a'),
    ]);
    expect([...after.callState]).toEqual([['tester/dig', { x: 1 }]]);
    expect([...getTurn(after).frames.keys()]).toEqual([ROOT]);
    expect(getTurn(after).artifacts).toEqual([]);
  });

  it('frame-started: the path contains the names of all outer frames', () => {
    const inner: SessionEvent = { ...frameStarted, frame: 'b', parent: 'a', name: 'deeper' };
    const state = fold([
      sessionOpened,
      turnStarted,
      createModelReplied(['a dig']),
      frameStarted,
      createModelReplied(['b deeper'], { frame: 'a' }),
      inner,
    ]);
    expect(getFrame(state, 'b').path).toBe('tester/dig/deeper');
  });

  it('cancel-requested: is stored in the state, while turn-yielded only becomes the last event', () => {
    expect(
      getTurn(fold([sessionOpened, turnStarted, { type: 'cancel-requested', turn: 't1' }])).cancelRequested,
    ).toBe(true);
    const yielded: SessionEvent = { type: 'turn-yielded', turn: 't1', reason: 'over its means' };
    expect(getTurn(fold([sessionOpened, turnStarted, yielded]))).toMatchObject({
      lastEvent: 'turn-yielded',
      outcome: undefined,
    });
  });

  it('every event: the last event includes its call', () => {
    const start: SessionEvent = { type: 'tool-call-started', turn: 't1', call: 'a', effect: 'once' };
    expect(getTurn(fold([sessionOpened, turnStarted, createModelReplied(['a pay']), start])).lastEvent).toBe(
      'tool-call-started a',
    );
  });

  it.each([
    ['completed', 'Bye.'],
    ['limit-reached', 'Bye.'],
    ['failed', ''],
    ['cancelled', ''],
  ] as const)('turn-ended: the text of a turn that is %s is %j', (outcome, text) => {
    const end: SessionEvent = { type: 'turn-ended', turn: 't1', outcome };
    const turn = getTurn(fold([sessionOpened, turnStarted, createModelReplied([], { text: 'Bye.' }), end]));
    expect([turn.outcome, turn.text, turn.frames.size]).toEqual([outcome, text, 0]);
  });

  it('turn-ended: the text of a directly returned answer contains all results in source order (LOOP-11)', () => {
    const end: SessionEvent = { type: 'turn-ended', turn: 't1', outcome: 'returned-direct' };
    const value = { type: 'artifact', value: { n: 1 } } as const;
    const ends = [callEnded('b', value, { direct: true }), callEnded('a', 'one', { direct: true })];
    expect(
      getTurn(fold([sessionOpened, turnStarted, createModelReplied(['a x', 'b x']), ...ends, end])).text,
    ).toBe('one\n{"n":1}');
  });

  it('every event: an event of another turn does not change the state', () => {
    const state = fold([sessionOpened, turnStarted, { type: 'cancel-requested', turn: 't0' }]);
    expect(getTurn(state)).toMatchObject({ cancelRequested: false, lastEvent: 'turn-started' });
  });

  it('every event: each memory receives the turn and its own value, which is initially the default', () => {
    const seen: ToolMemory = {
      folding: FOLDING,
      name: 'seen',
      initial: [],
      observe: (value, { type, path }) => [...(value as string[]), `${type} in ${path}`],
    };
    expect([...fold([sessionOpened, turnStarted], [seen]).memories]).toEqual([
      ['seen', ['turn-started in tester']],
    ]);
  });
});
