import { inFrame, type StoredEvent } from '../journal/events.ts';
import type { LiveItem } from '../journal/live-items.ts';
import type { SessionState } from '../journal/state.ts';
import type { LiveEvents } from '../loop/loop.ts';
import { type Log, toLog } from '../tool/log.ts';
import { LiveRelay, type RelayOptions } from './live-relay.ts';

/** What a client that watches a turn is shown. */
export type FeedItem = { readonly type: 'event'; readonly stored: StoredEvent } | LiveItem;

interface Options extends RelayOptions {
  /** Shows it to a client of this invocation. */
  readonly show: ((item: FeedItem) => void) | undefined;
  /** Folded up to the last event that was emitted. */
  readonly state: Pick<SessionState, 'seq'>;
  readonly log?: Log;
}

/**
 * Orders what is journaled and what is not: an event is shown when it is durable, and a delta or a report of progress not
 * before the events that precede it.
 */
export class LiveFeed implements LiveEvents {
  /** Shows it to those who read the session elsewhere, who have the events from the journal; made with the first item. */
  relay: LiveRelay | undefined;
  readonly #options: Options;
  #show: Options['show'];
  #shown = 0;
  /** A stream of its model has begun here. */
  #began = false;
  /** One that had begun broke off. */
  #brokeOff = false;
  #held: { readonly after: number; readonly item: LiveItem }[] = [];

  constructor(options: Options) {
    this.#options = options;
    this.#show = options.show;
  }

  stored(events: readonly StoredEvent[]): void {
    for (const stored of events) {
      if (this.#show) this.#toClient({ type: 'event', stored });
      this.#shown = stored.seq;
      this.relay?.ended(stored);
      if (this.#held.length > 0) this.#flush();
    }
  }

  get text(): LiveEvents['text'] {
    return this.#pieces('text-delta');
  }

  get reasoning(): LiveEvents['reasoning'] {
    return this.#pieces('reasoning-delta');
  }

  restarted(reply: string, frame: string): void {
    this.#brokeOff ||= this.#began;
    this.#hold({ type: 'reply-restarted', reply, ...inFrame(frame) });
  }

  progress(call: string, status: string): void {
    this.#hold({ type: 'progress', call, status });
  }

  /**
   * Somebody may come to read in the middle of a reply, so that it streams for nobody too. Once a stream has broken off it does
   * so no more: what was shown of no reply is asked for again more often, and of another model.
   */
  #pieces(type: 'text-delta' | 'reasoning-delta'): LiveEvents['text'] {
    if (this.#brokeOff && !this.#isWatched) return undefined;
    return (reply, text, frame) => {
      this.#began = true;
      this.#hold({ type, reply, ...inFrame(frame), text });
    };
  }

  get #isWatched(): boolean {
    return this.#show !== undefined || this.#options.readers.isRead;
  }

  #hold(item: LiveItem): void {
    this.relay ??= new LiveRelay(this.#options);
    this.#held.push({ after: this.#options.state.seq, item });
    this.#flush();
  }

  #flush(): void {
    const later = this.#held.findIndex(({ after }) => after > this.#shown);
    // All at once: a model may have said much while an append was under way.
    const due = this.#held.splice(0, later < 0 ? this.#held.length : later);
    for (const { item, after } of due) {
      this.#toClient(item);
      this.relay?.add(item, after);
    }
  }

  #toClient(item: FeedItem): void {
    try {
      this.#show?.(item);
    } catch (thrown) {
      const { log = toLog() } = this.#options;
      log({ level: 'error', event: 'other', message: 'a client of a turn cannot be shown more', thrown });
      this.#show = undefined; // the turn goes on without it
    }
  }
}
