import type { StoredEvent } from '../../../src/journal/events.ts';

/** Names of calls by their ids. */
export type CallNames = ReadonlyMap<string, string>;

/**
 * Names for the calls of a journal that do not depend on its sequences, which a disturbance moves: the turn, the calls
 * whose frames are around, and the place among the replies of the frame.
 */
export function callNames(events: readonly StoredEvent[]): CallNames {
  const names = new Map<string, string>();
  const replies = new Map<string, number>();
  for (const { event } of events) {
    if (event.type !== 'model-replied') continue;
    const frame = event.frame === undefined ? `${event.turn}:` : `${names.get(event.frame) ?? event.frame}/`;
    const reply = (replies.get(frame) ?? 0) + 1;
    replies.set(frame, reply);
    event.toolCalls.forEach(({ id }, index) => {
      names.set(id, `${frame}${reply}.${index}`);
    });
  }
  return names;
}

/** The data as text that is the same for the same data: ids of calls are replaced by their names. */
export const comparable = (data: unknown, names: CallNames): string =>
  JSON.stringify(data ?? null).replaceAll(CALL_ID, (id) => names.get(id) ?? id);

/** The same for what is kept under keys whose order says nothing. */
export function comparableState(data: unknown, names: CallNames): string {
  const text = JSON.stringify(data ?? null, (_, value: unknown) =>
    value instanceof Map ? [...value] : value,
  );
  const renamed: unknown = JSON.parse(text.replaceAll(CALL_ID, (id) => names.get(id) ?? id));
  return JSON.stringify(renamed, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}

/** Plays number their turns. */
const CALL_ID = /\bt\d+\.\d+\.\d+\b/g;
