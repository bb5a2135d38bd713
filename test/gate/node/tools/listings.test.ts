import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../../../src/journal/entry.ts';
import { LISTINGS, type Listing, type Listings } from '../../../../src/modules/listings/entry.ts';
import type { SessionState } from '../../../../src/testing/entry.ts';
import {
  createEmptyState,
  getMemoryValue,
  parseEvent,
  parseSnapshot,
  reduce,
  toRow,
  toSnapshot,
} from '../../../doors/journal.ts';
import { BUILT_IN_KINDS } from '../../../doors/kinds.ts';
import { createFact } from '../../../doors/tools.ts';

const place = { turn: 't1', frame: '', path: 'clerk', call: '', at: 0 };
const foldListings = (...told: readonly Listing[]): Listings =>
  told.reduce<Listings>((known, one) => LISTINGS.apply?.(known, one, place) ?? known, LISTINGS.initial);

describe('the listings of a session', () => {
  it('are empty at first', () => {
    expect(LISTINGS.initial).toEqual([]);
  });

  it('keep the newest entry of each key, and move it to the end', () => {
    const told = [
      { key: 'a', told: ['one'] },
      { key: 'b', told: null },
      { key: 'a', told: ['two'] },
    ];
    expect(foldListings(...told)).toEqual([told[1], told[2]]);
  });

  it('treat a hostile key like any other name', () => {
    const told = ['__proto__', 'constructor', '__proto__'].map((key, n) => ({ key, told: n }));
    expect(foldListings(...told)).toEqual([told[1], told[2]]);
  });

  it('hold at most 100 entries, and drop the oldest entry first', () => {
    const told = Array.from({ length: 108 }, (_, n) => ({ key: `k${n}`, told: n }));
    const again = { key: 'k10', told: 'again' };
    const kept = foldListings(...told, again);
    expect(kept).toEqual([...told.slice(8, 10), ...told.slice(11), again]);
    expect(kept).toHaveLength(100);
  });

  it('hold at most two million characters, or a single longer entry', () => {
    const createLongListing = (key: string, length: number): Listing => ({ key, told: 'x'.repeat(length) });
    const million = [
      createLongListing('a', 1_000_000),
      createLongListing('b', 1_000_000),
      createLongListing('c', 1_000),
    ];
    expect(foldListings(...million)).toEqual(million);
    expect(foldListings(...million, createLongListing('d', 200_000)).map(({ key }) => key)).toEqual([
      'b',
      'c',
      'd',
    ]);
    expect(foldListings(...million, createLongListing('e', 3_000_000)).map(({ key }) => key)).toEqual(['e']);
  });

  it('keep an entry and move it to the end if a report marks it as unchanged', () => {
    const told = [
      { key: 'a', told: ['one'], at: 1 },
      { key: 'b', told: null, at: 2 },
    ];
    const after3 = [...told, { key: 'a', at: 3 }].reduce<Listings>(
      (known, one) => LISTINGS.apply?.(known, one, place) ?? known,
      LISTINGS.initial,
    );
    expect(after3).toEqual([told[1], { key: 'a', told: ['one'], at: 3 }]);
  });

  it('ignore a first report that marks an entry as unchanged', () => {
    expect(LISTINGS.apply?.([], { key: 'a', at: 3 }, place)).toEqual([]);
  });

  it('do not mutate the previous list', () => {
    const known = foldListings({ key: 'a', told: 1 });
    LISTINGS.apply?.(known, { key: 'a', told: 2 }, place);
    expect(known).toEqual([{ key: 'a', told: 1 }]);
  });
});

describe('the outside sources in a journal', () => {
  const createListedEvent = (frame: string | undefined, ...facts: readonly Listing[]): SessionEvent => ({
    type: 'tools-listed',
    turn: 't1',
    ...(frame !== undefined && { frame }),
    facts: [...facts.map((one) => createFact(LISTINGS, one)), { slice: 'of another deployment', fact: 1 }],
  });
  const call = { id: 't1.3.0', providerId: 'p', name: 'dig', input: '{}' };
  const asks = { type: 'model-replied', turn: 't1', model: 'm', text: '', finish: 'tool-calls' } as const;
  const EVENTS: readonly SessionEvent[] = [
    { type: 'session-opened', incarnation: 'i', agent: 'clerk' },
    { type: 'turn-started', turn: 't1', loopId: 't1', message: 'Go.', context: {}, principal: { id: 'ann' } },
    createListedEvent(undefined, { key: 'a', told: ['one'] }),
    { ...asks, toolCalls: [call] },
    { type: 'frame-started', turn: 't1', frame: call.id, name: 'dig', message: 'Dig.' },
    createListedEvent(call.id, { key: 'a', told: ['two'] }, { key: 'b', told: { at: 7 } }),
    // This loop has ended or never existed.
    createListedEvent('t1.9.9', { key: 'a', told: ['lost'] }),
    { type: 'tool-call-ended', turn: 't1', call: call.id, result: { type: 'text', content: 'Dug.' } },
    { type: 'turn-ended', turn: 't1', outcome: 'completed' },
  ];
  const fold = (events: readonly SessionEvent[], state = createEmptyState()): SessionState => {
    for (const event of events) reduce(state, { ...event, seq: state.seq + 1 }, BUILT_IN_KINDS.memories);
    return state;
  };
  const replayThroughRows = (events: readonly SessionEvent[]): SessionEvent[] =>
    events.map((event, i) => parseEvent({ ...toRow(event), seq: i + 1, at: 0 }));

  it('are part of the folded state at once', () => {
    expect(getMemoryValue(fold(EVENTS.slice(0, 3)).memories, LISTINGS, '')).toEqual([
      { key: 'a', told: ['one'] },
    ]);
    expect(getMemoryValue(fold(EVENTS).memories, LISTINGS, '')).toEqual([
      { key: 'a', told: ['two'] },
      { key: 'b', told: { at: 7 } },
    ]);
  });

  it('have the same state after a fold of rows as after a fold of a snapshot and later rows', () => {
    expect(fold(replayThroughRows(EVENTS))).toEqual(fold(EVENTS));
    const next: SessionEvent[] = [
      {
        type: 'turn-started',
        turn: 't2',
        loopId: 't2',
        message: 'And?',
        context: {},
        principal: { id: 'ann' },
      },
      { ...createListedEvent(undefined, { key: 'c', told: null }), turn: 't2' } as SessionEvent, // belongs to the next turn
    ];
    const snapshot = parseSnapshot(toSnapshot(fold(EVENTS)));
    expect(getMemoryValue(fold(next, snapshot).memories, LISTINGS, '')).toEqual([
      { key: 'a', told: ['two'] },
      { key: 'b', told: { at: 7 } },
      { key: 'c', told: null },
    ]);
    expect(snapshot.memories).toEqual(fold([...EVENTS, ...next]).memories);
  });

  it('do not change the listings that earlier calls see', () => {
    const state = fold(EVENTS.slice(0, 6));
    const seen = state.turn?.frames.get('')?.seen.memories ?? new Map();
    expect(getMemoryValue(seen, LISTINGS, '')).toEqual([{ key: 'a', told: ['one'] }]);
    expect(getMemoryValue(state.memories, LISTINGS, '')).toHaveLength(2);
  });
});
