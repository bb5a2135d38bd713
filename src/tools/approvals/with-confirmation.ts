import type { AnyTool } from '../tool.ts';
import type { ApprovalMessage } from './approval-message.ts';
import type { ApprovalOptions } from './approval-options.ts';
import { asking } from './asking.ts';
import { pausing } from './pausing.ts';

/**
 * A tool that always asks before it runs (DEC-15), as `requireApproval` does. The input that was confirmed goes on the
 * blackboard, without a name or a type, when the call succeeds (DEC-19).
 *
 * @throws ToolDefinitionError when `expires` is not more than 0, or `onExpiry` is no decision.
 */
export const withConfirmation = <T extends AnyTool>(
  tool: T,
  message: ApprovalMessage<T>,
  options: ApprovalOptions = {},
): T =>
  pausing(tool, {
    decider: asking(tool, message, options),
    accepted: (input, { blackboard }) => blackboard.add(input),
  });
