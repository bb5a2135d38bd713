import { saidIn } from '../journal/event-rows.ts';
import type { KeptReply, Message } from '../journal/state.ts';
import type { ModelMessage } from '../model/chat-model.ts';
import { isOurCall, type ReplyPart } from '../model/parts.ts';
import type { HistoryMessage } from '../tool/call.ts';

/** A reply as transformers have left it. */
export type ShownReply = Extract<HistoryMessage, { role: 'assistant' }>;

/** What the replies of a conversation hold beside words and calls. */
export interface KeptReplies {
  /** Answers it as it goes back with a reply; nothing when there is nothing, or when the reply was changed since. */
  of(reply: ShownReply): KeptOnWire | undefined;
  /** Answers the parts that a transformer has left beside a reply, whatever it has changed. */
  partsOf(reply: ShownReply): readonly ReplyPart[];
  /** Tells whether a call, by our id, is of such a reply: its provider would refuse half of what belongs together. */
  has(call: string): boolean;
}

type KeptOnWire = Pick<
  Extract<ModelMessage, { role: 'assistant' }>,
  'parts' | 'provider' | 'madeBy' | 'prefix'
>;

/** Finds what the replies of a conversation hold, also of those that a transformer has copied. */
export function keptReplies(messages: readonly Message[]): KeptReplies {
  const all = messages.flatMap((message) =>
    message.role === 'assistant' && message.kept ? message.kept : [],
  );
  const byParts = new Map<unknown, KeptReply>(all.map((kept) => [kept.parts, kept]));
  // Of a reply that was cut nothing is kept, and what is left of it is told in words all the same.
  const cut = messages.flatMap((message) =>
    message.role === 'assistant' && message.cut ? message.calls : [],
  );
  const calls = new Set([...all.flatMap(({ parts }) => saidIn(parts).toolCalls), ...cut].map(({ id }) => id));
  let byText: ReadonlyMap<string, KeptReply> | undefined;
  const copied = (parts: ShownReply['parts']): KeptReply | undefined => {
    byText ??= new Map(all.map((kept) => [JSON.stringify(kept.parts), kept]));
    return byText.get(JSON.stringify(parts));
  };
  const find = ({ parts }: ShownReply): KeptReply | undefined =>
    parts && (byParts.get(parts) ?? copied(parts));
  return {
    of(reply) {
      const kept = find(reply);
      return kept && isUnchanged(reply, kept) ? onWire(kept) : undefined;
    },
    partsOf: (reply) => find(reply)?.parts ?? [],
    has: (call) => calls.has(call),
  };
}

/** Whether a reply still says what it said when its model gave it. */
function isUnchanged({ text, calls }: ShownReply, { parts }: KeptReply): boolean {
  const said = saidIn(parts);
  return (
    text === said.text &&
    calls.length === said.toolCalls.length &&
    calls.every(({ id, name, input }, index) => {
      const was = said.toolCalls[index];
      return was?.id === id && was.name === name && was.input === input;
    })
  );
}

const onWire = ({ parts, provider, madeBy, prefix }: KeptReply): KeptOnWire => ({
  parts: parts.map((part): ReplyPart => {
    if (!isOurCall(part)) return part;
    const { providerId: id, meant: _, called = part.name, ...call } = part;
    return { ...call, id, name: called };
  }),
  ...(provider && { provider }),
  madeBy,
  ...(prefix && { prefix }),
});
