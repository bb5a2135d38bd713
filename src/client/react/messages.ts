/** A conversation as a page shows it: made of the state of its session, and of what happens after that. */
import type { StoredEvent } from '../../journal/events.ts';
import type { JournaledPart } from '../../journal/reply-data.ts';
import type { MessageBy } from '../../tool/call.ts';
import type { ContentPart } from '../../tool/content.ts';
import type { Json } from '../../tool/json.ts';
import type { ResultData } from '../../tool/tool-result.ts';
import type { MessageView, SessionView } from '../../worker/session-view.ts';
import type { WatchItem } from '../follow.ts';

/** A file of a message or of a call: one that the session keeps has an `id`, by which `session.file` reads it. */
export interface ShownFile {
  readonly mediaType: string;
  readonly name?: string | undefined;
  readonly id?: string | undefined;
  /** Where it is, where the session does not keep it; a data URL of one that a model has made. */
  readonly url?: string | undefined;
}

/** A call of a tool. */
export interface ShownCall {
  readonly id: string;
  readonly name: string;
  readonly input: Json;
  readonly status: 'asked' | 'started' | 'waiting' | 'ended';
  /** What it says of itself while it runs. */
  readonly progress?: string | undefined;
  /** What the model reads of its result, once it has ended. */
  readonly result?: string | undefined;
  readonly files?: readonly ShownFile[] | undefined;
}

/** A message of a conversation. */
export interface SessionMessage {
  /** Stays the same, whatever is added. */
  readonly key: string;
  readonly role: 'user' | 'assistant';
  readonly text: string;
  /** What the model thought, as far as it tells. */
  readonly reasoning?: string | undefined;
  readonly files?: readonly ShownFile[] | undefined;
  readonly calls?: readonly ShownCall[] | undefined;
  /** The tool that has said it, while it ran. */
  readonly tool?: string | undefined;
  /** Of a message that nobody has written: whose it is. */
  readonly by?: MessageBy | undefined;
  /** `sending`: the server has not taken it yet, or it waits for its turn. `streaming`: the model is still at it. */
  readonly status?: 'sending' | 'streaming' | undefined;
}

type Unkeyed = Omit<SessionMessage, 'key'>;

/** What is folded: the messages so far, and what there is of the reply that comes. */
export interface Conversation {
  readonly messages: readonly Unkeyed[];
  /** Of the turn's own loop, by the id of the reply. */
  readonly draft?: { readonly reply: string; readonly text: string; readonly reasoning: string } | undefined;
}

/** The messages of a state. */
export function toMessages({
  messages,
  pending,
}: Pick<SessionView, 'messages' | 'pending'>): readonly Unkeyed[] {
  const waiting = new Set(pending.map(({ call }) => call));
  return messages.map((view) => toMessage(view, waiting));
}

function toMessage(view: MessageView, waiting: ReadonlySet<string>): Unkeyed {
  if (view.role === 'user') return userMessage(view);
  if ('tool' in view) return { role: view.role, text: view.text, tool: view.tool };
  const { role, text, toolCalls, parts = [] } = view;
  const calls = toolCalls?.map((call) =>
    waiting.has(call.id) ? { ...call, status: 'waiting' as const } : call,
  );
  return { role, text, ...ofParts(parts), ...(calls && { calls }) };
}

function userMessage(said: {
  readonly text: string;
  readonly parts?: readonly ContentPart[];
  readonly by?: MessageBy;
}): Unkeyed {
  const { text, parts = [], by } = said;
  return { role: 'user', text, ...filesOf(parts), ...(by && { by }) };
}

function filesOf(parts: readonly ContentPart[]): Pick<SessionMessage, 'files'> {
  const files = parts.flatMap((part): ShownFile[] => {
    if (part.type !== 'file') return [];
    const { mediaType, name } = part;
    return [
      { mediaType, name, ...('id' in part && { id: part.id }), ...('url' in part && { url: part.url }) },
    ];
  });
  return files.length > 0 ? { files } : {};
}

function ofParts(parts: readonly JournaledPart[]): Pick<SessionMessage, 'reasoning' | 'files'> {
  const reasoning = parts.flatMap((part) => (part.type === 'reasoning' ? part.text : [])).join('\n\n');
  const files = parts.flatMap((part): ShownFile[] => {
    if (part.type !== 'file' || part.ofReasoning) return [];
    const { mediaType, data } = part;
    return [{ mediaType, url: /^https?:/.test(data) ? data : `data:${mediaType};base64,${data}` }];
  });
  return { ...(reasoning && { reasoning }), ...(files.length > 0 && { files }) };
}

/** The conversation after something has happened. What happens in nested loops is seen by its calls alone. */
export function foldItem(before: Conversation, item: WatchItem): Conversation {
  if ('frame' in item && item.frame !== undefined) return before;
  switch (item.type) {
    case 'text-delta':
    case 'reasoning-delta': {
      const {
        reply,
        text = '',
        reasoning = '',
      } = before.draft?.reply === item.reply ? before.draft : { reply: item.reply };
      const draft =
        item.type === 'text-delta'
          ? { reply, text: text + item.text, reasoning }
          : { reply, text, reasoning: reasoning + item.text };
      return { ...before, draft };
    }
    case 'reply-restarted':
      return { messages: before.messages };
    // Pieces of its text may be missing: all of it comes at its end.
    case 'resumed':
      return before.draft
        ? { ...before, draft: { ...before.draft, text: `${before.draft.text} … ` } }
        : before;
    case 'progress':
      return withCall(before, item.call, { progress: item.status });
    default:
      return 'seq' in item ? foldEvent(before, item) : before;
  }
}

function foldEvent(before: Conversation, event: StoredEvent): Conversation {
  const { messages } = before;
  switch (event.type) {
    case 'turn-started':
      return {
        messages: [
          ...messages,
          userMessage({ text: event.message, ...(event.parts && { parts: event.parts }) }),
        ],
      };
    case 'turn-steered':
      return {
        ...before,
        messages: [
          ...messages,
          userMessage({ text: event.message, by: 'steer', ...(event.parts && { parts: event.parts }) }),
        ],
      };
    case 'model-replied': {
      const { text, toolCalls, parts = [] } = event;
      const calls = toolCalls.map(
        ({ id, name, input }): ShownCall => ({ id, name, input: asJson(input), status: 'asked' }),
      );
      return {
        messages: [
          ...messages,
          { role: 'assistant', text, ...ofParts(parts), ...(calls.length > 0 && { calls }) },
        ],
      };
    }
    case 'message-sent':
      return {
        ...before,
        messages: [...messages, { role: 'assistant', text: event.text, tool: event.tool ?? '' }],
      };
    case 'tool-call-started':
    case 'tool-call-answered':
      return withCall(before, event.call, { status: 'started' });
    case 'tool-call-suspended':
      return withCall(before, event.call, { status: 'waiting' });
    case 'tool-call-ended': {
      const { result } = event;
      const files = 'parts' in result && result.parts ? filesOf(result.parts) : {};
      return withCall(before, event.call, { status: 'ended', result: wordsOf(result), ...files });
    }
    case 'turn-ended':
      return { messages };
    default:
      return before;
  }
}

function withCall(before: Conversation, id: string, change: Partial<ShownCall>): Conversation {
  const messages = before.messages.map((message) =>
    message.calls?.some((call) => call.id === id)
      ? { ...message, calls: message.calls.map((call) => (call.id === id ? { ...call, ...change } : call)) }
      : message,
  );
  return { ...before, messages };
}

/** The input of a call as it is meant: what is no JSON is shown as its text. */
function asJson(input: string): Json {
  try {
    return JSON.parse(input) as Json; // which is what JSON holds
  } catch {
    return input;
  }
}

/** About what the model reads of a result; the state has it exactly. */
function wordsOf(result: ResultData): string {
  switch (result.type) {
    case 'text':
      return result.content;
    case 'error':
      return `Error: ${result.message}`;
    case 'content':
      return textsOf(result.parts);
    case 'artifact':
      return result.content ?? (result.parts ? textsOf(result.parts) : JSON.stringify(result.value));
  }
}

const textsOf = (parts: readonly ContentPart[]): string =>
  parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n\n');
