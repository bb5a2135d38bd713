import { memoized } from '../../tool/async.ts';
import { decorate, mapRoute } from '../../tool/decorate.ts';
import type { AnyTool, InjectionStrategy, LoopView } from '../../tool/tool.ts';
import { error, type ToolResult, withheld } from '../../tool/tool-result.ts';
import { facadeIn } from '../../tool/unfolding/facade.ts';
import { POSITIONS } from './positions.ts';
import { noted, type Registration, type Rule } from './read-machine.ts';
import { type Position, positionIn, type StateRun } from './state-run.ts';
import { goneState, notNow } from './state-texts.ts';

/** Under which a guarded tool keeps its rule. */
const RULE: unique symbol = Symbol('holdfast.state-rule');

/** A tool of a state machine, as its nested loop is offered it. */
interface GuardedTool extends AnyTool {
  readonly [RULE]: Rule;
}

/**
 * The tool, which runs in its states only, and moves the machine when it has succeeded. Both are decided around everything
 * else that the tool does: nobody is asked to approve a call in the wrong state, and a call that waits has moved nothing.
 * Calls for one key do not meet, in whatever loops of the machine they are, unless they may run in any state and move
 * nothing. One that an earlier invocation has begun goes on in any state, since it may have happened.
 *
 * What a facade stands for is guarded as the facade is. To open one moves nothing: it only shows other tools, and those
 * move when they are used.
 */
export function guardTool({ tool, rule }: Registration, run: StateRun): GuardedTool {
  const guardInner = (inner: AnyTool): AnyTool => guardTool({ tool: noted(inner, rule), rule }, run);
  const isFacade = facadeIn(tool) !== undefined;
  const isFree = rule.states === 'all' && rule.to.size === 0;
  const guarded = decorate(tool, {
    adopt: (inner) => guardInner(tool.adopt ? tool.adopt(inner) : inner),
    route: mapRoute(tool, guardInner),
    call(input, invocation) {
      const callIn = async (recall: LoopView['recall']): Promise<ToolResult> => {
        const position = positionIn(run, { recall });
        const refused = invocation.hasBegun ? undefined : refusal(invocation.tool, rule, position);
        if (refused) return refused;
        const to = position.ok && !isFacade ? rule.to.get(position.state) : undefined;
        // Takes effect if the call succeeds (STM-06).
        if (to !== undefined) invocation.record(POSITIONS, { key: run.key, state: to });
        return tool.call(input, invocation);
      };
      // Where it stands now, and not as of the reply: another loop of the machine may have moved it since.
      return isFree ? callIn(invocation.view.recall) : invocation.exclusively(run.key, callIn);
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

/** Tools that a source adds, as tools of every state. */
export function guardedSource(source: InjectionStrategy, run: StateRun): InjectionStrategy {
  const rule: Rule = { states: 'all', to: new Map() };
  const guarded = memoized((tool: AnyTool) => guardTool({ tool: noted(tool, rule), rule }, run));
  return {
    name: source.name,
    offer: (tools, view) =>
      source.offer(tools, view).map((tool) => (tools.includes(tool) ? tool : guarded(tool))),
  };
}

/** Whether an offered tool is available in this state; one that is no tool of a state machine is in any. */
export function isAvailable(tool: AnyTool & Partial<GuardedTool>, state: string): boolean {
  const { states } = tool[RULE] ?? { states: 'all' };
  return states === 'all' || states.includes(state);
}
