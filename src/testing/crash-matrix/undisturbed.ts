import type { StoredEvent } from '../../journal/events.ts';
import { callNames } from './call-names.ts';
import { journalOf } from './journal-of.ts';
import { memoryStage } from './memory-stage.ts';
import type { Watcher } from './outside.ts';
import { type Aftermath, type Production, play } from './play.ts';
import type { Stage } from './stage.ts';

/** How a production goes when nothing disturbs it, but for connections that break. */
export class Undisturbed<World> {
  /** Of no connection. */
  readonly aftermath: Aftermath;
  readonly #production: Production<World>;
  readonly #known = new Map<string, Promise<Aftermath>>();

  private constructor(production: Production<World>, aftermath: Aftermath) {
    this.#production = production;
    this.aftermath = aftermath;
    this.#known.set('', Promise.resolve(aftermath));
  }

  /** @throws Error when it cannot be played to its end. */
  static async of<World>(production: Production<World>): Promise<Undisturbed<World>> {
    const aftermath = await play(production, memoryStage());
    const { broken } = aftermath;
    if (broken) {
      throw new Error(`The script cannot be played undisturbed: ${broken.message}`, { cause: broken });
    }
    return new Undisturbed(production, aftermath);
  }

  /**
   * As it goes when the outcomes of these calls, by their names, are unknown because their connections broke after they
   * had run. So a play in which they were cut off can be compared: what depends on them goes otherwise then.
   */
  when(unknown: Iterable<string>): Promise<Aftermath> {
    const names = [...unknown].toSorted();
    const key = names.join();
    const known = this.#known.get(key);
    if (known) return known;
    const stage = memoryStage();
    const played = play(this.#production, stage, { watcher: breaking(new Set(names), stage) });
    this.#known.set(key, played);
    return played;
  }
}

const breaking = (calls: ReadonlySet<string>, { port }: Stage): Watcher => ({
  async after({ care, call }) {
    if (care !== 'once') return;
    const name = callNames(await journalOf(port)).get(call);
    if (name !== undefined && calls.has(name)) throw new Error('Network connection lost.');
  },
});

/** Names of the calls whose outcome is unknown. */
export function unknownIn(events: readonly StoredEvent[]): ReadonlySet<string> {
  const names = callNames(events);
  return new Set(
    events.flatMap(({ event }) => {
      if (event.type !== 'tool-call-ended' || event.result.type !== 'error') return [];
      return event.result.reason === 'unknown-outcome' ? (names.get(event.call) ?? event.call) : [];
    }),
  );
}
