import type { CallChanges, ScheduledMessage } from '../journal/events.ts';
import { mergeCells } from '../journal/fold-calls.ts';
import type { CallRecord, FrameState } from '../journal/state.ts';
import { copyJson } from '../tools/copy-json.ts';
import type { LoopView } from '../tools/injection.ts';
import type { Json, JsonLike, JsonObject } from '../tools/json.ts';
import type { Slice, SliceFact } from '../tools/slice.ts';
import type { BlackboardEntry, CallBlackboard, CallState, ToolInvocation } from '../tools/tool.ts';
import type { ResultData } from '../tools/tool-result.ts';
import { NotKeptError } from './kept-result.ts';
import type { Loop } from './loop.ts';
import { remembered } from './offer-tools.ts';

/**
 * The session as one call sees it: as of the start of its batch, plus the changes of earlier calls of the same
 * `serial`, plus its own. Its own changes are journaled with its result, or not at all.
 */
export class CallView {
  readonly #cells: JsonObject;
  readonly #board: readonly BlackboardEntry[];
  readonly #boardLength: number;
  readonly #before: readonly BlackboardEntry[];
  readonly #written = new Map<string, Json>();
  readonly #added: BlackboardEntry[] = [];
  readonly #said: string[] = [];
  readonly #slices: ReadonlyMap<string, Json>;
  readonly #frame: FrameState;
  readonly #earlier: readonly Changed[];
  readonly #turn: string;
  readonly #call: string;
  readonly #facts: SliceFact[] = [];

  /** `before`: the calls that this one runs after; their changes are not in the state before the whole batch has ended. */
  constructor(
    { turn, frame }: Pick<Loop, 'turn' | 'frame'>,
    call: CallRecord,
    before: readonly CallRecord[],
  ) {
    const ended = before.flatMap(changedBy);
    const earlier = ended.map(({ changes }) => changes);
    this.#turn = turn;
    this.#call = call.id;
    this.#frame = frame;
    this.#earlier = ended;
    this.#slices = frame.seen.slices;
    this.#cells = earlier.reduce(
      (cells, changes) => mergeCells(cells, changes.state ?? {}),
      frame.seen.cells,
    );
    // The array only grows: its beginning stays what it was when the batch began.
    this.#board = frame.blackboard;
    this.#boardLength = frame.seen.entries;
    this.#before = earlier.flatMap((changes) => changes.blackboard ?? []);
  }

  readonly state: CallState = {
    get: (key) => {
      if (this.#written.has(key)) return copyOf(this.#written.get(key));
      return Object.hasOwn(this.#cells, key) ? copyOf(this.#cells[key]) : undefined;
    },
    set: (key, value) => {
      this.#written.set(key, throughJson(`call.state '${key}'`, value));
    },
  };

  readonly blackboard: CallBlackboard = {
    get: (name) => copyOf(this.#entries().findLast((entry) => entry.name === name)?.value),
    entries: () => this.#entries().map((entry) => structuredClone(entry)),
    add: (value, { name, type } = {}) => {
      const named = { ...(name !== undefined && { name }), ...(type !== undefined && { type }) };
      this.#added.push({ ...named, value: throughJson('call.blackboard', value) });
    },
  };

  readonly say = (message: string): void => {
    this.#said.push(message);
  };

  /** What the call said to the user, in order. */
  get said(): readonly string[] {
    return this.#said;
  }

  /** What a kind of tool remembers: as of the start of the batch, with the facts of earlier calls of the same `serial`. */
  readonly recall: LoopView['recall'] = <Value extends Json, Fact extends Json>(
    slice: Slice<Value, Fact>,
  ) => {
    const { id: frame, path } = this.#frame;
    const at = { turn: this.#turn, frame, path };
    return this.#earlier.reduce(
      (value, { call, result, changes }) =>
        (changes.facts ?? [])
          .filter(({ slice: name }) => name === slice.name)
          // Under the slice's name only its own facts are recorded.
          .reduce((now, { fact }) => slice.apply?.(now, fact as Fact, { ...at, call, result }) ?? now, value),
      remembered(this.#slices, slice),
    );
  };

  /** The same, as if this call had ended with what it has recorded, and with this fact. */
  recallAfter<Value extends Json, Fact extends Json>(
    slice: Slice<Value, Fact>,
    fact: Fact,
  ): LoopView['recall'] {
    const { id: frame, path } = this.#frame;
    const place = { turn: this.#turn, frame, path, call: this.#call };
    const facts = [...this.#facts, { slice: slice.name, fact }];
    return (asked) =>
      facts
        .filter(({ slice: name }) => name === asked.name)
        // Under the slice's name only its own facts are recorded.
        .reduce((value, one) => asked.apply?.(value, one.fact as never, place) ?? value, this.recall(asked));
  }

  readonly record: ToolInvocation['record'] = (slice, fact) => {
    this.#facts.push({ slice: slice.name, fact: throughJson(`a fact of '${slice.name}'`, fact) });
  };

  /** What the call changed, if anything; `noted`: what others remember of it. */
  changes(
    noted: readonly SliceFact[] = [],
    scheduled: readonly ScheduledMessage[] = [],
  ): CallChanges | undefined {
    const facts = [...this.#facts, ...noted];
    const changed = this.#written.size + this.#added.length + facts.length + scheduled.length;
    if (changed === 0) return undefined;
    return {
      ...(this.#written.size > 0 && { state: Object.fromEntries(this.#written) }),
      ...(this.#added.length > 0 && { blackboard: this.#added }),
      ...(facts.length > 0 && { facts }),
      ...(scheduled.length > 0 && { scheduled }),
    };
  }

  #entries(): BlackboardEntry[] {
    return [...this.#board.slice(0, this.#boardLength), ...this.#before, ...this.#added];
  }
}

/** A call that ended, with what it changed. */
interface Changed {
  readonly call: string;
  readonly result: ResultData;
  readonly changes: CallChanges;
}

const changedBy = ({ id, ended }: CallRecord): Changed[] =>
  ended?.changes ? [{ call: id, result: ended.result, changes: ended.changes }] : [];

/**
 * A copy as the journal will give it back, so that a value looks the same before and after an eviction.
 *
 * @throws NotKeptError that says where it is not JSON.
 */
export function throughJson(where: string, value: JsonLike): Json {
  const copy = copyJson(value);
  if (copy.ok) return copy.value;
  throw new NotKeptError(
    `${where}: the value at \`${copy.problem.path}\` is ${copy.problem.what}, which is not JSON.`,
  );
}

/** A tool may change what it reads; the folded state stays as the journal has it. */
const copyOf = <T extends Json | undefined>(value: T): T => structuredClone(value);
