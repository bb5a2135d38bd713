import type { Leased, NotResumed } from '../journal/session-port.ts';
import { readerOf, readTurn } from '../session/fold-session.ts';
import { runTurn } from '../session/run-turn.ts';
import type { TurnHost } from '../session/turn-host.ts';
import {
  type AwaitedTurn,
  outcomeElsewhere,
  outcomeHere,
  type TurnAnswer,
  type TurnOutcome,
} from '../session/watching/turn-outcome.ts';
import { failedTurn } from './refusal.ts';
import { prefersAsync, wantsEvents } from './request-headers.ts';
import type { SessionRequest } from './route.ts';
import { turnPath } from './target.ts';
import { type Run, streamed } from './turn-stream.ts';
import { acceptedView, pendingViews, queuedView, suspendedView } from './turn-view.ts';

/** A turn that this invocation may run. */
interface LeasedTurn {
  readonly turn: string;
  /** What this deployment brings to it. */
  readonly services: TurnHost;
  readonly lease: Leased;
  /** When the lease was asked for. */
  readonly sentAt: number;
}

/** Runs a leased turn here, and answers with its outcome: as JSON, or as a stream when the client asks for one. */
export async function runHere(
  asked: SessionRequest,
  { turn, services, lease, sentAt }: LeasedTurn,
): Promise<Response> {
  const run: Run = (more) => runTurn({ ...services, ...more }, lease, sentAt);
  return wantsEvents(asked.request) ? streamed(asked, turn, run) : answered(asked, turn, run);
}

/** The answer as JSON. When another invocation goes on with the turn, this one waits for its end. */
async function answered(asked: SessionRequest, turn: string, run: Run): Promise<Response> {
  const leave = asked.request.signal;
  return toTurnResponse(asked, await outcomeHere(awaited(asked, turn), () => run({ leave })));
}

const awaited = ({ host, target, request }: SessionRequest, turn: string): AwaitedTurn => ({
  port: target.port,
  clock: host.clock,
  meter: host.meter,
  signal: request.signal,
  session: target.session,
  agent: target.agent.name,
  turn,
});

async function toTurnResponse(asked: SessionRequest, outcome: TurnOutcome): Promise<Response> {
  const { target } = asked;
  switch (outcome.status) {
    case 'ended':
      return toResponse(outcome.answer, turnPath(target, outcome.answer.turn));
    case 'suspended':
      return answeredLater(asked, outcome.answer.turn, suspendedView(target, outcome.events));
    case 'queued':
      return queuedBehind(asked, outcome.turn, outcome.behind);
    case 'kept':
      return accepted(asked, outcome.turn);
  }
}

/** The response to a turn that has ended. A failed turn is a problem; the message and what was done stay. */
export function toResponse(answer: TurnAnswer, location: string): Response {
  switch (answer.outcome) {
    case 'completed':
    case 'returned-direct':
    case 'limit-reached':
    case 'cancelled':
      return Response.json(answer, { headers: { 'content-location': location } });
    case 'failed':
      return failedTurn(answer).toResponse();
  }
}

/** The answer of a turn that runs, or ran, elsewhere, or waits. */
export async function joined(asked: SessionRequest, turn: string): Promise<Response> {
  if (wantsEvents(asked.request)) return streamed(asked, turn);
  return toTurnResponse(asked, await outcomeElsewhere(awaited(asked, turn)));
}

/** The client may be the one who answers the open turn, so it is told what that waits for, and is not kept waiting. */
async function queuedBehind(
  { target, request }: SessionRequest,
  turn: string,
  open: string,
): Promise<Response> {
  const pending = pendingViews(target, await readTurn(target.port, open));
  const view = { ...queuedView(target, { status: 'queued', turn }), pending };
  return answeredLater({ target, request }, turn, view);
}

/**
 * The message was taken, and its answer will be at the turn's own address, whatever becomes of it: one that was on its way into
 * another turn is a turn of its own when that ends first.
 */
export function answeredLater(
  { target, request }: Pick<SessionRequest, 'target' | 'request'>,
  turn: string,
  view: unknown,
): Response {
  const headers = {
    location: turnPath(target, turn),
    ...(prefersAsync(request) && { 'preference-applied': 'respond-async' }),
  };
  return Response.json(view, { status: 202, headers });
}

/** Answers that what was asked for is not there yet: ask again in so many seconds. */
export const notYet = (view: unknown, retryAfter: number): Response =>
  Response.json(view, { status: 202, headers: { 'retry-after': String(retryAfter) } });

/** Tells where the answer will be of a turn that runs in the background, or that others go on with. */
export const accepted = (asked: SessionRequest, turn: string): Response =>
  answeredLater(asked, turn, acceptedView(asked.target, turn));

/** Asks for the lease of the open turn. */
export const resume = ({ host, target }: SessionRequest, turn: string): Promise<Leased | NotResumed> =>
  target.port.resume({ nonce: host.newId(), turn, reader: readerOf(host.kinds) });

/** A turn that was begun, or resumed, is left in good order, even when its client has gone. */
export function settled(
  { execution }: Pick<SessionRequest, 'execution'>,
  answering: Promise<Response>,
): Promise<Response> {
  execution.waitUntil(answering.catch(() => {}));
  return answering;
}
