import { ROOT, type StoredEvent } from '../../journal/events.ts';
import {
  computeItemWeight,
  LIVE,
  type LiveItem,
  type LiveItemMessage,
  MAX_BUFFER_WEIGHT,
  MAX_MESSAGE_WEIGHT,
} from '../../journal/live-items.ts';
import type { Relay, RelayOptions } from '../../session/live-feed.ts';

/** Milliseconds during which items are collected and sent together. */
const BATCH_MS = 50;

/**
 * Sends live items to the readers of the session at most every 50 ms. Stores the text so far of each open
 * reply, and the last progress of each call. A new reader receives these first, in a separate message.
 */
export class LiveRelay implements Relay {
  readonly #options: RelayOptions;
  /** The items that a new reader receives. */
  #open: LiveItemMessage[] = [];
  #weight = 0;
  /** Items that were not sent yet, by the names of new readers. The key `undefined` means all readers. */
  readonly #waiting = new Map<string | undefined, LiveItemMessage[]>();
  #joined: string[] = [];
  /** The places of replies with a piece that did not fit. `add` skips the rest of these replies. */
  readonly #cut = new Set<string>();
  #cancel: (() => void) | undefined;

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  /** Stores an item, and sends it soon if there are readers. All events up to `after` are stored. */
  add(item: LiveItem, after: number): void {
    const place = getItemPlace(item);
    const last = this.#open.findLast((one) => getItemPlace(one.item) === place);
    const isMore = last && 'text' in item && 'reply' in last.item && last.item.reply === item.reply;
    if (item.type === 'reply-restarted') this.#end(place);
    if (!isMore) this.#forget(place);
    const sent: LiveItemMessage = { item, after, at: isMore ? computeEnd(last) : 0 };
    const weight = computeItemWeight(sent);
    // Only a complete reply can have a piece this long, and it is about to be stored.
    if (weight > MAX_MESSAGE_WEIGHT || this.#weight + weight > MAX_BUFFER_WEIGHT) this.#cut.add(place);
    if (this.#cut.has(place)) return;
    this.#weight += mergeItem(this.#open, sent);
    if (!this.#options.readers.isRead) return;
    const waiting = this.#waiting.get(undefined) ?? [];
    mergeItem(waiting, sent);
    this.#waiting.set(undefined, waiting);
    this.#sendSoon();
  }

  /** Sends the open items to the new reader with this name, or again to all readers if it is `LIVE`. */
  joined(reader: string): void {
    if (this.#open.length === 0) return;
    if (reader === LIVE) this.#waiting.set(undefined, [...this.#open]);
    else this.#joined.push(reader);
    this.#sendSoon();
  }

  /** Drops the items that this event completes, because the journal contains them. */
  drop(event: StoredEvent): void {
    if (this.#open.length === 0 && this.#cut.size === 0) return;
    if (event.type === 'model-replied' || event.type === 'tool-call-ended') this.#end(getItemPlace(event));
    if (event.type === 'tool-call-ended') this.#end(getItemPlace({ frame: event.call }));
  }

  close(): void {
    this.#cancel?.();
    this.#open = [];
    this.#waiting.clear();
  }

  #sendSoon(): void {
    const { readers, clock } = this.#options;
    if (readers.isRead) this.#cancel ??= clock.after(BATCH_MS, () => this.settle());
  }

  /** Sends the waiting items at once, because their reply is about to be stored. */
  settle(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const { readers, turn } = this.#options;
    if (this.#joined.length > 0) this.#waiting.set(this.#joined.join(' '), [...this.#open]);
    this.#joined = [];
    if (!readers.isRead) this.#waiting.clear();
    for (const [to, waiting] of this.#waiting) {
      while (waiting.length > 0) {
        const items = takeFirstItems(waiting);
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
    const isOther = ({ item }: LiveItemMessage): boolean => getItemPlace(item) !== place;
    this.#open = this.#open.filter(isOther);
    for (const [to, waiting] of this.#waiting) this.#waiting.set(to, waiting.filter(isOther));
    this.#weight = this.#open.reduce((sum, one) => sum + computeItemWeight(one), 0);
  }
}

/** Returns the place of an item: a loop, which has one reply at a time, or a call. */
const getItemPlace = ({ call, frame = ROOT }: { readonly call?: string; readonly frame?: string }): string =>
  call ?? `loop ${frame}`;

/** Returns the length of a reply up to the end of a piece. */
const computeEnd = ({ item, at = 0 }: LiveItemMessage): number =>
  at + ('text' in item ? item.text.length : 0);

/**
 * Adds an item after the others of its place. Joins it with a preceding piece of the same type. Returns the
 * added weight.
 */
function mergeItem(list: LiveItemMessage[], sent: LiveItemMessage): number {
  const { item, after } = sent;
  const index = list.findLastIndex((one) => getItemPlace(one.item) === getItemPlace(item));
  const last = list[index];
  if (last && 'text' in last.item && 'text' in item && last.item.type === item.type) {
    const joined = { ...last, after, item: { ...item, text: last.item.text + item.text } };
    if (computeItemWeight(joined) <= MAX_MESSAGE_WEIGHT) {
      list[index] = joined;
      return item.text.length;
    }
  }
  list.push(sent);
  return computeItemWeight(sent);
}

function takeFirstItems(items: readonly LiveItemMessage[]): readonly LiveItemMessage[] {
  let weight = 0;
  const end = items.findIndex((item) => {
    weight += computeItemWeight(item);
    return weight > MAX_MESSAGE_WEIGHT;
  });
  return end < 0 ? items.slice() : items.slice(0, end);
}
