import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../src/index.ts';
import type { SessionEvent } from '../../../../src/journal/entry.ts';
import type { ToolMemory } from '../../../../src/module.ts';
import type { SessionState } from '../../../../src/testing/entry.ts';
import { FOLDING, type FrameState, ROOT } from '../../../doors/journal.ts';
import { ended, fold, opened, replied, started } from './journal.ts';

type FrameStarted = Extract<SessionEvent, { type: 'frame-started' }>;

const opens = (frame: string, more: Partial<FrameStarted> = {}): SessionEvent => ({
  type: 'frame-started',
  turn: 't1',
  frame,
  name: `of-${frame}`,
  message: 'Go.',
  ...more,
});
const frameOf = ({ turn }: SessionState, id: string): FrameState => {
  const frame = turn?.frames.get(id);
  if (!frame) throw new Error(`There is no frame '${id}'.`);
  return frame;
};
const adds = (...values: readonly string[]) => ({
  changes: { blackboard: values.map((value) => ({ value })) },
});
const valuesOf = ({ blackboard }: Pick<FrameState, 'blackboard'>) => blackboard.map(({ value }) => value);

/** A turn whose loop has noted `a` and has asked for two calls, `x` and `y`. */
const noted = [
  opened,
  started,
  replied(['n note']),
  ended('n', 'ok', adds('a')),
  replied(['x dig', 'y dig']),
];

describe('a frame with its own blackboard', () => {
  const own = opens('x', { ownBlackboard: true });

  it('starts with a copy of the outer one, and keeps its additions', () => {
    const inside = [replied(['i note'], { frame: 'x' }), ended('i', 'ok', { frame: 'x', ...adds('b') })];
    const state = fold([...noted, own, ...inside]);
    expect(frameOf(state, 'x').inherited).toBe(1);
    expect(valuesOf(frameOf(state, 'x'))).toEqual(['a', 'b']);
    expect(valuesOf(frameOf(state, ROOT))).toEqual(['a']);
    expect(valuesOf(state)).toEqual(['a']);
  });

  it('has no additions of a sibling loop from before it opened', () => {
    const beside = [
      opens('y'),
      replied(['j note'], { frame: 'y' }),
      ended('j', 'ok', { frame: 'y', ...adds('of y') }),
    ];
    const state = fold([...noted, ...beside, own]);
    expect(valuesOf(state)).toEqual(['a', 'of y']);
    expect(valuesOf(frameOf(state, 'x'))).toEqual(['a']);
  });

  it('shares it with the inner frames that have none', () => {
    const inside = [
      own,
      replied(['i note', 'k dig'], { frame: 'x' }),
      opens('k', { parent: 'x' }),
      replied(['l note'], { frame: 'k' }),
      ended('l', 'ok', { frame: 'k', ...adds('deep') }),
    ];
    const state = fold([...noted, ...inside]);
    expect(frameOf(state, 'k').blackboard).toBe(frameOf(state, 'x').blackboard);
    expect(frameOf(state, 'k').inherited).toBeUndefined();
    expect([valuesOf(frameOf(state, 'x')), valuesOf(state)]).toEqual([['a', 'deep'], ['a']]);
  });

  it('drops it when it ends: only changes in the call’s result reach the outer one', () => {
    const inside = [
      own,
      replied(['i note'], { frame: 'x' }),
      ended('i', 'ok', { frame: 'x', ...adds('b', 'c') }),
    ];
    const state = fold([...noted, ...inside, ended('x', 'ok', adds('b')), ended('y')]);
    expect(valuesOf(state)).toEqual(['a', 'b']);
    expect([...(state.turn?.frames.keys() ?? [])]).toEqual([ROOT]);
  });

  it('has a copy at every depth, each of the outer one', () => {
    const inside = [
      own,
      replied(['i note', 'k dig'], { frame: 'x' }),
      ended('i', 'ok', { frame: 'x', ...adds('b') }),
      opens('k', { parent: 'x', ownBlackboard: true }),
    ];
    // The batch of `i` is open, so `k` cannot have seen what `i` added.
    const state = fold([...noted, ...inside]);
    expect([valuesOf(frameOf(state, 'k')), frameOf(state, 'k').inherited]).toEqual([['a'], 1]);
  });
});

describe('a frame without its own blackboard', () => {
  it('uses the outer one', () => {
    const state = fold([...noted, opens('x')]);
    expect(frameOf(state, 'x').blackboard).toBe(state.blackboard);
    expect('inherited' in frameOf(state, 'x')).toBe(false);
  });
});

describe('the facts of a frame', () => {
  /** Keeps every fact, with the place where it was recorded. */
  const ledger: ToolMemory<Json[], string> = {
    folding: FOLDING,
    name: 'ledger',
    initial: [],
    apply: (value, fact, place) => [...value, [fact, JSON.parse(JSON.stringify(place))]],
  };
  const fact = (words: string) => ({ slice: 'ledger', fact: words, at: 7 });
  const kept = (events: readonly SessionEvent[]) => fold(events, [ledger]).memories.get('ledger');

  it('take effect when it opens, at its own path, for any outcome of its call', () => {
    const events = [...noted, opens('x', { facts: [fact('one'), fact('two')] })];
    const place = { turn: 't1', frame: 'x', path: 'tester/of-x', call: 'x', at: 7 };
    expect(kept(events)).toEqual([
      ['one', place],
      ['two', place],
    ]);
    const failed = [ended('x', { type: 'error', message: 'No.' }), ended('y')];
    expect(kept([...events, ...failed])).toHaveLength(2);
  });

  it('are visible to its own calls, but not to the batch of its call', () => {
    const state = fold(
      [...noted, opens('x', { facts: [fact('one')] }), replied(['i look'], { frame: 'x' })],
      [ledger],
    );
    expect(frameOf(state, 'x').seen.memories.get('ledger')).toHaveLength(1);
    expect(frameOf(state, ROOT).seen.memories.get('ledger')).toHaveLength(0);
  });

  it('are dropped if their kind is unknown to this code', () => {
    const stranger = { slice: 'stranger', fact: 1 };
    expect([...fold([...noted, opens('x', { facts: [stranger] })], [ledger]).memories.keys()]).toEqual([
      'ledger',
    ]);
  });

  it('from inner calls take effect when their batch has ended, in source order, with their results', () => {
    const inside = [opens('x'), replied(['i look', 'j look'], { frame: 'x' })];
    const end = (call: string) =>
      ended(call, `${call} done`, { frame: 'x', changes: { facts: [fact(call)] } });
    expect(kept([...noted, ...inside, end('j')])).toEqual([]);
    const at = { turn: 't1', frame: 'x', path: 'tester/of-x', at: 7 };
    expect(kept([...noted, ...inside, end('j'), end('i')])).toEqual([
      ['i', { ...at, call: 'i', result: { type: 'text', content: 'i done' } }],
      ['j', { ...at, call: 'j', result: { type: 'text', content: 'j done' } }],
    ]);
  });
});

describe('a call that opened a frame inside a frame', () => {
  const inFrame = (planned: boolean) => [
    opens('x'),
    replied(['i dig', 'j look'], { frame: 'x' }),
    opens('i', { parent: 'x' }),
    replied([], { frame: 'i', text: 'Dug.', ...(planned && { planned: true }) }),
    ended('i', 'ok', { frame: 'x' }),
    ended('j', 'ok', { frame: 'x' }),
  ];
  const nestedOf = (state: SessionState) =>
    frameOf(state, 'x').messages.flatMap((message) =>
      message.role === 'assistant' ? message.calls.map(({ ended: end }) => end?.nested) : [],
    );

  it('is marked as one in which a model decided', () => {
    expect(nestedOf(fold([...noted, ...inFrame(false)]))).toEqual([true, undefined]);
  });

  it('is not marked if a plan decided', () => {
    expect(nestedOf(fold([...noted, ...inFrame(true)]))).toEqual([undefined, undefined]);
  });
});

describe('a rejected answer in a frame', () => {
  const rejected: SessionEvent = {
    type: 'answer-rejected',
    turn: 't1',
    frame: 'x',
    problems: ['n: is missing'],
  };
  const state = fold([...noted, opens('x'), replied([], { frame: 'x', text: 'No.' }), rejected]);

  it('is reported to its model only', () => {
    expect(frameOf(state, 'x').messages.at(-1)).toEqual({
      role: 'user',
      by: 'loop',
      text:
        'Your answer does not have the form that was asked for:\n- n: is missing\n' +
        'Answer again with the corrected JSON text, and nothing else.',
    });
    expect(state.messages.filter(({ role }) => role === 'user')).toHaveLength(1);
  });

  it('is remembered for that loop only', () => {
    expect([frameOf(state, 'x').rejected, frameOf(state, ROOT).rejected]).toEqual([true, false]);
  });

  it('has no effect after the frame has ended', () => {
    const after = [...noted, opens('x'), ended('x'), ended('y')];
    const { seq: _, ...before } = fold(after);
    const { seq, ...now } = fold([...after, rejected]);
    if (now.turn && before.turn) now.turn.lastEvent = before.turn.lastEvent;
    expect([now, seq]).toEqual([before, after.length + 1]);
  });
});
