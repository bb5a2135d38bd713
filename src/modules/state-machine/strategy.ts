import { hasBegun, openBatch } from '../../journal/conversation.ts';
import { ROOT } from '../../journal/events.ts';
import type { TurnState } from '../../journal/state.ts';
import type { Loop } from '../../loop/loop.ts';
import { RunningCall } from '../../loop/running-call.ts';
import { mapSourceTools } from '../../sources/resolution/resolve-tools.ts';
import { memoize } from '../../tool/async.ts';
import { createListCache, decorate, mapRoute, opensTools, wrapAdopt } from '../../tool/decorate.ts';
import type { AnyTool, CallRun, InjectionStrategy, LoopView } from '../../tool/tool.ts';
import { createWithheldResult, error, type ToolResult } from '../../tool/tool-result.ts';
import {
  formatRemovedStateResult,
  formatWrongState,
  type MachinePosition,
  POSITION_MEMORY,
  resolvePosition,
  type StateRun,
} from './memory.ts';
import { type Registration, type StateRule, withAvailability } from './read-machine.ts';

/**
 * Returns the last strategy of a machine's loop, which decides what the loop offers. The calls of a batch run
 * one after another, and each sees the state after the previous call. All tools are offered in every state,
 * so that a provider's prompt cache stays valid, unless `hides` is set.
 */
export function createStateStrategy(run: StateRun, hides: boolean): InjectionStrategy {
  const serialized = memoize((tool: AnyTool) => withSerialKey(tool, run.machine));
  const listed = createListCache();
  return {
    name: 'state-machine',
    offer(tools, view) {
      const position = hides ? resolvePosition(run, view) : undefined;
      const state = position?.ok ? position.state : undefined;
      return listed(tools, state, () => {
        const available = state === undefined ? tools : tools.filter((tool) => isAvailable(tool, state));
        return available.map(serialized);
      });
    },
  };
}

/** Returns the tool, and the tools inside it, with a key that makes their calls run one at a time. */
const withSerialKey = (tool: AnyTool, serialKey: string): AnyTool =>
  decorate(tool, { serial: serialKey, route: mapRoute(tool, (meant) => withSerialKey(meant, serialKey)) });

/** The property of a guarded tool that contains its rule. */
const STATE_RULE: unique symbol = Symbol('holdfast.state-rule');

/** A tool of a state machine, as its nested loop offers it. */
interface GuardedTool extends AnyTool {
  readonly [STATE_RULE]: StateRule;
}

/**
 * Returns a tool that runs only in its states, and moves the machine if it succeeds. Both checks wrap all
 * decorators of the tool: a call in the wrong state does not ask for approval, and a waiting call has not
 * moved the machine. Calls for one key run one at a time across all loops of the machine, unless they can run
 * in any state and do not move it. A call that an earlier invocation started resumes in any state, since it
 * may have had its effect.
 *
 * The tools inside an unfolding tool have the same guard. Opening an unfolding tool does not move the
 * machine, but calls of its inner tools do.
 */
export function guardTool({ tool, rule }: Registration, run: StateRun): GuardedTool {
  const guardInnerTool = (inner: AnyTool): AnyTool =>
    guardTool({ tool: withAvailability(inner, rule), rule }, run);
  const isUnfolding = opensTools(tool);
  const isFree = rule.states === 'all' && rule.to.size === 0;
  const guarded = decorate(tool, {
    adopt: wrapAdopt(tool, guardInnerTool),
    route: mapRoute(tool, guardInnerTool),
    call(input, call) {
      const runCall = async (recall: LoopView['recall']): Promise<ToolResult> => {
        const position = resolvePosition(run, { recall });
        const refused = call.hasBegun ? undefined : findRefusal(call.tool, rule, position);
        if (refused) return refused;
        const to = position.ok && !isUnfolding ? rule.to.get(position.state) : undefined;
        // This takes effect if the call succeeds.
        if (to !== undefined) call.record(POSITION_MEMORY, { key: run.key, state: to });
        return tool.call(input, call);
      };
      // Reads the current position, since another loop of the machine may have moved it since the reply.
      return isFree ? runCall(call.view.recall) : exclusively(call, run.key, runCall);
    },
  });
  return { ...guarded, [STATE_RULE]: rule };
}

/** Returns the result of a call that the position does not allow, or `undefined` if it does. */
function findRefusal(tool: string, { states }: StateRule, position: MachinePosition): ToolResult | undefined {
  if (!position.ok) return error(formatRemovedStateResult(tool, position));
  const { state } = position;
  return states === 'all' || states.includes(state)
    ? undefined
    : createWithheldResult(formatWrongState(state, states));
}

/** Guards the tools that a source adds by a rule. */
export const guardSource = (source: InjectionStrategy, rule: StateRule, run: StateRun): InjectionStrategy =>
  mapSourceTools(source, (tool) => guardTool({ tool: withAvailability(tool, rule), rule }, run));

/**
 * Returns whether an offered tool is available in this state. A tool without a rule is available in every
 * state.
 */
export function isAvailable(tool: AnyTool & Partial<GuardedTool>, state: string): boolean {
  const { states } = tool[STATE_RULE] ?? { states: 'all' };
  return states === 'all' || states.includes(state);
}

/**
 * Runs `work` when no other call from loops with the same path holds the same `word`, in any frame. This call
 * then holds the word until the call ends or is left open. `latest` returns a memory with `when: 'call'`
 * after all calls that have ended, including those after this call's reply. Call it before `execute` and
 * `nest`.
 *
 * @throws TypeError if the call does not come from a loop of this copy of holdfast.
 */
export async function exclusively<T>(
  call: CallRun,
  word: string,
  work: (latest: LoopView['recall']) => Promise<T>,
): Promise<T> {
  const { loop, time } = RunningCall.of(call);
  const { frame, holder, journal, memories } = loop;
  if (time.isOver) throw new Error('The call has ended, so it cannot wait for another.');
  await time.outside(() => getLocks(loop).acquire({ call: call.id, path: frame.path, word }));
  holder.signal.throwIfAborted();
  return work((memory, path = frame.path) =>
    memories.of(memory).valueIn(journal.state.memories, memory, path),
  );
}

/** Returns the locks of a turn. Its first call that needs one creates them. */
function getLocks({ locks, journal }: Loop): CallLocks {
  if (locks.current instanceof CallLocks) return locks.current;
  const made = new CallLocks(journal.state.turn, locks.passed);
  locks.current = made;
  return made;
}

/** A call that an earlier invocation started but did not finish. */
interface StartedCall {
  /** The path of its loop. */
  readonly path: string;
  /** The calls that opened the loops around it. */
  readonly within: readonly string[];
  /** Resolves when it has ended, or when this invocation has also left it. */
  readonly over: PromiseWithResolvers<void>;
}

/** A request for a lock. Only calls of loops with the same path compete for a word. */
interface LockRequest {
  readonly call: string;
  readonly path: string;
  readonly word: string;
}

/**
 * Prevents calls from running at the same time, across all loops of one invocation. A waiting call occupies
 * no slot. It waits only for calls of loops with the same path. Calls inside its nested loop have a different
 * path, so two calls never wait for each other.
 */
export class CallLocks {
  readonly #begun: Map<string, StartedCall>;
  /** One promise for each path and word. It settles when every earlier call has released the word. */
  readonly #last = new Map<string, Promise<unknown>>();
  /** The words that each call holds or waits for. */
  readonly #held = new Map<string, Map<string, () => void>>();

  /**
   * `passed` contains calls of this turn that had not started when this invocation reached them, or that it
   * has finished.
   */
  constructor(turn?: TurnState, passed: ReadonlySet<string> = new Set()) {
    this.#begun = new Map(turn ? listStartedCalls(turn, passed, { frame: ROOT, within: [] }) : []);
  }

  /**
   * Resolves when the call may run. The call holds the word until `release`. A call that an earlier
   * invocation started resumes at once, before all others, since other calls cannot know its effects.
   */
  async acquire({ call, path, word }: LockRequest): Promise<void> {
    if (this.#begun.has(call)) return;
    const place = JSON.stringify([path, word]);
    const held = this.#held.get(call) ?? new Map<string, () => void>();
    if (held.has(place)) return;
    const own = Promise.withResolvers<void>();
    this.#held.set(call, held.set(place, own.resolve));
    const before = this.#last.get(place);
    this.#last.set(place, Promise.all([before, own.promise]));
    const begun = [...this.#begun.values()].filter((one) => one.path === path);
    await Promise.all([before, ...begun.map(({ over }) => over.promise)]);
  }

  /** Releases the words of a call that has ended or is left open, and of all calls inside its loop. */
  release(call: string): void {
    for (const [id, { within, over }] of this.#begun) {
      if (id !== call && !within.includes(call)) continue;
      this.#begun.delete(id);
      over.resolve();
    }
    for (const letGo of this.#held.get(call)?.values() ?? []) letGo();
    this.#held.delete(call);
  }
}

/**
 * Returns the unfinished calls of a loop, and of its nested loops, that an earlier invocation started. Skips
 * calls in `passed` or already ended, and the loops inside them.
 */
function listStartedCalls(
  turn: TurnState,
  passed: ReadonlySet<string>,
  { frame, within }: Pick<StartedCall, 'within'> & { readonly frame: string },
): [string, StartedCall][] {
  const loop = turn.frames.get(frame);
  if (!loop) return [];
  return openBatch(loop)
    .filter((call) => !call.ended && !passed.has(call.id) && hasBegun(turn, call))
    .flatMap(({ id }) => [
      [id, { path: loop.path, within, over: Promise.withResolvers<void>() }],
      ...listStartedCalls(turn, passed, { frame: id, within: [...within, id] }),
    ]);
}
