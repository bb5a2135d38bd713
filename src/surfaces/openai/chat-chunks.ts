/**
 * Translates the items of a turn into the chunks of a chat completion, which has only text and calls that the
 * client runs.
 */

import type { EventOf, StoredEvent } from '../../journal/events.ts';
import type { TurnAnswer } from '../../session/watching/turn-outcome.ts';
import type { RouteSession } from '../../worker/module-request.ts';
import type { TurnItem } from '../../worker/turn-feed.ts';
import type { PendingView } from '../../worker/turn-view.ts';
import {
  type ChatToolCall,
  type ChatUsage,
  type FinishReason,
  findTruncationReason,
  formatAnswer,
  isAnswered,
  type NamedObject,
  toId,
  toUnixSeconds,
  UsageCount,
} from './response-object.ts';

/** The content that a chunk adds to the message. */
interface ChatDelta {
  readonly role?: 'assistant';
  readonly content?: string;
  readonly tool_calls?: (ChatToolCall & { readonly index: number })[];
}

/** One chunk of the stream of a chat completion. */
export interface ChatChunk {
  readonly id: string;
  readonly object: 'chat.completion.chunk';
  readonly created: number;
  readonly model: string;
  readonly choices: {
    readonly index: 0;
    readonly delta: ChatDelta;
    readonly finish_reason: FinishReason | null;
    readonly logprobs: null;
  }[];
  /** An extension of the protocol: the id of the session, and its open questions. */
  readonly metadata?: Readonly<Record<string, string>>;
  readonly usage?: ChatUsage | null;
}

/** An item of a translated turn: chunks, and finally the outcome. */
export type ChatItem =
  | { readonly type: 'chunk'; readonly chunk: ChatChunk }
  | { readonly type: 'end'; readonly end: ChatEnd };

export type ChatEnd =
  | {
      readonly type: 'said';
      readonly finish: FinishReason;
      /** The text of the message after the last calls. */
      readonly text: string;
      /** The concatenated text of all chunks. */
      readonly streamed: string;
      readonly calls: ChatToolCall[];
      readonly usage: ChatUsage;
      readonly metadata: Readonly<Record<string, string>>;
    }
  | { readonly type: 'failed'; readonly answer: TurnAnswer }
  | { readonly type: 'erased' };

/** The turn to show. */
export interface ChatTarget extends RouteSession {
  readonly turn: string;
  /**
   * The answer that resumed the turn. Each completion has its own id, which clients use to keep messages
   * apart.
   */
  readonly behind?: NamedObject | undefined;
  /** `true` if the request sets a form of the answer. If so, only the answer is sent. */
  readonly hasForm: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export async function* streamChatItems(
  items: AsyncIterable<TurnItem>,
  wanted: ChatTarget,
): AsyncGenerator<ChatItem, void, undefined> {
  const translation = new ChatTranslation(wanted);
  yield* translation.begin();
  for await (const item of items) yield* translation.take(item);
}

interface FinishedCompletion {
  readonly finish: FinishReason;
  readonly text: string;
  /** The calls to tools that the client runs. */
  readonly calls?: ChatToolCall[];
  readonly pending?: readonly PendingView[];
}

class ChatTranslation {
  readonly #wanted: ChatTarget;
  readonly #usage = new UsageCount();
  #said = '';
  /** The streamed text of the current reply. */
  #shown = '';
  #isHeld = false;
  #last = '';
  /** The finish reason of the last reply. */
  #ending = 'stop';

  constructor(wanted: ChatTarget) {
    this.#wanted = wanted;
  }

  begin(): ChatItem[] {
    return [this.#chunk({ role: 'assistant', content: '' })];
  }

  take(item: TurnItem): ChatItem[] {
    if ('seq' in item) return this.#event(item);
    switch (item.type) {
      case 'text-delta':
        return item.frame === undefined ? this.#piece(item.text) : [];
      case 'reply-restarted':
        this.#isHeld ||= this.#shown !== '';
        return [];
      case 'answer':
        return this.#answer(item.answer);
      case 'suspended':
        return this.#suspended(item.view.pending);
      case 'later':
        return this.#finish({ finish: 'stop', text: `The answer comes later, as turn ${item.view.turn}.` });
      case 'erased':
        return [{ type: 'end', end: { type: 'erased' } }];
      default:
        return [];
    }
  }

  #event(event: StoredEvent): ChatItem[] {
    this.#usage.add(event);
    if (event.type === 'message-sent') return this.#wanted.hasForm ? [] : this.#paragraph(event.text);
    if (event.type === 'turn-resumed') this.#isHeld = this.#shown !== '';
    return event.type === 'model-replied' && event.frame === undefined ? this.#replied(event) : [];
  }

  #piece(text: string): ChatItem[] {
    if (this.#isHeld || this.#wanted.hasForm) return [];
    const isFirst = this.#shown === '';
    this.#shown += text;
    return isFirst ? this.#paragraph(text) : this.#words(text);
  }

  /** Shows a reply. Streamed text of a failed attempt cannot be removed, so the final reply follows it. */
  #replied({ text, finish }: EventOf<'model-replied'>): ChatItem[] {
    this.#ending = finish;
    if (this.#wanted.hasForm) return [];
    const isMore = this.#shown !== '' && text.startsWith(this.#shown);
    const rest = isMore ? text.slice(this.#shown.length) : text;
    this.#shown = '';
    this.#isHeld = false;
    this.#last = text;
    return isMore ? this.#words(rest) : this.#paragraph(rest);
  }

  #answer(answer: TurnAnswer): ChatItem[] {
    if (answer.outcome === 'failed') return [{ type: 'end', end: { type: 'failed', answer } }];
    const { outcome } = answer;
    const text = formatAnswer(answer, this.#wanted.hasForm);
    const isNew = isAnswered(answer) && text !== this.#last;
    const said = isNew ? this.#paragraph(text) : [];
    // The turn ended during the reply, so this partial text is the only answer.
    if (this.#ending === 'cut-off') return this.#finish({ finish: 'length', text: this.#last });
    const cut = outcome === 'completed' ? findTruncationReason(this.#ending) : undefined;
    const finish = cut ?? (outcome === 'limit-reached' ? 'length' : 'stop');
    return [...said, ...this.#finish({ finish, text })];
  }

  #suspended(pending: readonly PendingView[]): ChatItem[] {
    const calls = pending.flatMap((one): ChatToolCall[] =>
      one.for === 'result'
        ? [
            {
              id: this.#id('call', one.call, one.question),
              type: 'function',
              function: { name: one.tool, arguments: JSON.stringify(one.input) },
            },
          ]
        : [],
    );
    const waiting = pending.filter((one) => one.for === 'decision').map(describePending);
    const deltas = calls.map((call, index) => ({ index, ...call }));
    return [
      ...waiting.flatMap((text) => this.#paragraph(text)),
      ...(deltas.length > 0 ? [this.#chunk({ tool_calls: deltas })] : []),
      ...this.#finish({
        finish: calls.length > 0 ? 'tool_calls' : 'stop',
        text: [this.#last, ...waiting].join('\n\n').trim(),
        calls,
        pending,
      }),
    ];
  }

  #finish({ finish, text, calls = [], pending = [] }: FinishedCompletion): ChatItem[] {
    const { session, turn } = this.#wanted;
    const waits = pending.length === 0 ? {} : { pending: JSON.stringify(pending) };
    const metadata = { session, turn, ...waits };
    const usage = toUsage(this.#usage);
    const end: ChatEnd = { type: 'said', finish, text, streamed: this.#said, calls, usage, metadata };
    const last = this.#chunk({}, finish, metadata);
    return [last, { type: 'end', end }];
  }

  /** Sends text as a separate paragraph. */
  #paragraph(text: string): ChatItem[] {
    return text === '' ? [] : this.#words(this.#said === '' ? text : `\n\n${text}`);
  }

  #words(content: string): ChatItem[] {
    this.#said += content;
    return content === '' ? [] : [this.#chunk({ content })];
  }

  #id(prefix: 'call' | 'chatcmpl', what: string, place: number): string {
    const { agent, session } = this.#wanted;
    return toId(prefix, { agent, session, what, place });
  }

  #chunk(delta: ChatDelta, finish: FinishReason | null = null, metadata?: ChatChunk['metadata']): ChatItem {
    const { turn, behind = { what: turn, place: 0 } } = this.#wanted;
    return {
      type: 'chunk',
      chunk: {
        id: this.#id('chatcmpl', behind.what, behind.place),
        object: 'chat.completion.chunk',
        created: toUnixSeconds(this.#wanted.now),
        model: this.#wanted.agent,
        choices: [{ index: 0, delta, finish_reason: finish, logprobs: null }],
        ...(metadata && { metadata }),
      },
    };
  }
}

/** Describes a pending question and where to answer it, because the protocol has no field for it. */
const describePending = ({ tool, message, links }: PendingView): string =>
  `Call of '${tool}' waits for a decision: ${message} Answer it by POST ${'approvals' in links ? links.approvals : links.results}.`;

function toUsage(usage: UsageCount): ChatUsage {
  const { input_tokens, output_tokens, total_tokens, input_tokens_details, output_tokens_details } =
    usage.told();
  return {
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    total_tokens,
    prompt_tokens_details: { cached_tokens: input_tokens_details.cached_tokens },
    completion_tokens_details: output_tokens_details,
  };
}
