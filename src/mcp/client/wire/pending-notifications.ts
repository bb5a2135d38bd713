/** Milliseconds that a server has to take note of a notification, or of an answer. */
const TELL_TIMEOUT = 5_000;

/** What a server is told without being asked for an answer. */
interface PendingNotifications {
  /** Posts a message; the signal aborts when it takes too long, or the wire is closed. */
  tell(post: (signal: AbortSignal) => Promise<Response>): Promise<void>;
  /** Resolves once all that is being told has been taken note of, or not. */
  told(): Promise<void>;
}

/** The messages of one wire, which `closed` ends. A timer each, which ends with its message. */
export function createPendingNotifications(closed: AbortSignal): PendingNotifications {
  const pending = new Set<Promise<void>>();
  return {
    tell(post) {
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(), TELL_TIMEOUT);
      const telling = post(AbortSignal.any([closed, late.signal]))
        .then((response) => response.body?.cancel())
        .finally(() => {
          clearTimeout(timer);
          pending.delete(telling);
        });
      pending.add(telling);
      return telling;
    },
    told: async () => void (await Promise.allSettled(pending)),
  };
}
