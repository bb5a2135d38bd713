import type { CallScope, Decision } from '../tool/call.ts';
import { checkTime, checkWord } from '../tool/check-definition.ts';
import { checkedFirst } from '../tool/check-input.ts';
import { MAX_TIMEOUT } from '../tool/define-tool.ts';
import { isJsonObject, type JsonObject } from '../tool/json.ts';
import { ToolConfigurationError } from '../tool/signals.ts';
import type { AnyTool } from '../tool/tool.ts';
import { type ApprovalMessage, carryOut, messageFor, ON_EXPIRY } from './approval.ts';
import { type Covers, type CoversOption, type GuardedInput, withGuard } from './covers.ts';

/**
 * A tool whose calls a synchronous reviewer decides about, in a session or outside of one. What is decided is carried
 * out as an approval's is. The review comes before the call is journaled as started: after a crash the same call
 * may be reviewed again. A handler that throws is an error of this call; the tool has not run then.
 *
 * Of an unfolding tool the calls of the tools behind it are reviewed, and opening it is not; unless `covers` says `opening`.
 *
 * @throws ToolConfigurationError when the handler is no function; ToolDefinitionError for a bad timeout or `onTimeout`, and
 *   for `covers` as `requireApproval`.
 */
export function withReview<T extends AnyTool, const C extends Covers = 'tools'>(
  tool: T,
  handler: ReviewHandler<GuardedInput<T, C>>,
  { message = '', timeout = REVIEW_TIMEOUT, onTimeout = 'exit', covers }: ReviewOptions<T, C> = {},
): T {
  mustBeHandler(tool.name, handler);
  checkTime(tool.name, { timeout }, MAX_TIMEOUT);
  checkWord(tool.name, { onTimeout }, ON_EXPIRY);
  return withGuard(tool, covers, (one) =>
    checkedFirst(one, async ({ input, typed, call }) => {
      const decision = await askReviewer(handler, {
        tool: one,
        input: typed as GuardedInput<T, C>, // of the tool that is guarded
        message: await messageFor(message, typed, call),
        timeout,
        onTimeout,
        call,
      });
      return carryOut({ tool: one, input, call, decision });
    }),
  );
}

/** What a reviewer is asked, and for how long. */
export interface ReviewOptions<T extends AnyTool, C extends Covers = 'tools'> extends CoversOption<T, C> {
  /** Empty unless given. */
  readonly message?: ApprovalMessage<T, C> | undefined;
  /** Milliseconds that a review may take: five minutes unless given, at most 15. */
  readonly timeout?: number | undefined;
  /** What counts when it takes longer; `exit` unless given. */
  readonly onTimeout?: OnTimeout | undefined;
}

/**
 * A reviewer that answers while the call waits, inside one invocation: a policy, another service, a test. It runs before
 * the call is journaled as started, so after a crash the same call may be reviewed again.
 */
export type ReviewHandler<Input = unknown> = (request: ReviewRequest<Input>) => Review | Promise<Review>;

/** One call that is to be reviewed before it runs. */
export interface ReviewRequest<Input = unknown> {
  readonly tool: AnyTool;
  /** Typed and checked. */
  readonly input: Input;
  /** What the reviewer is asked; empty unless the tool says. */
  readonly message: string;
  /** Milliseconds. */
  readonly timeout: number;
  readonly onTimeout: OnTimeout;
  /** Its signal also aborts when the time is over: nobody waits for an answer any more. */
  readonly call: CallScope;
}

/** What a synchronous reviewer decides; the same words as those of a decision over HTTP. */
export type Review =
  | { readonly decision: 'approve' }
  /** Runs with this input instead, if it is valid; `{}` is one. */
  | { readonly decision: 'edit'; readonly input: JsonObject }
  | { readonly decision: 'reject' | 'exit'; readonly reason?: string | undefined };

/** What counts when a reviewer does not answer in time. */
export type OnTimeout = Exclude<Decision['decision'], 'edit'>;

/** How long a reviewer has unless it is said otherwise: five minutes, in ms. */
export const REVIEW_TIMEOUT = 300_000;

/** @throws ToolConfigurationError when what was given as a reviewer cannot be one. */
export function mustBeHandler(tool: string, handler: unknown): void {
  if (typeof handler === 'function') return;
  const what = handler === null ? 'null' : typeof handler;
  throw new ToolConfigurationError(`The ReviewHandler of tool '${tool}' must be a function; it is ${what}.`);
}

/**
 * Answers what the reviewer decided, or what counts when the time was over first.
 *
 * @throws ToolConfigurationError when the answer is no review; the reason of the call's signal when that aborts
 *   first; else whatever the handler throws.
 */
export async function askReviewer<Input>(
  handler: ReviewHandler<Input>,
  request: ReviewRequest<Input>,
): Promise<Decision> {
  const { call, timeout, onTimeout } = request;
  call.signal.throwIfAborted();
  const over = new AbortController();
  const timer = setTimeout(
    () => over.abort(new DOMException(`${timeout} ms are over.`, 'TimeoutError')),
    timeout,
  );
  const signal = AbortSignal.any([call.signal, over.signal]);
  const aborted = new Promise<'aborted'>((resolve) => {
    signal.addEventListener('abort', () => resolve('aborted'), { once: true });
  });
  try {
    const asked = Promise.resolve(handler({ ...request, call: { ...call, signal } }));
    const review = await Promise.race([asked, aborted]);
    if (review !== 'aborted') return checked(call.tool, review);
    if (call.signal.aborted) throw call.signal.reason;
    return { decision: onTimeout, expired: true };
  } finally {
    clearTimeout(timer);
  }
}

/** An edit has an input, if only an empty one. */
function checked(tool: string, review: Review): Review {
  const given: unknown = review; // a handler in JavaScript may answer anything
  const { decision, input } = isJsonObject(given) ? given : {};
  const isReview = decision === 'edit' ? isJsonObject(input) : PLAIN.has(decision);
  if (isReview) return review;
  throw new ToolConfigurationError(
    `The ReviewHandler of tool '${tool}' answered something that is no review. It must answer ` +
      "{ decision: 'approve' | 'reject' | 'exit' } or { decision: 'edit', input: { ... } }.",
  );
}

const PLAIN: ReadonlySet<unknown> = new Set(['approve', 'reject', 'exit']);

/** A reviewer that approves everything at once. Nothing else ever approves by itself. */
export const autoApprove = (): ReviewHandler => () => ({ decision: 'approve' });

/** A reviewer that approves everything after `ms`: time to see what is about to happen, and to cancel the turn. */
export const autoApproveWithDelay =
  (ms: number): ReviewHandler =>
  ({ call: { signal } }) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve({ decision: 'approve' }), ms);
      const stop = (): void => {
        clearTimeout(timer);
        reject(signal.reason);
      };
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    });

/**
 * The same reviewer, asked about one call after another, in the order in which they come: for one that talks to a person
 * through one place. Every tool that is given this handler shares its lock, within one isolate; other handlers run side
 * by side. The time that a call waits for its turn counts as its reviewer's, and a call that nobody waits for any
 * more is not asked about.
 */
export function serialised<Input>(handler: ReviewHandler<Input>): ReviewHandler<Input> {
  let last: Promise<unknown> = Promise.resolve();
  return (request) => {
    const review = last.then(() => {
      request.call.signal.throwIfAborted();
      return handler(request);
    });
    last = review.catch(() => undefined);
    return review;
  };
}
