/** A deployed Worker, and the results of the steps. */
export interface SmokeTarget {
  readonly call: Call;
  /** The agent to call. A step finds it unless an option names it. */
  agent: string | undefined;
  /** The sessions for the message and for the approval. */
  readonly sessions: readonly [string, string];
  /** The turn of the message, once it has an answer. */
  turn?: string;
}

/** A response with a JSON body. Other bodies are not read. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

interface Request {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** If `true`, the request has no token. */
  readonly isAnonymous?: boolean;
  /** If `true`, the path comes from the Worker and includes its base path. */
  readonly isLink?: boolean;
}

/** Sends a request. @throws StepError if no response arrives in time. */
export type Call = (method: string, path: string, request?: Request) => Promise<Answer>;

/** A step failed. The message describes the finding. */
export class StepError extends Error {
  override readonly name = 'StepError';
}

/**
 * Returns a function that sends requests to a Worker. It does not follow redirects, which would receive the
 * token.
 */
export function createCaller({
  url,
  token,
  timeoutMs,
}: {
  readonly url: URL;
  readonly token: string | undefined;
  readonly timeoutMs: number;
}): Call {
  return async (method, path, { body, headers, isAnonymous = false, isLink = false } = {}) => {
    const target = isLink
      ? new URL(path, url)
      : new URL(`${url.origin}${url.pathname.replace(/\/$/, '')}${path}`);
    if (target.origin !== url.origin)
      throw new StepError(`the Worker returned a URL of another origin, ${target.origin}`);
    try {
      const response = await fetch(target, {
        method,
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
        headers: {
          ...(body && { 'content-type': 'application/json' }),
          ...(token !== undefined && !isAnonymous && { authorization: `Bearer ${token}` }),
          ...headers,
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: parseObject(text) };
    } catch (failure) {
      const reason = Object(Object(failure).cause).code ?? Object(failure).name;
      throw new StepError(`${method} ${target.pathname} received no response: ${reason}`);
    }
  };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return { ...Object(JSON.parse(text)) };
  } catch {
    return {};
  }
}
