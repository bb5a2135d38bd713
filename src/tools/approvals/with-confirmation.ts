import type { AnyTool } from '../tool.ts';
import { type ApprovalMessage, messageFor } from './approval-message.ts';
import { pausing } from './pausing.ts';

/**
 * A tool that always asks before it runs (DEC-15): `requireApproval` for anybody, at any time. The input that was
 * confirmed goes on the blackboard, without a name or a type, when the call succeeds (DEC-19).
 */
export const withConfirmation = <T extends AnyTool>(tool: T, message: ApprovalMessage<T>): T =>
  pausing(tool, {
    decider: async (input, call) => ({ message: await messageFor(message, input, call) }),
    accepted: (input, { blackboard }) => blackboard.add(input),
  });
