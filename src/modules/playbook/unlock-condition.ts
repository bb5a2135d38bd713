import { FOLDING } from '../../journal/memory-folding.ts';
import type { DomainType } from '../../tool/domain-type.ts';
import { own } from '../../tool/json.ts';
import type { BlackboardEntry } from '../../tool/kept-values.ts';
import { createModule, useOf } from '../../tool/module-use.ts';
import type { AnyTool, LoopView } from '../../tool/tool.ts';
import type { ToolMemory } from '../../tool/tool-memory.ts';
import type { ArtifactType } from '../../tool/tool-result.ts';

/**
 * What must have happened before a tool of a playbook is available. `Name` is what it names of the
 * playbook's tools: an unlock by a tool that the playbook does not have is a compile error.
 */
export type UnlockCondition<Name extends string = string> = Rule & {
  /** The tools that it names, also further inside. */
  readonly names: readonly Name[];
};

type Rule =
  | { readonly type: 'after' }
  | { readonly type: 'artifact'; readonly of: DomainType }
  | ArtifactMatching
  | {
      readonly type: 'blackboard';
      readonly of?: DomainType | undefined;
      readonly accepts: Predicate<BlackboardEntry>;
    }
  | { readonly type: 'when'; readonly holds: (progress: PlaybookProgress, view: LoopView) => boolean }
  | { readonly type: 'all-of' | 'any-of'; readonly conditions: readonly UnlockCondition[] };

/** Such a condition is decided once, when an artifact arrives, and remembered: the artifacts themselves are not kept. */
interface ArtifactMatching {
  readonly type: 'artifact-matching';
  readonly of?: DomainType | undefined;
  readonly accepts: Predicate<ProducedArtifact>;
}

/** One artifact of a tool, as the journal keeps it; a list counts item by item. */
export type ProducedArtifact = Pick<BlackboardEntry, 'type' | 'value'>;

/** A predicate must not change what it is given. One that throws has not accepted, and is reported in the log. */
type Predicate<Value> = (value: Value) => boolean;

/** A tool, or its name. */
type Named<Name extends string> = Name | (AnyTool & { readonly name: Name });

type NonEmpty<Item> = readonly [Item, ...Item[]];

type NamesIn<Conditions extends readonly UnlockCondition[]> = Conditions[number]['names'][number];

/** Holds once all of these tools have been used successfully. */
export const after = <const Name extends string>(...tools: NonEmpty<Named<Name>>): UnlockCondition<Name> => ({
  type: 'after',
  names: [...new Set(tools.map((tool) => (typeof tool === 'string' ? tool : tool.name)))],
});

/**
 * Holds once a tool has returned an artifact of this type that its schema reads and the predicate, if there is one,
 * accepts.
 */
export function onArtifact<Value>(
  of: DomainType<string, Value>,
  accepts?: Predicate<Value>,
): UnlockCondition<never> {
  if (!accepts) return { type: 'artifact', of, names: [] };
  return { type: 'artifact-matching', of, accepts: acceptsOf(of, accepts), names: [] };
}

/** Holds once a tool has returned an artifact, of whatever type or of none, that the predicate accepts. */
export const onArtifactMatching = (accepts: Predicate<ProducedArtifact>): UnlockCondition<never> => ({
  type: 'artifact-matching',
  accepts,
  names: [],
});

/**
 * Holds while the blackboard has an object of this type, whoever added it, one that its schema reads and the predicate, if there is
 * one, accepts.
 */
export const onBlackboard = <Value>(
  of: DomainType<string, Value>,
  accepts: Predicate<Value> = () => true,
): UnlockCondition<never> => ({ type: 'blackboard', of, accepts: acceptsOf(of, accepts), names: [] });

/** Holds while the blackboard has an entry that the predicate accepts. */
export const onBlackboardMatching = (accepts: Predicate<BlackboardEntry>): UnlockCondition<never> => ({
  type: 'blackboard',
  accepts,
  names: [],
});

/** Accepts values, as they are kept, of the type whose schema reads them and whose predicate accepts them then. */
const acceptsOf =
  <Value>(of: DomainType<string, Value>, accepts: Predicate<Value>): Predicate<ProducedArtifact> =>
  ({ type, value }) => {
    const read = type === of.name ? of.parse(value) : undefined;
    return read?.ok === true && accepts(read.value);
  };

/**
 * Holds when the function says so. It is asked at every call of the tool, and must be a function of what it is given: what it has said
 * is not remembered.
 */
export const when = (
  holds: (progress: PlaybookProgress, view: LoopView) => boolean,
): UnlockCondition<never> => ({ type: 'when', holds, names: [] });

/** Holds when every one of these does. */
export const allOf = <const Conditions extends NonEmpty<UnlockCondition>>(
  ...conditions: Conditions
): UnlockCondition<NamesIn<Conditions>> => ({ type: 'all-of', conditions, names: namesIn(conditions) });

/** Holds when at least one of these does. */
export const anyOf = <const Conditions extends NonEmpty<UnlockCondition>>(
  ...conditions: Conditions
): UnlockCondition<NamesIn<Conditions>> => ({ type: 'any-of', conditions, names: namesIn(conditions) });

const namesIn = <Conditions extends readonly UnlockCondition[]>(
  conditions: Conditions,
): readonly NamesIn<Conditions>[] => conditions.flatMap(({ names }) => names);

/** Lists a condition and all that it is made of, itself first, in order. */
export const conditionsIn = (condition: UnlockCondition): readonly UnlockCondition[] => [
  condition,
  ...('conditions' in condition ? condition.conditions.flatMap(conditionsIn) : []),
];

/** How far a playbook has come, as conditions read it: over all calls with one key in the session. */
export interface PlaybookProgress {
  /** Calls of its tools that succeeded; replies of the model are not counted. */
  readonly toolExecutions: number;
  /** How often this tool has been used successfully; also one that was unfolded or chained. */
  used(tool: AnyTool | string): number;
  /** How many artifacts of this type its tools have returned; the items of a list count one by one. */
  produced(type: ArtifactType | string): number;
}

/** What is remembered of a playbook, as small as conditions allow: how often, and never what was returned. */
export type StoredProgress = {
  readonly toolExecutions: number;
  /** By name. */
  readonly tools: Counts;
  /** By the name of their type. */
  readonly artifacts: Counts;
  /** The conditions on single artifacts that one of them has met. */
  readonly met: readonly string[];
};

/** Names may come from a model: read by `countOf`, never by an index. */
export type Counts = { readonly [name: string]: number };

/** It is keyed by what may come from a model, so only own properties are looked up. */
type Playbook = { readonly [key: string]: StoredProgress };

/** That a playbook begins anew, or what a successful call adds. */
export type PlaybookFact = { readonly type: 'reset'; readonly key: string } | Used;

type Used = {
  readonly type: 'used';
  readonly key: string;
  /**
   * Its name, and that of an unfolding tool through which it was called; fewer when there are too many to count each
   * alone.
   */
  readonly tools: readonly string[];
  /** A list for artifacts of more than one type. */
  readonly artifacts?: Produced | readonly Produced[];
  readonly met?: readonly string[];
};

/** How many artifacts of a type a call has returned. */
export type Produced = { readonly type: string; readonly count: number };

/** What is remembered of a playbook of which nothing has been used. */
export const NO_PROGRESS: StoredProgress = { toolExecutions: 0, tools: {}, artifacts: {}, met: [] };

/** Remembers the progress of every playbook of a session, each by its path. It outlives the turn. */
export const PLAYBOOKS: ToolMemory<Playbook, PlaybookFact> = {
  name: 'playbooks',
  folding: FOLDING,
  initial: {},
  scope: 'path',
  when: 'batch',
  apply(playbook, fact) {
    const progress = fact.type === 'used' ? advanced(storedProgress(playbook, fact.key), fact) : NO_PROGRESS;
    // A computed key makes a property of its own, whatever its name: `__proto__` is a key like any other.
    return { ...playbook, [fact.key]: progress };
  },
};

/** The module of playbooks. */
export const PLAYBOOK = useOf(createModule({ name: 'playbooks', state: [PLAYBOOKS] }));

const advanced = ({ toolExecutions, tools, artifacts, met }: StoredProgress, fact: Used): StoredProgress => ({
  toolExecutions: toolExecutions + 1,
  tools: fact.tools.reduce((counts, name) => added(counts, name, 1), tools),
  artifacts: [fact.artifacts ?? []]
    .flat()
    .reduce((counts, { type, count }) => added(counts, type, count), artifacts),
  met: [...new Set([...met, ...(fact.met ?? [])])],
});

const added = (counts: Counts, name: string, more: number): Counts => ({
  ...counts,
  [name]: countOf(counts, name) + more,
});

/** Says how often this name was counted. */
const countOf = (counts: Counts, name: string): number => own(counts, name) ?? 0;

/** Answers what is remembered of a playbook under this key. */
export const storedProgress = (playbook: Playbook, key: string): StoredProgress =>
  own(playbook, key) ?? NO_PROGRESS;

/** Answers what is remembered, as conditions read it. */
export const toProgress = ({ toolExecutions, tools, artifacts }: StoredProgress): PlaybookProgress => ({
  toolExecutions,
  used: (tool) => countOf(tools, nameOf(tool)),
  produced: (type) => countOf(artifacts, nameOf(type)),
});

const nameOf = (named: { readonly name: string } | string): string =>
  typeof named === 'string' ? named : named.name;
