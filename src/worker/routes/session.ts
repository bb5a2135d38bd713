import { parseEvent } from '../../journal/event-rows.ts';
import type { BegunTurn } from '../begun-turn.ts';
import { readMessage } from '../body.ts';
import { cancelTurn, eraseSession } from '../end-turn.ts';
import { Problem, SessionError } from '../problem.ts';
import {
  contextOfHeaders,
  hasTag,
  heeding,
  idempotencyKeyOf,
  placeOfQuery,
  prefersAsync,
  resumedAfter,
  wantsEvents,
} from '../request-headers.ts';
import { defineRoute, SESSION, type SessionRequest } from '../route.ts';
import type { EventsPage } from '../route-views.ts';
import { type SentMessage, sendMessage } from '../send-message.ts';
import { mustHaveEvents, tagOfSession, unknownSession, viewOfSession, viewOfTurn } from '../session-view.ts';
import { eventFrames, eventStream } from '../sse.ts';
import { filesOfAgent, type Target, turnPath } from '../target.ts';
import { type FeedOptions, followedFrom, type TurnItem } from '../turn-feed.ts';
import { isOver, notYet, settled, streamed, toResponse, waitedFor } from '../turn-response.ts';
import { continuesView, type LaterView, type TurnView } from '../turn-view.ts';

/** The folded state, as its owner may see it. */
export const getSession = defineRoute({
  method: 'GET',
  path: SESSION,
  access: 'session',
  handle: showSession,
});

/** A client that asks again and again has the state mostly: its tag is found out without reading what it is folded from. */
async function showSession(asked: SessionRequest): Promise<Response> {
  const { headers } = asked.request;
  if (headers.has('if-none-match')) {
    const etag = await tagOfSession(asked);
    if (hasTag(headers, etag)) return new Response(null, { status: 304, headers: { etag } });
  }
  const { view, tag } = await viewOfSession(asked);
  return Response.json(view, { headers: { etag: tag } });
}

/**
 * Removes all of a session, also what waits and what is planned. A turn that runs stops at its next step; what its tools have
 * done stays done. There is no session afterwards, which is the answer also when there was none before: a client that heard
 * no answer may ask again. A session is erased too when its agent is not deployed any more, which is why the access is not that
 * of a session: its target would not be found.
 */
export const deleteSession = defineRoute({
  method: 'DELETE',
  path: SESSION,
  access: 'caller',
  async handle(asked, named) {
    const owner = await asked.host.gates.owner?.(asked, deleteSession, named);
    await eraseSession(asked, { ...named, owner });
    return new Response(null, { status: 204 });
  },
});

/**
 * The answer of one turn, as its message was answered or would have been, but without `Retry-After`; 202 while there is none;
 * 303 when its message went into another turn, whose answer is its answer. As a stream, it shows the turn from its first event on, and follows it.
 */
export const getTurn = defineRoute({
  method: 'GET',
  path: `${SESSION}/turns/{turn}`,
  access: 'session',
  streams: true,
  handle: showTurn,
});

/**
 * Asks whoever runs the open turn to stop it, or, with `?turn=`, ends that one, also while it waits for those before it or for
 * its time: it is not begun then. A turn that waits for somebody with a role is ended by one who has it.
 */
export const postCancel = defineRoute({
  method: 'POST',
  path: `${SESSION}/cancel`,
  access: 'session',
  handle: stopTurn,
});

/** When to ask again for a turn that goes on by itself, and for one that waits for somebody, in seconds. */
const SOON = 1;
const LATER = 5;
/** A turn that starts in a week need not be asked for before; one that is cancelled is over sooner. In seconds. */
const MOST_WAIT = 60 * 60;

async function showTurn(asked: SessionRequest, { turn }: { readonly turn: string }): Promise<Response> {
  const { request } = asked;
  const view = await viewOfTurn(asked, turn);
  // A message that went into another turn has no events of its own, and a stream would answer HEAD for nobody.
  const isElsewhere = !isOver(view) && view.status === 'steered';
  if (!isElsewhere && request.method !== 'HEAD' && wantsEvents(request)) {
    return streamed(asked, { turn });
  }
  return heeding(request, showView(asked, turn, await waitedFor(asked, view)));
}

function showView({ target, host }: SessionRequest, turn: string, view: TurnView): Response {
  if (isOver(view)) {
    const response = toResponse(view, turnPath(target, turn));
    // It counted from the turn's end, and asking for this turn again changes nothing.
    response.headers.delete('retry-after');
    return response;
  }
  if (view.status === 'suspended') return notYet(view, LATER);
  if (view.status !== 'steered') return notYet(view, waitFor(view, host.clock.now()));
  const headers = { location: turnPath(target, view.into ?? turn) };
  return Response.json(view, { status: 303, headers });
}

function waitFor({ startsAt }: LaterView, now: number): number {
  const wait = startsAt === undefined ? SOON : Math.ceil((Date.parse(startsAt) - now) / 1000);
  return Math.min(Math.max(wait, SOON), MOST_WAIT);
}

async function stopTurn(asked: SessionRequest): Promise<Response> {
  const named = new URL(asked.request.url).searchParams.get('turn') ?? undefined;
  const stopping = await cancelTurn(asked, named);
  const headers = { location: turnPath(asked.target, stopping.turn) };
  return Response.json(stopping, { status: 202, headers });
}

/** Runs a turn here, or stores it for the background, or joins the one that a retry names. */
export const postMessage = defineRoute({
  method: 'POST',
  path: `${SESSION}/messages`,
  access: 'session',
  isCounted: true,
  streams: true,
  handle: (asked) => settled(asked, receive),
});

/** @throws Problem or SessionError when the body is no message, or holds files that the agent does not take. */
async function receive(asked: SessionRequest): Promise<BegunTurn> {
  const { host, target, request } = asked;
  const query = request.url.includes('?') ? messageQuery(request) : { declines: false };
  const { maxBodyBytes, bodyContext } = host;
  const files = host.files && filesOfAgent(asked, target.agent);
  const received = await readMessage(request, { maxBodyBytes, bodyContext, files });
  return sendMessage(asked, {
    ...received,
    ...query,
    // What whoever stands before the Worker writes into a header goes before what the client writes into the body.
    contextOfHeaders:
      host.contextHeaders.size > 0 ? contextOfHeaders(request.headers, host.contextHeaders) : undefined,
    idempotencyKey: idempotencyKeyOf(request),
    inBackground: prefersAsync(request),
  });
}

/** Reads `?whenBusy=` and `?pending=`. @throws Problem when one says anything else. */
function messageQuery({ url }: Request): Pick<SentMessage, 'whenBusy' | 'declines'> {
  const { searchParams } = new URL(url);
  const oneOf = <Word extends string>(name: string, ...words: readonly Word[]): Word | undefined => {
    const value = searchParams.get(name);
    const word = words.find((one) => one === value);
    if (word || value === null) return word;
    throw new Problem('invalid-query', `${name} can be ${words.join(', ')}, and nothing else.`);
  };
  const whenBusy = oneOf('whenBusy', 'reject', 'queue', 'steer');
  return {
    whenBusy: whenBusy === 'reject' ? undefined : whenBusy,
    declines: oneOf('pending', 'decline') !== undefined,
  };
}

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
  const { clock, meter, liveText } = host;
  const { port } = target;
  const watch = { port, clock, meter, liveText, ...wanted };
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
