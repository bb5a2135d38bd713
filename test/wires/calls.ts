/** Shared code for the wires of OpenAI's APIs: JSON arguments, the order of replies, and the next reply. */
import {
  createOwnRefusal,
  formatCanonicalJson,
  getAnswerReply,
  getReply,
  type ScriptedReply,
} from './wire.ts';

/** Formats JSON with spaces, as models write it and `JSON.stringify` does not. */
export function formatSpacedJson(value: unknown): string {
  return JSON.stringify(value, null, 1).replace(/\n */g, ' ');
}

/** Returns `true` if two texts are equal JSON, ignoring spaces and the order of keys. */
export function isSameJson(sent: unknown, given: string): boolean {
  if (typeof sent !== 'string') return false;
  try {
    return formatCanonicalJson(JSON.parse(sent)) === formatCanonicalJson(JSON.parse(given));
  } catch {
    return false;
  }
}

/** The expected replies, and how their order is checked. */
export interface OrderCheck {
  readonly replies: readonly ScriptedReply[];
  /** If `true`, a conversation may start after the first reply, because earlier messages were summarized. */
  readonly mayOmitBeginning: boolean;
}

/** Returns the replies at these positions. They must be consecutive, but an answer may end its turn early. */
export function findReplies(
  places: readonly number[],
  { replies, mayOmitBeginning }: OrderCheck,
): readonly ScriptedReply[] {
  return places.map((place, index) => {
    const before = places[index - 1] ?? (mayOmitBeginning ? place : 0) - 1;
    const next = getReply(replies, before + 1);
    const reply = getReply(replies, place);
    if (reply === next || reply === getAnswerReply(replies, next)) return reply;
    throw createOwnRefusal(`reply ${place + 1} came back where reply ${next.at + 1} was given`);
  });
}

/** The settings of a request that limit the reply. */
export interface ReplyLimits {
  readonly tools: ReadonlySet<unknown>;
  readonly toolChoice: unknown;
}

/** Returns the next reply, or the turn's answer if the request does not allow calls. */
export function computeNextReply(
  replies: readonly ScriptedReply[],
  count: number,
  { tools, toolChoice }: ReplyLimits,
): ScriptedReply {
  const reply = getReply(replies, count);
  if (tools.size === 0 || toolChoice === 'none') return getAnswerReply(replies, reply);
  const missing = reply.calls.find(({ name }) => !tools.has(name));
  if (missing === undefined) return reply;
  throw createOwnRefusal(`the script calls \`${missing.name}\`, which the model cannot call in this request`);
}
