/** Folds the memories of modules: facts, moments, and values by path. Knows no specific module. */
import type { Json } from '../tool/json.ts';
import type { Log } from '../tool/log.ts';
import { APP_MEMORY_PREFIX } from '../tool/module-state.ts';
import { ToolConfigurationError } from '../tool/signals.ts';
import type { FactPlace, MemoryFact, MemoryPlace, SessionMoment, ToolMemory } from '../tool/tool-memory.ts';
import { findLastReply, openBatch } from './conversation.ts';
import { NewerEventError } from './event-rows.ts';
import { type EventOf, ROOT, type SessionEvent } from './events.ts';
import {
  getMemoryValue,
  type LiveMemories,
  type MemoryFold,
  MemoryFolding,
  type MemoryTurn,
  type RecordedFacts,
} from './memories.ts';
import { getToolName, listOuterFrames } from './spending.ts';
import { findFrame, type SessionState } from './state.ts';

/** The code that folds memories: the `folding` of each. */
export const FOLDING: MemoryFolding = /* @__PURE__ */ new MemoryFolding({
  apply: applyFacts,
  notify: notifyMemories,
  live: (turn) => new RunningMemories(turn),
});

function applyFacts(fold: MemoryFold, { facts, place, when }: RecordedFacts): void {
  for (const { slice: name, fact, at = 0, unread } of facts ?? []) {
    const memory = fold.memories.find((one) => one.name === name);
    if (!memory && unread === 'refuse') throw new NewerEventError(fold.state.seq);
    if (!memory?.apply || (when && when !== (memory.when ?? 'batch'))) continue;
    const applyFact = (value: Json): Json | undefined => memory.apply?.(value, fact, { ...place, at });
    updateMemory(fold.state, memory, { path: place.path, next: applyFact });
  }
}

function notifyMemories({ state, memories }: MemoryFold, event: SessionEvent): void {
  const moment = toMoment(state, event);
  const calls = event.type === 'model-replied' ? toCallsMadeMoment(state, event) : undefined;
  for (const memory of memories) {
    // A memory of scope `turn` is reset when a turn starts, and again when it ends.
    const ofTurn = memory.scope === 'turn' ? moment?.type : undefined;
    const isFirst = ofTurn === 'turn-started' || !state.memories.has(memory.name);
    if (isFirst) state.memories.set(memory.name, getInitialValue(memory));
    for (const seen of [moment, calls]) {
      if (seen && memory.observe)
        updateMemory(state, memory, { path: seen.path, next: (value) => memory.observe?.(value, seen) });
    }
    if (ofTurn === 'turn-ended') state.memories.set(memory.name, getInitialValue(memory));
  }
}

interface MemoryChange {
  readonly path: string;
  next(value: Json): Json | undefined;
}

/**
 * Updates the value of one memory. Code that throws must not make the session unreadable: its memory stops
 * changing and can no longer be read, but the rest of the state is folded as before. The facts stay in the
 * journal for code that can fold them.
 */
function updateMemory(state: SessionState, memory: ToolMemory, { path, next }: MemoryChange): void {
  if (state.brokenMemories?.has(memory.name)) return;
  try {
    const value = getMemoryValue(state.memories, memory, path);
    const folded = next(value);
    if (folded === undefined || folded === value) return;
    state.memories.set(
      memory.name,
      memory.scope === 'path' ? { ...Object(state.memories.get(memory.name)), [path]: folded } : folded,
    );
  } catch (thrown) {
    state.brokenMemories ??= new Map();
    state.brokenMemories.set(memory.name, thrown instanceof Error ? thrown.message : String(thrown));
  }
}

/** Returns the value of a memory before any fact. */
const getInitialValue = ({ scope, initial }: ToolMemory): Json => (scope === 'path' ? {} : initial);

/** Returns the moment of a reply's calls, including those of a plan. */
function toCallsMadeMoment(
  { turn }: SessionState,
  event: EventOf<'model-replied'>,
): SessionMoment | undefined {
  const frame = turn?.id === event.turn ? findFrame({ turn }, event) : undefined;
  if (!turn || !frame || event.toolCalls.length === 0) return undefined;
  const calls: { id: string; tool: string }[] = [];
  for (const call of event.toolCalls) calls.push({ id: call.id, tool: getToolName(call) });
  const loops = listOuterFrames(turn, frame).map(({ id }) => id);
  return { type: 'calls-made', turn: turn.id, frame: frame.id, path: frame.path, calls, loops };
}

/** Returns an event as a moment for memories, or `undefined` if its loop is not open. */
function toMoment(state: SessionState, event: SessionEvent): SessionMoment | undefined {
  const { turn } = state;
  if (!turn || !('turn' in event) || event.turn !== turn.id) return undefined;
  const findPlace = (frame: string): MemoryPlace | undefined => {
    const path = turn.frames.get(frame)?.path;
    return path === undefined ? undefined : { turn: turn.id, frame, path };
  };
  const own = { turn: turn.id, frame: ROOT, path: state.agent };
  switch (event.type) {
    case 'turn-started':
      return { type: event.type, ...own, root: turn.root };
    case 'turn-ended':
      return { type: event.type, ...own, isTree: (root) => state.trees.has(root) };
    case 'frame-started': {
      const place = findPlace(event.frame);
      return place && { type: 'loop-opened', ...place, around: event.parent ?? ROOT };
    }
    case 'module-event':
      return event.usage ? { type: 'asked-aside', ...own, usage: event.usage } : undefined;
    case 'conversation-cut': {
      // A summary counts as a model call even without a reported usage.
      if (event.summary) return { type: 'asked-aside', ...own, usage: event.usage };
      const place = findPlace(event.frame ?? ROOT);
      return place && { type: 'request-refused', ...place };
    }
    case 'turn-steered':
    case 'tool-call-answered':
      return turn.root === turn.id ? { type: 'tree-left', ...own } : undefined;
    case 'model-replied': {
      const { model, usage, planned } = event;
      const place = findPlace(event.frame ?? ROOT);
      return place && !planned ? { type: event.type, ...place, model, usage } : undefined;
    }
    case 'tool-call-ended': {
      const { call, result, ms } = event;
      const frame = event.frame ?? ROOT;
      const place = findPlace(frame);
      // After a batch has settled, its calls are still those of the last reply.
      const reply = findLastReply(turn.frames.get(frame)?.messages ?? []);
      const tool = reply?.calls.find(({ id }) => id === call)?.name;
      return place && tool !== undefined
        ? { type: 'call-ended', ...place, call, tool, result, ms }
        : undefined;
    }
    default:
      return undefined;
  }
}

/**
 * The memories while one invocation runs a turn: the folded values, and the facts that running calls have
 * recorded for their ends.
 */
class RunningMemories implements LiveMemories {
  readonly #state: SessionState;
  readonly #log: Log;
  readonly #memories: ReadonlySet<string>;
  /** The facts that each call has recorded for its end, by call id. */
  readonly #held = new Map<string, readonly MemoryFact[]>();

  constructor({ state, memories, log }: MemoryTurn) {
    this.#state = state;
    this.#log = log;
    this.#memories = new Set(memories.map(({ name }) => name));
  }

  assertUsable(memory: Pick<ToolMemory, 'name'>): void {
    const problem = this.#problemOf(memory.name);
    if (problem === undefined) return;
    if (!LOGGED.has(memory)) this.#log({ level: 'error', event: 'other', message: problem });
    LOGGED.add(memory);
    throw new ToolConfigurationError(problem);
  }

  /** Returns why a memory cannot be used, or `undefined` if it can. */
  #problemOf(name: string): string | undefined {
    const kind = name.replace(APP_MEMORY_PREFIX, '');
    if (!this.#memories.has(name)) {
      return `The module '${kind}' is missing here. Add it to \`use\` of createHoldfast, createTestSession or crashMatrix.`;
    }
    const broken = this.#state.brokenMemories?.get(name);
    return broken === undefined
      ? undefined
      : `The state of the module '${kind}' could not be folded in this session: ${broken} ` +
          'Its facts are still in the journal, and count once its code can fold them.';
  }

  valueIn<Value extends Json, Fact extends Json>(
    values: ReadonlyMap<string, Json>,
    memory: ToolMemory<Value, Fact>,
    path: string,
  ): Value {
    const { name } = memory;
    // A library module that the app lacks has no facts here. A module of the app's own may be missing by
    // mistake, so that is an error.
    if (this.#memories.has(name) || name.startsWith(APP_MEMORY_PREFIX)) this.assertUsable(memory);
    return getMemoryValue(values, memory, path);
  }

  valueNow<Value extends Json, Fact extends Json>(
    memory: ToolMemory<Value, Fact>,
    { facts, ...asking }: Parameters<LiveMemories['valueNow']>[1],
  ): Value {
    const pending = this.#pending(asking.call).filter(
      ({ path }) => memory.scope !== 'path' || path === asking.path,
    );
    return this.foldOn(this.valueIn(this.#state.memories, memory, asking.path), memory, [
      ...pending,
      ...facts.map((fact) => ({ ...asking, ...fact })),
    ]);
  }

  foldOn<Value extends Json, Fact extends Json>(
    from: Value,
    memory: ToolMemory<Value, Fact>,
    facts: readonly (FactPlace & Pick<MemoryFact, 'slice' | 'fact'>)[],
  ): Value {
    return (
      facts
        .filter(({ slice }) => slice === memory.name)
        // Only the memory's own facts are recorded under its name.
        .reduce(
          (value, { slice: _, fact, ...place }) => memory.apply?.(value, fact as Fact, place) ?? value,
          from,
        )
    );
  }

  hold(call: string, facts: readonly MemoryFact[]): void {
    if (facts.length > 0) this.#held.set(call, facts);
  }

  heldBy(call: string): { readonly atEnd?: readonly MemoryFact[] } {
    const atEnd = this.#held.get(call);
    return atEnd ? { atEnd } : {};
  }

  release(call: string): void {
    this.#held.delete(call);
  }

  /** Returns the facts of other open calls: those of this invocation, or those that an earlier one stored. */
  #pending(asking: string): (FactPlace & Pick<MemoryFact, 'slice' | 'fact'>)[] {
    const { turn } = this.#state;
    if (!turn) return [];
    return [...turn.frames.values()].flatMap(({ id: frame, path, messages }) =>
      openBatch({ messages })
        .filter(({ id, ended }) => !ended && id !== asking)
        .flatMap(({ id: call, atEnd = [] }) =>
          (this.#held.get(call) ?? atEnd).map(({ slice, fact, at = 0 }) => {
            return { turn: turn.id, frame, path, call, at, slice, fact };
          }),
        ),
    );
  }
}

/** Memories whose problem was already logged. The same code has the same problem in every turn. */
const LOGGED = new WeakSet<object>();
