/** Makes responses from the outcomes of turns. */

import { keptFor, type TurnAnswer } from '../session/watching/turn-outcome.ts';
import { Stop } from '../tool/async.ts';
import type { AnsweringApp } from './answering.ts';
import { accepted, type BegunTurn, resume, toRunHere, viewOf } from './begun-turn.ts';
import { readBody } from './body.ts';
import { SessionError } from './problem.ts';
import { failedTurn } from './refusal.ts';
import {
  heeding,
  idempotencyKeyOf,
  preferenceOf,
  prefersAsync,
  requestKey,
  resumedAfter,
  wantsEvents,
} from './request-headers.ts';
import type { SessionRequest } from './route.ts';
import { eventFrames, eventStream } from './sse.ts';
import { type Target, turnPath, turnServices } from './target.ts';
import { turnFeed } from './turn-feed.ts';
import type { TurnView } from './turn-view.ts';

/**
 * Responds to a request that may run a turn: with its outcome, as JSON or, if the client requests it, as a
 * stream. The work completes even if the client has gone.
 */
export function settled(
  asked: SessionRequest,
  begin: (asked: SessionRequest) => Promise<BegunTurn>,
): Promise<Response> {
  const answering = respond(asked, begin);
  asked.execution.waitUntil(answering.catch(() => {}));
  return answering;
}

/**
 * A message that is sent again continues after the last event that its client saw. If that session was
 * erased, the message would silently start a new one.
 *
 * @throws SessionError if the session of `Last-Event-ID`, or of `?after=`, was erased.
 */
async function mustNotBeErased({ port }: Target, incarnation: string): Promise<void> {
  const page = await port.read({ from: Number.MAX_SAFE_INTEGER, limit: 1 });
  // A journal that was written elsewhere may have none.
  if (page && (page.incarnation ?? incarnation) === incarnation) return;
  const detail =
    'The session of Last-Event-ID, or of `after`, was erased. Send the message without it to start another.';
  throw new SessionError('session-erased', detail);
}

/**
 * A turn without an answer was accepted, and its answer will be at the turn's own address: a message on its
 * way into another turn becomes a turn of its own if that ends first.
 */
async function respond(
  asked: SessionRequest,
  begin: (asked: SessionRequest) => Promise<BegunTurn>,
): Promise<Response> {
  const { target, request } = asked;
  const { incarnation } = resumedAfter(request);
  if (incarnation !== undefined) await mustNotBeErased(target, incarnation);
  const begun = await begin(asked);
  if (!begun.later && wantsEvents(request)) return streamed(asked, begun);
  const first = await viewOf(asked, begun);
  const view = isOver(first) ? first : await waitedFor(asked, first);
  const location = turnPath(target, view.turn);
  const response = isOver(view)
    ? toResponse(view, location)
    : Response.json(view, { status: 202, headers: { location } });
  return heeding(request, response);
}

/**
 * Responds with a turn's events when they are durable, and its text as it arrives. The last item is its
 * answer, or why there is none yet.
 */
export function streamed(asked: SessionRequest, begun: BegunTurn): Response {
  const place = resumedAfter(asked.request);
  return eventStream(asked, (signal) =>
    eventFrames((onIncarnation) => turnFeed(asked, begun, { ...place, signal, onIncarnation })),
  );
}

/**
 * Waits for a turn whose answer comes later, as long as the client's `Prefer` allows, and returns its view.
 * Does not wait for a message on its way into another turn: it is still open which turn answers it.
 *
 * @throws the errors of `viewOf`.
 */
export async function waitedFor(asked: SessionRequest, view: TurnView): Promise<TurnView> {
  const { seconds = 0 } = preferenceOf(asked.request);
  if (seconds === 0 || isOver(view) || !AWAITED.includes(view.status)) return view;
  const late = new Stop(asked.signal);
  const cancel = asked.host.clock.after(seconds * 1000, () => late.abort());
  try {
    const told = await viewOf({ ...asked, signal: late.signal }, { turn: view.turn });
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
const AWAITED: readonly string[] = ['accepted', 'running', 'queued', 'scheduled'];

/** Distinguishes an answer from the views of turns that have none yet. */
export const isOver = (view: TurnView): view is TurnAnswer => !('status' in view);

/** Returns the response for an ended turn. A failed turn is a problem; its message and effects remain. */
export const toResponse = (answer: TurnAnswer, location: string): Response =>
  answer.outcome === 'failed'
    ? failedTurn(answer).toResponse()
    : Response.json(answer, { headers: { 'content-location': location } });

/** Returns a 202 response: the client should ask again after so many seconds. */
export const notYet = (view: TurnView, retryAfter: number): Response =>
  Response.json(view, { status: 202, headers: { 'retry-after': String(retryAfter) } });

/** The app's functions for the module that accepts answers. */
export const ANSWERING_APP: AnsweringApp = {
  servicesOf: turnServices,
  keyOf: requestKey,
  async goOn(at, { turn, services, askedAt, inBackground }) {
    if (inBackground) return accepted(at, turn);
    const sentAt = at.host.clock.now();
    const resumed = await resume(at, turn).catch(keptFor);
    if (resumed === 'kept') return accepted(at, turn);
    const begun =
      resumed.status === 'leased' ? toRunHere({ turn, services, lease: resumed, sentAt }) : { turn };
    return { ...begun, askedAt };
  },
  respond: (asked, begin) =>
    settled(asked, async () => {
      const { request, host } = asked;
      const { value } = await readBody(request, host.maxBodyBytes);
      return begin(value, {
        idempotencyKey: idempotencyKeyOf(request),
        inBackground: prefersAsync(request),
      });
    }),
};
