/** Parses server-sent events, as defined by HTML, from chunks of text. */
import { HoldfastError } from './holdfast-error.ts';

/** One event of a stream. */
export interface ServerEvent {
  /** Defaults to `message`. */
  readonly type: string;
  readonly data: string;
}

/** The maximum number of characters of one event. Our servers send fewer, so longer events are refused. */
const MAX_EVENT_LENGTH = 16 * 1024 * 1024;

/** Parses a stream in chunks of any size. */
export class EventParser {
  /** The last id in the stream. A reconnect resumes after this event. */
  id: string | undefined;
  /** Milliseconds until the client should reconnect, from the server. */
  retry: number | undefined;
  #rest = '';
  #endedInCr = false;
  #type = '';
  #data: string[] = [];
  #newId: string | undefined;
  #length = 0;

  /**
   * Returns the events that this chunk completes. @throws HoldfastError `bad-response` if an event is far too
   * long.
   */
  feed(piece: string): ServerEvent[] {
    if (piece === '') return [];
    // The CR at the end of the previous chunk and this LF are one line end.
    const text = this.#endedInCr && piece.startsWith('\n') ? piece.slice(1) : piece;
    this.#endedInCr = piece.endsWith('\r');
    const lines = text.split(/\r\n|\r|\n/);
    lines[0] = this.#rest + lines[0];
    this.#rest = lines.pop() ?? '';
    const events = lines.flatMap((line) => this.#takeLine(line));
    if (this.#length + this.#rest.length > MAX_EVENT_LENGTH)
      throw new HoldfastError('bad-response', `A stream event has more than ${MAX_EVENT_LENGTH} characters.`);
    return events;
  }

  #takeLine(line: string): ServerEvent[] {
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

/** The properties of an item that are used. */
interface ShownItem {
  readonly type: string;
  readonly frame?: string;
  readonly reply?: string;
  readonly text?: string;
}

/** The part of a streaming reply that was shown. */
interface ShownReply {
  readonly reply: string;
  /** The characters that were shown, text and reasoning together. */
  readonly length: number;
  /** The characters that this connection has received. */
  readonly at: number;
}

/**
 * Removes text that an earlier connection has shown, since each connection streams a reply from its
 * beginning.
 */
export class NewPieces {
  readonly #replies = new Map<string, ShownReply>();

  /** Starts a new connection. */
  begin(): void {
    for (const [frame, shown] of this.#replies) this.#replies.set(frame, { ...shown, at: 0 });
  }

  /** Returns the new part of the item, or `undefined` if it was shown already. */
  takeNew<Item extends ShownItem>(item: Item): Item | undefined {
    const { type, frame = '', reply, text } = item;
    if (type === 'model-replied') this.#replies.delete(frame);
    // Another lease holder may use the same name for another reply.
    if (type === 'turn-resumed' || type === 'turn-ended') this.#replies.clear();
    if (!REPLY_ITEM_TYPES.has(type) || reply === undefined) return item;
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

/** Items of replies that are not journaled. */
const REPLY_ITEM_TYPES: ReadonlySet<string> = new Set(['text-delta', 'reasoning-delta', 'reply-restarted']);
