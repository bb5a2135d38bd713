import { pause, TIMERS, timeIsOver } from '../../tool/async.ts';
import type { CallContext, Decision } from '../../tool/call.ts';
import { checkTime, checkWord } from '../../tool/check-definition.ts';
import { checkedFirst } from '../../tool/check-input.ts';
import { MAX_TIMEOUT } from '../../tool/define-tool.ts';
import { isJsonObject, type JsonObject } from '../../tool/json.ts';
import { visible } from '../../tool/shown.ts';
import { ToolConfigurationError } from '../../tool/signals.ts';
import type { AnyTool, CallRun } from '../../tool/tool.ts';
import { type ApprovalMessage, messageFor } from './approval.ts';
import {
  afterBadEdit,
  type Covers,
  type CoversOption,
  carryOut,
  editProblems,
  type GuardedInput,
  ON_EXPIRY,
  withGuard,
} from './guard.ts';

/**
 * A tool whose calls a synchronous reviewer decides about, in a session or outside of one. What is decided is carried
 * out as an approval's is. The review comes before the call is journaled as started: after a crash the same call
 * may be reviewed again. A handler that throws is an error of this call; the tool has not run then.
 *
 * Of an unfolding tool the calls of the tools behind it are reviewed, and opening it is not; unless `covers` says `opening`.
 *
 * @throws ToolConfigurationError when the handler is no function; ToolDefinitionError for a bad timeout or `onTimeout`, and
 *   for `covers` as `requireApproval`.
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
  { message = '', timeout = REVIEW_TIMEOUT, onTimeout = 'exit', covers }: ReviewOptions<T, C> = {},
): T {
  mustBeHandler(tool.name, handler);
  checkTime(tool.name, { timeout }, MAX_TIMEOUT);
  checkWord(tool.name, { onTimeout }, ON_EXPIRY);
  return withGuard(tool, covers, (one) =>
    checkedFirst(one, async ({ input, typed, call }) => {
      const request: Reviewing<GuardedInput<T, C>> = {
        tool: one,
        input: typed as GuardedInput<T, C>, // of the tool that is guarded
        sent: input,
        message: await call.during('the message of its review', () => messageFor(message, typed, call)),
        timeout,
        onTimeout,
        call,
      };
      const decision = await askReviewer(handler, request, (edit) => editProblems(one, edit, call));
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
  /** Typed and checked: as the tool's schema has made it, with its defaults. */
  readonly input: Input;
  /**
   * What the model sent, as far as decorators around this one have left it so: what an edit is made of, since it takes the place
   * of this and is checked and typed as this was.
   */
  readonly sent: JsonObject;
  /**
   * What the reviewer is asked; empty unless the tool says. Of an edit that did not hold, also what was wrong with it. Characters
   * that cannot be seen stand there as `\u{202e}`.
   */
  readonly message: string;
  /** What was wrong with the edit that was answered before, a line each; absent the first time. */
  readonly problems?: readonly string[] | undefined;
  /** Milliseconds for all of the review. */
  readonly timeout: number;
  /** Never `approve` once the call was edited. */
  readonly onTimeout: OnTimeout;
  /** Its signal also aborts when the time is over: nobody waits for an answer any more. */
  readonly call: CallContext;
}

/** A request, with the whole call: the reviewer has a time limit of its own. */
interface Reviewing<Input> extends ReviewRequest<Input> {
  readonly call: CallRun;
}

/** What a synchronous reviewer decides; the same words as those of a decision over HTTP. */
export type Review =
  | { readonly decision: 'approve' }
  /** Runs with this input instead. One that is not valid does not run, and the reviewer is asked again, at most twice. */
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

/** How many edits of one call a reviewer may answer that are not valid: one that does not read what is wrong would go on for ever. */
const MOST_BAD_EDITS = 3;

/**
 * Answers what the reviewer decided, or what counts when the time was over first. An edit that has problems is told to the
 * reviewer, who is asked again; the third one is answered as it is.
 *
 * @throws ToolConfigurationError when the answer is no review; the reason of the call's signal when that aborts
 *   first; else whatever the handler throws.
 */
export async function askReviewer<Input>(
  handler: ReviewHandler<Input>,
  request: Reviewing<Input>,
  problemsOf: (edit: JsonObject) => readonly string[] | Promise<readonly string[]>,
): Promise<Decision> {
  const { call, timeout } = request;
  call.signal.throwIfAborted();
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(timeIsOver(timeout)), timeout);
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
            Promise.race([handler({ ...asked, message: visible(asked.message) }), aborted]),
          );
      if (call.signal.aborted && review === 'aborted') throw call.signal.reason;
      if (review === 'aborted') return { decision: asked.onTimeout, expired: true };
      const decision = checked(call.tool, review);
      const problems = decision.decision === 'edit' ? await problemsOf(decision.input) : [];
      if (problems.length === 0 || edits === MOST_BAD_EDITS) return decision;
      asked = { ...asked, ...askedAgain(request, problems) };
    }
  } finally {
    clearTimeout(timer);
  }
}

function askedAgain(
  { message: asked, onTimeout }: Pick<ReviewRequest, 'message' | 'onTimeout'>,
  problems: readonly string[],
): Pick<ReviewRequest, 'message' | 'problems' | 'onTimeout'> {
  const { message, onExpiry = onTimeout } = afterBadEdit({ message: asked, onExpiry: onTimeout }, problems);
  return { message, problems, onTimeout: onExpiry };
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
  async ({ call: { signal } }) => {
    await pause(TIMERS, ms, signal);
    return { decision: 'approve' };
  };

/**
 * The same reviewer, asked about one call after another, in the order in which they come: for one that talks to a person
 * through one place. Every tool that is given this handler shares its lock, within one isolate; other handlers run side
 * by side. The time that a call waits for its turn counts as its reviewer's, and a call that nobody waits for any
 * more is not asked about.
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
