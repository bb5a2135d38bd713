import { EVENT_VERSION, type SessionEvent, type StoredEvent } from './events.ts';
import type { NewRow, Row } from './session-port.ts';

/** The journal holds an event that a newer version of this code wrote; this one must not touch the session. */
export class NewerEventError extends Error {
  override readonly name = 'NewerEventError';
  readonly seq: number;

  constructor(seq: number) {
    super(
      `Event ${seq} was written by a newer version of this Worker. Try again when the deployment is complete.`,
    );
    this.seq = seq;
  }
}

/** The events of the bodies in one text of a JSON array. @throws NewerEventError as `parseEvent` does. */
export function parseBodies(text: string): readonly SessionEvent[] {
  const events = JSON.parse(text) as readonly ({ v: number } & SessionEvent)[]; // written by toRow
  if (events.some(({ v }) => v > EVENT_VERSION)) throw new NewerEventError(0);
  return events;
}

/** An event as the row that is stored. */
export function toRow(event: SessionEvent): NewRow {
  const turn = 'turn' in event ? event.turn : '';
  return { type: event.type, turn, body: JSON.stringify({ v: EVENT_VERSION, ...event }) };
}

/**
 * The event of a row. This is where events of older versions are upgraded.
 *
 * @throws NewerEventError when this code is too old to read it.
 */
export function parseEvent(row: Row): StoredEvent {
  const { v, ...event } = JSON.parse(row.body) as { v: number } & SessionEvent; // written by toRow
  if (v > EVENT_VERSION) throw new NewerEventError(row.seq);
  return { seq: row.seq, at: row.at, event };
}
