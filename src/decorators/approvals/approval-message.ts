import type { CallScope } from '../../tool/call.ts';
import type { AnyTool, ToolInput } from '../../tool/tool.ts';

/**
 * What whoever decides is asked: a text, or one made of the call's typed, checked input. Not for the model.
 *
 * It is made again when the call begins anew, and a decision holds only for what was read: nothing may stand in it that
 * changes while it waits, such as the time of day.
 */
export type ApprovalMessage<T extends AnyTool> =
  | string
  | ((input: ToolInput<T>, call: CallScope) => string | Promise<string>);

/** The text of a message for one call. */
export const messageFor = async <T extends AnyTool>(
  message: ApprovalMessage<T>,
  input: ToolInput<T>,
  call: CallScope,
): Promise<string> => (typeof message === 'string' ? message : message(input, call));
