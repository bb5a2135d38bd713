/** The part of a session's journal between two requests of one loop. */
import type { SessionEvent, StoredEvent } from '../../../src/journal/entry.ts';

export interface Span {
  /** The whole journal. */
  readonly events: readonly StoredEvent[];
  /** The id of the call that opened the loop, or empty for the turn's own loop. */
  readonly frame: string;
  /** The sequence number of the previous request's reply, or -1 for the beginning. */
  readonly after: number;
  /** The sequence number of the request's reply. */
  readonly upTo: number;
}

/** Returns all events between the two requests, in any loop. */
export const listEvents = (span: Span): readonly SessionEvent[] =>
  span.events.filter(({ seq }) => seq > span.after && seq < span.upTo);

/** Returns the events of a type between the two requests in this loop. */
export const listEventsOfType = <Type extends SessionEvent['type']>(
  span: Span,
  type: Type,
): readonly Extract<SessionEvent, { readonly type: Type }>[] =>
  listEvents(span).filter(
    (event): event is Extract<SessionEvent, { readonly type: Type }> =>
      event.type === type && getLoop(event) === span.frame,
  );

/** A fact that a call stored in the memory of a kind of tools. */
export interface CreatedFact {
  readonly seq: number;
  /** The name of the memory. */
  readonly slice: string;
  readonly fact: unknown;
  /** The called tool. */
  readonly tool: string;
  /** The name of the loop of the call, or empty for the turn's own loop. */
  readonly loop: string;
}

/**
 * Returns the facts that calls of this loop stored between the two requests, in order, and the facts at the
 * start of the loop.
 */
export function collectFacts(span: Span): readonly CreatedFact[] {
  const calls = new Map(
    span.events.flatMap((event) =>
      event.type === 'model-replied' ? event.toolCalls.map(({ id, meant, name }) => [id, meant ?? name]) : [],
    ),
  );
  const loops = new Map(
    span.events.flatMap((event) => (event.type === 'frame-started' ? [[event.frame, event.name]] : [])),
  );
  // A loop of the same name continues where the previous one stopped.
  const isHere = (frame: string): boolean =>
    frame === span.frame || (span.after === -1 && loops.get(frame) === loops.get(span.frame));
  return span.events.flatMap((event): readonly CreatedFact[] => {
    const { seq } = event;
    if (seq <= span.after || seq >= span.upTo) return [];
    const [frame, facts] = getCreator(event);
    if (facts.length === 0 || !isHere(frame)) return [];
    const tool = event.type === 'tool-call-ended' ? (calls.get(event.call) ?? '') : '';
    const loop = loops.get(frame) ?? '';
    return facts.map(({ slice, fact }) => ({ seq, slice, fact, tool, loop }));
  });
}

type Facts = readonly { readonly slice: string; readonly fact: unknown }[];

/** Returns the facts of an event, with the loop that they belong to. */
function getCreator(event: SessionEvent): readonly [frame: string, facts: Facts] {
  switch (event.type) {
    case 'tool-call-ended':
      return [event.frame ?? '', event.changes?.facts ?? []];
    case 'frame-started':
      return [event.frame, event.facts ?? []];
    default:
      return ['', []];
  }
}

const getLoop = (event: SessionEvent): string => ('frame' in event && event.frame ? event.frame : '');
