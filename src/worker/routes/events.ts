import { parseEvent } from '../../journal/event-rows.ts';
import { Problem, SessionError } from '../problem.ts';
import { placeOfQuery, resumedAfter, wantsEvents } from '../request-headers.ts';
import { defineRoute, SESSION, type SessionRequest } from '../route.ts';
import type { EventsPage } from '../route-views.ts';
import { mustHaveEvents, unknownSession } from '../session-view.ts';
import { eventFrames, eventStream } from '../sse.ts';
import type { Target } from '../target.ts';
import { type FeedOptions, followedFrom, type TurnItem } from '../turn-feed.ts';
import { continuesView } from '../turn-view.ts';

/** The journal as JSON pages, or as a stream that resumes after `Last-Event-ID` and follows live. */
export const getEvents = defineRoute({
  method: 'GET',
  path: `${SESSION}/events`,
  access: 'session',
  streams: true,
  handle: showEvents,
});

/** Events a JSON page holds unless fewer are asked for. */
const PAGE_SIZE = 500;

async function showEvents(asked: SessionRequest): Promise<Response> {
  const { request, target } = asked;
  const query = new URL(request.url).searchParams;
  // A stream that answers HEAD would be followed by nobody.
  if (request.method === 'HEAD' || !wantsEvents(request)) return jsonPage(target, query);
  const { after = 0, incarnation } = resumedAfter(request);
  // What keeps it from being read is told by the status: a stream would only end.
  await mustHaveEvents(asked, after);
  return eventStream(asked, (signal) =>
    eventFrames((onIncarnation) => eventsFrom(asked, { after, incarnation, signal, onIncarnation })),
  );
}

interface Wanted extends FeedOptions {
  readonly after: number;
}

/**
 * The events of a session, which ends with `erased`, and then those of the next one of its name, if there is one: whoever has seen only
 * the former one must not take them for what happened in that.
 */
async function* eventsFrom(
  { host, target }: SessionRequest,
  { after, incarnation, ...wanted }: Wanted,
): AsyncGenerator<TurnItem | { readonly type: 'erased' }, void, undefined> {
  const { clock, meter } = host;
  const { port } = target;
  const watch = { port, clock, meter, ...wanted };
  let place = { after, incarnation };
  for (;;) {
    const { end, last } = yield* followedFrom({ ...watch, incarnation: place.incarnation }, place.after);
    // An EventSource comes again by itself, with the last id.
    if (end === 'over') yield { type: 'continues', ...continuesView(target, last) };
    if (end !== 'erased') return;
    yield { type: 'erased' };
    if ((await port.read({ from: 1, limit: 1 })) === null) return;
    place = { after: 0, incarnation: undefined };
  }
}

async function jsonPage(target: Target, query: URLSearchParams): Promise<Response> {
  const { after = 0, incarnation } = placeOfQuery(query);
  const limit = pageSize(query.get('limit'));
  const page = await target.port.read({ from: after + 1, limit });
  if (!page) throw unknownSession(target);
  // A journal that was written elsewhere may have none.
  if (incarnation !== undefined && (page.incarnation ?? incarnation) !== incarnation) {
    const detail =
      'The session of this event was erased. Leave out `after` to read the one that is there now.';
    throw new SessionError('session-erased', detail);
  }
  const events = page.rows.map(parseEvent);
  const last = events.at(-1)?.seq ?? after;
  const next = page.next === null ? null : `${target.path}/events?after=${last}&limit=${limit}`;
  return Response.json({ events, head: page.head, next } satisfies EventsPage);
}

function pageSize(value: string | null): number {
  if (value === null || value === '') return PAGE_SIZE;
  if (/^0*[1-9]\d{0,14}$/.test(value)) return Math.min(PAGE_SIZE, Number(value));
  throw new Problem('invalid-query', `limit must be a whole number from 1 to ${PAGE_SIZE}.`);
}
