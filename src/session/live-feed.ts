import { ROOT, type StoredEvent } from '../journal/events.ts';
import type { LiveItem, LiveMessage } from '../journal/live-items.ts';
import { type SessionState, toFrameField } from '../journal/state.ts';
import type { LiveEvents } from '../loop/loop.ts';
import { attempt } from '../tool/async.ts';
import type { Log } from '../tool/log.ts';
import { createErrorEntry } from '../tool/log.ts';
import type { Clock } from './read-platform.ts';

/** An item for a client that watches a turn. */
export type FeedItem = { readonly type: 'event'; readonly stored: StoredEvent } | LiveItem;

/** The readers of the session that this invocation holds. */
interface ReaderView {
  /** `true` if a reader receives live items. */
  readonly isRead: boolean;
  /** Sends a live item to the readers. Returns `false` if that is not possible now. */
  show(message: LiveMessage): boolean;
}

/** The parts of the holding invocation that a relay uses. */
export interface RelayOptions {
  readonly clock: Pick<Clock, 'after'>;
  readonly turn: string;
  readonly readers: ReaderView;
}

/** Sends live items, which are not journaled, to the readers of a session. */
export interface Relay {
  /** Sends an item soon if there are readers. All events up to `after` are already stored. */
  add(item: LiveItem, after: number): void;
  /** Sends the current live items to a new reader, by its name in the object, or to all readers. */
  joined(reader: string): void;
  /** Drops live items that this event has replaced. */
  drop(event: StoredEvent): void;
  /** Sends pending items at once, since the reply that they belong to is about to be stored. */
  settle(): void;
  /** Drops all pending items. */
  close(): void;
}

/** The live items of one reader until they are shown. */
export interface LiveItemQueue {
  push(message: LiveMessage): void;
  /** Must be called with every event before it is shown. */
  shown(event: StoredEvent): void;
  /** Returns whether an item can be shown once all events up to this one are shown. */
  isReady(seq: number): boolean;
  /** Removes and returns the next item to show, once all events up to this one are shown. */
  take(seq: number): LiveItem | undefined;
}

/** The functions with which an app shows live items to readers outside the invocation that runs a turn. */
export interface LiveText {
  /** Creates the relay for an invocation that holds a session. */
  relay(options: RelayOptions): Relay;
  /** Creates the queue for one reader. `turn`: limits it to this turn. */
  queue(turn?: string): LiveItemQueue;
}

interface Options extends RelayOptions {
  /** Shows live items to readers elsewhere. If absent, they see only the journal. */
  readonly liveText: LiveText | undefined;
  /** Shows items to a client of this invocation. */
  readonly show: ((item: FeedItem) => void) | undefined;
  /** The folded state, including the last emitted event. */
  readonly state: Pick<SessionState, 'seq'>;
  readonly log: Log;
}

/**
 * Orders events and live items. An event is shown once it is durable. A text delta or progress report is
 * shown after the events that precede it.
 */
export class LiveFeed implements LiveEvents {
  /**
   * Sends live items to readers elsewhere, who get the events from the journal. Created with the first item.
   */
  relay: Relay | undefined;
  said = '';
  readonly #options: Options;
  #show: Options['show'];
  #shown = 0;
  /** `true` if the model has streamed in this invocation. */
  #began = false;
  /** `true` if a stream broke off after it began. */
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
      this.relay?.drop(stored);
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
    if (frame === ROOT) this.said = '';
    this.#hold({ type: 'reply-restarted', reply, ...toFrameField(frame) });
  }

  progress(call: string, status: string): void {
    this.#hold({ type: 'progress', call, status });
  }

  /**
   * Returns the callback for streamed pieces, or `undefined` if the model should not stream. With `liveText`,
   * the model streams even without readers, since a reader can join in the middle of a reply. After a stream
   * breaks off without readers, the model no longer streams: a reply in one piece can be retried more often,
   * and by another model.
   */
  #pieces(type: 'text-delta' | 'reasoning-delta'): LiveEvents['text'] {
    const { liveText, readers } = this.#options;
    if (!this.#show && !(liveText && (readers.isRead || !this.#brokeOff))) return undefined;
    return (reply, text, frame) => {
      this.#began = true;
      if (type === 'text-delta' && frame === ROOT) this.said += text;
      this.#hold({ type, reply, ...toFrameField(frame), text });
    };
  }

  #hold(item: LiveItem): void {
    this.relay ??= this.#options.liveText?.relay(this.#options);
    this.#held.push({ after: this.#options.state.seq, item });
    this.#flush();
  }

  #flush(): void {
    const later = this.#held.findIndex(({ after }) => after > this.#shown);
    // Sends all due items at once: there can be many after an append.
    const due = this.#held.splice(0, later < 0 ? Infinity : later);
    for (const { item, after } of due) {
      this.#toClient(item);
      this.relay?.add(item, after);
    }
  }

  #toClient(item: FeedItem): void {
    try {
      this.#show?.(item);
    } catch (thrown) {
      this.#options.log(createErrorEntry('a client of a turn threw, and receives no more events', thrown));
      this.#show = undefined; // The turn continues without this client.
    }
  }
}

/**
 * Returns a function that shows events to code of the app. If that code throws or rejects, it is not called
 * again, and the turn continues.
 */
export function createItemHandler(
  { log }: { readonly log: Log },
  onEvent: (event: StoredEvent | LiveItem) => unknown,
): (item: FeedItem) => void {
  let isBroken = false;
  const handleFailure = (thrown: unknown): void => {
    if (isBroken) return;
    isBroken = true;
    log(createErrorEntry('`onEvent` of a message threw, and is not called again', thrown));
  };
  return (item) => {
    if (isBroken) return;
    const told = attempt(() => onEvent(item.type === 'event' ? item.stored : item));
    if (!told.ok) handleFailure(told.thrown);
    else Promise.resolve(told.value).catch(handleFailure);
  };
}
