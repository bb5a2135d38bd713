import type { NewRow } from '../src/journal/event-page.ts';
import { countBytes } from './session-storage.ts';

/**
 * The maximum bytes of events in a row. A larger event's body is in `chunks`, so that scans need not read it.
 */
export const MAX_INLINE_BYTES = 64 * 1024;

/**
 * Some events of one append in one row of the table `events`. Their bodies are one text, concatenated in
 * order.
 */
export interface PackedEvents {
  /** The sequence number of the last event. */
  readonly seq: number;
  /** The types, separated by spaces. */
  readonly type: string;
  /** The turn of all events. */
  readonly turn: string;
  /** The size of the bodies in UTF-8. */
  readonly bytes: number;
  /** The length of each body in UTF-16, separated by spaces. `null` for a single event. */
  readonly lengths: string | null;
  readonly body: string;
}

/** An event of a row, without the values that all events of the row share. */
export interface UnpackedEvent {
  readonly seq: number;
  readonly type: string;
  readonly bytes: number;
  readonly body: string;
}

/** The types by which rows are looked up. Events of these types have their own rows. */
const UNPACKED_TYPES: readonly string[] = ['session-opened', 'turn-started'];

/** Packs the events of an append after `head` into as few rows as possible, in order. */
export function packEvents(events: readonly NewRow[], head: number): PackedEvents[] {
  const rows: PackedEvents[] = [];
  for (const [index, { type, turn, body }] of events.entries()) {
    const seq = head + 1 + index;
    const bytes = countBytes(body);
    const before = rows.at(-1);
    if (before && canPackInto(before, { type, turn, bytes })) {
      rows[rows.length - 1] = {
        seq,
        type: `${before.type} ${type}`,
        turn,
        bytes: before.bytes + bytes,
        lengths: `${before.lengths ?? before.body.length} ${body.length}`,
        body: before.body + body,
      };
    } else rows.push({ seq, type, turn, bytes, lengths: null, body });
  }
  return rows;
}

const canPackInto = (row: PackedEvents, event: Pick<PackedEvents, 'type' | 'turn' | 'bytes'>): boolean =>
  row.turn === event.turn &&
  row.bytes + event.bytes <= MAX_INLINE_BYTES &&
  !UNPACKED_TYPES.includes(row.type) &&
  !UNPACKED_TYPES.includes(event.type);

/** Returns the events of a row, in order. */
export function unpackEvents(row: Omit<PackedEvents, 'turn'>): readonly UnpackedEvent[] {
  const { seq, type, bytes, lengths, body } = row;
  if (lengths === null) return [{ seq, type, bytes, body }];
  const types = type.split(' ');
  const first = seq - types.length + 1;
  const isAscii = bytes === body.length;
  let end = 0;
  return lengths.split(' ').map((length, index) => {
    const start = end;
    end += Number(length);
    const own = body.slice(start, end);
    const weight = isAscii ? own.length : countBytes(own);
    return { seq: first + index, type: types[index] ?? '', bytes: weight, body: own };
  });
}
