import { decorate, unwrapAs } from '../tools/decorate.ts';
import type { InjectionStrategy, LoopView } from '../tools/injection.ts';
import { factOf } from '../tools/slice.ts';
import type { AnyTool, ToolInvocation } from '../tools/tool.ts';
import { withheld } from '../tools/tool-result.ts';
import { circumstances, guidance, isOpen, type Lock } from './lock.ts';
import { PLAYBOOKS } from './playbook-progress.ts';
import type { PlaybookRun } from './playbook-run.ts';
import { whatWasDone } from './what-was-done.ts';

/**
 * Keeps the locked tools of a playbook locked, and remembers what has been done. It stands behind unfolding and chaining: what
 * these offer is free of conditions (AGT-10), and counts when it is used.
 */
export function playbookStrategy(run: PlaybookRun): InjectionStrategy {
  const inPlaybook = boundTo(run);
  let last: { tools: readonly AnyTool[]; told: string; offered: readonly AnyTool[] } | undefined;
  return {
    name: 'playbook',
    offer(tools, view) {
      const now = circumstances(view, run.key);
      const guides = run.locks.map((lock) => (isOpen(lock, now) ? '' : guidance(lock, now)));
      const told = guides.join('\n');
      // The same list as long as it says the same: the definitions that a model is sent are kept by it.
      if (last?.tools !== tools || last.told !== told) {
        const guideOf = new Map(run.locks.map(({ tool }, at) => [tool, guides[at] ?? '']));
        last = { tools, told, offered: tools.map((tool) => described(inPlaybook(tool), guideOf)) };
      }
      return last.offered;
    },
    note: ({ tool, result }, view) => {
      const done = { names: namesOf(tool), result };
      const { progress } = circumstances(view, run.key);
      return { facts: [factOf(PLAYBOOKS, whatWasDone(done, progress, run))] };
    },
  };
}

/** While a tool is locked its description says so; afterwards it is exactly its own again (PLY-05). */
function described(tool: AnyTool, guideOf: ReadonlyMap<AnyTool, string>): AnyTool {
  const guide = guideOf.get(unwrapAs(tool, (one): one is AnyTool => guideOf.has(one)) ?? tool);
  return guide ? decorate(tool, { description: `${tool.description}\n\n${guide}` }) : tool;
}

/** A tool that a facade stood for, and the name of that facade. */
interface Routed extends AnyTool {
  readonly [VIA]: string;
}

const VIA: unique symbol = Symbol('holdfast.via');

const isRouted = (tool: AnyTool): tool is Routed => VIA in tool;

/** The name of a tool, with that of the facade that the model called in its place. */
function namesOf(tool: AnyTool): readonly string[] {
  const via = unwrapAs(tool, isRouted)?.[VIA];
  return via === undefined || via === tool.name ? [tool.name] : [tool.name, via];
}

/** Makes the tools of a loop calls of the playbook: one after another within a batch, and withheld while they are locked. */
function boundTo({ locks, key, lane }: PlaybookRun): (tool: AnyTool) => AnyTool {
  const lockOf = new Map(locks.map((lock) => [lock.tool, lock]));
  const known = new WeakMap<AnyTool, AnyTool>();

  function bound(tool: AnyTool, around?: Lock): AnyTool {
    const lock = around ?? lockOf.get(unwrapAs(tool, (one): one is AnyTool => lockOf.has(one)) ?? tool);
    const route = tool.route?.bind(tool);
    return decorate(tool, {
      serial: lane,
      // What a facade stands for is behind the facade's lock.
      route:
        route &&
        ((input) => {
          const meant = route(input);
          if (!meant) return undefined;
          const routed: Routed = { ...bound(meant.tool, lock), [VIA]: tool.name };
          return { ...meant, tool: routed };
        }),
      ...(lock && { call: (input, invocation) => guarded(lock, tool, input, invocation) }),
    });
  }

  const guarded = async (lock: Lock, tool: AnyTool, ...call: Parameters<AnyTool['call']>) => {
    const now = circumstances(withLiveBoard(call[1]), key);
    return isOpen(lock, now) ? tool.call(...call) : withheld(guidance(lock, now));
  };

  return (tool) => {
    const bounded = known.get(tool) ?? bound(tool);
    known.set(tool, bounded);
    return bounded;
  };
}

/** The loop as a call sees it, with what earlier calls of its batch have added to the blackboard (PLY-10). */
const withLiveBoard = ({ view, blackboard }: ToolInvocation): LoopView => ({
  ...view,
  get blackboard() {
    return blackboard.entries();
  },
});
