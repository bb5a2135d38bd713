import { type Chance, createChance } from '../process/chance.ts';
import { deliver, type Place, type Sent } from './deliver.ts';
import { drawRounds, HABITS } from './draw.ts';
import { pause } from './worker/pause.ts';

/** Many users, each with a session, who send one message after another. */
export interface Load {
  /** Every message so far. */
  readonly sent: readonly Sent[];
  /** The sessions' names. */
  readonly sessions: readonly string[];
  /** No new messages: what may have arrived is brought to its end. Resolves when all is answered, or nothing is waited for any more. */
  close(): Promise<void>;
}

/** Lets the users begin. What they do is the same for the same chance, but for how fast they are answered. */
export function startLoad(where: Omit<Place, 'closing'>, chance: Chance, sessions: number): Load {
  const closing = new AbortController();
  const place: Place = { ...where, closing: closing.signal };
  const sent: Sent[] = [];
  const names = Array.from({ length: sessions }, (_, at) => `s${String(at).padStart(2, '0')}`);
  const users = names.map(async (session, at) => {
    const habit = HABITS[at % HABITS.length] ?? 'plain';
    const rounds = drawRounds(createChance(chance.between(0, 2 ** 31)), session, habit);
    for (const { errands, rest } of rounds) {
      if (closing.signal.aborted) return;
      const messages = errands.map((errand): Sent => ({ errand, replies: [], shown: [] }));
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
