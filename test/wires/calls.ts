/** What the wires of OpenAI's APIs share: arguments of calls as JSON, the order of replies, and what may be said next. */
import { answerOf, canonical, ownRefusal, replyAfter, type ScriptedReply } from './wire.ts';

/** JSON with spaces, as models write it and `JSON.stringify` does not. */
export function spacedJson(value: unknown): string {
  return JSON.stringify(value, null, 1).replace(/\n */g, ' ');
}

/** Whether two texts are the same JSON, up to spaces and the order of keys. */
export function isSameJson(sent: unknown, given: string): boolean {
  if (typeof sent !== 'string') return false;
  try {
    return canonical(JSON.parse(sent)) === canonical(JSON.parse(given));
  } catch {
    return false;
  }
}

/** What the replies of a conversation are held against. */
export interface OrderCheck {
  readonly replies: readonly ScriptedReply[];
  /** Whether a conversation may begin behind the first reply, because what came before was summarized. */
  readonly beginningMayGo: boolean;
}

/** The replies at these places, which have to follow each other. An answer may cut its turn short. */
export function repliesAt(
  places: readonly number[],
  { replies, beginningMayGo }: OrderCheck,
): readonly ScriptedReply[] {
  return places.map((place, index) => {
    const before = places[index - 1] ?? (beginningMayGo ? place : 0) - 1;
    const next = replyAfter(replies, before + 1);
    const reply = replyAfter(replies, place);
    if (reply === next || reply === answerOf(replies, next)) return reply;
    throw ownRefusal(`reply ${place + 1} came back where reply ${next.at + 1} was given`);
  });
}

/** What a request lets the model do. */
export interface Freedom {
  readonly tools: ReadonlySet<unknown>;
  readonly toolChoice: unknown;
}

/** The reply that comes next, or its turn's words where the request lets nothing be called. */
export function nextReply(
  replies: readonly ScriptedReply[],
  count: number,
  { tools, toolChoice }: Freedom,
): ScriptedReply {
  const reply = replyAfter(replies, count);
  if (tools.size === 0 || toolChoice === 'none') return answerOf(replies, reply);
  const missing = reply.calls.find(({ name }) => !tools.has(name));
  if (missing === undefined) return reply;
  throw ownRefusal(`the script calls \`${missing.name}\`, which the model cannot call in this request`);
}
