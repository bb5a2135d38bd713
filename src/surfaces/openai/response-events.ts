/** Translates the items of a turn into the events of a response. */

import { createCallId } from '../../journal/conversation.ts';
import type { EventOf, StoredEvent } from '../../journal/events.ts';
import type { TurnAnswer } from '../../session/watching/turn-outcome.ts';
import type { TurnItem } from '../../worker/turn-feed.ts';
import { readExtras } from './asked.ts';
import { CallItems, type IdFactory } from './call-items.ts';
import type { ResponseEvent } from './numbered-output.ts';
import { NumberedOutput } from './numbered-output.ts';
import { ReplyItems, toOutputText } from './reply-items.ts';
import {
  createState,
  echoExtras,
  formatAnswer,
  getFinalState,
  isAnswered,
  type ResponsePlace,
  type ResponseState,
  toId,
  toResponse,
  UsageCount,
} from './response-object.ts';
import type { EchoedFields, MessageItem, ResponseObject } from './response-types.ts';

/** The response of a turn to show. */
export interface ResponseTarget extends Omit<ResponsePlace, 'part'> {
  /** The index of the response, from 0, or the answers that began it, as question numbers by call. */
  readonly part: number | { readonly answered: ReadonlyMap<string, number> };
  readonly echoed: EchoedFields;
  /** Returns the URL of a file of the session. */
  readonly fileUrl: (id: string) => string;
  /** The last number that the reader has seen. */
  readonly after?: number | undefined;
  /** The time of the request in milliseconds since the epoch. Used for a turn that has not begun. */
  readonly now: number;
}

/**
 * Yields the events of one response from the items of its turn. Numbers are the same in every stream of this
 * response, except for text deltas, whose numbers count the characters up to their end.
 */
export async function* toResponseEvents(
  items: AsyncIterable<TurnItem>,
  wanted: ResponseTarget,
): AsyncGenerator<ResponseEvent, void, undefined> {
  const translation = new ResponseTranslation(wanted);
  for await (const item of items) {
    yield* translation.take(item);
    if (translation.isOver) return;
  }
}

/** The last text from a reply of the turn's own loop. */
interface LastReply {
  readonly text: string;
  /** The output index of its last message, if it has one. */
  readonly index: number | undefined;
  /** `true` if the reply requested calls. */
  readonly asked: boolean;
  readonly finish: string;
}

class ResponseTranslation {
  isOver = false;
  readonly #wanted: ResponseTarget;
  readonly #out: NumberedOutput;
  readonly #calls: CallItems;
  #echoed: EchoedFields;
  /** The index of the current response in the turn. 0 before the turn begins. */
  #part = 0;
  /** The index of the response to show, once known. */
  #told: number | undefined;
  #begun: number;
  #at: number;
  #usage = new UsageCount();
  #replies = 0;
  #reply: ReplyItems;
  #last: LastReply | undefined;
  #before: StoredEvent | undefined;

  constructor(wanted: ResponseTarget) {
    this.#wanted = wanted;
    this.#out = new NumberedOutput(wanted.after ?? 0);
    this.#calls = new CallItems(this.#out, this.#id, wanted.fileUrl);
    this.#told = typeof wanted.part === 'number' ? wanted.part : undefined;
    this.#echoed = wanted.echoed;
    this.#begun = wanted.now;
    this.#at = wanted.now;
    this.#reply = this.#nextReply();
  }

  /** Returns the events that an item of the turn adds to the shown response. */
  take(item: TurnItem): ResponseEvent[] {
    if ('seq' in item) this.#event(item);
    else this.#between(item);
    return this.#part === this.#told ? this.#out.drain() : [];
  }

  #event(event: StoredEvent): void {
    if (this.#calls.isWaiting && isBoundary(event, this.#before))
      this.#stop(createState('completed'), { isWaiting: true });
    if (this.isOver) return;
    const isFirst = this.#before === undefined;
    if (event.type === 'model-replied' && event.frame === undefined) this.#replied(event);
    this.#before = event;
    this.#at = event.at;
    this.#out.at(event.seq);
    const asked = event.type === 'turn-started' ? readExtras(event.context) : undefined;
    if (asked) this.#echoed = { ...this.#echoed, ...echoExtras(asked) };
    if (isFirst) this.#begin(event.at);
    this.#usage.add(event);
    switch (event.type) {
      case 'model-replied':
        this.#ended(event);
        return;
      case 'turn-resumed':
        // The previous lease holder may have streamed part of a reply that was not journaled.
        this.#reply.drop();
        return;
      case 'tool-call-answered': {
        const { part } = this.#wanted;
        if (typeof part !== 'number' && part.answered.get(event.call) === this.#calls.asked(event.call))
          this.#told ??= this.#part;
        this.#calls.event(event);
        return;
      }
      case 'message-sent':
        if (!this.#hasForm) this.#message(event.text, { place: 1, phase: 'commentary' });
        return;
      default:
        this.#calls.event(event);
        return;
    }
  }

  #between(item: Exclude<TurnItem, StoredEvent>): void {
    switch (item.type) {
      case 'text-delta':
      case 'reasoning-delta':
        if (item.frame !== undefined || (this.#hasForm && item.type === 'text-delta')) return;
        this.#reply.delta(item.type === 'text-delta' ? 'message' : 'reasoning', item.text);
        return;
      case 'reply-restarted':
        if (item.frame === undefined) this.#reply.drop();
        return;
      case 'answer':
        this.#told = Math.min(this.#told ?? this.#part, this.#part);
        this.#correct(item.answer);
        this.#stop(getFinalState(item.answer, this.#last?.finish), { isWaiting: false, isLast: true });
        return;
      case 'suspended':
        this.#beginUnanswered();
        this.#stop(createState('completed'), { isWaiting: true, isLast: true });
        return;
      case 'later':
        this.#beginUnanswered();
        this.#later();
        return;
      case 'erased':
        this.#told ??= this.#part;
        this.isOver = true;
        this.#out.emit({
          type: 'error',
          code: 'session_erased',
          message: 'The session of this response was erased.',
          param: null,
        });
        return;
    }
  }

  /** `true` if the client set an answer form. The answer is the only message then. */
  get #hasForm(): boolean {
    return this.#echoed.text.format.type !== 'text';
  }

  /** Shows the rest of a journaled reply, numbered after the event before the reply. */
  #replied(event: EventOf<'model-replied'>): void {
    const index = this.#reply.stored(event, this.#hasForm ? ['reasoning'] : undefined);
    const { text, finish } = event;
    this.#last = { text, index, asked: event.toolCalls.length > 0, finish };
  }

  #ended(event: Extract<StoredEvent, { readonly type: 'model-replied' }>): void {
    this.#calls.event(event);
    if (event.frame !== undefined) return;
    (event.parts ?? []).forEach((part, place) => {
      if (part.type !== 'file' || part.ofReasoning || !part.mediaType.startsWith('image/')) return;
      if (/^https?:/i.test(part.data)) return;
      const id = this.#id('ig', createCallId(this.#wanted.turn, event.seq, place));
      this.#out.add({ type: 'image_generation_call', id, status: 'completed', result: part.data });
    });
    this.#replies += 1;
    this.#out.beginReply(event.seq);
    this.#reply = this.#nextReply();
  }

  #nextReply(): ReplyItems {
    const reply = this.#replies;
    return new ReplyItems(this.#out, (kind, place, isStored) =>
      this.#id(
        kind === 'message' ? 'msg' : 'rs',
        createCallId(this.#wanted.turn, reply, place),
        isStored ? 3 : 0,
      ),
    );
  }

  readonly #id: IdFactory = (prefix, what, place = 0) => {
    const { agent, session } = this.#wanted;
    return toId(prefix, { agent, session, what, place });
  };

  /** Adds a message that is not a model reply. `place` distinguishes the kinds of messages. */
  #message(text: string, { place, phase }: { readonly place: number } & Pick<MessageItem, 'phase'>): void {
    const id = this.#id('msg', `${this.#wanted.turn}.${this.#out.seq}.${this.#out.length}`, place);
    const begun: MessageItem = {
      type: 'message',
      id,
      role: 'assistant',
      status: 'in_progress',
      content: [],
      ...(phase && { phase }),
    };
    const index = this.#out.open(begun);
    const at = { output_index: index, item_id: id, content_index: 0 };
    const part = toOutputText(text, []);
    this.#out.emit({ type: 'response.content_part.added', ...at, part: toOutputText('', []) });
    this.#out.emit({ type: 'response.output_text.delta', ...at, delta: text, logprobs: [] });
    this.#out.emit({ type: 'response.output_text.done', ...at, text, logprobs: [] });
    this.#out.emit({ type: 'response.content_part.done', ...at, part });
    this.#out.close(index, { ...begun, status: 'completed', content: [part] });
  }

  /**
   * Replaces the shown answer with the journaled one: a tool may have supplied it, and transformers may have
   * changed it.
   */
  #correct(answer: TurnAnswer): void {
    const text = formatAnswer(answer, this.#hasForm);
    if (!isAnswered(answer) || text === '' || (text === this.#last?.text && !this.#hasForm)) return;
    const { index, asked = true } = this.#last ?? {};
    const said = index === undefined ? undefined : this.#out.item(index);
    if (asked || index === undefined || said?.type !== 'message') {
      this.#message(text, { place: 2 });
      return;
    }
    this.#out.replace(index, { ...said, content: [toOutputText(text, said.content[0]?.annotations ?? [])] });
  }

  #begin(at: number): void {
    this.#begun = at;
    const response = this.#response(createState('in_progress'));
    this.#out.emit({ type: 'response.created', response });
    this.#out.emit({ type: 'response.in_progress', response });
  }

  /** Ends the response. The next one begins at its boundary, unless this is the last response. */
  #stop(as: ResponseState, { isWaiting, isLast = false }: { isWaiting: boolean; isLast?: boolean }): void {
    this.#reply.drop();
    this.#calls.close(isWaiting);
    const response = this.#response(as, this.#at);
    this.#out.emit({ type: TERMINAL_EVENTS[as.status] ?? 'response.incomplete', response });
    this.isOver = isLast || this.#part === this.#told;
    if (!this.isOver) this.#next();
  }

  #next(): void {
    this.#part += 1;
    this.#out.restart();
    this.#calls.restart();
    this.#usage = new UsageCount();
    this.#last = undefined;
    this.#before = undefined;
  }

  /** Begins the response to accepted answers before the turn has resumed. */
  #beginUnanswered(): void {
    if (this.#told !== undefined && this.#told <= this.#part) return;
    if (this.#before) this.#next();
    this.#told = this.#part;
    this.#begin(this.#wanted.now);
  }

  #later(): void {
    const status = this.#before ? 'in_progress' : 'queued';
    this.isOver = true;
    this.#out.emit({ type: `response.${status}`, response: this.#response(createState(status)) });
  }

  #response(as: ResponseState, ended?: number): ResponseObject {
    const isOver = ended !== undefined;
    return toResponse({ ...this.#wanted, part: this.#part }, this.#echoed, {
      ...as,
      output: this.#out.items,
      usage: isOver ? this.#usage.told() : undefined,
      begun: this.#begun,
      ended,
    });
  }
}

/** The last event of a response's stream, by status. Clients know no event for a cancelled response. */
const TERMINAL_EVENTS: Readonly<
  Partial<Record<ResponseObject['status'], 'response.completed' | 'response.failed'>>
> = { completed: 'response.completed', failed: 'response.failed' };

/** Returns `true` if the turn waited for its client and resumes with the client's answer. */
export const isBoundary = (event: StoredEvent, before: StoredEvent | undefined): boolean =>
  event.type === 'turn-resumed' &&
  event.cause === 'handed-over' &&
  before !== undefined &&
  before.type !== 'turn-yielded';
