import { decorate } from '../tools/decorate.ts';
import { facadeIn } from '../tools/facades/facade.ts';
import type { InjectionStrategy } from '../tools/injection.ts';
import { error } from '../tools/results.ts';
import type { AnyTool } from '../tools/tool.ts';
import { withheld } from '../tools/tool-result.ts';
import { POSITIONS } from './positions.ts';
import { noted, type Registration, type Rule } from './read-states.ts';
import { positionIn, type StateRun } from './state-run.ts';
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
 *
 * What a facade stands for is guarded as the facade is. To open one moves nothing: it only shows other tools, and those
 * move when they are used.
 */
export function guardTool({ tool, rule }: Registration, run: StateRun): GuardedTool {
  const guardInner = (inner: AnyTool): AnyTool => guardTool({ tool: noted(inner, rule), rule }, run);
  const isFacade = facadeIn(tool) !== undefined;
  const route = tool.route?.bind(tool);
  const guarded = decorate(tool, {
    adopt: (inner) => guardInner(tool.adopt ? tool.adopt(inner) : inner),
    route:
      route &&
      ((input) => {
        const meant = route(input);
        return meant && { ...meant, tool: guardInner(meant.tool) };
      }),
    async call(input, invocation) {
      const position = positionIn(run, invocation.view);
      if (!position.ok) return error(goneState(invocation.tool, position));
      const { state } = position;
      if (rule.states !== 'all' && !rule.states.includes(state)) return withheld(notNow(state, rule.states));
      const to = isFacade ? undefined : rule.to.get(state);
      // Takes effect if the call succeeds (STM-06).
      if (to !== undefined) invocation.record(POSITIONS, { key: run.key, state: to });
      return tool.call(input, invocation);
    },
  });
  return { ...guarded, [RULE]: rule };
}

/** Tools that a source adds, as tools of every state. */
export function guardedSource(source: InjectionStrategy, run: StateRun): InjectionStrategy {
  const rule: Rule = { states: 'all', to: new Map() };
  const known = new WeakMap<AnyTool, AnyTool>();
  const guarded = (tool: AnyTool): AnyTool => {
    const one = known.get(tool) ?? guardTool({ tool: noted(tool, rule), rule }, run);
    known.set(tool, one);
    return one;
  };
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
