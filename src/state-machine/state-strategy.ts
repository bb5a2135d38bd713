import { decorate } from '../tools/decorate.ts';
import type { InjectionStrategy } from '../tools/injection.ts';
import { lastList } from '../tools/last-list.ts';
import { mapRoute } from '../tools/map-route.ts';
import { memoized } from '../tools/memoized.ts';
import type { AnyTool } from '../tools/tool.ts';
import { isAvailable } from './guard-tool.ts';
import { positionIn, type StateRun } from './state-run.ts';

/**
 * What a machine's loop is offered in the end. Whatever tools those are, the calls of a batch run one after another, each
 * seeing the state after the one before (STM-12). All of them are offered in every state, so that a provider's prompt cache
 * holds (STM-07), unless `hides`.
 */
export function stateStrategy(run: StateRun, hides: boolean): InjectionStrategy {
  const laned = memoized((tool: AnyTool) => inLane(tool, run.machine));
  const listed = lastList();
  return {
    name: 'state-machine',
    offer(tools, view) {
      const position = hides ? positionIn(run, view) : undefined;
      const state = position?.ok ? position.state : undefined;
      return listed(tools, state, () => {
        const available = state === undefined ? tools : tools.filter((tool) => isAvailable(tool, state));
        return available.map(laned);
      });
    },
  };
}

/** The tool, and what it stands for, as one of those whose calls may not meet. */
const inLane = (tool: AnyTool, lane: string): AnyTool =>
  decorate(tool, { serial: lane, route: mapRoute(tool, (meant) => inLane(meant, lane)) });
