import { ROOT, type StoredEvent } from '../../journal/events.ts';
import {
  type LiveItem,
  type LiveMessage,
  MOST_OPEN,
  type SentItem,
  weightOfItem,
} from '../../journal/live-items.ts';
import type { Queue } from '../../session/live-feed.ts';

/** What one reader was shown of the reply that a loop is being given. */
interface ShownReply {
  /** Its last reply that is journaled. */
  readonly replied: number;
  readonly reply?: string;
  /** How many characters of the reply were shown, text and reasoning together. */
  readonly next: number;
}

/**
 * Holds what came over the line of one reader and is not journaled, until it is shown: never before the events that precede it, never
 * behind the reply that it is a piece of, no character twice, and none without those before it. The line brings a reply that runs from
 * its beginning soon after it opens, so that a piece that came earlier is in that.
 */
export class LiveQueue implements Queue {
  readonly #turn: string | undefined;
  readonly #items: SentItem[] = [];
  #weight = 0;
  readonly #replies = new Map<string, ShownReply>();
  /** Calls of the turn that have ended, and loops with them. */
  readonly #ended = new Set<string>();
  /** The last event at which somebody else went on, or nobody: what came before it is void. */
  #closed = 0;

  /** `turn`: only what happens in this one. */
  constructor(turn?: string) {
    this.#turn = turn;
  }

  /** Takes what has come, as far as there is room. */
  push({ turn, items }: LiveMessage): void {
    if (this.#turn !== undefined && turn !== this.#turn) return;
    for (const item of items) {
      const weight = weightOfItem(item);
      if (this.#weight + weight > MOST_OPEN) continue;
      this.#weight += weight;
      this.#items.push(item);
    }
  }

  /** To be called with every event before it is shown. */
  shown(event: StoredEvent): void {
    const { seq, type } = event;
    if (type === 'model-replied') {
      this.#replies.set(event.frame ?? ROOT, { replied: seq, next: 0 });
    } else if (type === 'tool-call-ended') {
      this.#ended.add(event.call);
      this.#replies.delete(event.call);
    } else if (CLOSING.has(type)) {
      this.#closed = seq;
      this.#replies.clear();
      this.#ended.clear();
    }
  }

  /** Whether there is something that may be looked at when all events up to this one were shown. */
  isReady(seq: number): boolean {
    const first = this.#items[0];
    return first !== undefined && first.after <= seq;
  }

  /** Takes what is to be shown next, when all events up to this one were. */
  take(seq: number): LiveItem | undefined {
    while (this.isReady(seq)) {
      const sent = this.#items.shift();
      if (!sent) return undefined;
      this.#weight -= weightOfItem(sent);
      const item = this.#due(sent);
      if (item) return item;
    }
    return undefined;
  }

  /** What is still to be shown of it. */
  #due(sent: SentItem): LiveItem | undefined {
    const { item, after } = sent;
    if (after < this.#closed) return undefined;
    if (item.type === 'progress') return this.#ended.has(item.call) ? undefined : item;
    const { reply, frame = ROOT } = item;
    const last = this.#replies.get(frame) ?? { replied: 0, next: 0 };
    if (after < last.replied || this.#ended.has(frame)) return undefined;
    const isKnown = last.reply === reply;
    const { at = 0 } = sent;
    const next = isKnown ? last.next : 0;
    const shown = 'text' in item ? { ...item, text: item.text.slice(next - at) } : item;
    const more = 'text' in shown ? shown.text.length : 0;
    if ('text' in shown ? at > next || more === 0 : isKnown) return undefined;
    this.#replies.set(frame, { ...last, reply, next: next + more });
    return shown;
  }
}

const CLOSING: ReadonlySet<string> = new Set<StoredEvent['type']>([
  'turn-started',
  'turn-resumed',
  'turn-yielded',
  'turn-ended',
]);
