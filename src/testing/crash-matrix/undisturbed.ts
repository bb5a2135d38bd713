import type { StoredEvent } from '../../journal/events.ts';
import { readJournal } from '../../session/read-session.ts';
import { type CrashableSession, crashableMemorySession } from './crashable-session.ts';
import type { Watcher } from './effects.ts';
import { type PlayResult, playScript } from './play-script.ts';
import type { Subject } from './script.ts';

/** How a subject goes when nothing disturbs it, but for connections that break. */
export class Undisturbed<World> {
  /** What came of the play in which no connection breaks. */
  readonly result: PlayResult;
  readonly #subject: Subject<World>;
  readonly #known = new Map<string, Promise<PlayResult>>();

  private constructor(subject: Subject<World>, result: PlayResult) {
    this.#subject = subject;
    this.result = result;
    this.#known.set('', Promise.resolve(result));
  }

  /** @throws Error when it cannot be played to its end. */
  static async of<World>(subject: Subject<World>): Promise<Undisturbed<World>> {
    const result = await playScript(subject, crashableMemorySession());
    const { broken } = result;
    if (broken) {
      throw new Error(`The script cannot be played undisturbed: ${broken.message}`, { cause: broken });
    }
    return new Undisturbed(subject, result);
  }

  /**
   * Plays the subject so that nobody knows the outcomes of these calls, which are given by their names: their connections break
   * after they have run. A disturbed play in which they were cut off is compared with this one, since it goes on as this does.
   */
  when(unknown: Iterable<string>): Promise<PlayResult> {
    const names = [...unknown].toSorted();
    const key = names.join();
    const known = this.#known.get(key);
    if (known) return known;
    const session = crashableMemorySession();
    const played = playScript(this.#subject, session, { watcher: breaking(new Set(names), session) });
    this.#known.set(key, played);
    return played;
  }
}

const breaking = (calls: ReadonlySet<string>, { port }: CrashableSession): Watcher => ({
  async after({ care, call }) {
    if (care !== 'once') return;
    const name = callNames(await readJournal(port)).get(call);
    if (name !== undefined && calls.has(name)) throw new Error('Network connection lost.');
  },
});

/** Names of the calls whose outcome is unknown. */
export function unknownIn(events: readonly StoredEvent[]): ReadonlySet<string> {
  const names = callNames(events);
  return new Set(
    events.flatMap((event) => {
      if (event.type !== 'tool-call-ended' || event.result.type !== 'error') return [];
      return event.result.reason === 'unknown-outcome' ? (names.get(event.call) ?? event.call) : [];
    }),
  );
}

/** Names of calls, and of the turns that calls have scheduled, by their ids. */
export type CallNames = ReadonlyMap<string, string>;

/**
 * Names for the calls of a journal that do not depend on its sequences, which a disturbance moves: the turn, the calls
 * whose frames are around, and the place among the replies of the frame.
 */
export function callNames(events: readonly StoredEvent[]): CallNames {
  const names = new Map<string, string>();
  const replies = new Map<string, number>();
  for (const event of events) {
    if (event.type === 'tool-call-ended') {
      event.changes?.scheduled?.forEach(({ turn }, index) => {
        names.set(turn, `${names.get(event.call) ?? event.call}+${index}`);
      });
    }
    if (event.type !== 'model-replied') continue;
    const { turn, frame: of } = event;
    const frame = of === undefined ? `${names.get(turn) ?? turn}:` : `${names.get(of) ?? of}/`;
    const reply = (replies.get(frame) ?? 0) + 1;
    replies.set(frame, reply);
    event.toolCalls.forEach(({ id }, index) => {
      names.set(id, `${frame}${reply}.${index}`);
    });
  }
  return names;
}
