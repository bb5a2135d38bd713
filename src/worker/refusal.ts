import { NewerEventError } from '../journal/event-rows.ts';
import type { TurnError } from '../journal/events.ts';
import { MAX_WAITING } from '../journal/inbox-message.ts';
import type { NotStarted, TurnStart } from '../journal/session-port.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { DeploymentError } from '../session/deployment.ts';
import { readTurn, UnreadableError } from '../session/read-session.ts';
import { SessionErasedError, SessionUnavailableError } from '../session/send-again.ts';
import { fullText } from '../session/turn-end.ts';
import type { TurnAnswer } from '../session/watching/turn-outcome.ts';
import { type Log, logOnce, mistake } from '../tool/log.ts';
import { Problem, type ProblemType, SessionError } from './problem.ts';
import type { RouteRequest } from './route.ts';
import { type SessionAccess, type Target, turnPath } from './target.ts';
import { pendingViews } from './turn-view.ts';

/** The request that failed, and its name in logs. */
type FailedRequest = Pick<RouteRequest, 'request' | 'requestId'>;

/**
 * Makes the one function by which errors become responses, and whatever else is thrown. What went wrong inside is logged, and the client
 * is not told. A problem that `refuse` does not tell, or fails to, is told as everywhere.
 */
export function errorResponses(
  write: Log,
): (error: unknown, asked: FailedRequest, refuse: (problem: Problem) => Response | undefined) => Response {
  return (error, { request: { signal }, requestId }, refuse) => {
    // The client has gone; nobody reads this, and nothing went wrong.
    if (signal.aborted && error === signal.reason) return new Response(null, { status: 499 });
    if (!EXPECTED.some((kind) => error instanceof kind)) logFailure(write, error, requestId);
    const problem = toProblem(error);
    try {
      return refuse(problem) ?? problem.toResponse();
    } catch (thrown) {
      logFailure(write, thrown, requestId);
      return toProblem(thrown).toResponse();
    }
  };
}

/** Logs why a request failed, under the id that its answer has. */
export type FailureLog = (log: Log, failure: unknown, requestId: string) => void;

/** Logs a failure. What the deployment lacks fails every request alike, and is logged only the first time. */
export const logFailure: FailureLog = (log, failure, requestId) => {
  if (failure instanceof DeploymentError)
    for (const message of failure.problems) logOnce(log, mistake(message, undefined, 'request-failed'));
  else log({ ...mistake(`request ${requestId} failed`, failure, 'request-failed'), requestId });
};

/** Errors that say what the client has to know. Nothing went wrong here, so they are not logged. */
const EXPECTED = [Problem, SessionError, SessionErasedError];

/** What whoever asked a session for something is told of a failure; `undefined` when that is for the log, or for whoever deploys. */
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
  if (failure instanceof UnreadableError) return unreadable(failure);
  if (failure instanceof SessionErasedError)
    return new SessionError('session-erased', failure.message, { cause });
  return undefined;
}

/** What a client is told of a failure. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const ofSession = toSessionError(error);
  if (ofSession) return Problem.of(ofSession);
  if (error instanceof ConfigurationError) {
    const problems = error instanceof DeploymentError ? error.problems : [];
    return new Problem('misconfigured', error.message, { more: problems.length > 1 ? { problems } : {} });
  }
  return new Problem('internal-error', 'The request failed inside the Worker. What was accepted is kept.');
}

/** No time to come again is told: only another deployment helps. What the object knows is told all the same. */
const unreadable = ({ message, page, cause }: UnreadableError): SessionError =>
  new SessionError('session-unreadable', message, {
    more: page && { seq: page.head, openTurn: page.openTurn?.id ?? null, waiting: page.waiting },
    cause,
  });

/**
 * Answers the error that tells whoever sent a message why it was not taken. A message that is `known` was taken before, and its
 * turn is answered instead.
 *
 * @throws what `readTurn` does, when the turn that waits has to be read.
 */
export async function refusal(
  refused: Exclude<NotStarted, { status: 'known' }>,
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
      const pending = pendingViews(at, await readTurn(target.port, turn));
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
      return queueFull(refused);
    case 'session-full':
      return sessionFull(refused);
    default:
      throw new Error(`A message is ${refused.status}.`); // which a module that brings blobs has to say
  }
}

/** The error of a message whose session is full. */
export const sessionFull = (full: Extract<NotStarted, { status: 'session-full' }>): SessionError => {
  const { most, used } = full;
  return new SessionError('session-full', fullText(full), { more: { most, used } });
};

/** The error of a message that has no room: as many wait in the session as may. */
export const queueFull = (full: QueueFull): SessionError =>
  new SessionError(
    'queue-full',
    `${queueFullText(full)} Send the message again when some have been answered.`,
    {
      retryAfter: 30,
    },
  );

type QueueFull = Extract<NotStarted, { status: 'full' }>;

/** Says of a message that no more may wait in its session. */
export const queueFullText = ({ most }: QueueFull): string =>
  `No more messages may wait in this session: ${most} do, or more than ${MAX_WAITING.bytes} bytes.`;

const toSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

/** A message that was sent to a session. */
interface SentStart {
  readonly target: Target;
  readonly start: TurnStart;
  readonly log: Log;
}

/**
 * Returns the error of a message for which its session gave no answer: it may be stored, and sent again it could be a second one, so
 * the client is told how to find out. Any other failure is returned as it is.
 */
export function orMayBeTaken(failure: unknown, { target, start, log }: SentStart): unknown {
  if (!(failure instanceof SessionUnavailableError) || failure.tookNothing) return failure;
  const { turn } = start;
  const message = `nobody knows whether turn ${turn} was taken`;
  log(mistake(message, failure, 'request-failed'));
  const detail = `The session did not answer, and may have taken the message${howToGoOn(target, start)}`;
  return new SessionError('session-unavailable', detail, { retryAfter: 1, more: { turn }, cause: failure });
}

/** How a client goes on that does not know whether it was heard. Under a key the turn may be an earlier one, so none is named. */
const howToGoOn = (target: Target, { turn, request }: TurnStart): string =>
  request === undefined
    ? `, as turn ${turn}: send it again only if GET ${turnPath(target, turn)} returns 404.`
    : '. Send it again with the same Idempotency-Key.';

/** Makes the problem that is answered for a failed turn. It has the turn's answer in it. */
export function failedTurn(answer: TurnAnswer): Problem {
  const { error, ...turn } = answer;
  const [status, type] = FAILED_TURNS[error?.type ?? 'internal'];
  const further =
    error?.type === 'session-full' ? '' : ' The conversation is kept: send another message to go on.';
  const detail = `${error?.message ?? 'The turn failed.'}${further}`;
  return new Problem(type, detail, { status, retryAfter: error?.retryAfter, more: { ...turn, error } });
}

/** A problem, with the status that it is answered with. */
export type ToldProblem = readonly [status: number, type: ProblemType];

/** What is answered for turns that failed, by why they did. */
export const FAILED_TURNS: Readonly<Record<TurnError['type'], ToldProblem>> = {
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
