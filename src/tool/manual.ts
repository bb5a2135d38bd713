import { checkTime } from './check-definition.ts';
import { checkedFirst } from './check-input.ts';
import { decorate } from './decorate.ts';
import type { AnyTool, LiveCall } from './tool.ts';
import type { ToolResult } from './tool-result.ts';

/**
 * The same tool, run by the caller instead (SPM-17): a valid call suspends the turn until its result comes by
 * `POST .../results/{callId}`. A bad input is answered as ever. `expires`: milliseconds until a call without a result is
 * answered by an error; never unless given.
 *
 * @throws ToolDefinitionError when `expires` is not more than 0.
 */
export function manual<T extends AnyTool>(
  tool: T,
  { expires }: { readonly expires?: number | undefined } = {},
): T {
  const receive = leaveToCaller(tool.name, expires);
  return decorate(tool, {
    effect: 'none',
    call: checkedFirst(tool, ({ invocation }) => receive(invocation)),
  });
}

/**
 * Leaves the running of a tool's calls to the caller, for `expires` milliseconds each (SPM-17).
 *
 * @throws ToolDefinitionError when `expires` is not more than 0.
 */
export function leaveToCaller(
  tool: string,
  expires: number | undefined,
): (invocation: LiveCall) => Promise<ToolResult> {
  checkTime(tool, 'expires', expires);
  return (invocation) =>
    invocation.receive({ message: `Run '${invocation.tool}' and send its result.`, expires });
}
