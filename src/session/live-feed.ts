import { inFrame, ROOT, type StoredEvent } from '../journal/events.ts';
import {
  LIVE,
  type LiveItem,
  type LiveMessage,
  MOST_IN_MESSAGE,
  MOST_OPEN,
  type SentItem,
  weightOfItem,
} from '../journal/live-items.ts';
import type { SessionState } from '../journal/state.ts';
import type { LiveEvents } from '../loop/loop.ts';
import { type Log, toLog } from '../tool/log.ts';
import type { Clock } from './read-platform.ts';

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

/** What comes within so many ms is sent together. */
const JOINED = 50;

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

/**
 * Sends what is not journaled to the readers of the session: nothing while there are none, and what comes within 50 ms together. It keeps
 * what runs: the text so far of each open reply, and the last progress of each call. A reader who comes is sent that first, alone.
 */
export class LiveRelay {
  readonly #options: RelayOptions;
  /** What a reader who comes now is sent. */
  #open: SentItem[] = [];
  #weight = 0;
  /** What was not sent yet: to all readers who are here, and to those who have come, by their names. */
  readonly #waiting = new Map<string | undefined, SentItem[]>();
  #joined: string[] = [];
  /** The places of replies of which a piece did not fit: the rest of them is left out too. */
  readonly #cut = new Set<string>();
  #cancel: (() => void) | undefined;

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  /** Keeps it, and sends it soon if anybody reads. All events up to `after` are stored. */
  add(item: LiveItem, after: number): void {
    const place = placeOf(item);
    const last = this.#open.findLast((one) => placeOf(one.item) === place);
    const isMore = last && 'text' in item && 'reply' in last.item && last.item.reply === item.reply;
    if (item.type === 'reply-restarted') this.#end(place);
    if (!isMore) this.#forget(place);
    const sent: SentItem = { item, after, at: isMore ? endOf(last) : 0 };
    const weight = weightOfItem(sent);
    // A model says so much at once only when that is all of its reply, which is about to be stored.
    if (weight > MOST_IN_MESSAGE || this.#weight + weight > MOST_OPEN) this.#cut.add(place);
    if (this.#cut.has(place)) return;
    this.#weight += addTo(this.#open, sent);
    if (!this.#options.readers.isRead) return;
    const waiting = this.#waiting.get(undefined) ?? [];
    addTo(waiting, sent);
    this.#waiting.set(undefined, waiting);
    this.#sendSoon();
  }

  /** Has what runs sent to a reader who has come, by its name in the object, or to all of them again. */
  joined(reader: string): void {
    if (this.#open.length === 0) return;
    if (reader === LIVE) this.#waiting.set(undefined, [...this.#open]);
    else this.#joined.push(reader);
    this.#sendSoon();
  }

  /** Forgets what this event has ended: the journal has it. */
  ended(event: StoredEvent): void {
    if (this.#open.length === 0 && this.#cut.size === 0) return;
    if (event.type === 'model-replied' || event.type === 'tool-call-ended') this.#end(placeOf(event));
    if (event.type === 'tool-call-ended') this.#end(placeOf({ frame: event.call }));
  }

  /** What was not sent is dropped. */
  close(): void {
    this.#cancel?.();
    this.#open = [];
    this.#waiting.clear();
  }

  #sendSoon(): void {
    const { readers, clock } = this.#options;
    if (readers.isRead) this.#cancel ??= clock.after(JOINED, () => this.settle());
  }

  /** Sends at once what waits: the reply that it is a piece of is about to be stored. */
  settle(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const { readers, turn } = this.#options;
    if (this.#joined.length > 0) this.#waiting.set(this.#joined.join(' '), [...this.#open]);
    this.#joined = [];
    if (!readers.isRead) this.#waiting.clear();
    for (const [to, waiting] of this.#waiting) {
      while (waiting.length > 0) {
        const items = firstOf(waiting);
        if (!readers.show({ to, turn, items })) {
          this.#sendSoon();
          return;
        }
        waiting.splice(0, items.length);
      }
      this.#waiting.delete(to);
    }
  }

  #end(place: string): void {
    this.#forget(place);
    this.#cut.delete(place);
  }

  #forget(place: string): void {
    const isOther = ({ item }: SentItem): boolean => placeOf(item) !== place;
    this.#open = this.#open.filter(isOther);
    for (const [to, waiting] of this.#waiting) this.#waiting.set(to, waiting.filter(isOther));
    this.#weight = this.#open.reduce((sum, one) => sum + weightOfItem(one), 0);
  }
}

/** Where something happens: in a loop, which is given one reply at a time, or in a call. */
const placeOf = ({ call, frame = ROOT }: { readonly call?: string; readonly frame?: string }): string =>
  call ?? `loop ${frame}`;

/** How long a reply is up to the end of a piece of it. */
const endOf = ({ item, at = 0 }: SentItem): number => at + ('text' in item ? item.text.length : 0);

/** Puts it behind the others of its place, and makes pieces of one type one. Returns by how much the list weighs more. */
function addTo(list: SentItem[], sent: SentItem): number {
  const { item, after } = sent;
  const index = list.findLastIndex((one) => placeOf(one.item) === placeOf(item));
  const last = list[index];
  if (last && 'text' in last.item && 'text' in item && last.item.type === item.type) {
    const joined = { ...last, after, item: { ...item, text: last.item.text + item.text } };
    if (weightOfItem(joined) <= MOST_IN_MESSAGE) {
      list[index] = joined;
      return item.text.length;
    }
  }
  list.push(sent);
  return weightOfItem(sent);
}

/** As many of the items as one message holds. */
function firstOf(items: readonly SentItem[]): readonly SentItem[] {
  let weight = 0;
  const end = items.findIndex((item) => {
    weight += weightOfItem(item);
    return weight > MOST_IN_MESSAGE;
  });
  return end < 0 ? items.slice() : items.slice(0, end);
}
