import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../src/index.ts';
import type { SessionEvent } from '../../../../src/journal/entry.ts';
import type { ToolMemory } from '../../../../src/module.ts';
import type { SessionState } from '../../../../src/testing/entry.ts';
import {
  createEmptyState,
  FOLDING,
  foldCoveredEvent,
  MESSAGE_TYPES,
  parseEvent,
  parseSnapshot,
  reduce,
  toRow,
  toSnapshot,
} from '../../../doors/journal.ts';
import { callEnded, createModelReplied, sessionOpened, turnStarted } from './journal.ts';
import { validJournal } from './random-journal.ts';

/** The memory of a kind of tool: which calls succeeded, and where. */
const successes: ToolMemory = {
  folding: FOLDING,
  name: 'successes',
  initial: {},
  observe(value, moment) {
    if (moment.type !== 'call-ended' || moment.result.type === 'error') return value;
    const places = value as { readonly [call: string]: string };
    return { ...places, [moment.call]: `${moment.tool} in ${moment.path}` };
  },
};

/** The memory of a kind of tool: all facts, and where they were recorded. */
const facts: ToolMemory = {
  folding: FOLDING,
  name: 'facts',
  initial: [],
  apply: (value, fact, { frame, path, call, result }) => [
    ...(value as Json[]), // As `initial`.
    [fact, frame, path, call, result?.type ?? null],
  ],
};

const fold = (events: readonly SessionEvent[], state = createEmptyState()): SessionState => {
  for (const event of events) reduce(state, { ...event, seq: state.seq + 1 }, [successes, facts]);
  return state;
};

const foldThroughRows = (events: readonly SessionEvent[]): SessionEvent[] =>
  events.map((event, i) => parseEvent({ ...toRow(event), seq: i + 1, at: 0 }));

/**
 * Folds as a lease holder does: the snapshot, the earlier messages that are still shown, and the events after
 * the snapshot.
 */
function foldFromSnapshot(events: readonly SessionEvent[], covered: number): SessionState {
  const state = parseSnapshot(toSnapshot(fold(events.slice(0, covered))));
  const from = state.cut?.from ?? 1;
  for (const event of foldThroughRows(events.slice(0, covered)).slice(from - 1)) {
    if (MESSAGE_TYPES.includes(event.type)) foldCoveredEvent(state, event);
  }
  return fold(foldThroughRows(events.slice(covered)), state);
}

const journalAndCut = fc.tuple(validJournal, fc.nat());

describe('the fold of a journal', () => {
  it('is the same for the events and for their rows', () => {
    fc.assert(
      fc.property(validJournal, (events) => {
        expect(fold(foldThroughRows(events))).toEqual(fold(events));
      }),
      { seed: 20_261_117 },
    );
  });

  it('is the same if it is interrupted between any two events', () => {
    fc.assert(
      fc.property(journalAndCut, ([events, at]) => {
        const first = at % (events.length + 1);
        expect(fold(foldThroughRows(events.slice(first)), fold(events.slice(0, first)))).toEqual(
          fold(events),
        );
      }),
      { seed: 20_261_117 },
    );
  });

  it('is the same if it starts from a snapshot between any two turns', () => {
    fc.assert(
      fc.property(journalAndCut, ([events, at]) => {
        const ends = events.flatMap(({ type }, i) => (type === 'turn-ended' ? [i + 1] : []));
        const covered = ends[at % ends.length] ?? 0;
        expect(foldFromSnapshot(events, covered)).toEqual(fold(events));
      }),
      { seed: 20_261_117 },
    );
  });

  it('includes the data of ended loops at depth two, even if it starts from a snapshot', () => {
    const turn = 't1';
    const said = { call: 'c', tool: 'look', text: 'Looking.' };
    const createFrameStarted = (frame: string, parent?: string): SessionEvent => ({
      ...{ type: 'frame-started', turn, frame, name: 'dig', message: 'Dig.' },
      ...(parent !== undefined && { parent }),
    });
    const events = [
      ...[
        sessionOpened,
        turnStarted,
        createModelReplied(['a dig']),
        createFrameStarted('a'),
        createModelReplied(['b dig'], { frame: 'a' }),
        createFrameStarted('b', 'a'),
      ],
      createModelReplied(['c look'], { frame: 'b' }),
      { type: 'message-sent', turn, frame: 'b', under: 'a', ...said } as const,
    ];
    const frames = fold(events).turn?.frames;
    const inside = ['a', 'b'].map((frame) => frames?.get(frame)?.messages.at(-1));
    expect(inside).toMatchObject([
      { calls: [{ id: 'b', said: [said] }] },
      { calls: [{ id: 'c', said: [said] }] },
    ]);
    const ends = [callEnded('c', 'ok', { frame: 'b' }), callEnded('b', 'ok', { frame: 'a' }), callEnded('a')];
    const all = [...events, ...ends, { type: 'turn-ended', turn, outcome: 'completed' } as const];
    expect(fold(all).messages.at(-1)).toMatchObject({ calls: [{ id: 'a', said: [said] }] });
    expect(foldFromSnapshot(all, all.length)).toEqual(fold(all));
    expect(fold(all).turn?.said).toEqual([said]);
  });

  it('does not change its input', () => {
    fc.assert(
      fc.property(validJournal, (events) => {
        const before = structuredClone(events);
        fold(events);
        expect(events).toEqual(before);
      }),
      { seed: 20_261_117 },
    );
  });

  it('has no open calls, and no marks of open calls, after a turn has ended', () => {
    fc.assert(
      fc.property(validJournal, (events) => {
        for (const message of fold(events).messages) {
          if (message.role !== 'assistant') continue;
          // Messages of the call to the user are kept.
          for (const { said: _, ...call } of message.calls) {
            expect(Object.keys(call).sort()).toEqual(['ended', 'id', 'input', 'name', 'providerId']);
          }
        }
      }),
      { seed: 20_261_117 },
    );
  });
});
