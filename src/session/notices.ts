import type { Notice, SessionPort } from '../journal/session-port.ts';
import type { Clock } from './clock.ts';
import type { Meter } from './meter.ts';

/** How long to wait before a broken line to the object is taken up again, in ms. */
const RECONNECT = 250;

interface Options {
  readonly port: Pick<SessionPort, 'watch'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly meter: Meter | undefined;
}

/**
 * A line to the object of a session, opened when it is first waited for, and what was told over it. A line
 * that breaks is opened again, and tells at once how far the session is by then. One waits at a time; whoever
 * made it closes it.
 */
export class Notices {
  readonly #options: Options;
  /** As nobody was told anything, until `count` says otherwise. */
  #last: Notice = { head: 0, openTurn: null, waiting: [] };
  #count = 0;
  #wasErased = false;
  #wake: () => void = () => {};
  #stop: () => void = () => {};
  #cancelReopen: () => void = () => {};
  #cancelTime: () => void = () => {};
  /** Open, being opened, or waiting to be opened again. */
  #isOpen = false;
  #closed = false;

  constructor(options: Options) {
    this.#options = options;
    options.signal.addEventListener('abort', this.#onDone);
    this.#watchTime();
  }

  /** How often something was told: a page that was read after it knew as much. */
  get count(): number {
    return this.#count;
  }

  /** The session that was told of is no more; there may be another one of its name. */
  get wasErased(): boolean {
    return this.#wasErased;
  }

  /**
   * Resolves when what was told last makes it so, the session is erased, the signal aborts, or the
   * invocation is near a limit.
   */
  async until(isSo: (told: Notice) => boolean): Promise<void> {
    const { signal, meter } = this.#options;
    const isTold = (): boolean => this.#wasErased || (this.#count > 0 && isSo(this.#last));
    while (!isTold() && !signal.aborted && !meter?.over) {
      if (!this.#isOpen) void this.#open();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Closes the line; nothing is told any more. Wakes nobody: whoever waits has its own signal. */
  close(): void {
    this.#closed = true;
    this.#options.signal.removeEventListener('abort', this.#onDone);
    this.#cancelReopen();
    this.#cancelTime();
    this.#stop();
  }

  /** Aborted, or near a limit: whoever waits looks again. */
  readonly #onDone = (): void => this.#wake();

  /** By the clock: a timer may be early by a part of a millisecond. */
  #watchTime(): void {
    const { clock, meter } = this.#options;
    const ms = meter?.msToWatch ?? Infinity;
    if (ms <= 0) this.#wake();
    else if (Number.isFinite(ms)) this.#cancelTime = clock.after(Math.ceil(ms), () => this.#watchTime());
  }

  /** Never rejects: a line that cannot be opened is a broken one. */
  async #open(): Promise<void> {
    this.#isOpen = true;
    try {
      const stop = await this.#options.port.watch(
        (notice) => {
          // Notices come in order, and a journal never becomes shorter.
          this.#wasErased ||= notice.head < this.#last.head;
          this.#last = notice;
          this.#count += 1;
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

  /** When the pause is over, whoever waits opens the line again. */
  #reopen(): void {
    if (this.#closed) return;
    this.#cancelReopen();
    this.#cancelReopen = this.#options.clock.after(RECONNECT, () => {
      this.#isOpen = false;
      this.#wake();
    });
  }
}
