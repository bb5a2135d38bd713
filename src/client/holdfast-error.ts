import type { ProblemType } from '../worker/problem.ts';

/** What only a client can find: it has lost the server and gives up, or what answers is not a Worker of Holdfast. */
export type ClientProblem = 'connection-lost' | 'bad-response';

/** What is known of a failure. */
export interface HoldfastErrorDetails {
  readonly status?: number;
  readonly retryAfter?: number | undefined;
  readonly more?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/**
 * A server has refused what a client asked for, or cannot be reached. `message` says what to do.
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
  /** Stays the same: that of the problem (RFC 9457) without `urn:holdfast:problem:`. */
  readonly type: ProblemType | ClientProblem;
  /** Of HTTP; 0 where nothing was answered. */
  readonly status: number;
  /** When to ask again, in seconds, where the server says it. */
  readonly retryAfter: number | undefined;
  /** What else the problem says: the `turn` in the way, its `pending` calls, the `problems` of what was sent. */
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

  /** The same words, as a problem calls them. */
  get detail(): string {
    return this.message;
  }
}
