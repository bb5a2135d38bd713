import { memoize } from '../../tool/async.ts';
import { createListCache, decorate, mapRoute, unwrapAs } from '../../tool/decorate.ts';
import type { DomainType } from '../../tool/domain-type.ts';
import type { Log } from '../../tool/log.ts';
import type { AnyTool, CallRun, InjectionStrategy, LoopView } from '../../tool/tool.ts';
import { createFact } from '../../tool/tool-memory.ts';
import { createWithheldResult, listArtifactItems, type ToolResult } from '../../tool/tool-result.ts';
import {
  describeLock,
  evaluateSafely,
  findFirstBlockingLock,
  isOpen,
  type Lock,
  type Locks,
  readLockContext,
} from './lock.ts';
import {
  type ExecutionCounts,
  listConditions,
  PLAYBOOK_MEMORY,
  type PlaybookFact,
  type ProducedArtifact,
  type ProducedCount,
  type StoredProgress,
} from './unlock-condition.ts';

/**
 * Withholds the locked tools of a playbook, and records progress. It runs after unfolding and chaining. The
 * tools that they offer have no conditions of their own, but their use counts.
 */
export function createPlaybookStrategy(run: PlaybookRun): InjectionStrategy {
  const locks = new Map(run.locks.flatMap((lock) => (lock.tool ? [[lock.tool, lock] as const] : [])));
  const inPlaybook = createBinder(run, locks);
  const listed = createListCache();
  return {
    name: 'playbook',
    // Tool definitions are the same with and without a lock, because newer models check the definitions that
    // they saw.
    offer: (tools) => listed(tools, undefined, () => tools.map(inPlaybook)),
    remarkOn: ({ tool, result }, view) => {
      const done = { names: getNames(tool), result, log: view.log };
      const { progress } = readLockContext(view, run.key);
      return { facts: [createFact(PLAYBOOK_MEMORY, toPlaybookFact(done, progress, run))] };
    },
  };
}

/** One call of a playbook, in its nested loop. */
interface PlaybookRun {
  readonly locks: readonly Lock[];
  /** The names of the playbook's own tools. */
  readonly own: ReadonlySet<string>;
  /** The key of its progress. */
  readonly key: string;
  /**
   * The common `serial` of all calls in a batch. Each call sees the tools that the previous one has unlocked.
   */
  readonly serialKey: string;
}

/**
 * Returns a function that wraps the tools of a loop. Their calls run one after another in a batch, and are
 * withheld while they are locked.
 */
function createBinder({ key, serialKey }: PlaybookRun, locks: Locks): (tool: AnyTool) => AnyTool {
  function bindTool(tool: AnyTool, around: readonly AnyTool[] = []): AnyTool {
    const all = [tool, ...around];
    // The lock of an unfolding tool also locks its inner tools.
    const toRoutedTool = (meant: AnyTool): RoutedTool => ({ ...bindTool(meant, all), [VIA]: tool.name });
    return decorate(tool, {
      serial: serialKey,
      route: mapRoute(tool, toRoutedTool),
      async call(input, call) {
        const now = readLockContext(withLiveBoard(call), key);
        const lock = findFirstBlockingLock(all, locks, (one) => !isOpen(one, now));
        return lock ? createWithheldResult(describeLock(lock, now)) : tool.call(input, call);
      },
    });
  }

  return memoize((tool: AnyTool) => bindTool(tool));
}

/** A tool inside an unfolding tool, with the name of that unfolding tool. */
interface RoutedTool extends AnyTool {
  readonly [VIA]: string;
}

const VIA: unique symbol = Symbol('holdfast.via');

const isRouted = (tool: AnyTool): tool is RoutedTool => VIA in tool;

/** Returns the name of a tool, and that of the unfolding tool that the model called instead. */
function getNames(tool: AnyTool): readonly string[] {
  const via = unwrapAs(tool, isRouted)?.[VIA];
  return via === undefined || via === tool.name ? [tool.name] : [tool.name, via];
}

/** Returns the view of a call, with the blackboard entries of earlier calls in its batch. */
const withLiveBoard = ({ view, blackboard }: CallRun): LoopView => ({
  ...view,
  get blackboard() {
    return blackboard.entries();
  },
});

/** A successful call. */
interface SuccessfulCall {
  /** The names under which the call counts. */
  readonly names: readonly string[];
  readonly result: ToolResult;
  readonly log: Log;
}

/** Returns the progress that a successful call adds. */
function toPlaybookFact(
  { names, result, log }: SuccessfulCall,
  { tools, artifacts, met }: StoredProgress,
  { locks, own, key }: PlaybookRun,
): PlaybookFact {
  const types = collectTypes(locks);
  const items = listArtifactItems(result).filter((item) => isOfOwnType(item, types));
  const produced = countByType(items).filter(({ type }) => isCounted(type, artifacts, types));
  const [one] = produced;
  const newlyMet = locks
    .flatMap((lock) => listMetConditions(items, lock, log))
    .filter((id) => !met.includes(id));
  return {
    type: 'used',
    key,
    tools: names.filter((name) => isCounted(name, tools, own)),
    ...(one && { artifacts: produced.length === 1 ? one : produced }),
    ...(newlyMet.length > 0 && { met: newlyMet }),
  };
}

/** Counts artifacts by type. Artifacts without a type are skipped. */
function countByType(items: readonly ProducedArtifact[]): readonly ProducedCount[] {
  const counts = new Map<string, number>();
  for (const { type } of items) if (type !== undefined) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].map(([type, count]) => ({ type, count }));
}

/** Returns the domain types in conditions, by name. */
const collectTypes = (locks: readonly Lock[]): ReadonlyMap<string, DomainType> =>
  new Map(
    locks
      .flatMap(({ condition }) => listConditions(condition))
      .flatMap((one) => ('of' in one && one.of ? [[one.of.name, one.of] as const] : [])),
  );

/** Returns `false` if the artifact does not match the schema of its own type. */
const isOfOwnType = ({ type, value }: ProducedArtifact, types: ReadonlyMap<string, DomainType>): boolean =>
  types.get(type ?? '')?.parse(value).ok !== false;

const isCounted = (name: string, counts: ExecutionCounts, needed: { has(name: string): boolean }): boolean =>
  needed.has(name) || Object.hasOwn(counts, name) || Object.keys(counts).length < MAX_COUNTED_NAMES;

/**
 * The maximum number of names that are counted individually, in addition to those in conditions. Objects of a
 * domain type add tools with their own names.
 */
const MAX_COUNTED_NAMES = 200;

/** Returns the ids of a lock's conditions that one of these artifacts meets. */
const listMetConditions = (items: readonly ProducedArtifact[], lock: Lock, log: Log): readonly string[] =>
  [...lock.ids].flatMap(([condition, id]) =>
    condition.type === 'artifact-matching' &&
    items.some((item) => evaluateSafely(lock, { log }, (yes) => yes(condition.accepts, item)))
      ? [id]
      : [],
  );
