import type { ProblemType } from '../worker/problem.ts';

/**
 * Problems that only a client detects: the server is unreachable after all retries, or the response is not
 * from a Worker of Holdfast.
 */
export type ClientProblem = 'connection-lost' | 'bad-response';

/** The details of a failure. */
export interface HoldfastErrorDetails {
  readonly status?: number;
  readonly retryAfter?: number | undefined;
  readonly more?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/**
 * Thrown if a server refuses a request, or is unreachable. `message` says how to fix it.
 *
 * @example
 * ```ts
 * const client = createClient({ url: 'https://agents.example.com', agent: 'clerk' });
 * try {
 *   await client.session('s1').send('Please pay invoice INV-17.');
 * } catch (failure) {
 *   if (failure instanceof HoldfastError && failure.type === 'session-busy') return 'Wait for the turn before.';
 *   throw failure;
 * }
 * ```
 */
export class HoldfastError extends Error {
  override readonly name = 'HoldfastError';
  /** The stable name of the problem (RFC 9457), without `urn:holdfast:problem:`. */
  readonly type: ProblemType | ClientProblem;
  /** The HTTP status, or 0 without a response. */
  readonly status: number;
  /** Seconds until a retry, from the server. */
  readonly retryAfter: number | undefined;
  /** More members of the problem: the blocking `turn`, its `pending` calls, the `problems` of the request. */
  readonly more: Readonly<Record<string, unknown>>;

  constructor(
    type: HoldfastError['type'],
    message: string,
    { status = 0, retryAfter, more = {}, cause }: HoldfastErrorDetails = {},
  ) {
    super(message, { cause });
    this.type = type;
    this.status = status;
    this.retryAfter = retryAfter;
    this.more = more;
  }

  /** The message, under the property's name in a problem. */
  get detail(): string {
    return this.message;
  }
}
