import { ROOT, type StoredEvent } from '../../journal/events.ts';
import {
  computeItemWeight,
  type LiveItem,
  type LiveItemMessage,
  type LiveMessage,
  MAX_BUFFER_WEIGHT,
} from '../../journal/live-items.ts';
import type { LiveItemQueue } from '../../session/live-feed.ts';

/** The part of a loop's current reply that one reader has seen. */
interface ShownReply {
  /** The sequence number of the loop's last journaled reply. */
  readonly replied: number;
  readonly reply?: string;
  /** The number of characters of text and reasoning that were shown. */
  readonly next: number;
}

/**
 * Queues the live items of one reader until they can be shown. Items never appear before the events that
 * precede them, nor after the reply that they belong to. Characters are never repeated or skipped. A new
 * connection soon receives the open reply from its beginning, including pieces that arrived earlier.
 */
export class LiveQueue implements LiveItemQueue {
  readonly #turn: string | undefined;
  readonly #items: LiveItemMessage[] = [];
  #weight = 0;
  readonly #replies = new Map<string, ShownReply>();
  /** Calls of the turn that have ended, and their loops. */
  readonly #ended = new Set<string>();
  /**
   * The sequence number of the last event at which another invocation took over or the turn ended. Earlier
   * items are obsolete.
   */
  #closed = 0;

  /** `turn` limits the queue to one turn. */
  constructor(turn?: string) {
    this.#turn = turn;
  }

  /** Adds the items of a message that fit. */
  push({ turn, items }: LiveMessage): void {
    if (this.#turn !== undefined && turn !== this.#turn) return;
    for (const item of items) {
      const weight = computeItemWeight(item);
      if (this.#weight + weight > MAX_BUFFER_WEIGHT) continue;
      this.#weight += weight;
      this.#items.push(item);
    }
  }

  /** Records an event. Call it before the event is shown. */
  shown(event: StoredEvent): void {
    const { seq, type } = event;
    if (type === 'model-replied') {
      this.#replies.set(event.frame ?? ROOT, { replied: seq, next: 0 });
    } else if (type === 'tool-call-ended') {
      this.#ended.add(event.call);
      this.#replies.delete(event.call);
    } else if (CLOSING_EVENT_TYPES.has(type)) {
      this.#closed = seq;
      this.#replies.clear();
      this.#ended.clear();
    }
  }

  /** Returns `true` if the first item is due, once all events up to `seq` were shown. */
  isReady(seq: number): boolean {
    const first = this.#items[0];
    return first !== undefined && first.after <= seq;
  }

  /** Returns the next item to show, once all events up to `seq` were shown. */
  take(seq: number): LiveItem | undefined {
    while (this.isReady(seq)) {
      const sent = this.#items.shift();
      if (!sent) return undefined;
      this.#weight -= computeItemWeight(sent);
      const item = this.#due(sent);
      if (item) return item;
    }
    return undefined;
  }

  /** Returns the part of an item that still has to be shown. */
  #due(sent: LiveItemMessage): LiveItem | undefined {
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

const CLOSING_EVENT_TYPES: ReadonlySet<string> = new Set<StoredEvent['type']>([
  'turn-started',
  'turn-resumed',
  'turn-yielded',
  'turn-ended',
]);
