import { checkedFirst } from './checked-first.ts';
import { decorate } from './decorate.ts';
import { leaveToCaller } from './leave-to-caller.ts';
import type { AnyTool } from './tool.ts';

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
