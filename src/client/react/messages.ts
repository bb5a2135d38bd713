/** A conversation for a page: made from the state of its session and the events after it. */
import type { StoredEvent } from '../../journal/events.ts';
import type { JournaledPart } from '../../journal/reply-data.ts';
import type { MessageSource } from '../../tool/call.ts';
import type { ContentPart } from '../../tool/content.ts';
import type { Json } from '../../tool/json.ts';
import type { ResultData } from '../../tool/tool-result.ts';
import type { MessageView, SessionView } from '../../worker/session-view.ts';
import type { WatchItem } from '../follow.ts';

/** A file of a message or a call. A file that the session stores has an `id` for `session.file`. */
export interface ShownFile {
  readonly mediaType: string;
  readonly name?: string | undefined;
  readonly id?: string | undefined;
  /** The URL of a file that the session does not store, or a data URL of a file that a model has made. */
  readonly url?: string | undefined;
}

/** A tool call in a message. */
export interface ShownCall {
  readonly id: string;
  readonly name: string;
  readonly input: Json;
  readonly status: 'asked' | 'started' | 'waiting' | 'ended';
  /** The progress text of a running call. */
  readonly progress?: string | undefined;
  /** The result of an ended call, as the model reads it. */
  readonly result?: string | undefined;
  readonly files?: readonly ShownFile[] | undefined;
}

/** A message of a conversation. */
export interface SessionMessage {
  /** A key that does not change when messages are added. */
  readonly key: string;
  readonly role: 'user' | 'assistant';
  readonly text: string;
  /** The model's reasoning, if the model shows it. */
  readonly reasoning?: string | undefined;
  readonly files?: readonly ShownFile[] | undefined;
  readonly calls?: readonly ShownCall[] | undefined;
  /** The tool that sent the message while it ran. */
  readonly tool?: string | undefined;
  /** The source of a message that a person did not write. */
  readonly by?: MessageSource | undefined;
  /** Set if its turn ended before the reply did. The text is the part that was shown. */
  readonly cutOff?: true | undefined;
  /**
   * `sending`: the server has not accepted it yet, or it waits for its turn. `streaming`: the model is still
   * writing.
   */
  readonly status?: 'sending' | 'streaming' | undefined;
}

/** A message without its key, which depends on its place. */
export type UnkeyedMessage = Omit<SessionMessage, 'key'>;

/** A partial reply in the turn's main loop. */
interface Draft {
  readonly reply: string;
  /** Its index. Messages to the model that arrive meanwhile follow it. */
  readonly at: number;
  readonly message: UnkeyedMessage;
  /** `true` if its connection is lost: the next one streams the reply from its beginning. */
  readonly isOld?: boolean | undefined;
}

/** The folded data: the messages so far, and the partial reply. */
export interface Conversation {
  readonly messages: readonly UnkeyedMessage[];
  readonly draft?: Draft | undefined;
}

/** Returns all messages in order. */
export const listMessages = ({ messages, draft }: Conversation): readonly UnkeyedMessage[] =>
  draft ? [...messages.slice(0, draft.at), draft.message, ...messages.slice(draft.at)] : messages;

/**
 * Returns the conversation of a state. States do not contain partial text, so it is kept until the state has
 * the reply.
 */
export function foldView(before: Conversation, view: SessionView): Conversation {
  const messages = toMessages(view, before.messages);
  const { draft } = before;
  const isKept = draft && view.openTurn && !messages.slice(draft.at).some(isReply);
  return { messages, draft: isKept ? draft : undefined };
}

const isReply = ({ role, tool }: UnkeyedMessage): boolean => role === 'assistant' && tool === undefined;

/** Returns the messages of a state. Unchanged messages stay the same objects. */
export function toMessages(
  { messages, pending }: Pick<SessionView, 'messages' | 'pending'>,
  before: readonly UnkeyedMessage[] = [],
): readonly UnkeyedMessage[] {
  const waiting = new Set(pending.map(({ call }) => call));
  return messages.map((view, at) => {
    const message = toMessage(view, waiting);
    const known = before[at];
    return known && isSame(known, message) ? known : message;
  });
}

/** Returns whether two JSON values are equal. `undefined` counts as a missing property. */
function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return a === b;
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>]; // objects and arrays alike
  return [...Object.keys(a), ...Object.keys(b)].every((key) => isSame(left[key], right[key]));
}

function toMessage(view: MessageView, waiting: ReadonlySet<string>): UnkeyedMessage {
  if (view.role === 'user') return toUserMessage(view);
  if ('tool' in view) return { role: view.role, text: view.text, tool: view.tool };
  const { role, text, toolCalls, parts = [], cutOff } = view;
  const calls = toolCalls?.map(
    ({ files, ...call }): ShownCall => ({
      ...call,
      input: parseInput(call.input),
      ...(files && collectFiles(files)),
      ...(waiting.has(call.id) && { status: 'waiting' }),
    }),
  );
  return { role, text, ...toReplyParts(parts), ...(calls && { calls }), ...(cutOff && { cutOff }) };
}

function toUserMessage(said: {
  readonly text: string;
  readonly parts?: readonly ContentPart[];
  readonly by?: MessageSource;
}): UnkeyedMessage {
  const { text, parts = [], by } = said;
  return { role: 'user', text, ...collectFiles(parts), ...(by && { by }) };
}

function collectFiles(parts: readonly ContentPart[]): Pick<SessionMessage, 'files'> {
  const files = parts.flatMap((part): ShownFile[] => {
    if (part.type !== 'file') return [];
    const { mediaType, name } = part;
    return [
      { mediaType, name, ...('id' in part && { id: part.id }), ...('url' in part && { url: part.url }) },
    ];
  });
  return files.length > 0 ? { files } : {};
}

function toReplyParts(parts: readonly JournaledPart[]): Pick<SessionMessage, 'reasoning' | 'files'> {
  const reasoning = parts.flatMap((part) => (part.type === 'reasoning' ? part.text : [])).join('\n\n');
  const files = parts.flatMap((part): ShownFile[] => {
    if (part.type !== 'file' || part.ofReasoning) return [];
    const { mediaType, data } = part;
    return [{ mediaType, url: /^https?:/.test(data) ? data : `data:${mediaType};base64,${data}` }];
  });
  return { ...(reasoning && { reasoning }), ...(files.length > 0 && { files }) };
}

/** Returns the conversation after an item. Nested loops show only through their calls. */
export function foldItem(before: Conversation, item: WatchItem): Conversation {
  if (item.type === 'message-sent') return addSentMessage(before, item);
  if ('frame' in item && item.frame !== undefined) return before;
  switch (item.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return { ...before, draft: appendPiece(before, item) };
    case 'reply-restarted':
      return { messages: before.messages };
    case 'progress':
      return updateCall(before, item.call, { progress: item.status });
    default:
      return 'seq' in item ? foldEvent(before, item) : before;
  }
}

type Piece = Extract<WatchItem, { readonly type: 'text-delta' | 'reasoning-delta' }>;

/** Returns the partial reply with one more chunk. */
function appendPiece({ messages, draft }: Conversation, { type, reply, text }: Piece): Draft {
  const known = draft?.reply === reply ? draft : undefined;
  const message = (known?.isOld !== true && known?.message) || EMPTY_REPLY;
  const of = type === 'text-delta' ? 'text' : 'reasoning';
  return {
    reply,
    at: known?.at ?? messages.length,
    message: { ...message, [of]: (message[of] ?? '') + text },
  };
}

const EMPTY_REPLY: UnkeyedMessage = { role: 'assistant', text: '', status: 'streaming' };

/** Adds a call's message to the user, after the reply that contains this call or its enclosing call. */
function addSentMessage(
  before: Conversation,
  { call, under = call, text, tool }: Extract<StoredEvent, { readonly type: 'message-sent' }>,
): Conversation {
  if (tool === undefined) return before; // not a message in older journals
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
      return { messages: [...messages, ...createStartMessages(event, messages.at(-1))] };
    case 'turn-steered':
      return {
        ...before,
        messages: [
          ...messages,
          toUserMessage({ text: event.message, by: 'steer', ...(event.parts && { parts: event.parts }) }),
        ],
      };
    case 'model-replied': {
      const { text, toolCalls, parts = [] } = event;
      const calls = toolCalls.map(
        ({ id, name, input }): ShownCall => ({ id, name, input: parseInput(input), status: 'asked' }),
      );
      const reply = {
        role: 'assistant',
        text,
        ...toReplyParts(parts),
        ...(calls.length > 0 && { calls }),
        ...(event.finish === 'cut-off' && { cutOff: true as const }),
      } as const;
      return { messages: messages.toSpliced(messages.length - (event.unseen ?? 0), 0, reply) };
    }
    // Similar to the text that the model reads. The state has the exact text.
    case 'answer-rejected':
      return { messages: [...messages, { role: 'user', text: event.problems.join('\n'), by: 'loop' }] };
    case 'late-result-received':
      // The end of an open call follows, with its result.
      if (event.open) return before;
      return {
        ...before,
        messages: [...messages, { role: 'user', text: formatResult(event.result), by: 'late' }],
      };
    case 'tool-call-started':
    case 'tool-call-answered':
      return updateCall(before, event.call, { status: 'started' });
    case 'tool-call-suspended':
      return updateCall(before, event.call, { status: 'waiting' });
    case 'tool-call-ended': {
      const { result } = event;
      const files = 'parts' in result && result.parts ? collectFiles(result.parts) : {};
      return updateCall(before, event.call, { status: 'ended', result: formatResult(result), ...files });
    }
    case 'turn-ended':
      return { messages };
    default:
      return before;
  }
}

/** Adds the message of a turn, after the model's note about the previous turn. */
function createStartMessages(
  { message: text, parts, retries, line }: Extract<StoredEvent, { readonly type: 'turn-started' }>,
  last: UnkeyedMessage | undefined,
): readonly UnkeyedMessage[] {
  if (retries) return line ? [{ role: 'user', text: line, by: 'loop' }] : [];
  const isLeft = last?.role === 'user' && last.by !== 'summary';
  return [
    ...(isLeft ? [{ role: 'user', text: '[The last message was not answered.]', by: 'loop' } as const] : []),
    toUserMessage({ text, ...(parts && { parts }) }),
  ];
}

function updateCall(before: Conversation, id: string, change: Partial<ShownCall>): Conversation {
  const messages = before.messages.map((message) =>
    message.calls?.some((call) => call.id === id)
      ? { ...message, calls: message.calls.map((call) => (call.id === id ? { ...call, ...change } : call)) }
      : message,
  );
  return { ...before, messages };
}

/** Parses the input of a call, which is stored as the model wrote it. Invalid JSON is shown as text. */
function parseInput(input: Json): Json {
  if (typeof input !== 'string') return input;
  try {
    return JSON.parse(input) as Json; // parsed from JSON
  } catch {
    return input;
  }
}

/** Returns a text similar to the one that the model reads. The state has the exact text. */
function formatResult(result: ResultData): string {
  switch (result.type) {
    case 'text':
      return result.content;
    case 'error':
      return `Error: ${result.message}`;
    case 'content':
      return joinTexts(result.parts);
    case 'artifact':
      return result.content ?? (result.parts ? joinTexts(result.parts) : JSON.stringify(result.value));
  }
}

const joinTexts = (parts: readonly ContentPart[]): string =>
  parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n\n');
