import { memoized } from '../../tool/async.ts';
import { decorate, lastList, mapRoute, unwrapAs } from '../../tool/decorate.ts';
import type { AnyTool, InjectionStrategy, LiveCall, LoopView } from '../../tool/tool.ts';
import { factOf } from '../../tool/tool-memory.ts';
import { withheld } from '../../tool/tool-result.ts';
import { circumstances, firstShut, guidance, isOpen, type Locks, shutBy } from './lock.ts';
import { PLAYBOOKS } from './playbook-progress.ts';
import type { PlaybookRun } from './playbook-run.ts';
import { whatWasDone } from './what-was-done.ts';

/**
 * Keeps the locked tools of a playbook locked, and remembers what has been done. It stands behind unfolding and chaining: what
 * these offer is free of conditions (AGT-10), and counts when it is used.
 */
export function playbookStrategy(run: PlaybookRun): InjectionStrategy {
  const locks = new Map(run.locks.map((lock) => [lock.tool, lock]));
  const inPlaybook = boundTo(run, locks);
  const listed = lastList();
  return {
    name: 'playbook',
    offer(tools, view) {
      const now = circumstances(view, run.key);
      const guides = run.locks.map((lock) => (isOpen(lock, now) ? '' : guidance(lock, now)));
      return listed(tools, guides.join('\n'), () => {
        const guideOf = new Map(run.locks.map((lock, at) => [lock, guides[at] ?? '']));
        return tools.map((tool) => {
          const lock = shutBy(tool, locks, (one) => guideOf.get(one) !== '');
          return described(inPlaybook(tool), lock && guideOf.get(lock));
        });
      });
    },
    remarkOn: ({ tool, result }, view) => {
      const done = { names: namesOf(tool), result };
      const { progress } = circumstances(view, run.key);
      return { facts: [factOf(PLAYBOOKS, whatWasDone(done, progress, run))] };
    },
  };
}

/** While a tool is locked its description says so; afterwards it is exactly its own again (PLY-05). */
const described = (tool: AnyTool, guide: string | undefined): AnyTool =>
  guide ? decorate(tool, { description: `${tool.description}\n\n${guide}` }) : tool;

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
function boundTo({ key, lane }: PlaybookRun, locks: Locks): (tool: AnyTool) => AnyTool {
  function bound(tool: AnyTool, facades: readonly AnyTool[] = []): AnyTool {
    const all = [tool, ...facades];
    // What a facade stands for is behind the facade's lock too.
    const viaFacade = (meant: AnyTool): Routed => ({ ...bound(meant, all), [VIA]: tool.name });
    return decorate(tool, {
      serial: lane,
      route: mapRoute(tool, viaFacade),
      async call(input, invocation) {
        const now = circumstances(withLiveBoard(invocation), key);
        const lock = firstShut(all, locks, (one) => !isOpen(one, now));
        return lock ? withheld(guidance(lock, now)) : tool.call(input, invocation);
      },
    });
  }

  return memoized((tool: AnyTool) => bound(tool));
}

/** The loop as a call sees it, with what earlier calls of its batch have added to the blackboard (PLY-10). */
const withLiveBoard = ({ view, blackboard }: LiveCall): LoopView => ({
  ...view,
  get blackboard() {
    return blackboard.entries();
  },
});
