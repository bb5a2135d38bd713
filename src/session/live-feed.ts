import { ROOT, type StoredEvent } from '../journal/events.ts';
import type { LiveItem, LiveMessage } from '../journal/live-items.ts';
import { inFrame, type SessionState } from '../journal/state.ts';
import type { LiveEvents } from '../loop/loop.ts';
import { attempt } from '../tool/async.ts';
import type { Log } from '../tool/log.ts';
import { mistake } from '../tool/log.ts';
import type { Clock } from './read-platform.ts';

/** What a client that watches a turn is shown. */
export type FeedItem = { readonly type: 'event'; readonly stored: StoredEvent } | LiveItem;

/** Those who read the session that this invocation holds. */
interface Readers {
  /** Somebody is shown what is not journaled. */
  readonly isRead: boolean;
  /** Answers `false` when nothing can be sent now. */
  show(message: LiveMessage): boolean;
}

/** What a relay needs of the invocation that holds the session. */
export interface RelayOptions {
  readonly clock: Pick<Clock, 'after'>;
  readonly turn: string;
  readonly readers: Readers;
}

/** Sends what happens in a turn and is not journaled to the readers of its session. */
export interface Relay {
  /** Sends it soon if anybody reads. All events up to `after` are stored. */
  add(item: LiveItem, after: number): void;
  /** Has what runs sent to a reader who has come, by its name in the object, or to all of them again. */
  joined(reader: string): void;
  /** Forgets what this event has ended: the journal has it. */
  ended(event: StoredEvent): void;
  /** Sends at once what waits: the reply that it is a piece of is about to be stored. */
  settle(): void;
  /** What was not sent is dropped. */
  close(): void;
}

/** What has come to one reader and is not journaled, until it is shown. */
export interface Queue {
  push(message: LiveMessage): void;
  /** To be called with every event before it is shown. */
  shown(event: StoredEvent): void;
  /** Whether there is something that may be looked at when all events up to this one were shown. */
  isReady(seq: number): boolean;
  /** Takes what is to be shown next, when all events up to this one were. */
  take(seq: number): LiveItem | undefined;
}

/** How an app shows what is not journaled to readers elsewhere than where a turn runs. */
export interface LiveText {
  /** For the invocation that holds a session. */
  relay(options: RelayOptions): Relay;
  /** For one reader; `turn`: only what happens in this one. */
  queue(turn?: string): Queue;
}

interface Options extends RelayOptions {
  /** Shows it to readers elsewhere; absent: they have the journal alone. */
  readonly liveText: LiveText | undefined;
  /** Shows it to a client of this invocation. */
  readonly show: ((item: FeedItem) => void) | undefined;
  /** Folded up to the last event that was emitted. */
  readonly state: Pick<SessionState, 'seq'>;
  readonly log: Log;
}

/**
 * Orders what is journaled and what is not: an event is shown when it is durable, and a delta or a report of progress not
 * before the events that precede it.
 */
export class LiveFeed implements LiveEvents {
  /** Shows it to those who read the session elsewhere, who have the events from the journal; made with the first item. */
  relay: Relay | undefined;
  said = '';
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
    if (frame === ROOT) this.said = '';
    this.#hold({ type: 'reply-restarted', reply, ...inFrame(frame) });
  }

  progress(call: string, status: string): void {
    this.#hold({ type: 'progress', call, status });
  }

  /**
   * With `liveText`, a reader may join in the middle of a reply, so the model streams even without readers. After a stream breaks off
   * without readers, the model is asked without streaming: such a reply is retried more often, and by another model.
   */
  #pieces(type: 'text-delta' | 'reasoning-delta'): LiveEvents['text'] {
    const { liveText, readers } = this.#options;
    if (!this.#show && !(liveText && (readers.isRead || !this.#brokeOff))) return undefined;
    return (reply, text, frame) => {
      this.#began = true;
      if (type === 'text-delta' && frame === ROOT) this.said += text;
      this.#hold({ type, reply, ...inFrame(frame), text });
    };
  }

  #hold(item: LiveItem): void {
    this.relay ??= this.#options.liveText?.relay(this.#options);
    this.#held.push({ after: this.#options.state.seq, item });
    this.#flush();
  }

  #flush(): void {
    const later = this.#held.findIndex(({ after }) => after > this.#shown);
    // All at once: a model may have said much while an append was under way.
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
      this.#options.log(mistake('a client of a turn cannot be shown more', thrown));
      this.#show = undefined; // the turn goes on without it
    }
  }
}

/** Shows events to code of the app, whose turn goes on whatever becomes of that, also of a promise that it answers. */
export function showing(
  { log }: { readonly log: Log },
  onEvent: (event: StoredEvent | LiveItem) => unknown,
): (item: FeedItem) => void {
  let isBroken = false;
  const broke = (thrown: unknown): void => {
    if (isBroken) return;
    isBroken = true;
    log(mistake('`onEvent` of a message threw, and is told no more of its turn', thrown));
  };
  return (item) => {
    if (isBroken) return;
    const told = attempt(() => onEvent(item.type === 'event' ? item.stored : item));
    if (!told.ok) broke(told.thrown);
    else Promise.resolve(told.value).catch(broke);
  };
}
