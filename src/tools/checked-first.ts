import type { JsonObject } from './json.ts';
import type { AnyTool, ToolInvocation } from './tool.ts';
import type { ToolInput } from './tool-input.ts';
import type { ToolResult } from './tool-result.ts';

/** A call whose input is valid. */
export interface CheckedCall<T extends AnyTool> {
  /** The model's own. */
  readonly input: JsonObject;
  readonly typed: ToolInput<T>;
  readonly invocation: ToolInvocation;
}

/** A `call` that acts on valid inputs only: a bad one is answered to the model as the tool would, and bothers nobody. */
export const checkedFirst =
  <T extends AnyTool>(tool: T, act: (call: CheckedCall<T>) => Promise<ToolResult>): AnyTool['call'] =>
  async (input, invocation) => {
    const checked = await tool.check(input, invocation.tool);
    if (!checked.ok) return checked.answer;
    return act({ input, typed: checked.value as ToolInput<T>, invocation }); // what its `check` answers
  };
