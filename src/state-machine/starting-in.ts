import type { AnyTool } from '../tools/tool.ts';
import { ToolDefinitionError } from '../tools/tool-definition-error.ts';
import type { StateMachine } from './define-state-machine.ts';

/** How each machine is made again with another initial state. By the tool itself: a decorated one is another tool. */
const copies = new WeakMap<AnyTool, (initial: string) => AnyTool>();

/** Lets `startingIn` copy a machine. */
export const copiedBy = (machine: AnyTool, copy: (initial: string) => AnyTool): void => {
  copies.set(machine, copy);
};

/**
 * A copy of a state machine that starts in another state (STM-02): for an order that was confirmed elsewhere. It has the
 * machine's name, and so its positions: what the session already knows of a key stands.
 *
 * @throws ToolDefinitionError when the tool is no state machine, or a decorated one, whose decorators the copy would lose, or
 *   it has no such state.
 */
export function startingIn<Name extends string, Input, State extends string>(
  machine: StateMachine<Name, Input, State>,
  state: NoInfer<State>,
): StateMachine<Name, Input, State> {
  const copy = copies.get(machine);
  if (!copy) {
    const problem = 'it is not what defineStateMachine answered: decorate what startingIn answers instead.';
    throw new ToolDefinitionError(machine.name, 'initial', problem);
  }
  return copy(state) as StateMachine<Name, Input, State>; // made from the same literal
}
