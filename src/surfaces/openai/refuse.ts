/** Problems as clients of OpenAI know them. */
import type { RouteProblem } from '../../worker/module-request.ts';

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

/** Tells a problem of reading: it may be asked again. */
export const refuse = (problem: RouteProblem): Response => refused(problem, false);

/** Tells a problem of a request that may have been taken all the same: a client that sends it again by itself may send it twice. */
export const refuseSent = (problem: RouteProblem): Response => refused(problem, problem.status >= 500);

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

/** What a client is told that asks for something else of OpenAI's, such as `conversations`. */
const NOTHING =
  'There is nothing here but responses, chat/completions and models. A conversation begins with the first response that names it.';

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
