import { memoized } from '../../tool/async.ts';
import { decorate, lastList, mapRoute, unwrapAs } from '../../tool/decorate.ts';
import type { DomainType } from '../../tool/domain-type.ts';
import type { Log } from '../../tool/log.ts';
import type { AnyTool, CallRun, InjectionStrategy, LoopView } from '../../tool/tool.ts';
import { factOf } from '../../tool/tool-memory.ts';
import { artifactItems, type ToolResult, withheld } from '../../tool/tool-result.ts';
import { circumstances, firstShut, guidance, holds, isOpen, type Lock, type Locks } from './lock.ts';
import {
  type Counts,
  conditionsIn,
  PLAYBOOKS,
  type PlaybookFact,
  type Produced,
  type ProducedArtifact,
  type StoredProgress,
} from './unlock-condition.ts';

/**
 * Keeps the locked tools of a playbook locked, and remembers what has been done. It stands behind unfolding and
 * chaining: what these offer is free of conditions, and counts when it is used.
 */
export function playbookStrategy(run: PlaybookRun): InjectionStrategy {
  const locks = new Map(run.locks.flatMap((lock) => (lock.tool ? [[lock.tool, lock] as const] : [])));
  const inPlaybook = boundTo(run, locks);
  const listed = lastList();
  return {
    name: 'playbook',
    // What a model is shown of a tool is the same behind a lock and without it: newer models check what they were shown.
    offer: (tools) => listed(tools, undefined, () => tools.map(inPlaybook)),
    remarkOn: ({ tool, result }, view) => {
      const done = { names: namesOf(tool), result, log: view.log };
      const { progress } = circumstances(view, run.key);
      return { facts: [factOf(PLAYBOOKS, whatWasDone(done, progress, run))] };
    },
  };
}

/** One call of a playbook, as its nested loop knows it. */
interface PlaybookRun {
  readonly locks: readonly Lock[];
  /** The names of the playbook's own tools. */
  readonly own: ReadonlySet<string>;
  /** Its progress is kept under this key. */
  readonly key: string;
  /** All calls of a batch have it in common, so that each sees what the one before it has unlocked. */
  readonly serialKey: string;
}

/** Makes the tools of a loop calls of the playbook: one after another within a batch, and withheld while they are locked. */
function boundTo({ key, serialKey }: PlaybookRun, locks: Locks): (tool: AnyTool) => AnyTool {
  function bound(tool: AnyTool, around: readonly AnyTool[] = []): AnyTool {
    const all = [tool, ...around];
    // What an unfolding tool stands for is behind its lock too.
    const viaUnfolding = (meant: AnyTool): Routed => ({ ...bound(meant, all), [VIA]: tool.name });
    return decorate(tool, {
      serial: serialKey,
      route: mapRoute(tool, viaUnfolding),
      async call(input, call) {
        const now = circumstances(withLiveBoard(call), key);
        const lock = firstShut(all, locks, (one) => !isOpen(one, now));
        return lock ? withheld(guidance(lock, now)) : tool.call(input, call);
      },
    });
  }

  return memoized((tool: AnyTool) => bound(tool));
}

/** A tool that an unfolding tool stood for, and the name of that unfolding tool. */
interface Routed extends AnyTool {
  readonly [VIA]: string;
}

const VIA: unique symbol = Symbol('holdfast.via');

const isRouted = (tool: AnyTool): tool is Routed => VIA in tool;

/** Lists the name of a tool, and that of the unfolding tool that the model called in its place. */
function namesOf(tool: AnyTool): readonly string[] {
  const via = unwrapAs(tool, isRouted)?.[VIA];
  return via === undefined || via === tool.name ? [tool.name] : [tool.name, via];
}

/** Shows the loop as a call sees it, with what earlier calls of its batch have added to the blackboard. */
const withLiveBoard = ({ view, blackboard }: CallRun): LoopView => ({
  ...view,
  get blackboard() {
    return blackboard.entries();
  },
});

/** A call that succeeded. */
interface Done {
  /** The call counts under these names. */
  readonly names: readonly string[];
  readonly result: ToolResult;
  readonly log: Log;
}

/** Says what a successful call adds to the progress that was there. */
function whatWasDone(
  { names, result, log }: Done,
  { tools, artifacts, met }: StoredProgress,
  { locks, own, key }: PlaybookRun,
): PlaybookFact {
  const types = typesIn(locks);
  const items = artifactItems(result).filter((item) => isWhatItSays(item, types));
  const produced = countedByType(items).filter(({ type }) => isCounted(type, artifacts, types));
  const [one] = produced;
  const newlyMet = locks.flatMap((lock) => metBy(items, lock, log)).filter((id) => !met.includes(id));
  return {
    type: 'used',
    key,
    tools: names.filter((name) => isCounted(name, tools, own)),
    ...(one && { artifacts: produced.length === 1 ? one : produced }),
    ...(newlyMet.length > 0 && { met: newlyMet }),
  };
}

/** Counts artifacts by their types. Those without one are not counted. */
function countedByType(items: readonly ProducedArtifact[]): readonly Produced[] {
  const counts = new Map<string, number>();
  for (const { type } of items) if (type !== undefined) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].map(([type, count]) => ({ type, count }));
}

/** Collects the domain types that conditions ask for, by name. */
const typesIn = (locks: readonly Lock[]): ReadonlyMap<string, DomainType> =>
  new Map(
    locks
      .flatMap(({ condition }) => conditionsIn(condition))
      .flatMap((one) => ('of' in one && one.of ? [[one.of.name, one.of] as const] : [])),
  );

/** What a type's own schema refuses is no artifact of that type. */
const isWhatItSays = ({ type, value }: ProducedArtifact, types: ReadonlyMap<string, DomainType>): boolean =>
  types.get(type ?? '')?.parse(value).ok !== false;

const isCounted = (name: string, counts: Counts, needed: { has(name: string): boolean }): boolean =>
  needed.has(name) || Object.hasOwn(counts, name) || Object.keys(counts).length < MAX_COUNTED;

/**
 * Names counted one by one beside those that conditions name: instances of a domain type bring tools with names of
 * their own.
 */
const MAX_COUNTED = 200;

/** Lists the conditions of a lock that one of these artifacts meets. */
const metBy = (items: readonly ProducedArtifact[], lock: Lock, log: Log): readonly string[] =>
  [...lock.ids].flatMap(([condition, id]) =>
    condition.type === 'artifact-matching' &&
    items.some((item) => holds(lock, { log }, (yes) => yes(condition.accepts, item)))
      ? [id]
      : [],
  );
