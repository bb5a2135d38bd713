/** The work of a session's object, which the object itself counts. */
export interface ObjectWork {
  /** The number of activations by cause: a call, an opened socket, or a socket message. */
  readonly calls: { readonly [way: string]: number };
  /** The number of messages that it received on sockets. */
  readonly heard: Traffic;
  /** The number of messages that it sent on sockets. */
  readonly sent: Traffic;
  readonly rows: { readonly read: number; readonly written: number };
  /** The times of its activations, in ms since the epoch. */
  readonly times: readonly number[];
}

interface Traffic {
  readonly messages: number;
  readonly characters: number;
}

/** Returns the work between two reports. */
export function computeWorkSince(before: ObjectWork, now: ObjectWork): ObjectWork {
  const computeTraffic = (key: 'heard' | 'sent'): Traffic => ({
    messages: now[key].messages - before[key].messages,
    characters: now[key].characters - before[key].characters,
  });
  const calls = Object.entries(now.calls).map(
    ([way, count]) => [way, count - (before.calls[way] ?? 0)] as const,
  );
  return {
    calls: Object.fromEntries(calls.filter(([, count]) => count > 0)),
    heard: computeTraffic('heard'),
    sent: computeTraffic('sent'),
    rows: { read: now.rows.read - before.rows.read, written: now.rows.written - before.rows.written },
    times: now.times.slice(before.times.length),
  };
}

/** The maximum time for which an idle object with hibernatable sockets stays in memory, in ms. */
const IDLE_MS = 10_000;

/** Returns the maximum total time in memory after activations, in ms. */
export const computeAwakeMs = ({ times }: ObjectWork): number =>
  times.reduce(
    (sum, time, i) => sum + Math.min(IDLE_MS, (times[i + 1] ?? Number.POSITIVE_INFINITY) - time),
    0,
  );
