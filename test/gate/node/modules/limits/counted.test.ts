/** The call counts in the memory of call limits. */
import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../../../../src/journal/entry.ts';
import { getMemoryValue, ROOT } from '../../../../doors/journal.ts';
import { CALL_COUNTS, type CallCounts } from '../../../../doors/limits.ts';
import { callEnded, createModelReplied, fold, sessionOpened, turnStarted } from '../../journal/journal.ts';

const countCalls = (events: readonly SessionEvent[]): CallCounts =>
  getMemoryValue(fold(events, [CALL_COUNTS]).memories, CALL_COUNTS, '');

const createFrameStarted = (frame: string, more: { readonly parent?: string } = {}): SessionEvent => ({
  type: 'frame-started',
  turn: 't1',
  frame,
  name: `of-${frame}`,
  message: 'Go.',
  ...more,
});

describe('the calls of a batch', () => {
  it('are numbered in total and per tool', () => {
    const { places } = countCalls([
      sessionOpened,
      turnStarted,
      createModelReplied(['a look', 'b pay', 'c look']),
    ]);
    expect(places).toEqual({
      a: [{ frame: ROOT, tool: 'look', calls: 1, ofTool: 1 }],
      b: [{ frame: ROOT, tool: 'pay', calls: 2, ofTool: 1 }],
      c: [{ frame: ROOT, tool: 'look', calls: 3, ofTool: 2 }],
    });
  });

  it('keep their numbers while others end', () => {
    const { places } = countCalls([
      sessionOpened,
      turnStarted,
      createModelReplied(['a look', 'b look']),
      callEnded('a'),
    ]);
    expect(places).toEqual({ b: [{ frame: ROOT, tool: 'look', calls: 2, ofTool: 2 }] });
  });

  it('are no longer counted after their turn ends', () => {
    const events = [sessionOpened, turnStarted, createModelReplied(['a look', 'b look']), callEnded('a')];
    const end: SessionEvent = { type: 'turn-ended', turn: 't1', outcome: 'cancelled' };
    expect(countCalls([...events, end])).toEqual({ loops: {}, places: {} });
    const next = [
      { ...turnStarted, turn: 't2' },
      { ...createModelReplied(['c look']), turn: 't2' },
    ];
    expect(countCalls([...events, end, ...next]).loops).toEqual({
      [ROOT]: { calls: 1, tools: [['look', 1]] },
    });
  });
});

describe('the calls of nested loops', () => {
  const events = [
    sessionOpened,
    turnStarted,
    createModelReplied(['n note']),
    callEnded('n'),
    createModelReplied(['x dig', 'y dig']),
    createFrameStarted('x'),
    createFrameStarted('y'),
    createModelReplied(['i look', 'k dig'], { frame: 'x' }),
    createModelReplied(['j look'], { frame: 'y' }),
    createFrameStarted('k', { parent: 'x' }),
    createModelReplied(['l look', 'm look'], { frame: 'k' }),
  ];

  it('are counted in each loop that contains them, and in the turn', () => {
    expect(countCalls(events).places.m).toEqual([
      { frame: 'k', tool: 'look', calls: 2, ofTool: 2 },
      { frame: 'x', tool: 'look', calls: 4, ofTool: 3 },
      { frame: ROOT, tool: 'look', calls: 8, ofTool: 4 },
    ]);
  });

  it('do not count in sibling loops', () => {
    expect(countCalls(events).places.j).toEqual([
      { frame: 'y', tool: 'look', calls: 1, ofTool: 1 },
      { frame: ROOT, tool: 'look', calls: 6, ofTool: 2 },
    ]);
  });

  it('are no longer counted after the call that opened their loop ends', () => {
    const { loops } = countCalls([...events, callEnded('k', 'dug', { frame: 'x' })]);
    expect(Object.keys(loops)).toEqual([ROOT, 'x', 'y']);
  });
});
