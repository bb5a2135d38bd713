/** What the fold needs of memories in every app. The code that folds them comes with them, in `memory-folding.ts`. */
import type { Json } from '../tool/json.ts';
import type { FactPlace, MemoryFact, ToolMemory } from '../tool/tool-memory.ts';
import { NewerEventError } from './event-rows.ts';
import type { SessionEvent } from './events.ts';
import type { CallRecord, Fold } from './state.ts';

/** A state, and the memories that are folded into it. */
export type Remembering = Pick<Fold, 'state' | 'memories'>;

/** Facts of one event, in order, and where they were recorded. */
export interface RecordedFacts {
  readonly facts: readonly MemoryFact[] | undefined;
  readonly place: Omit<FactPlace, 'at'>;
  /**
   * `call`: the call that recorded them has just ended, and memories take them that must not wait. `batch`: its whole batch has
   * ended, and all others take them. Absent: they came with no call's end.
   */
  readonly when?: 'call' | 'batch';
}

/** The code that folds memories. Every memory brings it along, so that an app whose modules remember nothing does not carry it. */
export class MemoryFolding {
  /** Applies facts to the memories that take them now. */
  readonly apply: (fold: Remembering, recorded: RecordedFacts) => void;
  /** Shows an event that has been folded to the memories. */
  readonly tell: (fold: Remembering, event: SessionEvent) => void;

  constructor({ apply, tell }: Pick<MemoryFolding, 'apply' | 'tell'>) {
    this.apply = apply;
    this.tell = tell;
  }
}

/** Checks the memories of an app. @throws TypeError if one is of another copy of holdfast. */
export function mustFold(memories: readonly ToolMemory[]): void {
  const stranger = memories.find(({ folding }) => !(folding instanceof MemoryFolding));
  if (stranger) throw new TypeError(`The memory '${stranger.name}' was not made by this copy of holdfast.`);
}

/**
 * Applies facts to the memories that take them now. Facts of a module that this code does not know are passed over.
 *
 * @throws NewerEventError if one of these must not be passed over.
 */
export function applyFacts(fold: Remembering, recorded: RecordedFacts): void {
  if (!recorded.facts) return;
  const folding = fold.memories[0]?.folding;
  if (folding instanceof MemoryFolding) folding.apply(fold, recorded);
  else mustKnow(fold, recorded.facts);
}

/** Checks facts that may take effect only later. @throws NewerEventError if one must not be passed over by this code. */
export function mustKnow({ state, memories }: Remembering, facts: readonly MemoryFact[]): void {
  const isKnown = ({ slice }: MemoryFact): boolean => memories.some(({ name }) => name === slice);
  if (facts.some((one) => one.unread === 'refuse' && !isKnown(one))) throw new NewerEventError(state.seq);
}

/** Shows an event that has been folded to the memories. All have a value from the first event on. */
export function tellMemories(fold: Remembering, event: SessionEvent): void {
  const folding = fold.memories[0]?.folding;
  if (folding instanceof MemoryFolding) folding.tell(fold, event);
}

/** The value of a memory at a path, or of the session. Memories are told apart by name, and only a memory's own code makes its values. */
export function valueIn<Value extends Json, Fact extends Json>(
  values: ReadonlyMap<string, Json>,
  { name, scope, initial }: ToolMemory<Value, Fact>,
  path: string,
): Value {
  const value = values.get(name);
  if (scope !== 'path') return (value as Value | undefined) ?? initial;
  // Names of loops may be any: what an object inherits is not theirs.
  const paths = Object(value) as { readonly [path: string]: Value };
  return (Object.hasOwn(paths, path) ? paths[path] : undefined) ?? initial;
}

/** The facts with which a call ends: those that were stored with its start stand where its end says nothing of their memory. */
export function factsAtEnd(
  { atEnd = [] }: Pick<CallRecord, 'atEnd'>,
  facts: readonly MemoryFact[] = [],
): readonly MemoryFact[] {
  return [...atEnd.filter(({ slice }) => !facts.some((one) => one.slice === slice)), ...facts];
}
