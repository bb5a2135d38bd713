/**
 * The part of the fold of memories that every app needs. Memories reference the rest of the code, in
 * `memory-folding.ts`.
 */
import type { Json } from '../tool/json.ts';
import type { Log } from '../tool/log.ts';
import type { FactPlace, MemoryFact, ToolMemory } from '../tool/tool-memory.ts';
import { NewerEventError } from './event-rows.ts';
import type { SessionEvent } from './events.ts';
import type { CallRecord, Fold, SessionState } from './state.ts';

/** A state, and the memories that are folded into it. */
export type MemoryFold = Pick<Fold, 'state' | 'memories'>;

/** The facts of one event, in order, and the place where they were recorded. */
export interface RecordedFacts {
  readonly facts: readonly MemoryFact[] | undefined;
  readonly place: Omit<FactPlace, 'at'>;
  /**
   * `call`: the call that recorded them has just ended, and memories with `when: 'call'` apply them. `batch`:
   * its whole batch has ended, and the other memories apply them. Absent: they do not belong to the end of a
   * call.
   */
  readonly when?: 'call' | 'batch';
}

export interface MemoryTurn {
  /** The folded state, including the last event. */
  readonly state: SessionState;
  /** All memories of the app. */
  readonly memories: readonly ToolMemory[];
  readonly log: Log;
}

/** A call that reads a memory. */
interface MemoryReader extends Omit<FactPlace, 'result'> {
  /** The facts that it has recorded itself, in order. */
  readonly facts: readonly MemoryFact[];
}

/**
 * The memories while one invocation runs a turn: the folded values, and the facts that running calls have
 * recorded for their ends.
 */
export interface LiveMemories {
  /**
   * Checks that the memory can be used. Logs each problem once.
   *
   * @throws ToolConfigurationError if the app lacks the memory's module, or if its code could not fold it.
   */
  assertUsable(memory: Pick<ToolMemory, 'name'>): void;
  /**
   * Returns the value of a memory at a path, out of these values.
   *
   * @throws as `assertUsable` does.
   */
  valueIn<Value extends Json, Fact extends Json>(
    values: ReadonlyMap<string, Json>,
    memory: ToolMemory<Value, Fact>,
    path: string,
  ): Value;
  /**
   * Returns the current value, with facts that running calls recorded for their ends and facts of the asking
   * call.
   */
  valueNow<Value extends Json, Fact extends Json>(
    memory: ToolMemory<Value, Fact>,
    asking: MemoryReader,
  ): Value;
  /** Returns the value with more facts applied. */
  foldOn<Value extends Json, Fact extends Json>(
    from: Value,
    memory: ToolMemory<Value, Fact>,
    facts: readonly (FactPlace & Pick<MemoryFact, 'slice' | 'fact'>)[],
  ): Value;
  /** Keeps the facts that a call has recorded for its end so far, for readers and for its start event. */
  hold(call: string, facts: readonly MemoryFact[]): void;
  /** Returns the facts that a call has recorded for its end, to store with its start. */
  heldBy(call: string): { readonly atEnd?: readonly MemoryFact[] };
  /** Drops the facts of a call that has ended or is left open. */
  release(call: string): void;
}

/**
 * The code that folds memories. Every memory references it, so that an app without memories does not bundle
 * it.
 */
export class MemoryFolding {
  /** Applies facts to the memories that accept them at this point. */
  readonly apply: (fold: MemoryFold, recorded: RecordedFacts) => void;
  /** Passes a folded event to the memories. */
  readonly notify: (fold: MemoryFold, event: SessionEvent) => void;
  /** Creates the live memories of a running turn. */
  readonly live: (turn: MemoryTurn) => LiveMemories;

  constructor({ apply, notify, live }: Pick<MemoryFolding, 'apply' | 'notify' | 'live'>) {
    this.apply = apply;
    this.notify = notify;
    this.live = live;
  }
}

/** The memories of a running turn, created on first use. */
export class TurnMemories {
  readonly #turn: MemoryTurn;
  /** Absent until a memory is used. */
  live: LiveMemories | undefined;

  constructor(turn: MemoryTurn) {
    this.#turn = turn;
  }

  /** Returns the live memories of the turn, using the code that this memory brings. */
  of({ name, folding }: Pick<ToolMemory, 'name' | 'folding'>): LiveMemories {
    if (!(folding instanceof MemoryFolding)) throw createForeignMemoryError(name);
    this.live ??= folding.live(this.#turn);
    return this.live;
  }
}

/**
 * Checks the memories of an app.
 *
 * @throws TypeError if one comes from another copy of holdfast.
 */
export function assertFoldable(memories: readonly ToolMemory[]): void {
  const stranger = memories.find(({ folding }) => !(folding instanceof MemoryFolding));
  if (stranger) throw createForeignMemoryError(stranger.name);
}

const createForeignMemoryError = (name: string): TypeError =>
  new TypeError(`The memory '${name}' was not made by this copy of holdfast.`);

/**
 * Applies facts to the memories that accept them at this point. Skips facts of modules that this code lacks.
 *
 * @throws NewerEventError if one of these must not be skipped.
 */
export function applyFacts(fold: MemoryFold, recorded: RecordedFacts): void {
  if (!recorded.facts) return;
  const folding = fold.memories[0]?.folding;
  if (folding instanceof MemoryFolding) folding.apply(fold, recorded);
  else assertKnownFacts(fold, recorded.facts);
}

/**
 * Checks facts that take effect later.
 *
 * @throws NewerEventError if this code lacks the memory of one that must not be skipped.
 */
export function assertKnownFacts({ state, memories }: MemoryFold, facts: readonly MemoryFact[]): void {
  const isKnown = ({ slice }: MemoryFact): boolean => memories.some(({ name }) => name === slice);
  if (facts.some((one) => one.unread === 'refuse' && !isKnown(one))) throw new NewerEventError(state.seq);
}

/** Passes a folded event to the memories. All have a value from the first event on. */
export function notifyMemories(fold: MemoryFold, event: SessionEvent): void {
  const folding = fold.memories[0]?.folding;
  if (folding instanceof MemoryFolding) folding.notify(fold, event);
}

/**
 * Returns the value of a memory at a path, or of the session. The cast is safe, since names are unique and
 * only a memory's own code makes its values.
 */
export function getMemoryValue<Value extends Json, Fact extends Json>(
  values: ReadonlyMap<string, Json>,
  { name, scope, initial }: ToolMemory<Value, Fact>,
  path: string,
): Value {
  const value = values.get(name);
  if (scope !== 'path') return (value as Value | undefined) ?? initial;
  // A loop can have any name, such as `toString`, so only own properties count.
  const paths = Object(value) as { readonly [path: string]: Value };
  return (Object.hasOwn(paths, path) ? paths[path] : undefined) ?? initial;
}

/**
 * Returns the facts with which a call ends. For memories without facts at its end, the facts stored with its
 * start count.
 */
export function listFactsAtEnd(
  { atEnd = [] }: Pick<CallRecord, 'atEnd'>,
  facts: readonly MemoryFact[] = [],
): readonly MemoryFact[] {
  return [...atEnd.filter(({ slice }) => !facts.some((one) => one.slice === slice)), ...facts];
}
