import { ROOT, type StoredEvent } from '../../journal/events.ts';
import {
  LIVE,
  type LiveItem,
  MOST_IN_MESSAGE,
  MOST_OPEN,
  type SentItem,
  weightOfItem,
} from '../../journal/live-items.ts';
import type { Relay, RelayOptions } from '../../session/live-feed.ts';

/** What comes within so many ms is sent together. */
const JOINED = 50;

/**
 * Sends what is not journaled to the readers of the session: nothing while there are none, and what comes within 50 ms together. It keeps
 * what runs: the text so far of each open reply, and the last progress of each call. A reader who comes is sent that first, alone.
 */
export class LiveRelay implements Relay {
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
