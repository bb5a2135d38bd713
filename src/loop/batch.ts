import { openBatch } from '../journal/conversation.ts';
import type { CallChanges, ScheduledMessage } from '../journal/events.ts';
import { mergeCallState } from '../journal/fold-calls.ts';
import type { CallRecord } from '../journal/state.ts';
import { parseToolInput, type RoutedTool, resolveRoute } from '../tool/check-input.ts';
import type { Json, JsonObject } from '../tool/json.ts';
import type { BlackboardEntry, CallBlackboard, CallState } from '../tool/kept-values.ts';
import { createCallBlackboard, createCallState } from '../tool/kept-values.ts';
import type { AnyTool, LoopView } from '../tool/tool.ts';
import { createFact, type FactOptions, type MemoryFact, type ToolMemory } from '../tool/tool-memory.ts';
import type { ResultData } from '../tool/tool-result.ts';
import { getLoopTime, type Loop } from './loop.ts';
import { type Offer, offerTools } from './offer-tools.ts';
import { copyThroughJson } from './tool-answer.ts';

/** The open calls of a reply, grouped into lanes. */
export interface Batch {
  readonly loop: Loop;
  /** All calls of the reply. The fold updates them while they run. */
  readonly batch: readonly CallRecord[];
  /** The tools that the model could call. */
  readonly offer: Offer;
  /** Lanes run in parallel. The calls of one lane run one after another. */
  readonly lanes: readonly (readonly LaneCall[])[];
}

/** A call's place in its batch. */
export interface LaneCall {
  readonly record: CallRecord;
  /** The tool that the call is for. Absent if it was not offered. */
  readonly tool?: AnyTool;
  /** The input of the tool, if another tool routed the call to it. */
  readonly input?: JsonObject | undefined;
  /** The earlier calls of its lane in source order, including those that have ended. */
  readonly earlier: readonly CallRecord[];
}

/** Returns the calls of the last reply that have not ended, each with its tool. */
export function createBatch(loop: Loop): Batch {
  const offer = offerTools(loop, 'asked');
  const batch = openBatch(loop.frame);
  const met = new Map<string, CallRecord[]>();
  const lanes = new Map<string, LaneCall[]>();
  for (const record of batch) {
    const offered = offer.byName.get(record.name);
    const target = offered && resolveRoute(offered, record);
    const serial = target?.tool.serial && getSerialKey(target, record);
    const lane = serial === undefined ? `call ${record.id}` : `serial ${serial}`;
    const earlier = met.get(lane) ?? [];
    met.set(lane, [...earlier, record]);
    if (!record.ended) lanes.set(lane, [...(lanes.get(lane) ?? []), { record, ...target, earlier }]);
  }
  return { loop, batch, offer, lanes: [...lanes.values()] };
}

/**
 * Returns the key shared by calls that must not run in parallel, or `undefined` if the call can run in
 * parallel with all others.
 */
function getSerialKey({ tool, input }: RoutedTool, record: CallRecord): string | undefined {
  if (typeof tool.serial !== 'function') return tool.serial;
  const parsed = input ? { ok: true as const, input } : parseToolInput(tool.name, record.input);
  return parsed.ok ? tool.serial(parsed.input) : undefined;
}

/**
 * The session as one call sees it: the state at the start of its batch, plus the changes of earlier calls of
 * the same `serial`, plus its own. Its own changes are journaled with its result, or not at all.
 */
export class CallView {
  readonly #callState: JsonObject;
  readonly #board: readonly BlackboardEntry[];
  readonly #boardLength: number;
  readonly #before: readonly BlackboardEntry[];
  readonly #written = new Map<string, Json>();
  readonly #added: BlackboardEntry[] = [];
  /** Messages from the call to the user, in order. */
  readonly messages: string[] = [];
  readonly #seenMemories: ReadonlyMap<string, Json>;
  readonly #earlier: readonly EndedCall[];
  readonly #loop: VisibleLoop;
  readonly #call: string;
  readonly #facts: MemoryFact[] = [];

  /**
   * `before`: the earlier calls of its lane. The state does not contain their changes until the whole batch
   * has ended.
   */
  constructor(loop: VisibleLoop, call: CallRecord, before: readonly CallRecord[]) {
    const { frame } = loop;
    const ended = before.flatMap(toEndedCall);
    const earlier = ended.map(({ changes }) => changes);
    this.#loop = loop;
    this.#call = call.id;
    this.#earlier = ended;
    this.#seenMemories = frame.seen.memories;
    this.#callState = earlier.reduce(
      (merged, changes) => mergeCallState(merged, changes.state ?? {}),
      frame.seen.callState,
    );
    // The array only grows, so its first entries are the same as when the batch began.
    this.#board = frame.blackboard;
    this.#boardLength = frame.seen.entries;
    this.#before = earlier.flatMap((changes) => changes.blackboard ?? []);
  }

  readonly state: CallState = createCallState({
    get: (key) => {
      if (this.#written.has(key)) return copyValue(this.#written.get(key));
      return Object.hasOwn(this.#callState, key) ? copyValue(this.#callState[key]) : undefined;
    },
    set: (key, value) => {
      this.#written.set(key, copyThroughJson(`call.state '${key}'`, value));
    },
  });

  readonly blackboard: CallBlackboard = createCallBlackboard({
    entries: () => this.#entries(),
    add: (value, { name, type }) => {
      const named = { ...(name !== undefined && { name }), ...(type !== undefined && { type }) };
      this.#added.push({ ...named, value: copyThroughJson('call.blackboard', value) });
    },
  });

  readonly say = (message: string): void => {
    this.messages.push(message);
  };

  /** Milliseconds since the epoch, and never before the turn's start. */
  readonly now = (): number => getLoopTime(this.#loop);

  /**
   * Reads a memory as it was at the start of the batch, with the facts of earlier calls of the same `serial`.
   */
  readonly recall: LoopView['recall'] = (memory, path = this.#loop.frame.path) => {
    const earlier = this.#earlier.flatMap(({ call, result, changes }) =>
      (changes.facts ?? []).map((fact) => ({ ...this.#place, call, result, ...fact, at: fact.at ?? 0 })),
    );
    const value = this.#loop.memories.of(memory).valueIn(this.#seenMemories, memory, path);
    // The calls of this loop record facts only under its own path.
    const isElsewhere = memory.scope === 'path' && path !== this.#loop.frame.path;
    return isElsewhere ? value : this.#loop.memories.of(memory).foldOn(value, memory, earlier);
  };

  /**
   * Returns a `recall` that adds the facts of this call and one more fact, as if the call had ended with
   * them.
   */
  recallAfter<Value extends Json, Fact extends Json>(
    memory: ToolMemory<Value, Fact>,
    fact: Fact,
  ): LoopView['recall'] {
    return (asked) => this.#recallWith(asked, [...this.#facts, createFact(memory, fact)]);
  }

  /** Reads a memory, including the facts that this call has recorded. */
  readonly recallNow: LoopView['recall'] = (memory) =>
    memory.when === 'call'
      ? this.#loop.memories
          .of(memory)
          .valueNow(memory, { ...this.#place, at: this.now(), facts: this.#facts })
      : this.#recallWith(memory, this.#facts);

  #recallWith<Value extends Json, Fact extends Json>(
    memory: ToolMemory<Value, Fact>,
    facts: readonly MemoryFact[],
  ): Value {
    const place = { ...this.#place, at: this.now() };
    return this.#loop.memories.of(memory).foldOn(
      this.recall(memory),
      memory,
      facts.map((one) => ({ ...one, ...place })),
    );
  }

  readonly record = <Value extends Json, Fact extends Json>(
    memory: ToolMemory<Value, Fact>,
    fact: Fact,
    options?: FactOptions,
  ): void => {
    const memories = this.#loop.memories.of(memory);
    memories.assertUsable(memory);
    this.#facts.push(
      createFact(
        { name: memory.name, unread: memory.unread },
        copyThroughJson(`a fact of '${memory.name}'`, fact),
        options,
      ),
    );
    const at = this.now();
    memories.hold(
      this.#call,
      this.#facts.filter(({ on }) => on === 'end').map((one) => ({ ...one, at })),
    );
  };

  get #place() {
    const { turn, frame } = this.#loop;
    return { turn, frame: frame.id, path: frame.path, call: this.#call };
  }

  /** Returns the changes of the call, if any. `noted`: facts that strategies recorded about it. */
  changes(
    noted: readonly MemoryFact[] = [],
    scheduled: readonly ScheduledMessage[] = [],
  ): CallChanges | undefined {
    const at = getLoopTime(this.#loop);
    const facts = [...this.#facts, ...noted].map((fact) => ({ ...fact, at }));
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

/** The parts of a loop that a call can see. */
type VisibleLoop = Pick<Loop, 'turn' | 'frame' | 'memories' | 'holder' | 'startedAt'>;

interface EndedCall {
  readonly call: string;
  readonly result: ResultData;
  readonly changes: CallChanges;
}

const toEndedCall = ({ id, ended }: CallRecord): EndedCall[] =>
  ended?.changes ? [{ call: id, result: ended.result, changes: ended.changes }] : [];

/** Copies a value, so that a tool that changes it does not change the folded state. */
const copyValue = <T extends Json | undefined>(value: T): T => structuredClone(value);
