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
  /** Its turn ended before it did: this is what was shown of it. */
  readonly cutOff?: true | undefined;
  /** `sending`: the server has not taken it yet, or it waits for its turn. `streaming`: the model is still at it. */
  readonly status?: 'sending' | 'streaming' | undefined;
}

/** A message without its key, which its place gives it. */
export type Unkeyed = Omit<SessionMessage, 'key'>;

/** What there is of a reply of the turn's own loop, while its model is at it. */
interface Draft {
  readonly reply: string;
  /** Its place: what is said to the model meanwhile stands behind it. */
  readonly at: number;
  readonly message: Unkeyed;
  /** The connection that brought it is lost: the next one shows the reply from its beginning. */
  readonly isOld?: boolean | undefined;
}

/** What is folded: the messages so far, and what there is of the reply that comes. */
export interface Conversation {
  readonly messages: readonly Unkeyed[];
  readonly draft?: Draft | undefined;
}

/** All messages, in their order. */
export const listed = ({ messages, draft }: Conversation): readonly Unkeyed[] =>
  draft ? [...messages.slice(0, draft.at), draft.message, ...messages.slice(draft.at)] : messages;

/** The conversation of a state. Pieces of the reply that comes are in none: they are kept until it has the reply. */
export function afterView(before: Conversation, view: SessionView): Conversation {
  const messages = toMessages(view, before.messages);
  const { draft } = before;
  const isKept = draft && view.openTurn && !messages.slice(draft.at).some(isReply);
  return { messages, draft: isKept ? draft : undefined };
}

const isReply = ({ role, tool }: Unkeyed): boolean => role === 'assistant' && tool === undefined;

/** The messages of a state; those that are shown as they were stay the same objects. */
export function toMessages(
  { messages, pending }: Pick<SessionView, 'messages' | 'pending'>,
  before: readonly Unkeyed[] = [],
): readonly Unkeyed[] {
  const waiting = new Set(pending.map(({ call }) => call));
  return messages.map((view, at) => {
    const message = toMessage(view, waiting);
    const known = before[at];
    return known && isSame(known, message) ? known : message;
  });
}

/** Whether two JSON values say the same; what is undefined is not there. */
function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return a === b;
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>]; // objects and arrays alike
  return [...Object.keys(a), ...Object.keys(b)].every((key) => isSame(left[key], right[key]));
}

function toMessage(view: MessageView, waiting: ReadonlySet<string>): Unkeyed {
  if (view.role === 'user') return userMessage(view);
  if ('tool' in view) return { role: view.role, text: view.text, tool: view.tool };
  const { role, text, toolCalls, parts = [], cutOff } = view;
  const calls = toolCalls?.map(
    ({ files, ...call }): ShownCall => ({
      ...call,
      input: asJson(call.input),
      ...(files && filesOf(files)),
      ...(waiting.has(call.id) && { status: 'waiting' }),
    }),
  );
  return { role, text, ...ofParts(parts), ...(calls && { calls }), ...(cutOff && { cutOff }) };
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
  if (item.type === 'message-sent') return withSaid(before, item);
  if ('frame' in item && item.frame !== undefined) return before;
  switch (item.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return { ...before, draft: withPiece(before, item) };
    case 'reply-restarted':
      return { messages: before.messages };
    case 'progress':
      return withCall(before, item.call, { progress: item.status });
    default:
      return 'seq' in item ? foldEvent(before, item) : before;
  }
}

type Piece = Extract<WatchItem, { readonly type: 'text-delta' | 'reasoning-delta' }>;

/** What there is of a reply with one more piece. */
function withPiece({ messages, draft }: Conversation, { type, reply, text }: Piece): Draft {
  const known = draft?.reply === reply ? draft : undefined;
  const message = (known?.isOld !== true && known?.message) || BEGUN;
  const of = type === 'text-delta' ? 'text' : 'reasoning';
  return {
    reply,
    at: known?.at ?? messages.length,
    message: { ...message, [of]: (message[of] ?? '') + text },
  };
}

const BEGUN: Unkeyed = { role: 'assistant', text: '', status: 'streaming' };

/** What a call says to the user stands behind the reply that has asked for the call, or for the one around it. */
function withSaid(
  before: Conversation,
  { call, under = call, text, tool }: Extract<StoredEvent, { readonly type: 'message-sent' }>,
): Conversation {
  if (tool === undefined) return before; // of a journal in which it is no message
  const { messages } = before;
  const asked = messages.findLastIndex(({ calls }) => calls?.some(({ id }) => id === under));
  const next = messages.findIndex((message, at) => at > asked && message.tool === undefined);
  const said = { role: 'assistant', text, tool } as const;
  return { ...before, messages: messages.toSpliced(next < 0 ? messages.length : next, 0, said) };
}

function foldEvent(before: Conversation, event: StoredEvent): Conversation {
  const { messages } = before;
  switch (event.type) {
    case 'turn-started':
      return { messages: [...messages, ...begunBy(event, messages.at(-1))] };
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
      const reply = {
        role: 'assistant',
        text,
        ...ofParts(parts),
        ...(calls.length > 0 && { calls }),
        ...(event.finish === 'cut-off' && { cutOff: true as const }),
      } as const;
      return { messages: messages.toSpliced(messages.length - (event.unseen ?? 0), 0, reply) };
    }
    // About what the model is told; the state has it exactly.
    case 'answer-rejected':
      return { messages: [...messages, { role: 'user', text: event.problems.join('\n'), by: 'loop' }] };
    case 'late-result-received':
      // The end of the call, which follows, shows the result of one that is open.
      if (event.open) return before;
      return {
        ...before,
        messages: [...messages, { role: 'user', text: wordsOf(event.result), by: 'late' }],
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

/** The message of a turn, behind what the model is told of the one before it. */
function begunBy(
  { message: text, parts, retries, line }: Extract<StoredEvent, { readonly type: 'turn-started' }>,
  last: Unkeyed | undefined,
): readonly Unkeyed[] {
  if (retries) return line ? [{ role: 'user', text: line, by: 'loop' }] : [];
  const isLeft = last?.role === 'user' && last.by !== 'summary';
  return [
    ...(isLeft ? [{ role: 'user', text: '[The last message was not answered.]', by: 'loop' } as const] : []),
    userMessage({ text, ...(parts && { parts }) }),
  ];
}

function withCall(before: Conversation, id: string, change: Partial<ShownCall>): Conversation {
  const messages = before.messages.map((message) =>
    message.calls?.some((call) => call.id === id)
      ? { ...message, calls: message.calls.map((call) => (call.id === id ? { ...call, ...change } : call)) }
      : message,
  );
  return { ...before, messages };
}

/** The input of a call as it is meant, which is kept as its model has written it: what is no JSON is shown as its text. */
function asJson(input: Json): Json {
  if (typeof input !== 'string') return input;
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
