import { checkedFirst } from '../../tool/check-input.ts';
import { decorate } from '../../tool/decorate.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { answers } from '../answers/answers.ts';
import { leaveToCaller } from '../answers/define-manual-tool.ts';

/**
 * The same tool, run by the caller instead: a valid call suspends the turn until its result comes by
 * `POST .../results/{callId}`. A bad input is answered as ever. `expires`: milliseconds until a call without a result is
 * answered by an error. Defaults to never.
 *
 * @throws ToolDefinitionError if `expires` is not more than 0.
 */
export function manual<T extends AnyTool>(
  tool: T,
  { expires }: { readonly expires?: number | undefined } = {},
): T {
  const receive = leaveToCaller(tool.name, expires);
  return decorate(tool, {
    effect: 'none',
    uses: [...(tool.uses ?? []), answers],
    call: checkedFirst(tool, ({ call }) => receive(call)),
  });
}
