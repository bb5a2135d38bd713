/** Converts problems to the OpenAI error format. */

import type { StoredEvent } from '../../journal/events.ts';
import { CLIENT_TOOLS_KEY } from '../../modules/client-tools/declared.ts';
import { isFile } from '../../tool/content.ts';
import type { RouteProblem } from '../../worker/module-request.ts';
import type { Session, TurnStream } from '../../worker/session.ts';
import type { createErrorWording } from '../../worker/tell.ts';

/** An error of a request, with the fields of the protocol's errors. */
export class OpenAiError extends Error {
  override readonly name = 'OpenAiError';
  readonly status: number;
  /** The parameter that is wrong. */
  readonly param: string | null;
  readonly code: string | null;

  constructor(
    message: string,
    { param = null, code = null, status = 400 }: Partial<Pick<OpenAiError, 'status' | 'param' | 'code'>> = {},
  ) {
    super(message);
    this.status = status;
    this.param = param;
    this.code = code;
  }
}

/** Returns the response for an `OpenAiError` that a handler throws. Other errors pass through. */
export async function withErrorResponse(work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (failure) {
    if (!(failure instanceof OpenAiError)) throw failure;
    return toError(failure.status, toErrorBody(failure));
  }
}

/** Returns an error in the format of the protocol. */
export const toErrorBody = ({ message, param, code }: Pick<OpenAiError, 'message' | 'param' | 'code'>) => ({
  message,
  type: 'invalid_request_error',
  param,
  code,
});

type ErrorResponder = (problem: RouteProblem, request: Request) => Response;

/**
 * Returns a function that converts problems to responses. Set `isSent` if the request may have had an effect,
 * since an automatic retry could apply it twice. Without `isSent`, the client can retry the request.
 */
export const createErrorResponder =
  (toTeller: ReturnType<typeof createErrorWording>, isSent = false): ErrorResponder =>
  (problem, request) =>
    createRefusalResponse(toTeller(request).problem(problem), isSent && problem.status >= 500);

function createRefusalResponse(
  { type, status, detail, headers, more }: RouteProblem,
  mayBeTaken: boolean,
): Response {
  const isUnknown = type === 'unknown-agent';
  const problem = {
    message: type === 'unknown-route' ? UNKNOWN_ROUTE_TEXT : detail,
    type: ERROR_TYPES[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error'),
    param: isUnknown ? 'model' : null,
    code: isUnknown ? 'model_not_found' : type.replaceAll('-', '_'),
  };
  // If the state of the session caused the error, an immediate retry fails again.
  const isFinal = mayBeTaken || status === 401 || status === 409;
  const response = toError(status, { ...more, ...problem }, isFinal);
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

/** The text for a client that uses other OpenAI endpoints, such as `files`. */
const UNKNOWN_ROUTE_TEXT = 'There is no such route. A response begins the conversation that it names.';

const ERROR_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
};

/** Returns an error response. `isFinal`: clients must not retry it automatically. */
export function toError(status: number, error: object, isFinal = false): Response {
  const response = Response.json({ error }, { status });
  if (isFinal) response.headers.set('x-should-retry', 'false');
  return response;
}

/**
 * The key of the tool-call context that holds a request's additions to its message. They belong to the turn,
 * and not to the conversation.
 */
export const EXTRAS_KEY = 'holdfast.openai';

/** The keys of a turn's context that hold the client's settings and not the conversation. */
export const CONTEXT_KEYS: readonly string[] = [EXTRAS_KEY, CLIENT_TOOLS_KEY];

/**
 * Returns `true` if an event adds only text that the chat itself has. Returns `false` for an unknown event.
 */
export function addsOnlyText(event: StoredEvent): boolean {
  switch (event.type) {
    case 'turn-started':
      return (
        !event.parts?.some(isFile) && Object.keys(event.context).every((key) => CONTEXT_KEYS.includes(key))
      );
    case 'model-replied':
      return (
        event.toolCalls.length === 0 &&
        (event.parts ?? []).every(({ type }) => type === 'text' || type === 'reasoning')
      );
    case 'module-event':
      return HARMLESS_MODULES.has(event.module);
    default:
      return HARMLESS_EVENTS.has(event.type);
  }
}

/** Modules whose memory cannot affect a later answer. */
const HARMLESS_MODULES: ReadonlySet<string> = new Set(['compaction', 'feedback']);

/** Events about the progress of a turn, and about the tools of the code. */
const HARMLESS_EVENTS: ReadonlySet<string> = new Set<StoredEvent['type']>([
  'session-opened',
  'turn-resumed',
  'turn-yielded',
  'turn-ended',
  'model-refused',
  'tools-changed',
  'answer-rejected',
  'conversation-cut',
  'cancel-requested',
]);

/** A turn in a session that was matched by the text of its history, not by an id. */
export interface FoundTurn {
  readonly session: Session;
  readonly stream: TurnStream;
  /** The last event of the session when the search found it. */
  readonly head: number;
}

/**
 * Checks an event of a turn for a request that identifies no person or session. A turn that another request
 * began may belong to another person, so it is shown only while it contains only text. If this request began
 * the turn, the turn must directly follow the found place.
 *
 * @throws OpenAiError `unknown_conversation` if the request must not see the event. Cancels a turn that the
 * request began.
 */
export async function assertOwnTurn(
  event: StoredEvent,
  isWords: boolean,
  { session, stream: { turn, isJoined }, head }: FoundTurn,
): Promise<void> {
  if (isJoined ? isWords : event.type !== 'turn-started' || event.seq === head + 1) return;
  if (!isJoined) await session.cancel(turn).catch(() => {});
  throw createUnknownChatError();
}

/**
 * Returns the error for a request without a known session. It does not reveal whether a session has this
 * text.
 */
export const createUnknownChatError = (): OpenAiError =>
  new OpenAiError(
    'The conversation is unknown. Name the person, or send metadata.session of the last answer as ' +
      'metadata: { session } each time.',
    { param: 'metadata.session', code: 'unknown_conversation' },
  );
