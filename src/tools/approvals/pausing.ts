import { checkedFirst } from '../checked-first.ts';
import type { DecisionRequest } from '../decision.ts';
import { decorate } from '../decorate.ts';
import type { JsonObject } from '../json.ts';
import type { AnyTool, CallScope } from '../tool.ts';
import type { ToolInput } from '../tool-input.ts';
import { carryOut } from './carry-out.ts';
import { mustBeDecidable } from './must-be-decidable.ts';

/** What is to be decided about a call before it runs; `undefined` runs it at once. */
export type AwaitingDecider<T extends AnyTool> = (
  input: ToolInput<T>,
  call: CallScope,
  tool: T,
) => Approval | undefined | Promise<Approval | undefined>;

/** What is asked about a call; an edit is checked as any input of its tool, so it has no schema of its own. */
export type Approval = Omit<DecisionRequest, 'schema' | 'input'>;

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
    call: checkedFirst(tool, async ({ input, typed, invocation }) => {
      const request = await decider(typed, invocation, tool);
      if (request === undefined) return tool.call(input, invocation);
      mustBeDecidable(invocation, 'approval');
      // The input as it stands: an edit of a decorator around this one is what is being approved here.
      const decision = await invocation.decide({ ...request, schema: undefined, input });
      const tell = accepted && ((given: JsonObject): void => accepted(given, invocation));
      return carryOut({ tool, input, invocation, decision, accepted: tell });
    }),
  });
}
