import { splitTextAndCalls } from '../journal/event-rows.ts';
import type { KeptReply, Message } from '../journal/state.ts';
import type { ModelMessage } from '../model/chat-model.ts';
import { isOurCall, type ReplyPart } from '../model/parts.ts';
import type { HistoryMessage } from '../tool/call.ts';

/** A reply after the transformers have run. */
export type ShownReply = Extract<HistoryMessage, { role: 'assistant' }>;

/** The parts of a conversation's replies beyond text and calls. */
export interface KeptReplies {
  /**
   * Returns the parts to send back with a reply, or `undefined` if there are none or a transformer changed
   * the reply.
   */
  of(reply: ShownReply): WireParts | undefined;
  /** Returns the parts that transformers left in a reply, even if they changed its text. */
  partsOf(reply: ShownReply): readonly ReplyPart[];
  /**
   * Returns whether a call, by our id, belongs to a reply with parts. Its provider refuses an incomplete set
   * of parts.
   */
  has(call: string): boolean;
}

type WireParts = Pick<
  Extract<ModelMessage, { role: 'assistant' }>,
  'parts' | 'provider' | 'madeBy' | 'prefix'
>;

/** Finds the kept parts of the replies, including replies that a transformer copied. */
export function findKeptReplies(messages: readonly Message[]): KeptReplies {
  const all = messages.flatMap((message) =>
    message.role === 'assistant' && message.kept ? message.kept : [],
  );
  const byParts = new Map<unknown, KeptReply>(all.map((kept) => [kept.parts, kept]));
  // A cut reply has no remaining parts, so it is sent as text.
  const cut = messages.flatMap((message) =>
    message.role === 'assistant' && message.cut ? message.calls : [],
  );
  const calls = new Set(
    [...all.flatMap(({ parts }) => splitTextAndCalls(parts).toolCalls), ...cut].map(({ id }) => id),
  );
  let byText: ReadonlyMap<string, KeptReply> | undefined;
  const findKept = (parts: ShownReply['parts']): KeptReply | undefined => {
    byText ??= new Map(all.map((kept) => [JSON.stringify(kept.parts), kept]));
    return byText.get(JSON.stringify(parts));
  };
  const find = ({ parts }: ShownReply): KeptReply | undefined =>
    parts && (byParts.get(parts) ?? findKept(parts));
  return {
    of(reply) {
      const kept = find(reply);
      return kept && isUnchanged(reply, kept) ? toWireParts(kept) : undefined;
    },
    partsOf: (reply) => find(reply)?.parts ?? [],
    has: (call) => calls.has(call),
  };
}

/** Returns whether a reply still has the text and calls that its model wrote. */
function isUnchanged({ text, calls }: ShownReply, { parts }: KeptReply): boolean {
  const said = splitTextAndCalls(parts);
  return (
    text === said.text &&
    calls.length === said.toolCalls.length &&
    calls.every(({ id, name, input }, index) => {
      const was = said.toolCalls[index];
      return was?.id === id && was.name === name && was.input === input;
    })
  );
}

const toWireParts = ({ parts, provider, madeBy, prefix }: KeptReply): WireParts => ({
  parts: parts.map((part): ReplyPart => {
    if (!isOurCall(part)) return part;
    const { providerId: id, meant: _, called = part.name, ...call } = part;
    return { ...call, id, name: called };
  }),
  ...(provider && { provider }),
  madeBy,
  ...(prefix && { prefix }),
});
