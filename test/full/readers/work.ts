/** What an object of a session has done, by its own count. */
export interface ObjectWork {
  /** How often it was woken, by what did so: a call, a line that was opened, or a message over one. */
  readonly calls: { readonly [way: string]: number };
  /** What came over its lines. */
  readonly heard: Traffic;
  /** What it sent over its lines. */
  readonly sent: Traffic;
  readonly rows: { readonly read: number; readonly written: number };
  /** When it was woken, in ms since the epoch. */
  readonly times: readonly number[];
}

interface Traffic {
  readonly messages: number;
  readonly characters: number;
}

/** What it has done since it told of it last. */
export function since(before: ObjectWork, now: ObjectWork): ObjectWork {
  const traffic = (key: 'heard' | 'sent'): Traffic => ({
    messages: now[key].messages - before[key].messages,
    characters: now[key].characters - before[key].characters,
  });
  const calls = Object.entries(now.calls).map(
    ([way, count]) => [way, count - (before.calls[way] ?? 0)] as const,
  );
  return {
    calls: Object.fromEntries(calls.filter(([, count]) => count > 0)),
    heard: traffic('heard'),
    sent: traffic('sent'),
    rows: { read: now.rows.read - before.rows.read, written: now.rows.written - before.rows.written },
    times: now.times.slice(before.times.length),
  };
}

/** So long an object stays in memory at most when it has nothing to do and only lines that outlive it, in ms. */
const IDLE = 10_000;

/** How long it was in memory at most for what it was woken for, in ms. */
export const awakeMs = ({ times }: ObjectWork): number =>
  times.reduce((sum, time, i) => sum + Math.min(IDLE, (times[i + 1] ?? Number.POSITIVE_INFINITY) - time), 0);
