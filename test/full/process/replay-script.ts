import type { AssistantMessage, Conversation, Message, Recording } from './recording.ts';

/** The next item of the recording, or a description of how the request differs from the recording. */
export type ScriptMatch<Next> = { readonly next: Next } | { readonly difference: string };

/** A recorded reply of the model. */
export interface Reply {
  readonly conversation: string;
  /** The position of the message in its conversation. */
  readonly position: number;
  readonly message: AssistantMessage;
}

/** A recorded output. */
export interface RecordedOutput {
  /** The position of the tool message in its conversation. */
  readonly position: number;
  readonly output: string;
}

/**
 * The recorded conversations, which return an item only for a request that equals the recording byte for byte.
 */
export interface ReplayScript {
  /** Returns the conversation that has the longest common start with these messages. */
  conversationOf(messages: readonly unknown[]): string;
  /** Returns the recorded reply to exactly these messages. */
  replyTo(messages: readonly unknown[]): ScriptMatch<Reply>;
  /** Returns the recorded output of the call in the last reply of a conversation. */
  outputOf(conversation: string, tool: string, input: unknown): ScriptMatch<RecordedOutput>;
}

interface ScriptedConversation {
  readonly conversation: Conversation;
  /** The canonical text of each message in a model request, starting with the system message. */
  readonly sent: readonly string[];
}

/** Creates the script of a recording. It stores the last reply of each conversation. */
export function createReplayScript({ system, conversations }: Recording): ReplayScript {
  const scripted = conversations.map((conversation): ScriptedConversation => {
    const messages: Message[] = [{ role: 'system', content: system }, ...conversation.messages];
    return { conversation, sent: messages.map((message) => toCanonicalJson(asSent(message))) };
  });
  const lastReplies = new Map<string, Reply>();

  return {
    conversationOf: (messages) => findBestMatch(scripted, messages).conversation.id,

    replyTo(messages) {
      const { conversation, sent, agreed } = findBestMatch(scripted, messages);
      if (agreed < messages.length) {
        return { difference: describeDifference(conversation.id, agreed, sent[agreed], messages[agreed]) };
      }
      const position = messages.length - 1; // the system message is not part of the conversation
      const message = conversation.messages[position];
      if (message?.role !== 'assistant') {
        return { difference: `${conversation.id}: no reply was recorded at ${position}` };
      }
      const reply = { conversation: conversation.id, position, message };
      lastReplies.set(conversation.id, reply);
      return { next: reply };
    },

    outputOf(id, tool, input) {
      const reply = lastReplies.get(id);
      const messages = conversations.find((conversation) => conversation.id === id)?.messages ?? [];
      const call = reply?.message.tool_calls?.find(
        (asked) =>
          asked.function.name === tool &&
          toCanonicalJson(JSON.parse(asked.function.arguments)) === toCanonicalJson(input),
      );
      const position = messages.findIndex(
        (message, index) =>
          index > (reply?.position ?? 0) && message.role === 'tool' && message.tool_call_id === call?.id,
      );
      const answer = messages[position];
      if (call === undefined || answer?.role !== 'tool') {
        return { difference: `${id}: the call ${tool}(${toCanonicalJson(input)}) was not recorded here` };
      }
      return { next: { position, output: answer.content } };
    },
  };
}

interface Match extends ScriptedConversation {
  /** The number of equal messages at the start of both lists. */
  readonly agreed: number;
}

function findBestMatch(scripted: readonly ScriptedConversation[], messages: readonly unknown[]): Match {
  const texts = messages.map(toCanonicalJson);
  const matches = scripted.map((one): Match => {
    const differs = texts.findIndex((text, index) => text !== one.sent[index]);
    return { ...one, agreed: differs === -1 ? texts.length : differs };
  });
  const [best] = matches.sort((a, b) => b.agreed - a.agreed);
  if (best === undefined) throw new Error('The recording contains no conversations.');
  return best;
}

/**
 * Converts a message to the wire format. The recording also has the tool's name in its outputs, which the wire
 * format does not need.
 */
function asSent(message: Message): Message {
  if (message.role !== 'tool') return message;
  const { role, content, tool_call_id } = message;
  return { role, content, tool_call_id };
}

function describeDifference(id: string, at: number, recorded = 'nothing', sent: unknown): string {
  const text = toCanonicalJson(sent);
  const from = [...text].findIndex((character, index) => character !== recorded[index]);
  const quoteAround = (whole: string): string => whole.slice(Math.max(0, from - 20), from + 40);
  return `${id}: message ${at} was recorded as ...${quoteAround(recorded)}... and sent as ...${quoteAround(text)}...`;
}

/**
 * Serializes a value as JSON without spaces and with sorted keys. The text of arguments is a string and stays
 * unchanged.
 */
export function toCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${toCanonicalJson(member)}`);
  return `{${members.join(',')}}`;
}
