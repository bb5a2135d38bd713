import { checkTime } from './check-time.ts';
import { decorate } from './decorate.ts';
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
  if (expires !== undefined) checkTime(tool.name, 'expires', expires, Number.MAX_SAFE_INTEGER);
  return decorate(tool, {
    effect: 'none',
    async call(input, invocation) {
      const checked = await tool.check(input, invocation.tool);
      if (!checked.ok) return checked.answer;
      return invocation.receive({ message: `Run '${invocation.tool}' and send its result.`, expires });
    },
  });
}
