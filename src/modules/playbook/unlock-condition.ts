import { FOLDING } from '../../journal/memory-folding.ts';
import type { DomainType } from '../../tool/domain-type.ts';
import { getOwn } from '../../tool/json.ts';
import type { BlackboardEntry } from '../../tool/kept-values.ts';
import { createModule, createUse } from '../../tool/module-use.ts';
import type { AnyTool, LoopView } from '../../tool/tool.ts';
import type { ToolMemory } from '../../tool/tool-memory.ts';
import type { ArtifactType } from '../../tool/tool-result.ts';

/**
 * A condition that must be met before a tool of a playbook is available. `Name` is the type of the tool names
 * in it. A condition on a tool outside the playbook is a compile error.
 */
export type UnlockCondition<Name extends string = string> = ConditionRule & {
  /** The tools in the condition, including those in nested conditions. */
  readonly names: readonly Name[];
};

type ConditionRule =
  | { readonly type: 'after' }
  | { readonly type: 'artifact'; readonly of: DomainType }
  | ArtifactCondition
  | {
      readonly type: 'blackboard';
      readonly of?: DomainType | undefined;
      readonly accepts: Predicate<BlackboardEntry>;
    }
  | { readonly type: 'when'; readonly holds: (progress: PlaybookProgress, view: LoopView) => boolean }
  | { readonly type: 'all-of' | 'any-of'; readonly conditions: readonly UnlockCondition[] };

/** A condition that is decided when an artifact arrives. Only the decision is stored, not the artifact. */
interface ArtifactCondition {
  readonly type: 'artifact-matching';
  readonly of?: DomainType | undefined;
  readonly accepts: Predicate<ProducedArtifact>;
}

/** One artifact of a tool in its journaled form. A list counts item by item. */
export type ProducedArtifact = Pick<BlackboardEntry, 'type' | 'value'>;

/**
 * A predicate. It must not change its argument. If it throws, it counts as `false` and the error is logged.
 */
type Predicate<Value> = (value: Value) => boolean;

/** A tool, or its name. */
type ToolOrName<Name extends string> = Name | (AnyTool & { readonly name: Name });

type NonEmptyList<Item> = readonly [Item, ...Item[]];

type ConditionNames<Conditions extends readonly UnlockCondition[]> = Conditions[number]['names'][number];

/**
 * Met after all of these tools have been used successfully.
 *
 * @example
 * ```ts
 * const unlock = { tool: refundOrder, unlockedBy: after('find_order') };
 * ```
 */
export const after = <const Name extends string>(
  ...tools: NonEmptyList<ToolOrName<Name>>
): UnlockCondition<Name> => ({
  type: 'after',
  names: [...new Set(tools.map((tool) => (typeof tool === 'string' ? tool : tool.name)))],
});

/**
 * Met after a tool has returned an artifact of this type that matches its schema and the predicate, if any.
 *
 * @example
 * ```ts
 * const unlockedBy = onArtifact(Customer, ({ city }) => city === 'Bern');
 * ```
 */
export function onArtifact<Value>(
  of: DomainType<string, Value>,
  accepts?: Predicate<Value>,
): UnlockCondition<never> {
  if (!accepts) return { type: 'artifact', of, names: [] };
  return { type: 'artifact-matching', of, accepts: createTypedPredicate(of, accepts), names: [] };
}

/**
 * Met after a tool has returned an artifact that the predicate accepts. The artifact can have any type or
 * none.
 *
 * @example
 * ```ts
 * const unlockedBy = onArtifactMatching(({ type }) => type === 'Invoice' || type === 'Receipt');
 * ```
 */
export const onArtifactMatching = (accepts: Predicate<ProducedArtifact>): UnlockCondition<never> => ({
  type: 'artifact-matching',
  accepts,
  names: [],
});

/**
 * Met while the blackboard has an object of this type, from any source, that matches its schema and the
 * predicate, if any.
 *
 * @example
 * ```ts
 * const unlockedBy = onBlackboard(Customer, ({ id }) => id !== '');
 * ```
 */
export const onBlackboard = <Value>(
  of: DomainType<string, Value>,
  accepts: Predicate<Value> = () => true,
): UnlockCondition<never> => ({
  type: 'blackboard',
  of,
  accepts: createTypedPredicate(of, accepts),
  names: [],
});

/**
 * Met while the blackboard has an entry that the predicate accepts.
 *
 * @example
 * ```ts
 * const unlockedBy = onBlackboardMatching(({ name }) => name === 'budget');
 * ```
 */
export const onBlackboardMatching = (accepts: Predicate<BlackboardEntry>): UnlockCondition<never> => ({
  type: 'blackboard',
  accepts,
  names: [],
});

/** Returns a predicate for stored values: of this type, valid for its schema, and accepted by `accepts`. */
const createTypedPredicate =
  <Value>(of: DomainType<string, Value>, accepts: Predicate<Value>): Predicate<ProducedArtifact> =>
  ({ type, value }) => {
    const read = type === of.name ? of.parse(value) : undefined;
    return read?.ok === true && accepts(read.value);
  };

/**
 * Met if the function returns `true`. It runs at every call to the tool and must depend only on its
 * arguments. Its result is not stored.
 *
 * @example
 * ```ts
 * const unlockedBy = when((progress) => progress.used(findOrder) >= 2);
 * ```
 */
export const when = (
  holds: (progress: PlaybookProgress, view: LoopView) => boolean,
): UnlockCondition<never> => ({ type: 'when', holds, names: [] });

/**
 * Met if all of these conditions are met.
 *
 * @example
 * ```ts
 * const unlockedBy = allOf(after('find_order'), onBlackboard(Customer));
 * ```
 */
export const allOf = <const Conditions extends NonEmptyList<UnlockCondition>>(
  ...conditions: Conditions
): UnlockCondition<ConditionNames<Conditions>> => ({
  type: 'all-of',
  conditions,
  names: listNames(conditions),
});

/**
 * Met if at least one of these conditions is met.
 *
 * @example
 * ```ts
 * const unlockedBy = anyOf(after('find_order'), after('look_up'));
 * ```
 */
export const anyOf = <const Conditions extends NonEmptyList<UnlockCondition>>(
  ...conditions: Conditions
): UnlockCondition<ConditionNames<Conditions>> => ({
  type: 'any-of',
  conditions,
  names: listNames(conditions),
});

const listNames = <Conditions extends readonly UnlockCondition[]>(
  conditions: Conditions,
): readonly ConditionNames<Conditions>[] => conditions.flatMap(({ names }) => names);

/** Returns a condition and all conditions inside it, the outermost first. */
export const listConditions = (condition: UnlockCondition): readonly UnlockCondition[] => [
  condition,
  ...('conditions' in condition ? condition.conditions.flatMap(listConditions) : []),
];

/** The progress of a playbook for conditions, over all calls with one key in the session. */
export interface PlaybookProgress {
  /** The number of successful calls of its tools, without model replies. */
  readonly toolExecutions: number;
  /** Returns the number of successful uses of a tool, including unfolded and chained tools. */
  used(tool: AnyTool | string): number;
  /**
   * Returns the number of artifacts of this type that its tools have returned. List items count individually.
   */
  produced(type: ArtifactType | string): number;
}

/** The stored progress of a playbook: only counts, never results. */
export type StoredProgress = {
  readonly toolExecutions: number;
  /** Counts by tool name. */
  readonly tools: ExecutionCounts;
  /** Counts by type name. */
  readonly artifacts: ExecutionCounts;
  /** The ids of artifact conditions that have been met. */
  readonly met: readonly string[];
};

/** Counts by name. A name can come from a model, so use `getCount`, never an index. */
export type ExecutionCounts = { readonly [name: string]: number };

/** Progress by key. A key can come from a model, so only own properties are read. */
type PlaybookState = { readonly [key: string]: StoredProgress };

/** A reset of a playbook, or the progress of a successful call. */
export type PlaybookFact = { readonly type: 'reset'; readonly key: string } | UsedFact;

type UsedFact = {
  readonly type: 'used';
  readonly key: string;
  /**
   * The tool's name, and that of an unfolding tool through which it was called. Omitted if there are too many
   * names to count individually.
   */
  readonly tools: readonly string[];
  /** A list if there are artifacts of several types. */
  readonly artifacts?: ProducedCount | readonly ProducedCount[];
  readonly met?: readonly string[];
};

/** The number of artifacts of a type that a call has returned. */
export type ProducedCount = { readonly type: string; readonly count: number };

/** The progress of an unused playbook. */
export const NO_PROGRESS: StoredProgress = { toolExecutions: 0, tools: {}, artifacts: {}, met: [] };

/** Stores the progress of every playbook in a session, by path. It outlives the turn. */
export const PLAYBOOK_MEMORY: ToolMemory<PlaybookState, PlaybookFact> = {
  name: 'playbooks',
  folding: FOLDING,
  initial: {},
  scope: 'path',
  when: 'batch',
  apply(playbook, fact) {
    const progress =
      fact.type === 'used' ? advanceProgress(getStoredProgress(playbook, fact.key), fact) : NO_PROGRESS;
    // A computed key is always an own property, even for the name `__proto__`.
    return { ...playbook, [fact.key]: progress };
  },
};

/** The module of playbooks. */
export const PLAYBOOK = createUse(createModule({ name: 'playbooks', state: [PLAYBOOK_MEMORY] }));

const advanceProgress = (
  { toolExecutions, tools, artifacts, met }: StoredProgress,
  fact: UsedFact,
): StoredProgress => ({
  toolExecutions: toolExecutions + 1,
  tools: fact.tools.reduce((counts, name) => addCount(counts, name, 1), tools),
  artifacts: [fact.artifacts ?? []]
    .flat()
    .reduce((counts, { type, count }) => addCount(counts, type, count), artifacts),
  met: [...new Set([...met, ...(fact.met ?? [])])],
});

const addCount = (counts: ExecutionCounts, name: string, more: number): ExecutionCounts => ({
  ...counts,
  [name]: getCount(counts, name) + more,
});

/** Returns the count of a name. */
const getCount = (counts: ExecutionCounts, name: string): number => getOwn(counts, name) ?? 0;

/** Returns the progress of a playbook under this key. */
export const getStoredProgress = (playbook: PlaybookState, key: string): StoredProgress =>
  getOwn(playbook, key) ?? NO_PROGRESS;

/** Converts stored progress to the form that conditions read. */
export const toProgress = ({ toolExecutions, tools, artifacts }: StoredProgress): PlaybookProgress => ({
  toolExecutions,
  used: (tool) => getCount(tools, getName(tool)),
  produced: (type) => getCount(artifacts, getName(type)),
});

const getName = (named: { readonly name: string } | string): string =>
  typeof named === 'string' ? named : named.name;
