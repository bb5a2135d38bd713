import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../src/index.ts';
import type { SessionEvent } from '../../../../src/journal/entry.ts';
import type { ToolMemory } from '../../../../src/module.ts';
import type { SessionState } from '../../../../src/testing/entry.ts';
import { FOLDING, type FrameState, ROOT } from '../../../doors/journal.ts';
import { callEnded, createModelReplied, fold, sessionOpened, turnStarted } from './journal.ts';

type FrameStartedEvent = Extract<SessionEvent, { type: 'frame-started' }>;

const createFrameStarted = (frame: string, more: Partial<FrameStartedEvent> = {}): SessionEvent => ({
  type: 'frame-started',
  turn: 't1',
  frame,
  name: `of-${frame}`,
  message: 'Go.',
  ...more,
});
const getFrame = ({ turn }: SessionState, id: string): FrameState => {
  const frame = turn?.frames.get(id);
  if (!frame) throw new Error(`There is no frame '${id}'.`);
  return frame;
};
const createAdditions = (...values: readonly string[]) => ({
  changes: { blackboard: values.map((value) => ({ value })) },
});
const getValues = ({ blackboard }: Pick<FrameState, 'blackboard'>) => blackboard.map(({ value }) => value);

/** A turn whose loop has added `a` to its blackboard and then requested the calls `x` and `y`. */
const notedEvents = [
  sessionOpened,
  turnStarted,
  createModelReplied(['n note']),
  callEnded('n', 'ok', createAdditions('a')),
  createModelReplied(['x dig', 'y dig']),
];

describe('a frame with its own blackboard', () => {
  const own = createFrameStarted('x', { ownBlackboard: true });

  it('starts with a copy of the outer blackboard, and keeps its own additions', () => {
    const inside = [
      createModelReplied(['i note'], { frame: 'x' }),
      callEnded('i', 'ok', { frame: 'x', ...createAdditions('b') }),
    ];
    const state = fold([...notedEvents, own, ...inside]);
    expect(getFrame(state, 'x').inherited).toBe(1);
    expect(getValues(getFrame(state, 'x'))).toEqual(['a', 'b']);
    expect(getValues(getFrame(state, ROOT))).toEqual(['a']);
    expect(getValues(state)).toEqual(['a']);
  });

  it('does not see entries that a sibling frame added earlier', () => {
    const beside = [
      createFrameStarted('y'),
      createModelReplied(['j note'], { frame: 'y' }),
      callEnded('j', 'ok', { frame: 'y', ...createAdditions('of y') }),
    ];
    const state = fold([...notedEvents, ...beside, own]);
    expect(getValues(state)).toEqual(['a', 'of y']);
    expect(getValues(getFrame(state, 'x'))).toEqual(['a']);
  });

  it('shares its blackboard with inner frames that have no blackboard of their own', () => {
    const inside = [
      own,
      createModelReplied(['i note', 'k dig'], { frame: 'x' }),
      createFrameStarted('k', { parent: 'x' }),
      createModelReplied(['l note'], { frame: 'k' }),
      callEnded('l', 'ok', { frame: 'k', ...createAdditions('deep') }),
    ];
    const state = fold([...notedEvents, ...inside]);
    expect(getFrame(state, 'k').blackboard).toBe(getFrame(state, 'x').blackboard);
    expect(getFrame(state, 'k').inherited).toBeUndefined();
    expect([getValues(getFrame(state, 'x')), getValues(state)]).toEqual([['a', 'deep'], ['a']]);
  });

  it('discards its blackboard when it ends, except for changes in the result of its call', () => {
    const inside = [
      own,
      createModelReplied(['i note'], { frame: 'x' }),
      callEnded('i', 'ok', { frame: 'x', ...createAdditions('b', 'c') }),
    ];
    const state = fold([
      ...notedEvents,
      ...inside,
      callEnded('x', 'ok', createAdditions('b')),
      callEnded('y'),
    ]);
    expect(getValues(state)).toEqual(['a', 'b']);
    expect([...(state.turn?.frames.keys() ?? [])]).toEqual([ROOT]);
  });

  it('starts with a copy of the next outer blackboard at every depth', () => {
    const inside = [
      own,
      createModelReplied(['i note', 'k dig'], { frame: 'x' }),
      callEnded('i', 'ok', { frame: 'x', ...createAdditions('b') }),
      createFrameStarted('k', { parent: 'x', ownBlackboard: true }),
    ];
    // The batch of `i` is still open, so `k` cannot see the addition of `i`.
    const state = fold([...notedEvents, ...inside]);
    expect([getValues(getFrame(state, 'k')), getFrame(state, 'k').inherited]).toEqual([['a'], 1]);
  });
});

describe('a frame without its own blackboard', () => {
  it('uses the outer blackboard', () => {
    const state = fold([...notedEvents, createFrameStarted('x')]);
    expect(getFrame(state, 'x').blackboard).toBe(state.blackboard);
    expect('inherited' in getFrame(state, 'x')).toBe(false);
  });
});

describe('the facts of a frame', () => {
  /** A memory of all facts, with the places where they were recorded. */
  const ledger: ToolMemory<Json[], string> = {
    folding: FOLDING,
    name: 'ledger',
    initial: [],
    apply: (value, fact, place) => [...value, [fact, JSON.parse(JSON.stringify(place))]],
  };
  const createFact = (words: string) => ({ slice: 'ledger', fact: words, at: 7 });
  const foldLedger = (events: readonly SessionEvent[]) => fold(events, [ledger]).memories.get('ledger');

  it('are recorded at the path of the frame when it opens, regardless of the outcome of its call', () => {
    const events = [
      ...notedEvents,
      createFrameStarted('x', { facts: [createFact('one'), createFact('two')] }),
    ];
    const place = { turn: 't1', frame: 'x', path: 'tester/of-x', call: 'x', at: 7 };
    expect(foldLedger(events)).toEqual([
      ['one', place],
      ['two', place],
    ]);
    const failed = [callEnded('x', { type: 'error', message: 'No.' }), callEnded('y')];
    expect(foldLedger([...events, ...failed])).toHaveLength(2);
  });

  it('are visible to the calls of the frame, but not to the batch of its own call', () => {
    const state = fold(
      [
        ...notedEvents,
        createFrameStarted('x', { facts: [createFact('one')] }),
        createModelReplied(['i look'], { frame: 'x' }),
      ],
      [ledger],
    );
    expect(getFrame(state, 'x').seen.memories.get('ledger')).toHaveLength(1);
    expect(getFrame(state, ROOT).seen.memories.get('ledger')).toHaveLength(0);
  });

  it('are ignored if no module in this code owns them', () => {
    const stranger = { slice: 'stranger', fact: 1 };
    expect([
      ...fold([...notedEvents, createFrameStarted('x', { facts: [stranger] })], [ledger]).memories.keys(),
    ]).toEqual(['ledger']);
  });

  it('are recorded in source order with their results when the batch of an inner call has ended', () => {
    const inside = [createFrameStarted('x'), createModelReplied(['i look', 'j look'], { frame: 'x' })];
    const createCallEnd = (call: string) =>
      callEnded(call, `${call} done`, { frame: 'x', changes: { facts: [createFact(call)] } });
    expect(foldLedger([...notedEvents, ...inside, createCallEnd('j')])).toEqual([]);
    const at = { turn: 't1', frame: 'x', path: 'tester/of-x', at: 7 };
    expect(foldLedger([...notedEvents, ...inside, createCallEnd('j'), createCallEnd('i')])).toEqual([
      ['i', { ...at, call: 'i', result: { type: 'text', content: 'i done' } }],
      ['j', { ...at, call: 'j', result: { type: 'text', content: 'j done' } }],
    ]);
  });
});

describe('a call that opened a nested frame', () => {
  const createFrameEvents = (planned: boolean) => [
    createFrameStarted('x'),
    createModelReplied(['i dig', 'j look'], { frame: 'x' }),
    createFrameStarted('i', { parent: 'x' }),
    createModelReplied([], { frame: 'i', text: 'Dug.', ...(planned && { planned: true }) }),
    callEnded('i', 'ok', { frame: 'x' }),
    callEnded('j', 'ok', { frame: 'x' }),
  ];
  const getNestedMessages = (state: SessionState) =>
    getFrame(state, 'x').messages.flatMap((message) =>
      message.role === 'assistant' ? message.calls.map(({ ended: end }) => end?.nested) : [],
    );

  it('is marked as a call in which a model decided', () => {
    expect(getNestedMessages(fold([...notedEvents, ...createFrameEvents(false)]))).toEqual([true, undefined]);
  });

  it('is not marked if a plan decided instead of a model', () => {
    expect(getNestedMessages(fold([...notedEvents, ...createFrameEvents(true)]))).toEqual([
      undefined,
      undefined,
    ]);
  });
});

describe('a rejected answer in a frame', () => {
  const rejected: SessionEvent = {
    type: 'answer-rejected',
    turn: 't1',
    frame: 'x',
    problems: ['n: is missing'],
  };
  const state = fold([
    ...notedEvents,
    createFrameStarted('x'),
    createModelReplied([], { frame: 'x', text: 'No.' }),
    rejected,
  ]);

  it('is shown only to the model of the frame', () => {
    expect(getFrame(state, 'x').messages.at(-1)).toEqual({
      role: 'user',
      by: 'loop',
      text:
        'Your answer does not have the form that was asked for:\n- n: is missing\n' +
        'Answer again with the corrected JSON text, and nothing else.',
    });
    expect(state.messages.filter(({ role }) => role === 'user')).toHaveLength(1);
  });

  it('is remembered only for the loop of the frame', () => {
    expect([getFrame(state, 'x').rejected, getFrame(state, ROOT).rejected]).toEqual([true, false]);
  });

  it('has no effect after the frame has ended', () => {
    const after = [...notedEvents, createFrameStarted('x'), callEnded('x'), callEnded('y')];
    const { seq: _, ...before } = fold(after);
    const { seq, ...now } = fold([...after, rejected]);
    if (now.turn && before.turn) now.turn.lastEvent = before.turn.lastEvent;
    expect([now, seq]).toEqual([before, after.length + 1]);
  });
});
