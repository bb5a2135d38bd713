/** Reads server-sent events, as HTML describes them, from text that comes in pieces. */
import { HoldfastError } from './holdfast-error.ts';

/** One event of a stream. */
export interface ServerEvent {
  /** `message` where the stream does not say. */
  readonly type: string;
  readonly data: string;
}

/** The most characters of one event: no server of ours sends as many, and a hostile one is not listened to. */
const LONGEST = 16 * 1024 * 1024;

/** Takes a stream in pieces that may end anywhere. */
export class EventParser {
  /** The last id that the stream has given: what it goes on after. */
  id: string | undefined;
  /** When the server wants its client to come again, in ms. */
  retry: number | undefined;
  #rest = '';
  #endedInCr = false;
  #type = '';
  #data: string[] = [];
  #newId: string | undefined;
  #length = 0;

  /** Answers the events that this piece completes. @throws HoldfastError `bad-response` for one that is far too long. */
  feed(piece: string): ServerEvent[] {
    if (piece === '') return [];
    // A line that ended in CR at the end of the piece before may have ended in CRLF.
    const text = this.#endedInCr && piece.startsWith('\n') ? piece.slice(1) : piece;
    this.#endedInCr = piece.endsWith('\r');
    const lines = text.split(/\r\n|\r|\n/);
    lines[0] = this.#rest + lines[0];
    this.#rest = lines.pop() ?? '';
    const events = lines.flatMap((line) => this.#take(line));
    if (this.#length + this.#rest.length > LONGEST)
      throw new HoldfastError('bad-response', `An event of the stream has more than ${LONGEST} characters.`);
    return events;
  }

  #take(line: string): ServerEvent[] {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'data') {
      this.#data.push(value);
      this.#length += line.length;
    } else if (name === 'event') this.#type = value;
    else if (name === 'id' && !value.includes('\0')) this.#newId = value;
    else if (name === 'retry' && /^\d+$/.test(value)) this.retry = Number(value);
    return [];
  }

  #dispatch(): ServerEvent[] {
    const [type, data] = [this.#type || 'message', this.#data];
    this.id = this.#newId ?? this.id;
    this.#type = '';
    this.#data = [];
    this.#length = 0;
    return data.length > 0 ? [{ type, data: data.join('\n') }] : [];
  }
}

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
