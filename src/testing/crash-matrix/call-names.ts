import type { StoredEvent } from '../../journal/events.ts';

/** Names of calls, and of the turns that calls have scheduled, by their ids. */
export type CallNames = ReadonlyMap<string, string>;

/**
 * Names for the calls of a journal that do not depend on its sequences, which a disturbance moves: the turn, the calls
 * whose frames are around, and the place among the replies of the frame.
 */
export function callNames(events: readonly StoredEvent[]): CallNames {
  const names = new Map<string, string>();
  const replies = new Map<string, number>();
  for (const { event } of events) {
    if (event.type === 'tool-call-ended') {
      event.changes?.scheduled?.forEach(({ turn }, index) => {
        names.set(turn, `${names.get(event.call) ?? event.call}+${index}`);
      });
    }
    if (event.type !== 'model-replied') continue;
    const { turn, frame: of } = event;
    const frame = of === undefined ? `${names.get(turn) ?? turn}:` : `${names.get(of) ?? of}/`;
    const reply = (replies.get(frame) ?? 0) + 1;
    replies.set(frame, reply);
    event.toolCalls.forEach(({ id }, index) => {
      names.set(id, `${frame}${reply}.${index}`);
    });
  }
  return names;
}
