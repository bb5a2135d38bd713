import type { DomainType } from '../../tool/domain-type.ts';
import type { BlackboardEntry } from '../../tool/kept-values.ts';
import type { AnyTool, LoopView } from '../../tool/tool.ts';
import type { PlaybookProgress } from './memory.ts';

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
