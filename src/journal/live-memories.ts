import type { Json } from '../tool/json.ts';
import type { Log } from '../tool/log.ts';
import { APP_MEMORY } from '../tool/module-state.ts';
import { ToolConfigurationError } from '../tool/signals.ts';
import type { FactPlace, MemoryFact, ToolMemory } from '../tool/tool-memory.ts';
import { openBatch } from './conversation.ts';
import { type LiveMemories, type RememberingTurn, valueIn } from './memories.ts';
import type { SessionState } from './state.ts';

/**
 * What kinds of tools remember, while one invocation runs a turn: the folded values, and the facts that calls have recorded
 * for their end and that are in no fold yet, since their calls still run.
 */
export class RunningMemories implements LiveMemories {
  readonly #state: SessionState;
  readonly #log: Log;
  readonly #memories: ReadonlySet<string>;
  /** What each call has recorded for its end. The keys are the ids of the calls. */
  readonly #held = new Map<string, readonly MemoryFact[]>();

  constructor({ state, memories, log }: RememberingTurn) {
    this.#state = state;
    this.#log = log;
    this.#memories = new Set(memories.map(({ name }) => name));
  }

  assertUsable(memory: Pick<ToolMemory, 'name'>): void {
    const problem = this.#problemOf(memory.name);
    if (problem === undefined) return;
    if (!TOLD.has(memory)) this.#log({ level: 'error', event: 'other', message: problem });
    TOLD.add(memory);
    throw new ToolConfigurationError(problem);
  }

  /** Why a memory can be used by nobody; nothing when it can. */
  #problemOf(name: string): string | undefined {
    const kind = name.replace(APP_MEMORY, '');
    if (!this.#memories.has(name)) {
      return `The module '${kind}' remembers nothing here: add it to \`use\` of createHoldfast, createTestSession or crashMatrix.`;
    }
    const broken = this.#state.brokenMemories?.get(name);
    return broken === undefined
      ? undefined
      : `What the module '${kind}' remembers of this session could not be folded: ${broken} ` +
          'Its facts are still in the journal, and count once its code can fold them.';
  }

  valueIn<Value extends Json, Fact extends Json>(
    values: ReadonlyMap<string, Json>,
    memory: ToolMemory<Value, Fact>,
    path: string,
  ): Value {
    const { name } = memory;
    // Of a module that the app does not have nothing was recorded; a kind of the app's own may have been left out by mistake.
    if (this.#memories.has(name) || name.startsWith(APP_MEMORY)) this.assertUsable(memory);
    return valueIn(values, memory, path);
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
        // Under the memory's name only its own facts are recorded.
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

  /** Facts of calls that have not ended, but for this one: those of this invocation, or as an earlier one has stored them. */
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

/** Memories whose problem is on the console: with the same code, every turn has it. */
const TOLD = new WeakSet<object>();
