import { type Chance, createChance } from '../process/chance.ts';
import { deliver, type Place, type SentMessage } from './deliver.ts';
import { drawRounds, HABITS } from './draw.ts';
import { pause } from './worker/pause.ts';

/** The running users. Each has a session and sends one message after another. */
export interface Load {
  /** All messages that were sent so far. */
  readonly sent: readonly SentMessage[];
  /** The paths of the sessions. */
  readonly sessions: readonly string[];
  /**
   * Stops new messages. Resolves when every message that may have arrived is answered, or when waiting is
   * aborted.
   */
  close(): Promise<void>;
}

/** Starts the users. The same seed yields the same actions, although their timing depends on the replies. */
export function startLoad(where: Omit<Place, 'closing'>, chance: Chance, sessions: number): Load {
  const closing = new AbortController();
  const place: Place = { ...where, closing: closing.signal };
  const sent: SentMessage[] = [];
  const names = Array.from({ length: sessions }, (_, at) => `s${String(at).padStart(2, '0')}`);
  const users = names.map(async (session, at) => {
    const habit = HABITS[at % HABITS.length] ?? 'plain';
    const rounds = drawRounds(createChance(chance.between(0, 2 ** 31)), session, habit);
    for (const { errands, rest } of rounds) {
      if (closing.signal.aborted) return;
      const messages = errands.map((errand): SentMessage => ({ errand, replies: [], shown: [] }));
      sent.push(...messages);
      await Promise.all(messages.map((message) => deliver(place, message)));
      await pause(rest, closing.signal);
    }
  });
  return {
    sent,
    sessions: names,
    async close() {
      closing.abort();
      await Promise.all(users);
    },
  };
}
