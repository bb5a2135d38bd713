import { checkTime } from '../check-time.ts';
import { checkWord } from '../check-word.ts';
import { checkedFirst } from '../checked-first.ts';
import { decorate } from '../decorate.ts';
import { MAX_TIMEOUT } from '../define-tool.ts';
import { ToolConfigurationError } from '../signals.ts';
import type { AnyTool } from '../tool.ts';
import type { ToolInput } from '../tool-input.ts';
import { type ApprovalMessage, messageFor } from './approval-message.ts';
import { ON_EXPIRY } from './approval-options.ts';
import { askReviewer } from './ask-reviewer.ts';
import { carryOut } from './carry-out.ts';
import { type OnTimeout, REVIEW_TIMEOUT, type ReviewHandler } from './review.ts';

/** What a reviewer is asked, and for how long. */
export interface ReviewOptions<T extends AnyTool> {
  /** Empty unless given. */
  readonly message?: ApprovalMessage<T> | undefined;
  /** Milliseconds that a review may take: five minutes unless given, at most 15. */
  readonly timeout?: number | undefined;
  /** What counts when it takes longer; `exit` unless given. */
  readonly onTimeout?: OnTimeout | undefined;
}

/**
 * A tool whose calls a synchronous reviewer decides about, in a session or outside of one. What is decided is carried
 * out as an approval's is (AEA-13). The review comes before the call is journaled as started: after a crash the same call
 * may be reviewed again. A handler that throws is an error of this call; the tool has not run then.
 *
 * @throws ToolConfigurationError when the handler is no function (AEA-09); ToolDefinitionError for a bad timeout or
 *   `onTimeout`.
 */
export function withReview<T extends AnyTool>(
  tool: T,
  handler: ReviewHandler<ToolInput<T>>,
  { message = '', timeout = REVIEW_TIMEOUT, onTimeout = 'exit' }: ReviewOptions<T> = {},
): T {
  mustBeHandler(tool.name, handler);
  checkTime(tool.name, 'timeout', timeout, MAX_TIMEOUT);
  checkWord(tool.name, 'onTimeout', onTimeout, ON_EXPIRY);
  return decorate(tool, {
    call: checkedFirst(tool, async ({ input, typed, invocation }) => {
      const decision = await askReviewer(handler, {
        tool,
        input: typed,
        message: await messageFor(message, typed, invocation),
        timeout,
        onTimeout,
        call: invocation,
      });
      return carryOut({ tool, input, invocation, decision });
    }),
  });
}

/** @throws ToolConfigurationError when what was given as a reviewer cannot be one. */
export function mustBeHandler(tool: string, handler: unknown): void {
  if (typeof handler === 'function') return;
  const what = handler === null ? 'null' : typeof handler;
  throw new ToolConfigurationError(`The ReviewHandler of tool '${tool}' must be a function; it is ${what}.`);
}
