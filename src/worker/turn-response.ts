/** Makes responses from the outcomes of turns. */

import { type TurnAnswer, toKeptOrThrow } from '../session/watching/turn-outcome.ts';
import { StopController } from '../tool/async.ts';
import type { AnsweringApp } from './answering.ts';
import { type AcceptedRequest, awaitView, requestLease, toRunElsewhere, toRunHere } from './begun-turn.ts';
import { readBody } from './body.ts';
import { SessionError } from './problem.ts';
import { createFailedTurnProblem } from './refusal.ts';
import {
  prefersAsync,
  readIdempotencyKey,
  readPreference,
  readResumePosition,
  toRequestKey,
  wantsEvents,
  withPreferenceApplied,
} from './request-headers.ts';
import type { SessionRequest } from './route.ts';
import { createEventStream, streamEventFrames } from './sse.ts';
import { createTurnServices, getTurnPath, type Target } from './target.ts';
import { createTurnFeed } from './turn-feed.ts';
import type { TurnView } from './turn-view.ts';

/**
 * Responds to a request that may run a turn with the turn's outcome, as JSON or as a stream if the client
 * requests one. The work completes even if the client disconnects.
 */
export function respondWithTurn(
  asked: SessionRequest,
  begin: (asked: SessionRequest) => Promise<AcceptedRequest>,
): Promise<Response> {
  const answering = respond(asked, begin);
  asked.execution.waitUntil(answering.catch(() => {}));
  return answering;
}

/**
 * A resent message continues after the last event that its client received. If that session was erased, the
 * message would silently start a new one.
 *
 * @throws SessionError if the session of `Last-Event-ID`, or of `?after=`, was erased.
 */
async function assertNotErased({ port }: Target, incarnation: string): Promise<void> {
  const page = await port.read({ from: Number.MAX_SAFE_INTEGER, limit: 1 });
  // A journal from another implementation may lack an incarnation.
  if (page && (page.incarnation ?? incarnation) === incarnation) return;
  const detail =
    'The session of Last-Event-ID, or of `after`, was erased. Send the message without it to start another.';
  throw new SessionError('session-erased', detail);
}

/**
 * Responds with the answer of a turn or, if there is none yet, with 202 and the turn's own URL. This URL is
 * also valid for a message that is being delivered to another turn: if that turn ends first, the message
 * becomes a separate turn.
 */
async function respond(
  asked: SessionRequest,
  begin: (asked: SessionRequest) => Promise<AcceptedRequest>,
): Promise<Response> {
  const { target, request } = asked;
  const { incarnation } = readResumePosition(request);
  if (incarnation !== undefined) await assertNotErased(target, incarnation);
  const begun = await begin(asked);
  if (!begun.later && wantsEvents(request)) return streamTurn(asked, begun);
  const first = await awaitView(asked, begun);
  const view = isOver(first) ? first : await waitAsPreferred(asked, first);
  const location = getTurnPath(target, view.turn);
  const response = isOver(view)
    ? toResponse(view, location)
    : Response.json(view, { status: 202, headers: { location } });
  return withPreferenceApplied(request, response);
}

/**
 * Responds with a turn's events when they are durable, and its text as it arrives. The last item is its
 * answer, or the reason why there is no answer yet.
 */
export function streamTurn(asked: SessionRequest, begun: AcceptedRequest): Response {
  const place = readResumePosition(asked.request);
  return createEventStream(asked, (signal) =>
    streamEventFrames((onIncarnation) => createTurnFeed(asked, begun, { ...place, signal, onIncarnation })),
  );
}

/**
 * Waits for a turn whose answer comes later, as long as the client's `Prefer` allows, and returns its view.
 * Does not wait for a message that is being delivered to another turn, since it is not known yet which turn
 * answers it.
 *
 * @throws the errors of `awaitView`.
 */
export async function waitAsPreferred(asked: SessionRequest, view: TurnView): Promise<TurnView> {
  const { seconds = 0 } = readPreference(asked.request);
  if (seconds === 0 || isOver(view) || !AWAITED_STATUSES.includes(view.status)) return view;
  const late = new StopController(asked.signal);
  const cancel = asked.host.clock.after(seconds * 1000, () => late.abort());
  try {
    const told = await awaitView({ ...asked, signal: late.signal }, { turn: view.turn });
    // This invocation cannot wait for the turn's end, and has no newer data.
    return !isOver(told) && told.status === 'accepted' ? view : told;
  } catch (failure) {
    if (failure === late.signal.reason && !asked.signal.aborted) return view;
    throw failure;
  } finally {
    cancel();
    late.end();
  }
}

/** Statuses of turns that continue without a person. */
const AWAITED_STATUSES: readonly string[] = ['accepted', 'running', 'queued', 'scheduled'];

/** Distinguishes an answer from the views of turns that have none yet. */
export const isOver = (view: TurnView): view is TurnAnswer => !('status' in view);

/** Returns the response for an ended turn. A failed turn is a problem; its message and effects remain. */
export const toResponse = (answer: TurnAnswer, location: string): Response =>
  answer.outcome === 'failed'
    ? createFailedTurnProblem(answer).toResponse()
    : Response.json(answer, { headers: { 'content-location': location } });

/** Returns a 202 response. The client should retry after `retryAfter` seconds. */
export const createAcceptedResponse = (view: TurnView, retryAfter: number): Response =>
  Response.json(view, { status: 202, headers: { 'retry-after': String(retryAfter) } });

/** The app's functions for the module that accepts answers. */
export const ANSWERING_APP: AnsweringApp = {
  servicesOf: createTurnServices,
  keyOf: toRequestKey,
  async resumeHere(at, { turn, services, askedAt, inBackground }) {
    if (inBackground) return toRunElsewhere(at, turn);
    const sentAt = at.host.clock.now();
    const resumed = await requestLease(at, turn).catch(toKeptOrThrow);
    if (resumed === 'kept') return toRunElsewhere(at, turn);
    const begun =
      resumed.status === 'leased' ? toRunHere({ turn, services, lease: resumed, sentAt }) : { turn };
    return { ...begun, askedAt };
  },
  respond: (asked, begin) =>
    respondWithTurn(asked, async () => {
      const { request, host } = asked;
      const { value } = await readBody(request, host.maxBodyBytes);
      return begin(value, {
        idempotencyKey: readIdempotencyKey(request),
        inBackground: prefersAsync(request),
      });
    }),
};
