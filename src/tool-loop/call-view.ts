import type { CallChanges } from '../journal/events.ts';
import { mergeCells } from '../journal/reduce.ts';
import { type CallRecord, type FrameState, openBatch, type SessionState } from '../journal/state.ts';
import { copyJson } from '../tools/copy-json.ts';
import type { Json, JsonObject } from '../tools/json.ts';
import type { AnyTool, BlackboardEntry, CallBlackboard, CallState } from '../tools/tool.ts';

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

  constructor(
    state: SessionState,
    frame: FrameState,
    call: CallRecord,
    serial: string | undefined,
    tools: ReadonlyMap<string, AnyTool>,
  ) {
    const earlier = serial === undefined ? [] : earlierChanges(frame, call, serial, tools);
    this.#cells = earlier.reduce(
      (cells, changes) => mergeCells(cells, changes.state ?? {}),
      frame.seen.cells,
    );
    // The array only grows: its beginning stays what it was when the batch began.
    this.#board = state.blackboard;
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

  /** What the call changed, if anything. */
  changes(): CallChanges | undefined {
    if (this.#written.size === 0 && this.#added.length === 0) return undefined;
    return {
      ...(this.#written.size > 0 && { state: Object.fromEntries(this.#written) }),
      ...(this.#added.length > 0 && { blackboard: this.#added }),
    };
  }

  #entries(): BlackboardEntry[] {
    return [...this.#board.slice(0, this.#boardLength), ...this.#before, ...this.#added];
  }
}

/** Changes of the calls that this one runs after; they are not in the state before the whole batch has ended. */
function earlierChanges(
  frame: FrameState,
  call: CallRecord,
  serial: string,
  tools: ReadonlyMap<string, AnyTool>,
): CallChanges[] {
  const batch = openBatch(frame);
  return batch
    .slice(0, batch.indexOf(call))
    .filter(({ name }) => tools.get(name)?.serial === serial)
    .flatMap(({ ended }) => ended?.changes ?? []);
}

/** A copy as the journal will give it back, so that a value looks the same before and after an eviction. */
function throughJson(where: string, value: Json): Json {
  const copy = copyJson(value);
  if (copy.ok) return copy.value;
  throw new TypeError(
    `${where}: the value at \`${copy.problem.path}\` is ${copy.problem.what}, which is not JSON.`,
  );
}

/** A tool may change what it reads; the folded state stays as the journal has it. */
const copyOf = <T extends Json | undefined>(value: T): T => structuredClone(value);
