/**
 * The output items of a response and their events. Numbers derive from the journal, so that every stream of a
 * response has the same numbers.
 */
import type { OutputItem, OutputText, ResponseObject, SummaryText } from './response-types.ts';

/** The distance between the numbers of consecutive journal events. */
const NUMBERS_PER_EVENT = 100_000_000;
/**
 * The offset of text deltas. Smaller offsets number the output of the event, and larger ones the characters
 * streamed after it.
 */
const TEXT_OFFSET = 100_000;
/** The offset of a dropped reply. A reader that stopped here has not seen any of the final reply. */
const DROPPED_OFFSET = NUMBERS_PER_EVENT - 1;

/** Returns a number from the sequence number of a journal event and an offset. */
const toSequenceNumber = (seq: number, place: number): number =>
  seq * NUMBERS_PER_EVENT + Math.min(place, DROPPED_OFFSET);

/** Builds the numbered events of one response for a client that has seen it up to a number. */
export class NumberedOutput {
  readonly #after: number;
  #last: number;
  #seq = 0;
  #place = 0;
  #position = 0;
  /** The sequence number of the last reply event before the current one. */
  #replySince = 0;
  #items: OutputItem[] = [];
  #dropped = new Set<OutputItem>();
  #events: ResponseEvent[] = [];

  constructor(after: number) {
    this.#after = after;
    this.#last = after;
  }

  /** Sets the journal event that the next output belongs to. */
  at(seq: number): void {
    this.#seq = seq;
    this.#place = 0;
  }

  /** The sequence number of the current journal event. */
  get seq(): number {
    return this.#seq;
  }

  /** Starts the items of another response. */
  restart(): void {
    this.#items = [];
    this.#dropped = new Set();
    this.#events = [];
  }

  /** Returns the events since the last call, and clears them. */
  drain(): ResponseEvent[] {
    return this.#events.splice(0);
  }

  /** The items that were not dropped. */
  get items(): OutputItem[] {
    return this.#items.filter((item) => !this.#dropped.has(item));
  }

  /** Returns the item at an output index. */
  item(index: number): OutputItem | undefined {
    return this.#items[index];
  }

  /** The number of items, including dropped ones. */
  get length(): number {
    return this.#items.length;
  }

  /** Adds an event, numbered by the current journal event. */
  emit(event: UnnumberedEvent): void {
    const number = toSequenceNumber(this.#seq, this.#place);
    this.#place += 1;
    if (number > this.#after) this.#push(event, number);
  }

  /** Opens an item and returns its output index. */
  open(item: OutputItem, say = this.emit.bind(this)): number {
    const index = this.#items.push(item) - 1;
    say({ type: 'response.output_item.added', output_index: index, item });
    return index;
  }

  close(index: number, item: OutputItem, say = this.emit.bind(this)): void {
    this.#items[index] = item;
    say({ type: 'response.output_item.done', output_index: index, item });
  }

  /** Adds a complete item. */
  add(item: OutputItem): void {
    this.close(this.open(item), item);
  }

  /** Drops the item that closed last. */
  drop(index: number): void {
    const item = this.#items[index];
    if (item) this.#dropped.add(item);
  }

  /** Replaces the final form of an item. */
  replace(index: number, item: OutputItem): void {
    this.#items[index] = item;
  }

  /** Starts the text of another reply. `since`: the event of the previous reply. */
  beginReply(since: number): void {
    this.#position = 0;
    this.#replySince = since;
  }

  /** Adds an event between two characters of a reply. */
  readonly between = (event: UnnumberedEvent): void => {
    this.#position += 1;
    if (this.#position > this.#seen())
      this.#push(event, toSequenceNumber(this.#seq, TEXT_OFFSET + this.#position));
  };

  /** Adds the characters of a reply that the client has not seen. */
  characters(text: string, toEvent: (delta: string) => UnnumberedEvent): void {
    const from = this.#position;
    this.#position += text.length;
    const seen = this.#seen();
    if (this.#position <= seen) return;
    const delta = text.slice(Math.max(0, seen - from));
    this.#push(toEvent(delta), toSequenceNumber(this.#seq, TEXT_OFFSET + this.#position));
  }

  /** Adds an event that drops the reply shown so far. */
  readonly dropping = (event: UnnumberedEvent): void => {
    const number = toSequenceNumber(this.#seq, DROPPED_OFFSET);
    if (number > this.#after) this.#push(event, number);
  };

  /** Returns the number of characters of the reply that the client has seen. */
  #seen(): number {
    const seq = Math.floor(this.#after / NUMBERS_PER_EVENT);
    const place = this.#after % NUMBERS_PER_EVENT;
    if (seq < this.#replySince) return 0;
    if (seq > this.#seq) return Infinity;
    return place < TEXT_OFFSET || place === DROPPED_OFFSET ? 0 : place - TEXT_OFFSET;
  }

  #push(event: UnnumberedEvent, number: number): void {
    this.#last = Math.max(number, this.#last + 1);
    this.#events.push({ ...event, sequence_number: this.#last });
  }
}

interface ItemFields {
  readonly output_index: number;
  readonly item_id: string;
}

type ContentFields = ItemFields & { readonly content_index: number };

type SummaryFields = ItemFields & { readonly summary_index: number };

/** An event of a response's stream without its number. */
export type UnnumberedEvent =
  | {
      readonly type:
        | 'response.created'
        | 'response.queued'
        | 'response.in_progress'
        | 'response.completed'
        | 'response.incomplete'
        | 'response.failed';
      readonly response: ResponseObject;
    }
  | {
      readonly type: 'response.output_item.added' | 'response.output_item.done';
      readonly output_index: number;
      readonly item: OutputItem;
    }
  | (ContentFields & {
      readonly type: 'response.content_part.added' | 'response.content_part.done';
      readonly part: OutputText;
    })
  | (ContentFields & {
      readonly type: 'response.output_text.delta';
      readonly delta: string;
      readonly logprobs: [];
    })
  | (ContentFields & {
      readonly type: 'response.output_text.done';
      readonly text: string;
      readonly logprobs: [];
    })
  | (SummaryFields & {
      readonly type: 'response.reasoning_summary_part.added' | 'response.reasoning_summary_part.done';
      readonly part: SummaryText;
    })
  | (SummaryFields & { readonly type: 'response.reasoning_summary_text.delta'; readonly delta: string })
  | (SummaryFields & { readonly type: 'response.reasoning_summary_text.done'; readonly text: string })
  | (ItemFields & {
      readonly type:
        | 'response.mcp_call.in_progress'
        | 'response.mcp_call.completed'
        | 'response.mcp_call.failed';
    })
  | (ItemFields & {
      readonly type: 'response.mcp_call_arguments.done' | 'response.function_call_arguments.done';
      readonly arguments: string;
      readonly name?: string;
    })
  | (ItemFields & { readonly type: 'response.function_call_arguments.delta'; readonly delta: string })
  | { readonly type: 'error'; readonly code: string; readonly message: string; readonly param: null };

/** An event of a response's stream. Its number derives from the journal and is the same in every stream. */
export type ResponseEvent = UnnumberedEvent & { readonly sequence_number: number };
