import { parseEvent } from '../../journal/event-rows.ts';
import type { AcceptedRequest } from '../begun-turn.ts';
import { readMessage } from '../body.ts';
import { cancelTurn, eraseSession } from '../end-turn.ts';
import { Problem, SessionError } from '../problem.ts';
import {
  hasTag,
  prefersAsync,
  readContextHeaders,
  readIdempotencyKey,
  readQueryPosition,
  readResumePosition,
  wantsEvents,
  withPreferenceApplied,
} from '../request-headers.ts';
import { defineRoute, SESSION_PATH, type SessionRequest } from '../route.ts';
import type { EventsPage } from '../route-views.ts';
import { type SentMessage, sendMessage } from '../send-message.ts';
import {
  assertHasEvents,
  createUnknownSessionError,
  readSessionTag,
  readSessionView,
  readTurnView,
} from '../session-view.ts';
import { createEventStream, streamEventFrames } from '../sse.ts';
import { findAgentFiles, getTurnPath, type Target } from '../target.ts';
import { type FeedOptions, followFrom, type TurnItem } from '../turn-feed.ts';
import {
  createAcceptedResponse,
  isOver,
  respondWithTurn,
  streamTurn,
  toResponse,
  waitAsPreferred,
} from '../turn-response.ts';
import { createContinuationView, type LaterView, type TurnView } from '../turn-view.ts';

/** Returns the folded state, in the view for its owner. */
export const getSession = defineRoute({
  method: 'GET',
  path: SESSION_PATH,
  access: 'session',
  handle: showSession,
});

/**
 * Responds with the state. A polling client usually has the current state, so its tag is computed without
 * reading the events.
 */
async function showSession(asked: SessionRequest): Promise<Response> {
  const { headers } = asked.request;
  if (headers.has('if-none-match')) {
    const etag = await readSessionTag(asked);
    if (hasTag(headers, etag)) return new Response(null, { status: 304, headers: { etag } });
  }
  const { view, tag } = await readSessionView(asked);
  return Response.json(view, { headers: { etag: tag } });
}

/**
 * Erases a session, with its waiting and scheduled turns. A running turn stops at its next step, but effects
 * of its tools remain. The response is the same if the session did not exist, so that a client without a
 * response can retry. Sessions of agents that are no longer deployed can also be erased, so the access is not
 * `session`: it would not find their target.
 */
export const deleteSession = defineRoute({
  method: 'DELETE',
  path: SESSION_PATH,
  access: 'caller',
  async handle(asked, named) {
    const owner = await asked.host.gates.owner?.(asked, deleteSession, named);
    await eraseSession(asked, { ...named, owner });
    return new Response(null, { status: 204 });
  },
});

/**
 * Returns the answer of one turn, in the form of its message's response, but without `Retry-After`. Returns
 * 202 while there is no answer, and 303 if another turn received its message. That turn's answer is then its
 * answer. A stream shows the turn from its first event, and follows it.
 */
export const getTurn = defineRoute({
  method: 'GET',
  path: `${SESSION_PATH}/turns/{turn}`,
  access: 'session',
  streams: true,
  handle: showTurn,
});

/**
 * Stops the open turn, or, with `?turn=`, ends that turn. A queued or scheduled turn ends before it starts.
 * If a turn waits for a person with a role, the caller must have the role.
 */
export const postCancel = defineRoute({
  method: 'POST',
  path: `${SESSION_PATH}/cancel`,
  access: 'session',
  handle: stopTurn,
});

/** Seconds until a client should poll again, for a running turn and for a turn that waits for a person. */
const RUNNING_POLL_SECONDS = 1;
const WAITING_POLL_SECONDS = 5;
/**
 * The maximum. A scheduled turn may start in a week, but it can be cancelled earlier, so clients poll at
 * least hourly.
 */
const MAX_POLL_SECONDS = 60 * 60;

async function showTurn(asked: SessionRequest, { turn }: { readonly turn: string }): Promise<Response> {
  const { request } = asked;
  const view = await readTurnView(asked, turn);
  // A message that another turn received has no events of its own. For HEAD, a stream would have no reader.
  const isElsewhere = !isOver(view) && view.status === 'steered';
  if (!isElsewhere && request.method !== 'HEAD' && wantsEvents(request)) {
    return streamTurn(asked, { turn });
  }
  return withPreferenceApplied(request, showView(asked, turn, await waitAsPreferred(asked, view)));
}

function showView({ target, host }: SessionRequest, turn: string, view: TurnView): Response {
  if (isOver(view)) {
    const response = toResponse(view, getTurnPath(target, turn));
    // The delay was relative to the turn's end, and a repeated request for this turn has the same result.
    response.headers.delete('retry-after');
    return response;
  }
  if (view.status === 'suspended') return createAcceptedResponse(view, WAITING_POLL_SECONDS);
  if (view.status !== 'steered')
    return createAcceptedResponse(view, computePollSeconds(view, host.clock.now()));
  const headers = { location: getTurnPath(target, view.into ?? turn) };
  return Response.json(view, { status: 303, headers });
}

function computePollSeconds({ startsAt }: LaterView, now: number): number {
  const wait = startsAt === undefined ? RUNNING_POLL_SECONDS : Math.ceil((Date.parse(startsAt) - now) / 1000);
  return Math.min(Math.max(wait, RUNNING_POLL_SECONDS), MAX_POLL_SECONDS);
}

async function stopTurn(asked: SessionRequest): Promise<Response> {
  const named = new URL(asked.request.url).searchParams.get('turn') ?? undefined;
  const stopping = await cancelTurn(asked, named);
  const headers = { location: getTurnPath(asked.target, stopping.turn) };
  return Response.json(stopping, { status: 202, headers });
}

/** Runs a turn here, stores it for the background, or follows the turn that a retry refers to. */
export const postMessage = defineRoute({
  method: 'POST',
  path: `${SESSION_PATH}/messages`,
  access: 'session',
  isCounted: true,
  streams: true,
  handle: (asked) => respondWithTurn(asked, receiveMessage),
});

/**
 * @throws Problem or SessionError if the body is not a message, or contains files that the agent does not
 * accept.
 */
async function receiveMessage(asked: SessionRequest): Promise<AcceptedRequest> {
  const { host, target, request } = asked;
  const query = request.url.includes('?') ? parseMessageQuery(request) : { declines: false };
  const { maxBodyBytes, bodyContext } = host;
  const files = host.files && findAgentFiles(asked, target.agent);
  const received = await readMessage(request, { maxBodyBytes, bodyContext, files });
  return sendMessage(asked, {
    ...received,
    ...query,
    // Headers, which a proxy can set, override the client's body.
    contextOfHeaders:
      host.contextHeaders.size > 0 ? readContextHeaders(request.headers, host.contextHeaders) : undefined,
    idempotencyKey: readIdempotencyKey(request),
    inBackground: prefersAsync(request),
  });
}

/** Reads `?whenBusy=` and `?pending=`. @throws Problem if one has another value. */
function parseMessageQuery({ url }: Request): Pick<SentMessage, 'whenBusy' | 'declines'> {
  const { searchParams } = new URL(url);
  const parseWord = <Word extends string>(name: string, ...words: readonly Word[]): Word | undefined => {
    const value = searchParams.get(name);
    const word = words.find((one) => one === value);
    if (word || value === null) return word;
    throw new Problem('invalid-query', `${name} must be one of ${words.join(', ')}.`);
  };
  const whenBusy = parseWord('whenBusy', 'reject', 'queue', 'steer');
  return {
    whenBusy: whenBusy === 'reject' ? undefined : whenBusy,
    declines: parseWord('pending', 'decline') !== undefined,
  };
}

/** Returns the journal as JSON pages, or as a stream that resumes after `Last-Event-ID` and follows live. */
export const getEvents = defineRoute({
  method: 'GET',
  path: `${SESSION_PATH}/events`,
  access: 'session',
  streams: true,
  handle: showEvents,
});

/** The default number of events in a JSON page. */
const PAGE_SIZE = 500;

async function showEvents(asked: SessionRequest): Promise<Response> {
  const { request, target } = asked;
  const query = new URL(request.url).searchParams;
  // For HEAD, a stream would have no reader.
  if (request.method === 'HEAD' || !wantsEvents(request)) return respondWithPage(target, query);
  const { after = 0, incarnation } = readResumePosition(request);
  // Checked first, so that the status can report an unreadable journal. A stream would only end.
  await assertHasEvents(asked, after);
  return createEventStream(asked, (signal) =>
    streamEventFrames((onIncarnation) =>
      streamSessionEvents(asked, { after, incarnation, signal, onIncarnation }),
    ),
  );
}

interface EventsRequest extends FeedOptions {
  readonly after: number;
}

/**
 * Yields the events of a session. If it is erased, yields `erased` and then the events of the next session
 * with its name, so that a client does not mistake these for events of the former session.
 */
async function* streamSessionEvents(
  { host, target }: SessionRequest,
  { after, incarnation, ...wanted }: EventsRequest,
): AsyncGenerator<TurnItem | { readonly type: 'erased' }, void, undefined> {
  const { clock, meter, liveText } = host;
  const { port } = target;
  const watch = { port, clock, meter, liveText, ...wanted };
  let place = { after, incarnation };
  for (;;) {
    const { end, last } = yield* followFrom({ ...watch, incarnation: place.incarnation }, place.after);
    // An EventSource reconnects automatically with the last id.
    if (end === 'over') yield { type: 'continues', ...createContinuationView(target, last) };
    if (end !== 'erased') return;
    yield { type: 'erased' };
    if ((await port.read({ from: 1, limit: 1 })) === null) return;
    place = { after: 0, incarnation: undefined };
  }
}

async function respondWithPage(target: Target, query: URLSearchParams): Promise<Response> {
  const { after = 0, incarnation } = readQueryPosition(query);
  const limit = parsePageSize(query.get('limit'));
  const page = await target.port.read({ from: after + 1, limit });
  if (!page) throw createUnknownSessionError(target);
  // A journal from another implementation may lack an incarnation.
  if (incarnation !== undefined && (page.incarnation ?? incarnation) !== incarnation) {
    const detail = 'The session of this event was erased. Leave out `after` to read the current one.';
    throw new SessionError('session-erased', detail);
  }
  const events = page.rows.map(parseEvent);
  const last = events.at(-1)?.seq ?? after;
  const next = page.next === null ? null : `${target.path}/events?after=${last}&limit=${limit}`;
  return Response.json({ events, head: page.head, next } satisfies EventsPage);
}

function parsePageSize(value: string | null): number {
  if (value === null || value === '') return PAGE_SIZE;
  if (/^0*[1-9]\d{0,14}$/.test(value)) return Math.min(PAGE_SIZE, Number(value));
  throw new Problem('invalid-query', `limit must be a whole number from 1 to ${PAGE_SIZE}.`);
}
