/** What the fold needs of memories in every app. The code that folds them comes with them, in `memory-folding.ts`. */
import type { Json } from '../tool/json.ts';
import type { Log } from '../tool/log.ts';
import type { FactPlace, MemoryFact, ToolMemory } from '../tool/tool-memory.ts';
import { NewerEventError } from './event-rows.ts';
import type { SessionEvent } from './events.ts';
import type { CallRecord, Fold, SessionState } from './state.ts';

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

/** A turn that runs. */
export interface RememberingTurn {
  /** Folded up to the last event. */
  readonly state: SessionState;
  /** All that the app has. */
  readonly memories: readonly ToolMemory[];
  readonly log: Log;
}

/** A call that asks what is remembered. */
interface Asking extends Omit<FactPlace, 'result'> {
  /** What it has recorded itself, in order. */
  readonly facts: readonly MemoryFact[];
}

/**
 * What kinds of tools remember, while one invocation runs a turn: the folded values, and the facts that calls have recorded
 * for their end and that are in no fold yet, since their calls still run.
 */
export interface LiveMemories {
  /**
   * Logs the problem too, once for each kind.
   *
   * @throws ToolConfigurationError if the app lacks the memory's kind, or its code could not fold it.
   */
  assertUsable(memory: Pick<ToolMemory, 'name'>): void;
  /** Returns the value of a memory at a path, of these values. @throws as `assertUsable`. */
  valueIn<Value extends Json, Fact extends Json>(
    values: ReadonlyMap<string, Json>,
    memory: ToolMemory<Value, Fact>,
    path: string,
  ): Value;
  /** Returns the value now, with what calls have recorded for their end that still run, and with what the asking one has. */
  valueNow<Value extends Json, Fact extends Json>(memory: ToolMemory<Value, Fact>, asking: Asking): Value;
  /** Returns a value with facts that are in no fold yet. */
  foldOn<Value extends Json, Fact extends Json>(
    from: Value,
    memory: ToolMemory<Value, Fact>,
    facts: readonly (FactPlace & Pick<MemoryFact, 'slice' | 'fact'>)[],
  ): Value;
  /** Keeps what a call has recorded for its end so far, for whoever asks, and for its start. */
  hold(call: string, facts: readonly MemoryFact[]): void;
  /** Returns what a call has recorded for its end, to be stored with its start. */
  heldBy(call: string): { readonly atEnd?: readonly MemoryFact[] };
  /** The call has ended, or is left open. */
  release(call: string): void;
}

/** The code of memories. Every memory brings it along, so that an app whose modules remember nothing does not carry it. */
export class MemoryFolding {
  /** Applies facts to the memories that take them now. */
  readonly apply: (fold: Remembering, recorded: RecordedFacts) => void;
  /** Shows an event that has been folded to the memories. */
  readonly tell: (fold: Remembering, event: SessionEvent) => void;
  /** Makes what a turn has of its memories while it runs. */
  readonly live: (turn: RememberingTurn) => LiveMemories;

  constructor({ apply, tell, live }: Pick<MemoryFolding, 'apply' | 'tell' | 'live'>) {
    this.apply = apply;
    this.tell = tell;
    this.live = live;
  }
}

/** The memories of a turn that runs, from when the first one is used. */
export class TurnMemories {
  readonly #turn: RememberingTurn;
  /** Absent while no memory was used. */
  live: LiveMemories | undefined;

  constructor(turn: RememberingTurn) {
    this.#turn = turn;
  }

  /** Returns what the turn has of all memories, by the code that this one brings. */
  of({ name, folding }: Pick<ToolMemory, 'name' | 'folding'>): LiveMemories {
    if (!(folding instanceof MemoryFolding)) throw notOurs(name);
    this.live ??= folding.live(this.#turn);
    return this.live;
  }
}

/** Checks the memories of an app. @throws TypeError if one is of another copy of holdfast. */
export function mustFold(memories: readonly ToolMemory[]): void {
  const stranger = memories.find(({ folding }) => !(folding instanceof MemoryFolding));
  if (stranger) throw notOurs(stranger.name);
}

const notOurs = (name: string): TypeError =>
  new TypeError(`The memory '${name}' was not made by this copy of holdfast.`);

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
