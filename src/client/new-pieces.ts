/** What of an item is looked at. */
interface Shown {
  readonly type: string;
  readonly frame?: string;
  readonly reply?: string;
  readonly text?: string;
}

/** What was shown of the reply that a loop is being given. */
interface ShownReply {
  readonly reply: string;
  /** How many characters of it were shown, text and reasoning together. */
  readonly length: number;
  /** How many of them this connection has brought. */
  readonly at: number;
}

/** Takes out of a stream what an earlier connection has shown of a reply: each connection brings a reply that runs from its beginning. */
export class NewPieces {
  readonly #replies = new Map<string, ShownReply>();

  /** The next items come over another connection. */
  connected(): void {
    for (const [frame, shown] of this.#replies) this.#replies.set(frame, { ...shown, at: 0 });
  }

  /** Returns what of the item is new, or `undefined` if it was shown already. */
  take<Item extends Shown>(item: Item): Item | undefined {
    const { type, frame = '', reply, text } = item;
    if (type === 'model-replied') this.#replies.delete(frame);
    // Another holder may give another reply the same name.
    if (type === 'turn-resumed' || type === 'turn-ended') this.#replies.clear();
    if (!PASSING.has(type) || reply === undefined) return item;
    const known = this.#replies.get(frame);
    const shown = known?.reply === reply ? known : { reply, length: 0, at: 0 };
    if (text === undefined) {
      this.#replies.set(frame, shown);
      return shown === known ? undefined : item;
    }
    const at = shown.at + text.length;
    const rest = text.slice(shown.length - shown.at);
    this.#replies.set(frame, { reply, length: Math.max(shown.length, at), at });
    return rest === '' ? undefined : { ...item, text: rest };
  }
}

/** Of replies, and in no journal. */
const PASSING: ReadonlySet<string> = new Set(['text-delta', 'reasoning-delta', 'reply-restarted']);
