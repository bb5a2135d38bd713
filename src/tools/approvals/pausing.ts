import { decorate } from '../decorate.ts';
import type { JsonObject } from '../json.ts';
import type { AnyTool, CallScope, DecisionRequest } from '../tool.ts';
import type { ToolInput } from '../tool-input.ts';
import { carryOut } from './carry-out.ts';
import { mustBeDecidable } from './must-be-decidable.ts';

/** What is to be decided about a call before it runs; `undefined` runs it at once. */
export type AwaitingDecider<T extends AnyTool> = (
  input: ToolInput<T>,
  call: CallScope,
  tool: T,
) => DecisionRequest | undefined | Promise<DecisionRequest | undefined>;

interface Pause<T extends AnyTool> {
  readonly decider: AwaitingDecider<T>;
  /** Told the input with which the tool is about to be called. */
  readonly accepted?: ((input: JsonObject, call: CallScope) => void) | undefined;
}

/**
 * The tool, each call of which waits for a decision when `decider` wants one. A bad input is answered to the model first,
 * and nobody is bothered. All of this comes before the tool's effect, and again after the decision.
 *
 * A call throws ToolConfigurationError when there is no session in which somebody could decide (AEA-04).
 */
export function pausing<T extends AnyTool>(tool: T, { decider, accepted }: Pause<T>): T {
  return decorate(tool, {
    async call(input, invocation) {
      const checked = await tool.check(input, invocation.tool);
      if (!checked.ok) return checked.answer;
      const request = await decider(checked.value as ToolInput<T>, invocation, tool); // what its `check` answers
      if (request === undefined) return tool.call(input, invocation);
      mustBeDecidable(invocation, 'approval');
      const decision = await invocation.decide(request);
      const tell = accepted && ((given: JsonObject): void => accepted(given, invocation));
      return carryOut({ tool, input, invocation, decision, accepted: tell });
    },
  });
}
