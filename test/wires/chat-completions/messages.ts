/**
 * The checks of chat completions in every dialect: unchanged replies, and results directly after their calls.
 */
import { findReplies, formatSpacedJson, isSameJson, type OrderCheck } from '../calls.ts';
import {
  computeFingerprint,
  createOwnRefusal,
  findScriptPlaces,
  isRecord,
  RefusalError,
  type ScriptedReply,
} from '../wire.ts';
import type { DialectMedia } from './media.ts';

/** The data that a provider's chat completions add to text and calls, and require in later requests. */
export interface Dialect {
  /** Returns the additional fields of the assistant message in a whole reply. */
  ofMessage(reply: ScriptedReply): Readonly<Record<string, unknown>>;
  /** Returns the same fields as stream deltas. */
  deltas(reply: ScriptedReply): readonly Readonly<Record<string, unknown>>[];
  /** Returns the additional fields of a call. */
  ofCall(reply: ScriptedReply, index: number): Readonly<Record<string, unknown>>;
  /**
   * Checks an assistant message against its reply. @throws {@link Refused} if the dialect's data is missing or
   * changed.
   */
  check(message: SentMessage): void;
  /**
   * Checks the calls of another model. @throws {@link Refused} if they lack data that this dialect requires of
   * all calls.
   */
  checkForeign(message: Pick<SentMessage, 'sent' | 'index' | 'isInCurrentTurn'>): void;
  errorBody(status: number, message: string): unknown;
  /** The files that messages and results may contain. */
  readonly media: DialectMedia;
}

/** A returned assistant message. */
export interface SentMessage {
  readonly sent: Readonly<Record<string, unknown>>;
  /** Its index in `messages`. */
  readonly index: number;
  readonly reply: ScriptedReply;
  /** `true` if no user message follows it. */
  readonly isInCurrentTurn: boolean;
}

/** A call of a reply in the format of messages. */
export interface WireCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** Returns the calls of a reply without the additions of a dialect. */
export function createCalls({ at, calls }: ScriptedReply, seed: string): readonly WireCall[] {
  return calls.map(({ name, input }, index) => ({
    id: `call_${index.toString().padStart(2, '0')}_${computeFingerprint(['call', seed, at, index], 24)}`,
    type: 'function',
    function: { name, arguments: formatSpacedJson(input) },
  }));
}

export interface MessagesCheck extends OrderCheck {
  readonly messages: readonly unknown[];
  readonly seed: string;
  readonly dialect: Dialect;
  readonly exactArguments: boolean;
}

/**
 * Returns how many replies of the script the messages contain. @throws {@link Refused} if a reply was changed.
 */
export function checkMessages(check: MessagesCheck): number {
  const messages = check.messages.map((message, index) => {
    if (isRecord(message)) return { message, index };
    throw createOwnRefusal(`messages[${index}] is no object`);
  });
  checkResults(messages);
  const held = messages.filter(({ message }) => message.role === 'assistant');
  const lastUser = messages.findLastIndex(({ message }) => message.role === 'user');
  const replies = findReplies(findPlaces(held, check), check);
  for (const [place, { message, index }] of held.entries()) {
    const reply = replies[place];
    if (reply === undefined) continue;
    if (isForeign(message, check)) {
      check.dialect.checkForeign({ sent: message, index, isInCurrentTurn: index > lastUser });
      continue;
    }
    checkCalls(message.tool_calls, createCalls(reply, check.seed), {
      index,
      exactArguments: check.exactArguments,
    });
    if ((message.content ?? '') !== reply.text)
      throw createOwnRefusal(`the text of messages[${index}] is another`);
    check.dialect.check({ sent: message, index, reply, isInCurrentTurn: index > lastUser });
  }
  if (messages.at(-1)?.message.role === 'assistant') {
    throw createOwnRefusal('the messages end with an answer, and nothing was asked after it');
  }
  return (replies.at(-1)?.at ?? -1) + 1;
}

interface PlacedMessage {
  readonly message: Readonly<Record<string, unknown>>;
  readonly index: number;
}

function findPlaces(held: readonly PlacedMessage[], { replies, seed }: MessagesCheck): readonly number[] {
  return findScriptPlaces(
    replies,
    held.map(({ message }) => ({ callIds: listCallIds(message), text: String(message.content ?? '') })),
    (reply, call) => createCalls(reply, seed)[call]?.id ?? '',
  );
}

/** Returns `true` if another model made the calls of a message. */
function isForeign(message: PlacedMessage['message'], { replies, seed }: MessagesCheck): boolean {
  const ids = listCallIds(message);
  const own = new Set(replies.flatMap((reply) => createCalls(reply, seed).map(({ id }) => id)));
  return ids.length > 0 && !ids.some((id) => own.has(id));
}

function listCallIds({ tool_calls }: PlacedMessage['message']): readonly string[] {
  const calls: readonly unknown[] = Array.isArray(tool_calls) ? tool_calls : [];
  return calls.filter(isRecord).map(({ id }) => String(id));
}

/** Checks that each result follows the message with its call, exactly once. */
function checkResults(messages: readonly PlacedMessage[]): void {
  let waiting = new Set<string>();
  const answered = new Set<string>();
  for (const { message, index } of messages) {
    if (message.role === 'tool') {
      takeResult(String(message.tool_call_id), { index, waiting, answered });
      continue;
    }
    refuseUnanswered(waiting);
    if (message.role === 'assistant') waiting = new Set(listCallIds(message));
  }
  refuseUnanswered(waiting);
}

interface Results {
  readonly index: number;
  readonly waiting: Set<string>;
  readonly answered: Set<string>;
}

function takeResult(id: string, { index, waiting, answered }: Results): void {
  if (answered.has(id)) {
    throw new RefusalError(400, `Duplicate value for 'tool_call_id' of '${id}' in message[${index}]`);
  }
  if (!waiting.delete(id)) {
    throw new RefusalError(
      400,
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    );
  }
  answered.add(id);
}

function refuseUnanswered(waiting: ReadonlySet<string>): void {
  if (waiting.size === 0) return;
  throw new RefusalError(
    400,
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
      `The following tool_call_ids did not have response messages: ${[...waiting].join(', ')}`,
  );
}

interface CallsCheck {
  readonly index: number;
  readonly exactArguments: boolean;
}

function checkCalls(sent: unknown, given: readonly WireCall[], { index, exactArguments }: CallsCheck): void {
  const calls: readonly unknown[] = Array.isArray(sent) ? sent : [];
  if (calls.length !== given.length) {
    throw createOwnRefusal(`messages[${index}] held ${given.length} calls, and ${calls.length} came back`);
  }
  for (const [place, call] of given.entries()) {
    const back = calls[place];
    const inside = isRecord(back) && isRecord(back.function) ? back.function : {};
    const isSame = exactArguments
      ? inside.arguments === call.function.arguments
      : isSameJson(inside.arguments, call.function.arguments);
    const isGiven = isRecord(back) && back.id === call.id && inside.name === call.function.name && isSame;
    if (!isGiven) {
      throw createOwnRefusal(
        `call ${place + 1} of messages[${index}] was ${JSON.stringify(call)}, not ${JSON.stringify(back)}`,
      );
    }
  }
}
