/**
 * What the wire of chat completions refuses in every dialect: replies that are not as they were given, and results that
 * do not stand right behind their calls.
 */
import { isSameJson, notAsGiven, spacedJson } from './as-given.ts';
import { fingerprint, isRecord, Refused, replyAfter, type ScriptedReply } from './wire.ts';

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
  errorBody(status: number, message: string): unknown;
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
export function callsOf({ at, calls }: ScriptedReply): readonly GivenCall[] {
  return calls.map(({ name, input }, index) => ({
    id: `call_${index.toString().padStart(2, '0')}_${fingerprint(['call', at, index], 24)}`,
    type: 'function',
    function: { name, arguments: spacedJson(input) },
  }));
}

export interface MessagesCheck {
  readonly messages: readonly unknown[];
  readonly replies: readonly ScriptedReply[];
  readonly dialect: Dialect;
  readonly exactArguments: boolean;
}

/** How many replies the messages hold. Throws {@link Refused} for what is not as it was given. */
export function checkMessages({ messages, replies, dialect, exactArguments }: MessagesCheck): number {
  const lastUser = messages.findLastIndex((message) => isRecord(message) && message.role === 'user');
  const waiting = new Set<string>();
  const answered = new Set<string>();
  let count = 0;
  for (const [index, message] of messages.entries()) {
    if (!isRecord(message)) throw notAsGiven(`messages[${index}] is no object.`);
    if (message.role === 'tool') {
      takeResult(String(message.tool_call_id), { index, waiting, answered });
      continue;
    }
    refuseUnanswered(waiting);
    if (message.role !== 'assistant') continue;
    const reply = replyAfter(replies, count);
    const calls = callsOf(reply);
    checkCalls(message.tool_calls, calls, { index, exactArguments });
    if ((message.content ?? '') !== reply.text)
      throw notAsGiven(`the text of messages[${index}] is another.`);
    dialect.check({ sent: message, index, reply, isInCurrentTurn: index > lastUser });
    for (const { id } of calls) waiting.add(id);
    count += 1;
  }
  refuseUnanswered(waiting);
  const last = messages.at(-1);
  if (isRecord(last) && last.role === 'assistant') {
    throw notAsGiven('the messages end with an answer, and nothing was asked after it.');
  }
  return count;
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
    throw notAsGiven(`messages[${index}] held ${given.length} calls, and ${calls.length} came back.`);
  }
  for (const [place, call] of given.entries()) {
    const back = calls[place];
    const inside = isRecord(back) && isRecord(back.function) ? back.function : {};
    const isSame = exactArguments
      ? inside.arguments === call.function.arguments
      : isSameJson(inside.arguments, call.function.arguments);
    const isGiven = isRecord(back) && back.id === call.id && inside.name === call.function.name && isSame;
    if (!isGiven) {
      throw notAsGiven(
        `call ${place + 1} of messages[${index}] was ${JSON.stringify(call)}, not ${JSON.stringify(back)}.`,
      );
    }
  }
}
