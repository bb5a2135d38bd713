import type { LiveMessage } from '../journal/live-items.ts';
import type { SessionPort } from '../journal/session-port.ts';
import type { Slots } from '../loop/slots.ts';
import type { Meter } from './meter.ts';
import type { Clock } from './read-platform.ts';
import { Notices } from './watching/follow-session.ts';

/** What a line needs of its holder. */
export interface LineOptions {
  readonly port: Pick<SessionPort, 'watch'>;
  readonly clock: Clock;
  readonly meter: Meter;
  readonly epoch: number;
  /** The connections of the invocation, of which the line takes one. */
  readonly slots: Slots;
  /** Aborts when nothing that others say matters any more. */
  readonly signal: AbortSignal;
  /** Called with the name of a reader who has come. */
  readonly onJoined: (reader: string) => void;
  /** Called when the line reports a newer message, or can report nothing for now. */
  readonly onChange: () => void;
}

/**
 * The line of one holder to its session's object, which reports over it that something was left for the holder. A line that breaks is
 * opened again, as long as the invocation has means for it.
 */
export class HolderLine {
  /** The id of the newest message that it has reported. */
  told = 0;
  readonly #options: LineOptions;
  readonly #closing = new AbortController();
  #isOver = false;
  #notices: Notices | undefined;

  constructor(options: LineOptions) {
    this.#options = options;
  }

  /** It is to report what is left, and does not yet, or not any more. */
  get isDeaf(): boolean {
    const { signal, meter } = this.#options;
    return !this.#isOver && !this.#notices?.isTelling && !signal.aborted && !meter.short();
  }

  /** Whether anybody is shown what is not journaled; `undefined` while the line reports nothing. */
  get live(): boolean | undefined {
    return this.#notices?.live;
  }

  /** Shows a message to the readers of the session. Returns `false` when nothing can be sent now. */
  show(message: LiveMessage): boolean {
    return this.#notices?.show(message) === true;
  }

  /** Called once. The line opens as soon as there is a connection for it. */
  open(): void {
    const { slots } = this.#options;
    void slots.hold(() => this.#listen(), 'first');
  }

  close(): void {
    this.#isOver = true;
    this.#closing.abort();
  }

  async #listen(): Promise<void> {
    const { epoch: holder, meter, onChange, ...watch } = this.#options;
    const signal = AbortSignal.any([watch.signal, this.#closing.signal]);
    if (signal.aborted) return;
    const notices = new Notices({ ...watch, meter, signal, holder, onBroken: onChange });
    this.#notices = notices;
    while (!signal.aborted && !meter.over && !notices.wasErased) {
      let newest = 0;
      await notices.until(({ unread = 0 }) => {
        newest = unread;
        return unread > this.told;
      });
      // Of a session that is no more there is nothing left to hold, which the next answer says.
      this.told = Math.max(this.told, notices.wasErased ? Infinity : newest);
      onChange();
    }
    notices.close();
    this.#isOver = true;
  }
}
