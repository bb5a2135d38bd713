import type { StoredEvent } from '../journal/events.ts';
import { parseEvent } from '../journal/parse-event.ts';
import type { EventPage, SessionPort } from '../journal/session-port.ts';
import type { Clock } from './clock.ts';

/** How long to wait before a broken line to the object is taken up again, in ms. */
const RECONNECT = 250;

interface Follow {
  readonly port: Pick<SessionPort, 'read' | 'watch'>;
  readonly clock: Clock;
  /** The first sequence wanted. */
  readonly from: number;
  /** Only the events of this turn, until it has ended or waits for a decision. */
  readonly turn?: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * The journal from a sequence on, and then live, until `signal` aborts. The line to the object tells its head as soon
 * as it is open and pages are read up to what it told, so that nothing falls between; a broken line is taken up again.
 * Whether a turn still runs is told by a page, so that of a turn a page is read at every notice.
 */
export async function* followSession({
  port,
  clock,
  from,
  turn,
  signal,
}: Follow): AsyncGenerator<StoredEvent> {
  const heads = new Heads(clock, port, signal);
  let next = from;
  try {
    while (!signal.aborted) {
      const { notices } = heads;
      const page = await port.read({ from: next, turn });
      for (const row of page?.rows ?? []) yield parseEvent(row);
      next = page?.next ?? Math.max(next, (page?.head ?? 0) + 1);
      if (page?.next != null) continue;
      if (turn !== undefined && !isOpen(page, turn)) return;
      await heads.until(() => heads.head >= next || (turn !== undefined && heads.notices > notices));
    }
  } finally {
    heads.close();
  }
}

/** It runs, or waits for those before it or for its time. */
const isOpen = (at: Pick<EventPage, 'openTurn' | 'queued'> | null, turn: string): boolean =>
  at !== null && ((at.openTurn?.id === turn && at.openTurn.state === 'running') || at.queued.includes(turn));

/** Resolves with the events of a turn once it has ended or waits for a decision; rejects with the signal's reason. */
export async function turnStopped(
  follow: Omit<Follow, 'from'> & { readonly turn: string },
): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const stored of followSession({ ...follow, from: 1 })) events.push(stored);
  follow.signal.throwIfAborted();
  return events;
}

/** What the object has told of: its newest sequence, and how often. */
class Heads {
  readonly #clock: Clock;
  readonly #port: Pick<SessionPort, 'watch'>;
  readonly #signal: AbortSignal;
  head = 0;
  notices = 0;
  #wake: () => void = () => {};
  #stop: () => void = () => {};
  #cancelReopen: () => void = () => {};
  #isOpen = false;
  #closed = false;

  constructor(clock: Clock, port: Pick<SessionPort, 'watch'>, signal: AbortSignal) {
    this.#clock = clock;
    this.#port = port;
    this.#signal = signal;
    signal.addEventListener('abort', this.#onAbort);
  }

  /** Resolves when something told makes it so, or the signal aborts. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo() && !this.#signal.aborted) {
      if (!this.#isOpen) void this.#open();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  close(): void {
    this.#closed = true;
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#cancelReopen();
    this.#stop();
  }

  readonly #onAbort = (): void => this.#wake();

  async #open(): Promise<void> {
    this.#isOpen = true;
    try {
      const stop = await this.#port.watch(
        ({ head }) => {
          this.head = Math.max(this.head, head);
          this.notices += 1;
          this.#wake();
        },
        () => this.#reopen(),
      );
      if (this.#closed) stop();
      this.#stop = stop;
    } catch {
      this.#reopen();
    }
  }

  #reopen(): void {
    if (this.#closed) return;
    this.#cancelReopen();
    this.#cancelReopen = this.#clock.after(RECONNECT, () => {
      this.#isOpen = false;
      this.#wake();
    });
  }
}
