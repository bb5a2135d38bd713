import { hasBegun, openBatch } from '../../journal/conversation.ts';
import { ROOT } from '../../journal/events.ts';
import type { TurnState } from '../../journal/state.ts';
import type { Loop } from '../../loop/loop.ts';
import { RunningCall } from '../../loop/running-call.ts';
import { changedSource } from '../../sources/resolution/resolve-tools.ts';
import { memoized } from '../../tool/async.ts';
import { adopting, decorate, lastList, mapRoute, opensTools } from '../../tool/decorate.ts';
import type { AnyTool, CallRun, InjectionStrategy, LoopView } from '../../tool/tool.ts';
import { error, type ToolResult, withheld } from '../../tool/tool-result.ts';
import { goneState, notNow, POSITIONS, type Position, positionIn, type StateRun } from './memory.ts';
import { type Registration, type Rule, withAvailability } from './read-machine.ts';

/**
 * Makes the strategy that decides what a machine's loop is offered in the end. Whatever tools those are, the calls of a
 * batch run one after another, each seeing the state after the one before. All of them are offered in every state, so
 * that a provider's prompt cache holds, unless `hides`.
 */
export function stateStrategy(run: StateRun, hides: boolean): InjectionStrategy {
  const serialized = memoized((tool: AnyTool) => withSerialKey(tool, run.machine));
  const listed = lastList();
  return {
    name: 'state-machine',
    offer(tools, view) {
      const position = hides ? positionIn(run, view) : undefined;
      const state = position?.ok ? position.state : undefined;
      return listed(tools, state, () => {
        const available = state === undefined ? tools : tools.filter((tool) => isAvailable(tool, state));
        return available.map(serialized);
      });
    },
  };
}

/** The tool, and what it stands for, as one of those whose calls may not meet. */
const withSerialKey = (tool: AnyTool, serialKey: string): AnyTool =>
  decorate(tool, { serial: serialKey, route: mapRoute(tool, (meant) => withSerialKey(meant, serialKey)) });

/** Under which a guarded tool keeps its rule. */
const RULE: unique symbol = Symbol('holdfast.state-rule');

/** A tool of a state machine, as its nested loop is offered it. */
interface GuardedTool extends AnyTool {
  readonly [RULE]: Rule;
}

/**
 * The tool, which runs in its states only, and moves the machine when it has succeeded. Both are decided around
 * everything else that the tool does: nobody is asked to approve a call in the wrong state, and a call that waits has
 * moved nothing. Calls for one key do not meet, in whatever loops of the machine they are, unless they may run in any
 * state and move nothing. One that an earlier invocation has begun goes on in any state, since it may have happened.
 *
 * What an unfolding tool stands for is guarded as the unfolding tool is. To open one moves nothing: it only shows other
 * tools, and those move when they are used.
 */
export function guardTool({ tool, rule }: Registration, run: StateRun): GuardedTool {
  const guardInner = (inner: AnyTool): AnyTool =>
    guardTool({ tool: withAvailability(inner, rule), rule }, run);
  const isUnfolding = opensTools(tool);
  const isFree = rule.states === 'all' && rule.to.size === 0;
  const guarded = decorate(tool, {
    adopt: adopting(tool, guardInner),
    route: mapRoute(tool, guardInner),
    call(input, call) {
      const callIn = async (recall: LoopView['recall']): Promise<ToolResult> => {
        const position = positionIn(run, { recall });
        const refused = call.hasBegun ? undefined : refusal(call.tool, rule, position);
        if (refused) return refused;
        const to = position.ok && !isUnfolding ? rule.to.get(position.state) : undefined;
        // Takes effect if the call succeeds.
        if (to !== undefined) call.record(POSITIONS, { key: run.key, state: to });
        return tool.call(input, call);
      };
      // Where it stands now, and not as of the reply: another loop of the machine may have moved it since.
      return isFree ? callIn(call.view.recall) : exclusively(call, run.key, callIn);
    },
  });
  return { ...guarded, [RULE]: rule };
}

/** What a call is answered that may not run where the machine stands. */
function refusal(tool: string, { states }: Rule, position: Position): ToolResult | undefined {
  if (!position.ok) return error(goneState(tool, position));
  const { state } = position;
  return states === 'all' || states.includes(state) ? undefined : withheld(notNow(state, states));
}

/** Guards the tools that a source adds by a rule. */
export const guardedSource = (source: InjectionStrategy, rule: Rule, run: StateRun): InjectionStrategy =>
  changedSource(source, (tool) => guardTool({ tool: withAvailability(tool, rule), rule }, run));

/** Tells whether an offered tool is available in this state; one that is no tool of a state machine is in any. */
export function isAvailable(tool: AnyTool & Partial<GuardedTool>, state: string): boolean {
  const { states } = tool[RULE] ?? { states: 'all' };
  return states === 'all' || states.includes(state);
}

/**
 * Runs `work` when no other call holds the same word that is made in a loop of the same path, in whatever frame: from then on this call
 * holds it, until it has ended or is left open. `latest` is what a memory `when: 'call'` knows of all calls that have ended, also since
 * this one's reply. Call it before `execute` and `nest`.
 *
 * @throws TypeError if the call was not handed out by a loop of this copy of holdfast.
 */
export async function exclusively<T>(
  call: CallRun,
  word: string,
  work: (latest: LoopView['recall']) => Promise<T>,
): Promise<T> {
  const { loop, time } = RunningCall.of(call);
  const { frame, holder, journal, memories } = loop;
  if (time.isOver) throw new Error('The call has ended, and waits for no other.');
  await time.outside(() => locksOf(loop).acquire({ call: call.id, path: frame.path, word }));
  holder.signal.throwIfAborted();
  return work((memory, path = frame.path) =>
    memories.of(memory).valueIn(journal.state.memories, memory, path),
  );
}

/** The locks of a turn, made when its first call asks for one. */
function locksOf({ locks, journal }: Loop): CallLocks {
  if (locks.current instanceof CallLocks) return locks.current;
  const made = new CallLocks(journal.state.turn, locks.passed);
  locks.current = made;
  return made;
}

/** A call that an earlier invocation left when it had begun. */
interface Begun {
  /** The path of its loop. */
  readonly path: string;
  /** The calls whose nested loops it runs in. */
  readonly within: readonly string[];
  /** It has ended, or this invocation has left it too. */
  readonly over: PromiseWithResolvers<void>;
}

/** Whose turn is asked for: calls of loops with the same path meet at a word. */
interface Asking {
  readonly call: string;
  readonly path: string;
  readonly word: string;
}

/**
 * Keeps calls apart that may not run side by side, in whatever loops of one invocation they are. A call that waits holds no slot,
 * and waits only for calls of loops with the same path. What those run is inside of them, so that no two calls wait for each other.
 */
export class CallLocks {
  readonly #begun: Map<string, Begun>;
  /** One promise for each place and word, which settles when every call before has let go. */
  readonly #last = new Map<string, Promise<unknown>>();
  /** What each call holds, or waits for. */
  readonly #held = new Map<string, Map<string, () => void>>();

  /** `passed`: calls of this turn that had not begun when this invocation came to them, or that it is done with. */
  constructor(turn?: TurnState, passed: ReadonlySet<string> = new Set()) {
    this.#begun = new Map(turn ? begunIn(turn, passed, { frame: ROOT, within: [] }) : []);
  }

  /**
   * Resolves when the call may go on; it keeps its turn until it is released. A call that had begun in an earlier
   * invocation goes on at once, and before all others: nobody else knows what it has done.
   */
  async acquire({ call, path, word }: Asking): Promise<void> {
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

  /** The call has ended, or is left open, and with it whatever is inside its loop. */
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

/** The calls of a loop, and of those inside, that an earlier invocation has begun; not of loops whose call has ended without them. */
function begunIn(
  turn: TurnState,
  passed: ReadonlySet<string>,
  { frame, within }: Pick<Begun, 'within'> & { readonly frame: string },
): [string, Begun][] {
  const loop = turn.frames.get(frame);
  if (!loop) return [];
  return openBatch(loop)
    .filter((call) => !call.ended && !passed.has(call.id) && hasBegun(turn, call))
    .flatMap(({ id }) => [
      [id, { path: loop.path, within, over: Promise.withResolvers<void>() }],
      ...begunIn(turn, passed, { frame: id, within: [...within, id] }),
    ]);
}
