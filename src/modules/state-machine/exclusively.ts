import { hasBegun, openBatch } from '../../journal/conversation.ts';
import { ROOT } from '../../journal/events.ts';
import type { TurnState } from '../../journal/state.ts';
import type { Loop } from '../../loop/loop.ts';
import { RunningCall } from '../../loop/running-call.ts';
import type { CallRun, LoopView } from '../../tool/tool.ts';

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
  time.assertCounts();
  await time.outside(() => locksOf(loop).acquire({ call: call.id, path: frame.path, word }));
  holder.signal.throwIfAborted();
  return work((memory, path = frame.path) => memories.valueIn(journal.state.memories, memory, path));
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
