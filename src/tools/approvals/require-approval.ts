import type { AnyTool } from '../tool.ts';
import type { ApprovalMessage } from './approval-message.ts';
import type { ApprovalOptions } from './approval-options.ts';
import { asking } from './asking.ts';
import { pausing } from './pausing.ts';

/**
 * A tool that runs only when somebody outside has approved the call, which is suspended until then and outlives every
 * crash (AEA-12). An edit runs it with another valid input, and the model is told; a rejection or an expiry is answered
 * to the model; an exit ends the turn. A decision holds for one call and is used once. A bad input bothers nobody.
 *
 * @throws ToolDefinitionError when `expires` is not more than 0, or `onExpiry` is no decision.
 */
export const requireApproval = <T extends AnyTool>(
  tool: T,
  message: ApprovalMessage<T>,
  options: ApprovalOptions = {},
): T => pausing(tool, { decider: asking(tool, message, options) });
