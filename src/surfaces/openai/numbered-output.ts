/** The items of a response, and the events that tell of them: numbered by the journal, so that every stream of it has the same numbers. */
import type { OutputItem, OutputText, ResponseObject, SummaryText } from './response-types.ts';

/** Numbers between one event of the journal and the next. */
const SPAN = 100_000_000;
/** Of those, the first ones are of the event itself, and the rest of the text that comes behind it, by its characters. */
const TEXT = 100_000;
/** What was shown of a reply does not stand: whoever saw this last has seen nothing of the reply that does. */
const DROPPED = SPAN - 1;

/** A number whose journal's event is that of `seq`. */
const numbered = (seq: number, place: number): number => seq * SPAN + Math.min(place, DROPPED);

/** What one response says, in order, to a client that has seen it up to a number. */
export class NumberedOutput {
  readonly #after: number;
  #last: number;
  #seq = 0;
  #place = 0;
  #position = 0;
  /** The last reply before the one that is shown now. */
  #replySince = 0;
  #items: OutputItem[] = [];
  #dropped = new Set<OutputItem>();
  #events: ResponseEvent[] = [];

  constructor(after: number) {
    this.#after = after;
    this.#last = after;
  }

  /** What comes now is of this event. */
  at(seq: number): void {
    this.#seq = seq;
    this.#place = 0;
  }

  /** The last event. */
  get seq(): number {
    return this.#seq;
  }

  /** The items are those of another response. */
  restart(): void {
    this.#items = [];
    this.#dropped = new Set();
    this.#events = [];
  }

  /** What was said since this was asked last. */
  taken(): ResponseEvent[] {
    return this.#events.splice(0);
  }

  /** The items that stand. */
  get items(): OutputItem[] {
    return this.#items.filter((item) => !this.#dropped.has(item));
  }

  /** The item at a place. */
  item(index: number): OutputItem | undefined {
    return this.#items[index];
  }

  /** How many there were, dropped ones too. */
  get length(): number {
    return this.#items.length;
  }

  /** Says something of the last event. */
  say(event: UnnumberedEvent): void {
    const number = numbered(this.#seq, this.#place);
    this.#place += 1;
    if (number > this.#after) this.#push(event, number);
  }

  /** Begins an item, and answers its place. */
  open(item: OutputItem, say = this.say.bind(this)): number {
    const index = this.#items.push(item) - 1;
    say({ type: 'response.output_item.added', output_index: index, item });
    return index;
  }

  close(index: number, item: OutputItem, say = this.say.bind(this)): void {
    this.#items[index] = item;
    say({ type: 'response.output_item.done', output_index: index, item });
  }

  /** Says an item that is complete when it is known. */
  whole(item: OutputItem): void {
    this.close(this.open(item), item);
  }

  /** The item that closed last here does not stand. */
  drop(index: number): void {
    const item = this.#items[index];
    if (item) this.#dropped.add(item);
  }

  /** What stands in the place of an item in the end. */
  replace(index: number, item: OutputItem): void {
    this.#items[index] = item;
  }

  /** The text that comes now is of another reply. `since`: the event of the one before. */
  beginReply(since: number): void {
    this.#position = 0;
    this.#replySince = since;
  }

  /** Says something between two characters of a reply. */
  readonly between = (event: UnnumberedEvent): void => {
    this.#position += 1;
    if (this.#position > this.#seen()) this.#push(event, numbered(this.#seq, TEXT + this.#position));
  };

  /** Says characters of a reply: those that were not seen. */
  characters(text: string, toEvent: (delta: string) => UnnumberedEvent): void {
    const from = this.#position;
    this.#position += text.length;
    const seen = this.#seen();
    if (this.#position <= seen) return;
    const delta = text.slice(Math.max(0, seen - from));
    this.#push(toEvent(delta), numbered(this.#seq, TEXT + this.#position));
  }

  /** What was shown of the reply so far does not stand. */
  readonly dropping = (event: UnnumberedEvent): void => {
    const number = numbered(this.#seq, DROPPED);
    if (number > this.#after) this.#push(event, number);
  };

  /** How far into the reply the client has seen. */
  #seen(): number {
    const seq = Math.floor(this.#after / SPAN);
    const place = this.#after % SPAN;
    if (seq < this.#replySince) return 0;
    if (seq > this.#seq) return Infinity;
    return place < TEXT || place === DROPPED ? 0 : place - TEXT;
  }

  #push(event: UnnumberedEvent, number: number): void {
    this.#last = Math.max(number, this.#last + 1);
    this.#events.push({ ...event, sequence_number: this.#last });
  }
}

interface OfItem {
  readonly output_index: number;
  readonly item_id: string;
}

type OfContent = OfItem & { readonly content_index: number };

type OfSummary = OfItem & { readonly summary_index: number };

/** An event of a response's stream, but for its number. */
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
  | (OfContent & {
      readonly type: 'response.content_part.added' | 'response.content_part.done';
      readonly part: OutputText;
    })
  | (OfContent & {
      readonly type: 'response.output_text.delta';
      readonly delta: string;
      readonly logprobs: [];
    })
  | (OfContent & { readonly type: 'response.output_text.done'; readonly text: string; readonly logprobs: [] })
  | (OfSummary & {
      readonly type: 'response.reasoning_summary_part.added' | 'response.reasoning_summary_part.done';
      readonly part: SummaryText;
    })
  | (OfSummary & { readonly type: 'response.reasoning_summary_text.delta'; readonly delta: string })
  | (OfSummary & { readonly type: 'response.reasoning_summary_text.done'; readonly text: string })
  | (OfItem & {
      readonly type:
        | 'response.mcp_call.in_progress'
        | 'response.mcp_call.completed'
        | 'response.mcp_call.failed';
    })
  | (OfItem & {
      readonly type: 'response.mcp_call_arguments.done' | 'response.function_call_arguments.done';
      readonly arguments: string;
      readonly name?: string;
    })
  | (OfItem & { readonly type: 'response.function_call_arguments.delta'; readonly delta: string })
  | { readonly type: 'error'; readonly code: string; readonly message: string; readonly param: null };

/** An event of a response's stream. Its number is of the journal: the same whoever is sent it, and whenever. */
export type ResponseEvent = UnnumberedEvent & { readonly sequence_number: number };
