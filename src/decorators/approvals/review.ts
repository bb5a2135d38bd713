import type { CallScope } from '../../tool/call.ts';
import type { Decision } from '../../tool/decision.ts';
import type { JsonObject } from '../../tool/json.ts';
import type { AnyTool } from '../../tool/tool.ts';

/** What a synchronous reviewer decides; the same words as those of a decision over HTTP (AEA-13). */
export type Review =
  | { readonly decision: 'approve' }
  /** Runs with this input instead, if it is valid; `{}` is one. */
  | { readonly decision: 'edit'; readonly input: JsonObject }
  | { readonly decision: 'reject' | 'exit'; readonly reason?: string | undefined };

/** What counts when a reviewer does not answer in time. */
export type OnTimeout = Exclude<Decision['decision'], 'edit'>;

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

/**
 * A reviewer that answers while the call waits, inside one invocation: a policy, another service, a test. It runs before
 * the call is journaled as started, so after a crash the same call may be reviewed again.
 */
export type ReviewHandler<Input = unknown> = (request: ReviewRequest<Input>) => Review | Promise<Review>;

/** How long a reviewer has unless it is said otherwise: five minutes, in ms (AEA-02). */
export const REVIEW_TIMEOUT = 300_000;
