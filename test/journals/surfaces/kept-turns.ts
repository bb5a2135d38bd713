/**
 * The turns of all stored journals in the form that surfaces receive: complete, or with pieces of replies, some
 * of which are lost or invalid.
 */
import type { ShownEvent, TurnStreamEnd } from '../../../src/create-holdfast.ts';
import type { StoredEvent } from '../../../src/journal/entry.ts';
import { foldStoppedTurn } from '../../doors/session.ts';
import { listVersions, readFolder } from '../kept.ts';

export interface KeptTurn {
  readonly of: string;
  readonly turn: string;
  readonly events: readonly StoredEvent[];
  readonly stop: TurnStreamEnd;
}

/** The turns of all journals, with the state of each. */
export const turns: readonly KeptTurn[] = listVersions().flatMap((version) =>
  [...readFolder(version).journals].flatMap(([name, { reading }]) => {
    const events = reading.events.flatMap(({ body }): StoredEvent[] => Object(body).events ?? []);
    const ids = new Set(events.flatMap((event) => ('turn' in event ? event.turn : [])));
    return [...ids].flatMap((turn): KeptTurn[] => {
      const own = events.filter((event) => 'turn' in event && event.turn === turn);
      const stop = own[0]?.type === 'turn-started' ? toStreamEnd(own) : undefined;
      return stop ? [{ of: `${version}/${name}`, turn, events: own, stop }] : [];
    });
  }),
);

function toStreamEnd(events: readonly StoredEvent[]): TurnStreamEnd {
  const { outcome, ...answer } = foldStoppedTurn('s', 'a', events);
  if (outcome !== 'suspended') return { type: 'answer', answer: { ...answer, outcome } };
  const pending = 'pending' in answer && Array.isArray(answer.pending) ? answer.pending : [];
  const waiting = pending.map((one) => ({ ...one, links: { approvals: `/approvals/${one.call}` } }));
  return { type: 'suspended', view: { ...answer, outcome, status: 'suspended', pending: waiting } };
}

export async function* yieldAll<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

/** Adds the pieces of each stored reply before it. The last pieces may be missing. */
export function splitReplies(events: readonly StoredEvent[], draw: () => number): ShownEvent[] {
  let replies = 0;
  return events.flatMap((event): ShownEvent[] => {
    if (event.type !== 'model-replied') return [event];
    replies += 1;
    const { frame, text } = event;
    const at = { reply: `${replies}.1`, ...(frame !== undefined && { frame }) };
    const createPiece = (one: string): ShownEvent => ({ type: 'text-delta', ...at, text: one });
    const [first, second] = [draw(), draw()]
      .map((part) => Math.floor(part * text.length))
      .sort((a, b) => a - b);
    const pieces = [text.slice(0, first), text.slice(first, second)]
      .filter((one) => one !== '')
      .map(createPiece);
    const again: ShownEvent = { type: 'reply-restarted', ...at, reply: `${replies}.2` };
    return draw() < 0.3 ? [...pieces, again, event] : [...pieces, event];
  });
}
