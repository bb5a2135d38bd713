import { ROOT } from '../journal/events.ts';
import {
  type LiveItem,
  type LiveMessage,
  MOST_WAITING_LIVE,
  type SentItem,
  weightOfItem,
} from '../journal/live-items.ts';
import type { Clock } from './read-platform.ts';

/** What comes within so many ms is sent together. */
const JOINED = 50;

/** Those who read the session that this invocation holds. */
interface Readers {
  /** Somebody is shown what is not journaled. */
  readonly isRead: boolean;
  /** Answers `false` when nothing can be sent now. */
  show(message: LiveMessage): boolean;
}

interface Options {
  readonly clock: Pick<Clock, 'after'>;
  readonly turn: string;
  readonly readers: Readers;
}

/** The reply that a loop is being given, and how long it is so far, in characters. */
interface GivenReply {
  readonly reply: string;
  readonly length: { readonly [Type in LiveItem['type']]?: number };
  /** A piece of it was left out, so that the rest is too. */
  readonly isBroken: boolean;
}

/**
 * The way of what is not journaled to those who read the session: nothing while nobody does, what comes within 50 ms together, and of
 * what comes faster than it can be sent only the beginning, since the journal has it all. What nobody reads is kept for who may come,
 * until more is stored.
 */
export class LiveRelay {
  readonly #options: Options;
  #items: SentItem[] = [];
  #weight = 0;
  readonly #replies = new Map<string, GivenReply>();
  #cancel: (() => void) | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Somebody reads. */
  get isWanted(): boolean {
    return this.#options.readers.isRead;
  }

  /** Sends it soon, if anybody reads. All events up to `after` are stored. */
  add(item: LiveItem, after: number): void {
    const at = this.#placeOf(item);
    if (at === 'none') return;
    const sent = { item, after, ...(at !== undefined && { at }) };
    const weight = weightOfItem(sent);
    if (weight > MOST_WAITING_LIVE) return; // readers find that a piece is missing
    const isTooMuch = (): boolean => this.#weight + weight > MOST_WAITING_LIVE;
    if (isTooMuch() && !this.isWanted) this.#drop();
    if (isTooMuch()) {
      if (this.isWanted) this.#leaveOut(item);
      return;
    }
    if (!this.#isJoined(sent)) {
      this.#items.push(sent);
      this.#weight += weight;
    }
    this.sendSoon();
  }

  /** To be called when somebody has come to read, too: what was kept is sent. */
  sendSoon(): void {
    if (this.isWanted && this.#items.length > 0)
      this.#cancel ??= this.#options.clock.after(JOINED, () => this.#send());
  }

  /** Sends at once what waits: the reply that it is a piece of is about to be stored. What nobody reads is void then. */
  settle(): void {
    this.#send();
    if (!this.isWanted) this.#drop();
  }

  #send(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const { turn, readers } = this.#options;
    if (!readers.isRead || this.#items.length === 0) return;
    if (readers.show({ turn, items: this.#items })) this.#drop();
    else this.sendSoon();
  }

  /** What was not sent is dropped. */
  close(): void {
    this.#cancel?.();
    this.#drop();
  }

  #drop(): void {
    this.#items = [];
    this.#weight = 0;
  }

  /** Where a piece begins in its reply, also while nobody reads; `none` when a piece before it was left out. */
  #placeOf(item: LiveItem): number | undefined | 'none' {
    if (!('text' in item)) return undefined;
    const { type, frame = ROOT, reply, text } = item;
    const last = this.#replies.get(frame);
    const { length, isBroken } = last?.reply === reply ? last : { length: {}, isBroken: false };
    const at = length[type] ?? 0;
    this.#replies.set(frame, { reply, length: { ...length, [type]: at + text.length }, isBroken });
    return isBroken ? 'none' : at;
  }

  #leaveOut(item: LiveItem): void {
    if (!('text' in item)) return;
    const given = this.#replies.get(item.frame ?? ROOT);
    if (given) this.#replies.set(item.frame ?? ROOT, { ...given, isBroken: true });
  }

  /** A piece that follows another one of the same reply is made one with it. */
  #isJoined({ item, after }: SentItem): boolean {
    const last = this.#items.at(-1);
    if (!last || last.after !== after || !('text' in item) || !('text' in last.item)) return false;
    const { type, reply, frame, text } = last.item;
    if (item.type !== type || item.reply !== reply || item.frame !== frame) return false;
    this.#items.splice(-1, 1, { ...last, item: { ...item, text: text + item.text } });
    this.#weight += item.text.length;
    return true;
  }
}
