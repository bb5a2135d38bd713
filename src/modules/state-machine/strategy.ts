import { changedSource } from '../../sources/resolution/resolve-tools.ts';
import { memoized } from '../../tool/async.ts';
import { adopting, decorate, lastList, mapRoute, opensTools } from '../../tool/decorate.ts';
import type { AnyTool, InjectionStrategy, LoopView } from '../../tool/tool.ts';
import { error, type ToolResult, withheld } from '../../tool/tool-result.ts';
import { exclusively } from './exclusively.ts';
import { POSITIONS, type Position, positionIn, type StateRun } from './memory.ts';
import { type Registration, type Rule, withAvailability } from './read-machine.ts';
import { goneState, notNow } from './texts.ts';

/**
 * Makes the strategy that decides what a machine's loop is offered in the end. Whatever tools those are, the calls of a
 * batch run one after another, each seeing the state after the one before. All of them are offered in every state, so
 * that a provider's prompt cache holds, unless `hides`.
 */
export function stateStrategy(run: StateRun, hides: boolean): InjectionStrategy {
  const serialised = memoized((tool: AnyTool) => withSerialKey(tool, run.machine));
  const listed = lastList();
  return {
    name: 'state-machine',
    offer(tools, view) {
      const position = hides ? positionIn(run, view) : undefined;
      const state = position?.ok ? position.state : undefined;
      return listed(tools, state, () => {
        const available = state === undefined ? tools : tools.filter((tool) => isAvailable(tool, state));
        return available.map(serialised);
      });
    },
  };
}

/** The tool, and what it stands for, as one of those whose calls may not meet. */
const withSerialKey = (tool: AnyTool, serialKey: string): AnyTool =>
  decorate(tool, { serial: serialKey, route: mapRoute(tool, (meant) => withSerialKey(meant, serialKey)) });

/** Under which a guarded tool keeps its rule. */
const RULE: unique symbol = Symbol('holdfast.state-rule');

/** A tool of a state machine, as its nested loop is offered it. */
interface GuardedTool extends AnyTool {
  readonly [RULE]: Rule;
}

/**
 * The tool, which runs in its states only, and moves the machine when it has succeeded. Both are decided around
 * everything else that the tool does: nobody is asked to approve a call in the wrong state, and a call that waits has
 * moved nothing. Calls for one key do not meet, in whatever loops of the machine they are, unless they may run in any
 * state and move nothing. One that an earlier invocation has begun goes on in any state, since it may have happened.
 *
 * What an unfolding tool stands for is guarded as the unfolding tool is. To open one moves nothing: it only shows other
 * tools, and those move when they are used.
 */
export function guardTool({ tool, rule }: Registration, run: StateRun): GuardedTool {
  const guardInner = (inner: AnyTool): AnyTool =>
    guardTool({ tool: withAvailability(inner, rule), rule }, run);
  const isUnfolding = opensTools(tool);
  const isFree = rule.states === 'all' && rule.to.size === 0;
  const guarded = decorate(tool, {
    adopt: adopting(tool, guardInner),
    route: mapRoute(tool, guardInner),
    call(input, call) {
      const callIn = async (recall: LoopView['recall']): Promise<ToolResult> => {
        const position = positionIn(run, { recall });
        const refused = call.hasBegun ? undefined : refusal(call.tool, rule, position);
        if (refused) return refused;
        const to = position.ok && !isUnfolding ? rule.to.get(position.state) : undefined;
        // Takes effect if the call succeeds.
        if (to !== undefined) call.record(POSITIONS, { key: run.key, state: to });
        return tool.call(input, call);
      };
      // Where it stands now, and not as of the reply: another loop of the machine may have moved it since.
      return isFree ? callIn(call.view.recall) : exclusively(call, run.key, callIn);
    },
  });
  return { ...guarded, [RULE]: rule };
}

/** What a call is answered that may not run where the machine stands. */
function refusal(tool: string, { states }: Rule, position: Position): ToolResult | undefined {
  if (!position.ok) return error(goneState(tool, position));
  const { state } = position;
  return states === 'all' || states.includes(state) ? undefined : withheld(notNow(state, states));
}

/** Guards the tools that a source adds by a rule. */
export const guardedSource = (source: InjectionStrategy, rule: Rule, run: StateRun): InjectionStrategy =>
  changedSource(source, (tool) => guardTool({ tool: withAvailability(tool, rule), rule }, run));

/** Tells whether an offered tool is available in this state; one that is no tool of a state machine is in any. */
export function isAvailable(tool: AnyTool & Partial<GuardedTool>, state: string): boolean {
  const { states } = tool[RULE] ?? { states: 'all' };
  return states === 'all' || states.includes(state);
}
