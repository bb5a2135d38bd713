/** Problems as clients of OpenAI know them. */

import type { StoredEvent } from '../../journal/events.ts';
import { CLIENT_TOOLS_KEY } from '../../modules/client-tools/declared.ts';
import { isFile } from '../../tool/content.ts';
import type { RouteProblem } from '../../worker/module-request.ts';
import type { Session, TurnStream } from '../../worker/session.ts';
import type { tellerOf } from '../../worker/tell.ts';

/** A request that cannot be answered, in the words of the protocol. */
export class OpenAiError extends Error {
  override readonly name = 'OpenAiError';
  readonly status: number;
  /** What in the request is wrong. */
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

/** Answers the error that a handler throws; whatever else it throws is for whoever tells problems. */
export async function answered(work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (failure) {
    if (!(failure instanceof OpenAiError)) throw failure;
    return toError(failure.status, toErrorBody(failure));
  }
}

/** Returns an error as the protocol writes it. */
export const toErrorBody = ({ message, param, code }: Pick<OpenAiError, 'message' | 'param' | 'code'>) => ({
  message,
  type: 'invalid_request_error',
  param,
  code,
});

type Refuse = (problem: RouteProblem, request: Request) => Response;

/**
 * Makes what returns a problem. `isSent`: of a request that may have been taken all the same, which a client that sends it again by itself may
 * send twice; without it, of reading, for which the client may ask again.
 */
export const refusing =
  (toTeller: ReturnType<typeof tellerOf>, isSent = false): Refuse =>
  (problem, request) =>
    refused(toTeller(request).problem(problem), isSent && problem.status >= 500);

function refused({ type, status, detail, headers, more }: RouteProblem, mayBeTaken: boolean): Response {
  const isUnknown = type === 'unknown-agent';
  const problem = {
    message: type === 'unknown-route' ? NOTHING : detail,
    type: TYPES[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error'),
    param: isUnknown ? 'model' : null,
    code: isUnknown ? 'model_not_found' : type.replaceAll('-', '_'),
  };
  // Sent again at once, what was refused for the state of its session is refused again.
  const isFinal = mayBeTaken || status === 401 || status === 409;
  const response = toError(status, { ...more, ...problem }, isFinal);
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

/** For a client that asks for something else of OpenAI's, such as `files`. */
const NOTHING = 'There is no such route. A response begins the conversation that it names.';

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
};

/** An error that clients do not send again by themselves, unless it says so. */
export function toError(status: number, error: object, isFinal = false): Response {
  const response = Response.json({ error }, { status });
  if (isFinal) response.headers.set('x-should-retry', 'false');
  return response;
}

/**
 * The key of the tool-call context under which a turn has what its request asked for beside its message: it is of the turn, and not of the
 * conversation.
 */
export const ASKED_KEY = 'holdfast.openai';

/** The keys under which a turn has what its client asks for: neither says anything of the conversation. */
export const CONTEXT_KEYS: readonly string[] = [ASKED_KEY, CLIENT_TOOLS_KEY];

/** Returns `true` if an event adds nothing to its session but words that the chat itself has. An unknown event adds more. */
export function addsOnlyWords(event: StoredEvent): boolean {
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
      return WITHOUT_WORDS.has(event.module);
    default:
      return WITHOUT_MORE.has(event.type);
  }
}

/** Modules that remember nothing which a later answer could show. */
const WITHOUT_WORDS: ReadonlySet<string> = new Set(['compaction', 'feedback']);

/** Events that say how a turn went, and which tools the code offered. */
const WITHOUT_MORE: ReadonlySet<string> = new Set<StoredEvent['type']>([
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

/** A turn in a session that was found by words alone. */
export interface FoundTurn {
  readonly session: Session;
  readonly stream: TurnStream;
  /** The last event of the session when it was found. */
  readonly head: number;
}

/**
 * Keeps an event of a turn from a request that names neither person nor session. A turn that another request began may be another
 * person's, so that it is shown as long as it has only words. A turn that this request began must directly follow what was found.
 *
 * @throws OpenAiError `unknown_conversation` if the request must not see the event; what the request began is cancelled.
 */
export async function mustBeOwn(
  event: StoredEvent,
  isWords: boolean,
  { session, stream: { turn, isJoined }, head }: FoundTurn,
): Promise<void> {
  if (isJoined ? isWords : event.type !== 'turn-started' || event.seq === head + 1) return;
  if (!isJoined) await session.cancel(turn).catch(() => {});
  throw unknownChat();
}

/** The error of a request whose session is not known. Whether one has its words is not said. */
export const unknownChat = (): OpenAiError =>
  new OpenAiError(
    'It is not known which conversation this continues. Name the person, or the session: send metadata.session of the last ' +
      'answer as metadata: { session }, each time.',
    { param: 'metadata.session', code: 'unknown_conversation' },
  );
