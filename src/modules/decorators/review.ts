import { createTimeoutError, pause, TIMERS } from '../../tool/async.ts';
import type { CallContext, Decision } from '../../tool/call.ts';
import { checkTime, checkWord } from '../../tool/check-definition.ts';
import { withCheckedInput } from '../../tool/check-input.ts';
import { MAX_TIMEOUT_MS } from '../../tool/define-tool.ts';
import { isJsonObject, type JsonObject } from '../../tool/json.ts';
import { escapeInvisible } from '../../tool/shown.ts';
import { ToolConfigurationError } from '../../tool/signals.ts';
import type { AnyTool, CallRun } from '../../tool/tool.ts';
import { type ApprovalMessage, resolveMessage } from './approval.ts';
import {
  applyDecision,
  askAgain,
  type Covers,
  type CoversOption,
  EXPIRY_DECISIONS,
  editProblems,
  type GuardedInput,
  withGuard,
} from './guard.ts';

/**
 * Returns a tool whose calls a synchronous reviewer decides, with or without a session. The decision applies
 * like that of an approval. The review happens before the call is journaled as started, so the same call can
 * be reviewed again after a crash. If the handler throws, the call returns an error and the tool does not
 * run.
 *
 * For an unfolding tool, the calls of its inner tools are reviewed, and opening it is not. Set `covers` to
 * `opening` to reverse this.
 *
 * @throws ToolConfigurationError if the handler is not a function.
 * @throws ToolDefinitionError if `timeout` or `onTimeout` is invalid, or if `covers` is invalid as in
 * `requireApproval`.
 *
 * @example
 * ```ts
 * const reviewed = withReview(refundOrder, ({ input }) =>
 *   input.amount > 100 ? { decision: 'reject', reason: 'Too much.' } : { decision: 'approve' },
 * );
 * ```
 */
export function withReview<T extends AnyTool, const C extends Covers = 'tools'>(
  tool: T,
  handler: ReviewHandler<GuardedInput<T, C>>,
  { message = '', timeout = REVIEW_TIMEOUT_MS, onTimeout = 'exit', covers }: ReviewOptions<T, C> = {},
): T {
  assertHandler(tool.name, handler);
  checkTime(tool.name, { timeout }, MAX_TIMEOUT_MS);
  checkWord(tool.name, { onTimeout }, EXPIRY_DECISIONS);
  return withGuard(tool, covers, (one) =>
    withCheckedInput(one, async ({ input, typed, call }) => {
      const request: ReviewCall<GuardedInput<T, C>> = {
        tool: one,
        input: typed as GuardedInput<T, C>, // the input of the guarded tool
        sent: input,
        message: await call.during('the message of its review', () => resolveMessage(message, typed, call)),
        timeout,
        onTimeout,
        call,
      };
      const decision = await askReviewer(handler, request, (edit) => editProblems(one, edit, call));
      return applyDecision({ tool: one, input, call, decision });
    }),
  );
}

/** The message for the reviewer, and the time limit. */
export interface ReviewOptions<T extends AnyTool, C extends Covers = 'tools'> extends CoversOption<T, C> {
  /** Defaults to an empty message. */
  readonly message?: ApprovalMessage<T, C> | undefined;
  /** Milliseconds until the review times out. Defaults to five minutes. The maximum is 15 minutes. */
  readonly timeout?: number | undefined;
  /** The decision at the timeout. Defaults to `exit`. */
  readonly onTimeout?: OnTimeout | undefined;
}

/**
 * A reviewer that decides while the call waits, inside one invocation: a policy, another service, a test. It
 * runs before the call is journaled as started, so the same call can be reviewed again after a crash.
 */
export type ReviewHandler<Input = unknown> = (request: ReviewRequest<Input>) => Review | Promise<Review>;

/** A call to review before it runs. */
export interface ReviewRequest<Input = unknown> {
  readonly tool: AnyTool;
  /** The typed, checked input: the output of the tool's schema, with its defaults. */
  readonly input: Input;
  /**
   * The input that the model sent, after any changes by outer decorators. An edit replaces this value, and is
   * then checked in the same way.
   */
  readonly sent: JsonObject;
  /**
   * The message for the reviewer. Empty if the tool sets none. After an invalid edit, it also contains the
   * problems. Invisible characters appear as `\u{202e}`.
   */
  readonly message: string;
  /** The problems of the previous edit, one line each. Absent in the first request. */
  readonly problems?: readonly string[] | undefined;
  /** The time limit of the whole review, in milliseconds. */
  readonly timeout: number;
  /** The decision at the timeout. Never `approve` after an edit. */
  readonly onTimeout: OnTimeout;
  /** The call. Its signal also aborts at the timeout, when the answer is no longer needed. */
  readonly call: CallContext;
}

/** A request with the full call, because the reviewer has its own time limit. */
interface ReviewCall<Input> extends ReviewRequest<Input> {
  readonly call: CallRun;
}

/** The decision of a synchronous reviewer. It has the same form as a decision over HTTP. */
export type Review =
  | { readonly decision: 'approve' }
  /**
   * Runs the tool with this input instead. If the input is invalid, the tool does not run and asks the
   * reviewer again, at most twice.
   */
  | { readonly decision: 'edit'; readonly input: JsonObject }
  | { readonly decision: 'reject' | 'exit'; readonly reason?: string | undefined };

/** The decision at a reviewer's timeout. */
export type OnTimeout = Exclude<Decision['decision'], 'edit'>;

/** The default time limit of a reviewer: five minutes, in milliseconds. */
export const REVIEW_TIMEOUT_MS = 300_000;

/** @throws ToolConfigurationError if the reviewer is not a function. */
export function assertHandler(tool: string, handler: unknown): void {
  if (typeof handler === 'function') return;
  const what = handler === null ? 'null' : typeof handler;
  throw new ToolConfigurationError(`The ReviewHandler of tool '${tool}' must be a function, but is ${what}.`);
}

/** The maximum number of edits of one call. Prevents an endless loop if a reviewer ignores the problems. */
const MAX_BAD_EDITS = 3;

/**
 * Returns the reviewer's decision, or `onTimeout` after the time limit. If an edit has problems, asks the
 * reviewer again and lists them. Returns the third edit even if it has problems.
 *
 * @throws ToolConfigurationError if the answer is not a valid review.
 * @throws the reason of the call's signal if it aborts first. Also rethrows errors of the handler.
 */
export async function askReviewer<Input>(
  handler: ReviewHandler<Input>,
  request: ReviewCall<Input>,
  problemsOf: (edit: JsonObject) => readonly string[] | Promise<readonly string[]>,
): Promise<Decision> {
  const { call, timeout } = request;
  call.signal.throwIfAborted();
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(createTimeoutError(timeout)), timeout);
  const signal = AbortSignal.any([call.signal, over.signal]);
  const aborted = new Promise<'aborted'>((resolve) => {
    signal.addEventListener('abort', () => resolve('aborted'), { once: true });
  });
  let asked = { ...request, call: { ...call, signal } };
  try {
    for (let edits = 1; ; edits += 1) {
      const review = signal.aborted
        ? 'aborted'
        : await call.untimed(() =>
            Promise.race([handler({ ...asked, message: escapeInvisible(asked.message) }), aborted]),
          );
      if (call.signal.aborted && review === 'aborted') throw call.signal.reason;
      if (review === 'aborted') return { decision: asked.onTimeout, expired: true };
      const decision = checkReview(call.tool, review);
      const problems = decision.decision === 'edit' ? await problemsOf(decision.input) : [];
      if (problems.length === 0 || edits === MAX_BAD_EDITS) return decision;
      asked = { ...asked, ...toFollowUp(request, problems) };
    }
  } finally {
    clearTimeout(timer);
  }
}

function toFollowUp(
  { message: asked, onTimeout }: Pick<ReviewRequest, 'message' | 'onTimeout'>,
  problems: readonly string[],
): Pick<ReviewRequest, 'message' | 'problems' | 'onTimeout'> {
  const { message, onExpiry = onTimeout } = askAgain({ message: asked, onExpiry: onTimeout }, problems);
  return { message, problems, onTimeout: onExpiry };
}

/** Checks the shape of a review. An edit must have an input, which can be empty. */
function checkReview(tool: string, review: Review): Review {
  const given: unknown = review; // a handler in JavaScript can return any value
  const { decision, input } = isJsonObject(given) ? given : {};
  const isReview = decision === 'edit' ? isJsonObject(input) : DECISIONS_WITHOUT_INPUT.has(decision);
  if (isReview) return review;
  throw new ToolConfigurationError(
    `The ReviewHandler of tool '${tool}' returned an invalid review. It must return ` +
      "{ decision: 'approve' | 'reject' | 'exit' } or { decision: 'edit', input: { ... } }.",
  );
}

const DECISIONS_WITHOUT_INPUT: ReadonlySet<unknown> = new Set(['approve', 'reject', 'exit']);

/**
 * Returns a reviewer that approves every call at once. Only this reviewer and `autoApproveWithDelay` approve
 * automatically.
 *
 * @example
 * ```ts
 * const reviewed = withReview(refundOrder, autoApprove()); // in a test
 * ```
 */
export const autoApprove = (): ReviewHandler => () => ({ decision: 'approve' });

/**
 * Returns a reviewer that approves every call after `ms` milliseconds, which leaves time to see the call and
 * cancel the turn.
 *
 * @example
 * ```ts
 * const reviewed = withReview(refundOrder, autoApproveWithDelay(5_000));
 * ```
 */
export const autoApproveWithDelay =
  (ms: number): ReviewHandler =>
  async ({ call: { signal } }) => {
    await pause(TIMERS, ms, signal);
    return { decision: 'approve' };
  };

/**
 * Returns a reviewer that handles one call after another in the order of arrival, such as for a person who is
 * reached through one channel. All tools that use the returned handler share a queue within one isolate.
 * Other handlers run in parallel. The waiting time counts against the reviewer's time limit. A call that no
 * longer waits is skipped.
 *
 * @example
 * ```ts
 * const reviewer = serialized(() => ({ decision: 'approve' }));
 * const tools = [withReview(refundOrder, reviewer), withReview(lookUp, reviewer)];
 * ```
 */
export function serialized<Input>(handler: ReviewHandler<Input>): ReviewHandler<Input> {
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
