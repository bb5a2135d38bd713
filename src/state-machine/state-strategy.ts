import { decorate } from '../tools/decorate.ts';
import type { InjectionStrategy } from '../tools/injection.ts';
import type { AnyTool } from '../tools/tool.ts';
import { isAvailable } from './guard-tool.ts';
import { positionIn, type StateRun } from './state-run.ts';

/**
 * What a machine's loop is offered in the end. Whatever tools those are, the calls of a batch run one after another, each
 * seeing the state after the one before (STM-12). All of them are offered in every state, so that a provider's prompt cache
 * holds (STM-07), unless `hides`.
 */
export function stateStrategy(run: StateRun, hides: boolean): InjectionStrategy {
  const known = new WeakMap<AnyTool, AnyTool>();
  const laned = (tool: AnyTool): AnyTool => {
    const one = known.get(tool) ?? inLane(tool, run.machine);
    known.set(tool, one);
    return one;
  };
  let last:
    | { readonly tools: readonly AnyTool[]; readonly state?: string; readonly offered: AnyTool[] }
    | undefined;
  return {
    name: 'state-machine',
    offer(tools, view) {
      const position = hides ? positionIn(run, view) : undefined;
      const state = position?.ok ? position.state : undefined;
      // The same list for the same answer: the definitions that the model is shown are made of it once.
      if (last?.tools !== tools || last.state !== state) {
        const available = state === undefined ? tools : tools.filter((tool) => isAvailable(tool, state));
        last = { tools, ...(state !== undefined && { state }), offered: available.map(laned) };
      }
      return last.offered;
    },
  };
}

/** The tool, and what it stands for, as one of those whose calls may not meet. */
function inLane(tool: AnyTool, lane: string): AnyTool {
  const route = tool.route?.bind(tool);
  return decorate(tool, {
    serial: lane,
    route:
      route &&
      ((input) => {
        const meant = route(input);
        return meant && { ...meant, tool: inLane(meant.tool, lane) };
      }),
  });
}
