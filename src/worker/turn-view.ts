import { type PendingCall, openQuestions, toPendingCall } from '../session/answers/questions.ts';
import type { StoredEvent, TurnError } from '../journal/events.ts';
import type { Deferred } from '../journal/session-port.ts';
import { stoppedTurn, type TurnAnswer } from '../session/watching/turn-answer.ts';
import { Problem, type ProblemType } from './problem.ts';
import { prefersAsync } from './request-headers.ts';
import type { SessionRequest } from './route.ts';
import { type Target, turnPath } from './target.ts';

/** The response to a turn that has ended. A failed turn is a problem; the message and what was done stay. */
export function toResponse(answer: TurnAnswer, location: string): Response {
  switch (answer.outcome) {
    case 'completed':
    case 'returned-direct':
    case 'limit-reached':
    case 'cancelled':
      return Response.json(answer, { headers: { 'content-location': location } });
    case 'failed':
      return failedProblem(answer).toResponse();
  }
}

function failedProblem(answer: TurnAnswer): Problem {
  const { error, ...turn } = answer;
  const [status, type] = PROBLEMS[error?.type ?? 'internal'];
  const detail = `${error?.message ?? 'The turn failed.'} The conversation is kept: send another message to go on.`;
  const headers = error?.retryAfter === undefined ? {} : { 'retry-after': String(error.retryAfter) };
  return new Problem(type, detail, { status, headers, more: { ...turn, error } });
}

const PROBLEMS: Readonly<Record<TurnError['type'], readonly [status: number, type: ProblemType]>> = {
  'model-failure': [502, 'model-failure'],
  'empty-reply': [502, 'model-failure'],
  'tool-not-found': [502, 'model-failure'],
  'invalid-output': [502, 'model-failure'],
  'tool-failure': [502, 'turn-failed'],
  misconfigured: [500, 'misconfigured'],
  stuck: [500, 'turn-failed'],
  internal: [500, 'turn-failed'],
};

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

/** What was asked for is not there yet: ask again in so many seconds. */
export const notYet = (view: unknown, retryAfter: number): Response =>
  Response.json(view, { status: 202, headers: { 'retry-after': String(retryAfter) } });

/** A turn that has no events of its own: it waits, or its message went into another one. */
export type QueuedMessage =
  | Deferred
  | { readonly status: 'steered'; readonly turn: string; readonly into: string };

/** How a message stands that has no turn yet, or never will; its times are ISO 8601. */
export function queuedView(
  { session, agent }: Target,
  message: QueuedMessage,
): Readonly<Record<string, unknown>> {
  const { turn, status } = message;
  const told = { turn, session, agent: agent.name, status };
  switch (message.status) {
    case 'queued':
      return told;
    case 'steering':
    case 'steered':
      return { ...told, into: message.into };
    case 'scheduled':
      return { ...told, startsAt: new Date(message.at).toISOString() };
  }
}

/** What there is so far of a turn that waits, and where it is answered. */
export const suspendedView = (target: Target, events: readonly StoredEvent[]): unknown => ({
  ...stoppedTurn(target.session, target.agent.name, events),
  status: 'suspended',
  pending: pendingViews(target, events),
});

/** Where a stream goes on that its invocation had to end. */
export const continuesView = ({ path }: Target, after: number): Readonly<Record<string, unknown>> => ({
  after,
  events: `${path}/events?after=${after}`,
});

/** Tells that a turn was taken, and that its answer is not here. */
export const acceptedView = ({ session, agent }: Target, turn: string): unknown => ({
  turn,
  session,
  agent: agent.name,
  status: 'accepted',
});

/** A call that waits, with the address at which it is answered. */
export interface PendingView extends PendingCall {
  readonly links: { readonly approvals: string } | { readonly results: string };
}

/** What a turn waits for, by its events: the same wherever it is told. */
export const pendingViews = (
  target: Pick<Target, 'path'>,
  events: readonly StoredEvent[],
): readonly PendingView[] =>
  openQuestions(events).map((question) => ({
    ...toPendingCall(question),
    links:
      question.wait.for === 'decision'
        ? { approvals: answerPath(target, question) }
        : { results: answerPath(target, question) },
  }));

/**
 * Where a question is answered. A call may ask more than once: its later questions have addresses of their own, so that
 * an answer which is sent twice is never taken for the next question.
 */
export function answerPath({ path }: Pick<Target, 'path'>, { call, number, wait }: Question): string {
  const kind = wait.for === 'decision' ? 'approvals' : 'results';
  const which = number === 1 ? '' : `?question=${number}`;
  return `${path}/${kind}/${encodeURIComponent(call.id)}${which}`;
}
