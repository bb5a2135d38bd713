import { inFrame, type StoredEvent } from '../journal/events.ts';
import type { LiveEvents } from '../loop/loop.ts';
import { type Log, toLog } from '../tool/log.ts';

/** What a client that watches a turn is shown. */
export type FeedItem =
  | { readonly type: 'event'; readonly stored: StoredEvent }
  | {
      readonly type: 'text-delta' | 'reasoning-delta';
      readonly reply: string;
      readonly frame?: string;
      readonly text: string;
    }
  | { readonly type: 'reply-restarted'; readonly reply: string; readonly frame?: string }
  | { readonly type: 'progress'; readonly call: string; readonly status: string };

/**
 * Orders what is journaled and what is not: an event is shown when it is durable, and a delta or a report of progress not
 * before the events that precede it.
 */
export class LiveFeed implements LiveEvents {
  #show: (item: FeedItem) => void;
  readonly #lastEmitted: () => number;
  #shown = 0;
  #held: { readonly after: number; readonly item: FeedItem }[] = [];

  constructor(show: (item: FeedItem) => void, lastEmitted: () => number, log: Log = toLog()) {
    this.#show = (item) => {
      try {
        show(item);
      } catch (failure) {
        const message = 'a client of a turn cannot be shown more';
        log({ level: 'error', event: 'other', message, thrown: failure });
        this.#show = () => {}; // the turn goes on without it
      }
    };
    this.#lastEmitted = lastEmitted;
  }

  stored(events: readonly StoredEvent[]): void {
    for (const stored of events) {
      this.#show({ type: 'event', stored });
      this.#shown = stored.seq;
      this.#flush();
    }
  }

  readonly text = (reply: string, text: string, frame: string): void =>
    this.#hold({ type: 'text-delta', reply, ...inFrame(frame), text });

  readonly reasoning = (reply: string, text: string, frame: string): void =>
    this.#hold({ type: 'reasoning-delta', reply, ...inFrame(frame), text });

  restarted(reply: string, frame: string): void {
    this.#hold({ type: 'reply-restarted', reply, ...inFrame(frame) });
  }

  progress(call: string, status: string): void {
    this.#hold({ type: 'progress', call, status });
  }

  #hold(item: FeedItem): void {
    this.#held.push({ after: this.#lastEmitted(), item });
    this.#flush();
  }

  #flush(): void {
    while (this.#held[0] && this.#held[0].after <= this.#shown) {
      const first = this.#held.shift();
      if (first) this.#show(first.item);
    }
  }
}
