import type { AnyTool } from '../tool.ts';
import { type ApprovalMessage, messageFor } from './approval-message.ts';
import { type ApprovalOptions, checkApprovalOptions } from './approval-options.ts';
import type { AwaitingDecider } from './pausing.ts';

/** Has every call decided about. @throws ToolDefinitionError as `checkApprovalOptions`. */
export function asking<T extends AnyTool>(
  tool: T,
  message: ApprovalMessage<T>,
  options: ApprovalOptions,
): AwaitingDecider<T> {
  const { by, expires, onExpiry } = checkApprovalOptions(tool.name, options);
  return async (input, call) => ({ message: await messageFor(message, input, call), by, expires, onExpiry });
}
