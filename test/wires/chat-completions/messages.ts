/**
 * What the wire of chat completions refuses in every dialect: replies that are not as they were given, and results that
 * do not stand right behind their calls.
 */
import { isSameJson, type OrderCheck, repliesAt, spacedJson } from '../calls.ts';
import { fingerprint, isRecord, ownRefusal, placesOf, Refused, type ScriptedReply } from '../wire.ts';
import type { DialectMedia } from './media.ts';

/** What a provider's chat completions give beside text and calls, and refuse to miss. */
export interface Dialect {
  /** What the assistant's message holds more in a whole reply. */
  ofMessage(reply: ScriptedReply): Readonly<Record<string, unknown>>;
  /** The same in pieces. */
  deltas(reply: ScriptedReply): readonly Readonly<Record<string, unknown>>[];
  /** What a call holds more. */
  ofCall(reply: ScriptedReply, index: number): Readonly<Record<string, unknown>>;
  /** Throws {@link Refused} for a message of an assistant that does not hold what its reply held. */
  check(message: SentMessage): void;
  /** Throws {@link Refused} for calls of another model that do not hold what this one wants of all. */
  checkForeign(message: Pick<SentMessage, 'sent' | 'index' | 'isInCurrentTurn'>): void;
  errorBody(status: number, message: string): unknown;
  /** Which files messages and results hold. */
  readonly media: DialectMedia;
}

/** A message of an assistant that came back. */
export interface SentMessage {
  readonly sent: Readonly<Record<string, unknown>>;
  /** Its place in `messages`. */
  readonly index: number;
  readonly reply: ScriptedReply;
  /** Whether no user's message stands behind it. */
  readonly isInCurrentTurn: boolean;
}

/** One call of a reply, as a message holds it. */
export interface GivenCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** The calls of a reply, before what a dialect adds. */
export function callsOf({ at, calls }: ScriptedReply, seed: string): readonly GivenCall[] {
  return calls.map(({ name, input }, index) => ({
    id: `call_${index.toString().padStart(2, '0')}_${fingerprint(['call', seed, at, index], 24)}`,
    type: 'function',
    function: { name, arguments: spacedJson(input) },
  }));
}

export interface MessagesCheck extends OrderCheck {
  readonly messages: readonly unknown[];
  readonly seed: string;
  readonly dialect: Dialect;
  readonly exactArguments: boolean;
}

/** How many replies of the script the messages take. Throws {@link Refused} for what is not as it was given. */
export function checkMessages(check: MessagesCheck): number {
  const messages = check.messages.map((message, index) => {
    if (isRecord(message)) return { message, index };
    throw ownRefusal(`messages[${index}] is no object`);
  });
  checkResults(messages);
  const held = messages.filter(({ message }) => message.role === 'assistant');
  const lastUser = messages.findLastIndex(({ message }) => message.role === 'user');
  const replies = repliesAt(placesIn(held, check), check);
  for (const [place, { message, index }] of held.entries()) {
    const reply = replies[place];
    if (reply === undefined) continue;
    if (isForeign(message, check)) {
      check.dialect.checkForeign({ sent: message, index, isInCurrentTurn: index > lastUser });
      continue;
    }
    checkCalls(message.tool_calls, callsOf(reply, check.seed), {
      index,
      exactArguments: check.exactArguments,
    });
    if ((message.content ?? '') !== reply.text) throw ownRefusal(`the text of messages[${index}] is another`);
    check.dialect.check({ sent: message, index, reply, isInCurrentTurn: index > lastUser });
  }
  if (messages.at(-1)?.message.role === 'assistant') {
    throw ownRefusal('the messages end with an answer, and nothing was asked after it');
  }
  return (replies.at(-1)?.at ?? -1) + 1;
}

interface Placed {
  readonly message: Readonly<Record<string, unknown>>;
  readonly index: number;
}

function placesIn(held: readonly Placed[], { replies, seed }: MessagesCheck): readonly number[] {
  return placesOf(
    replies,
    held.map(({ message }) => ({ callIds: callIdsIn(message), text: String(message.content ?? '') })),
    (reply, call) => callsOf(reply, seed)[call]?.id ?? '',
  );
}

/** Calls that this model has not made: another one has answered in its place. */
function isForeign(message: Placed['message'], { replies, seed }: MessagesCheck): boolean {
  const ids = callIdsIn(message);
  const own = new Set(replies.flatMap((reply) => callsOf(reply, seed).map(({ id }) => id)));
  return ids.length > 0 && !ids.some((id) => own.has(id));
}

function callIdsIn({ tool_calls }: Placed['message']): readonly string[] {
  const calls: readonly unknown[] = Array.isArray(tool_calls) ? tool_calls : [];
  return calls.filter(isRecord).map(({ id }) => String(id));
}

/** Results stand right behind the message that calls, each once. */
function checkResults(messages: readonly Placed[]): void {
  let waiting = new Set<string>();
  const answered = new Set<string>();
  for (const { message, index } of messages) {
    if (message.role === 'tool') {
      takeResult(String(message.tool_call_id), { index, waiting, answered });
      continue;
    }
    refuseUnanswered(waiting);
    if (message.role === 'assistant') waiting = new Set(callIdsIn(message));
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
    throw new Refused(400, `Duplicate value for 'tool_call_id' of '${id}' in message[${index}]`);
  }
  if (!waiting.delete(id)) {
    throw new Refused(
      400,
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    );
  }
  answered.add(id);
}

function refuseUnanswered(waiting: ReadonlySet<string>): void {
  if (waiting.size === 0) return;
  throw new Refused(
    400,
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
      `The following tool_call_ids did not have response messages: ${[...waiting].join(', ')}`,
  );
}

interface CallsCheck {
  readonly index: number;
  readonly exactArguments: boolean;
}

function checkCalls(sent: unknown, given: readonly GivenCall[], { index, exactArguments }: CallsCheck): void {
  const calls: readonly unknown[] = Array.isArray(sent) ? sent : [];
  if (calls.length !== given.length) {
    throw ownRefusal(`messages[${index}] held ${given.length} calls, and ${calls.length} came back`);
  }
  for (const [place, call] of given.entries()) {
    const back = calls[place];
    const inside = isRecord(back) && isRecord(back.function) ? back.function : {};
    const isSame = exactArguments
      ? inside.arguments === call.function.arguments
      : isSameJson(inside.arguments, call.function.arguments);
    const isGiven = isRecord(back) && back.id === call.id && inside.name === call.function.name && isSame;
    if (!isGiven) {
      throw ownRefusal(
        `call ${place + 1} of messages[${index}] was ${JSON.stringify(call)}, not ${JSON.stringify(back)}`,
      );
    }
  }
}
