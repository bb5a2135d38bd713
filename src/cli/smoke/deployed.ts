/** A deployed Worker, and what the steps have found of it. */
export interface Deployed {
  readonly call: Call;
  /** Who is asked; found by a step unless it is named. */
  agent: string | undefined;
  /** For the message, and for the approval. */
  readonly sessions: readonly [string, string];
  /** The turn of the message, once it is answered. */
  turn?: string;
}

/** A response whose body is JSON; of another body nothing is read. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

interface Request {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Without the token. */
  readonly isAnonymous?: boolean;
  /** The path is one that the Worker named, with its base path. */
  readonly isLink?: boolean;
}

/** Sends a request. @throws StepFailed if no answer comes in time. */
export type Call = (method: string, path: string, request?: Request) => Promise<Answer>;

/** A step found something else than it should; the message says what. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed';
}

/** Makes what sends requests to a Worker. A redirect is not followed: the token would go with it. */
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
      throw new StepFailed(`the Worker names an address of another origin, ${target.origin}`);
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
      return { status: response.status, body: objectIn(text) };
    } catch (failure) {
      const reason = Object(Object(failure).cause).code ?? Object(failure).name;
      throw new StepFailed(`${method} ${target.pathname} got no answer: ${reason}`);
    }
  };
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    return { ...Object(JSON.parse(text)) };
  } catch {
    return {};
  }
}
