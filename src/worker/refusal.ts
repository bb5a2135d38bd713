import { NewerEventError } from '../journal/event-rows.ts';
import type { TurnError } from '../journal/events.ts';
import { MAX_WAITING } from '../journal/inbox-message.ts';
import type { StartRefusal, TurnStart } from '../journal/session-port.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { DeploymentError } from '../session/deployment.ts';
import { readTurn, UnreadableError } from '../session/read-session.ts';
import { SessionErasedError, SessionUnavailableError } from '../session/send-again.ts';
import { formatSessionFull } from '../session/turn-end.ts';
import type { TurnAnswer } from '../session/watching/turn-outcome.ts';
import { createErrorEntry, type Log, logOnce } from '../tool/log.ts';
import { Problem, type ProblemType, SessionError } from './problem.ts';
import type { RouteRequest } from './route.ts';
import { getTurnPath, type SessionAccess, type Target } from './target.ts';
import { listPendingViews } from './turn-view.ts';

/** The failed request, with its id in logs. */
type FailedRequest = Pick<RouteRequest, 'request' | 'requestId'>;

/**
 * Makes the function that converts thrown values to responses. Internal errors are logged, and the client
 * sees no details. If `refuse` does not format a problem, or throws, the default format is used.
 */
export function createErrorResponder(
  write: Log,
): (error: unknown, asked: FailedRequest, refuse: (problem: Problem) => Response | undefined) => Response {
  return (error, { request: { signal }, requestId }, refuse) => {
    // The client has disconnected, so this is not an error and the status does not matter.
    if (signal.aborted && error === signal.reason) return new Response(null, { status: 499 });
    if (!CLIENT_ERRORS.some((kind) => error instanceof kind)) logFailure(write, error, requestId);
    const problem = toProblem(error);
    try {
      return refuse(problem) ?? problem.toResponse();
    } catch (thrown) {
      logFailure(write, thrown, requestId);
      return toProblem(thrown).toResponse();
    }
  };
}

/** Logs the reason why a request failed, with the id in its response. */
export type FailureLog = (log: Log, failure: unknown, requestId: string) => void;

/** Logs a failure. A problem of the deployment fails every request, and is logged only the first time. */
export const logFailure: FailureLog = (log, failure, requestId) => {
  if (failure instanceof DeploymentError)
    for (const message of failure.problems)
      logOnce(log, createErrorEntry(message, undefined, 'request-failed'));
  else log({ ...createErrorEntry(`request ${requestId} failed`, failure, 'request-failed'), requestId });
};

/** Errors of the client, not of the Worker. They are not logged. */
const CLIENT_ERRORS = [Problem, SessionError, SessionErasedError];

/**
 * Converts a failure to an error for the caller of a session. Returns `undefined` if it is only for the log
 * or the operator.
 */
export function toSessionError(failure: unknown): SessionError | undefined {
  if (failure instanceof SessionError) return failure;
  const cause = failure;
  if (failure instanceof NewerEventError) {
    return new SessionError('newer-deployment', failure.message, { retryAfter: 5, cause });
  }
  if (failure instanceof SessionUnavailableError) {
    const detail = 'The session cannot be reached now. Send the request again.';
    return new SessionError('session-unavailable', detail, { retryAfter: 1, cause });
  }
  if (failure instanceof UnreadableError) return createUnreadableRefusal(failure);
  if (failure instanceof SessionErasedError)
    return new SessionError('session-erased', failure.message, { cause });
  return undefined;
}

/** Converts a failure to a problem for a client. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const ofSession = toSessionError(error);
  if (ofSession) return Problem.of(ofSession);
  if (error instanceof ConfigurationError) {
    const problems = error instanceof DeploymentError ? error.problems : [];
    return new Problem('misconfigured', error.message, { more: problems.length > 1 ? { problems } : {} });
  }
  return new Problem(
    'internal-error',
    'The request failed. The log of the Worker shows why. Accepted messages are kept.',
  );
}

/**
 * Returns the refusal for an unreadable session. It has no retry time, since only another deployment helps.
 * It includes the state that the object knows.
 */
const createUnreadableRefusal = ({ message, page, cause }: UnreadableError): SessionError =>
  new SessionError('session-unreadable', message, {
    more: page && { seq: page.head, openTurn: page.openTurn?.id ?? null, waiting: page.waiting },
    cause,
  });

/**
 * Returns the error for a refused message. Not for a `known` message: it was accepted before, so the caller
 * responds with its turn.
 *
 * @throws the errors of `readTurn` if it must read the waiting turn.
 */
export async function toRefusal(
  refused: Exclude<StartRefusal, { status: 'known' }>,
  at: Pick<SessionAccess, 'host' | 'target'>,
): Promise<SessionError> {
  const { target } = at;
  switch (refused.status) {
    case 'busy':
      return new SessionError(
        'session-busy',
        (parameter) => {
          const now = parameter
            ? `, or now with ${parameter('whenBusy', 'queue')}, to wait, or ${parameter('whenBusy', 'steer')}, to be read by that turn`
            : '';
          return `The session is busy with turn ${refused.turn}. Send the message again when it has ended (GET ${target.path} shows it)${now}.`;
        },
        { retryAfter: toSeconds(refused.retryAfter), more: { turn: refused.turn } },
      );
    case 'suspended': {
      const { turn } = refused;
      const pending = listPendingViews(at, await readTurn(target.port, turn));
      return new SessionError(
        'turn-suspended',
        (parameter) =>
          `Turn ${turn} waits for an answer from outside. Answer its pending calls${parameter ? `, or send the message with ${parameter('pending', 'decline')}` : ''}.`,
        { more: { turn, pending } },
      );
    }
    case 'key-reused':
      return new SessionError(
        'idempotency-key-reused',
        'This Idempotency-Key was used with another body. Use a new key for a new message.',
      );
    case 'full':
      return createQueueFullRefusal(refused);
    case 'session-full':
      return createSessionFullRefusal(refused);
    default:
      throw new Error(`Unexpected status: ${refused.status}`); // modules that send blobs must handle this
  }
}

/** Returns the error for a message to a full session. */
export const createSessionFullRefusal = (
  full: Extract<StartRefusal, { status: 'session-full' }>,
): SessionError => {
  const { most, used } = full;
  return new SessionError('session-full', formatSessionFull(full), { more: { most, used } });
};

/** Returns the error for a message to a session whose queue is full. */
export const createQueueFullRefusal = (full: QueueFullRefusal): SessionError =>
  new SessionError(
    'queue-full',
    `${formatQueueFull(full)} Send the message again when some have been answered.`,
    {
      retryAfter: 30,
    },
  );

type QueueFullRefusal = Extract<StartRefusal, { status: 'full' }>;

/** Returns the text of `createQueueFullRefusal`. */
export const formatQueueFull = ({ most }: QueueFullRefusal): string =>
  `No more messages can wait in this session. The limit is ${most} messages or ${MAX_WAITING.bytes} bytes.`;

const toSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

/** The beginning of the text for a message without a response from its session. */
export const POSSIBLY_STORED_TEXT = 'The session did not answer, and may have stored the message';

/** A message that was sent to a session. */
interface SentStart {
  readonly target: Target;
  readonly start: TurnStart;
  readonly log: Log;
}

/**
 * Returns the error for a message without a response from its session. The message may be stored, and
 * resending it could add a second one, so the error explains how to find out. Returns any other failure
 * unchanged.
 */
export function toUnansweredError(failure: unknown, { target, start, log }: SentStart): unknown {
  if (!(failure instanceof SessionUnavailableError) || failure.isNotRun) return failure;
  const { turn } = start;
  const message = `turn ${turn} may have been accepted`;
  log(createErrorEntry(message, failure, 'request-failed'));
  const detail = `${POSSIBLY_STORED_TEXT}${describeDeliveryCheck(target, start)}`;
  return new SessionError('session-unavailable', detail, { retryAfter: 1, more: { turn }, cause: failure });
}

/**
 * Describes how a client can find out whether its message arrived. With a key, an earlier request may have
 * started the turn, so the text does not include its id.
 */
const describeDeliveryCheck = (target: Target, { turn, request }: TurnStart): string =>
  request === undefined
    ? ` as turn ${turn}. Send it again only if GET ${getTurnPath(target, turn)} returns 404.`
    : '. Send it again with the same Idempotency-Key.';

/** Returns the problem for a failed turn, with the turn's answer. */
export function createFailedTurnProblem(answer: TurnAnswer): Problem {
  const { error, ...turn } = answer;
  const [status, type] = FAILED_TURN_PROBLEMS[error?.type ?? 'internal'];
  const further =
    error?.type === 'session-full' ? '' : ' The conversation is kept. Send another message to continue.';
  const detail = `${error?.message ?? 'The turn failed.'}${further}`;
  return new Problem(type, detail, { status, retryAfter: error?.retryAfter, more: { ...turn, error } });
}

/** A problem, with the status of its response. */
export type ProblemStatus = readonly [status: number, type: ProblemType];

/** The responses for failed turns, by the type of the error. */
export const FAILED_TURN_PROBLEMS: Readonly<Record<TurnError['type'], ProblemStatus>> = {
  'model-failure': [502, 'model-failure'],
  'empty-reply': [502, 'model-failure'],
  'tool-not-found': [502, 'model-failure'],
  'invalid-output': [502, 'model-failure'],
  'tool-failure': [502, 'turn-failed'],
  misconfigured: [500, 'misconfigured'],
  stuck: [500, 'turn-failed'],
  'session-full': [507, 'session-full'],
  internal: [500, 'turn-failed'],
};
