import { toRow, toTurnStart } from '../journal/event-rows.ts';
import type { SessionEvent } from '../journal/events.ts';
import type { ReaderCapabilities, SessionPort } from '../journal/session-port.ts';
import type { HistoryCall, HistoryMessage, TurnPrincipal } from '../tool/call.ts';
import { isJsonObject } from '../tool/json.ts';
import { describeValue } from '../tool/shown.ts';
import { ToolCallContext } from '../tool/tool-call-context.ts';

/** The settings for storing the turns of an earlier conversation. */
interface StoreHistoryOptions {
  readonly port: SessionPort;
  readonly agent: string;
  readonly from: TurnPrincipal;
  readonly reader: ReaderCapabilities;
  newId(): string;
}

/**
 * Stores an earlier conversation in an empty session, as ended turns. Omits parts of replies other than text
 * and calls, since only the model that made them may receive them, and it is unknown.
 *
 * @throws TypeError if it is not a conversation.
 */
export async function storeHistory(
  { port, agent, from, reader, newId }: StoreHistoryOptions,
  history: readonly HistoryMessage[],
): Promise<void> {
  const problem = findHistoryProblem(history);
  if (problem !== undefined) throw new TypeError(`runAgent: history${problem}.`);
  const starts = splitTurns(history).map(({ message, replies }) => {
    const said = { message: message.text, ...(message.parts && { parts: message.parts }) };
    return { replies, start: toTurnStart({ agent, ...said, context: ToolCallContext.EMPTY, from }, newId) };
  });
  const [first] = starts;
  if (!first) return;
  await port.accept(first.start);
  const leased = await port.resume({ nonce: newId(), turn: first.start.turn, reader });
  if (leased.status !== 'leased') throw new Error(`The history could not be stored (${leased.status}).`);
  const rows = starts.flatMap(({ start, replies }) => [
    start.started,
    ...replies.flatMap((reply) => toReplyEvents(start.turn, reply)).map(toRow),
    toRow({ type: 'turn-ended', turn: start.turn, outcome: 'completed' }),
  ]);
  // The first event is already stored.
  await port.append(leased.epoch, leased.page.head + 1, { events: rows.slice(1), release: 'ended' });
}

type Reply = Extract<HistoryMessage, { readonly role: 'assistant' }>;

interface EarlierTurn {
  readonly message: Extract<HistoryMessage, { readonly role: 'user' }>;
  readonly replies: readonly Reply[];
}

/** Splits a conversation into turns. Each message of the user starts one. */
function splitTurns(history: readonly HistoryMessage[]): readonly EarlierTurn[] {
  const turns: { readonly message: EarlierTurn['message']; readonly replies: Reply[] }[] = [];
  for (const message of history) {
    if (message.role === 'user') turns.push({ message, replies: [] });
    else turns.at(-1)?.replies.push(message);
  }
  return turns;
}

const toReplyEvents = (turn: string, { text, calls }: Reply): readonly SessionEvent[] => [
  {
    type: 'model-replied',
    turn,
    model: UNKNOWN_MODEL,
    text,
    toolCalls: calls.map(({ id, name, input }) => ({ id, providerId: toProviderId(id), name, input })),
    finish: calls.length > 0 ? 'tool-calls' : 'stop',
  },
  ...calls.map(
    ({ id, result = NO_RESULT }): SessionEvent => ({ type: 'tool-call-ended', turn, call: id, result }),
  ),
];

/** The model name of a reply whose model is unknown. */
const UNKNOWN_MODEL = 'earlier';

/** Returns the id with only those characters that providers accept in the id of a call. */
const toProviderId = (id: string): string => id.replaceAll(/[^A-Za-z0-9_-]/g, '_');

const NO_RESULT = { type: 'error', message: 'There is no result for this call.' } as const;

/**
 * Returns the problem with a stored conversation, to complete a sentence after "its history", or `undefined`.
 */
function findHistoryProblem(history: unknown): string | undefined {
  if (!Array.isArray(history)) return ` is ${describeValue(history)}. Use the messages of an answer`;
  const ids = new Set<string>();
  for (const [at, message] of history.entries()) {
    const problem = findMessageProblem(message, ids);
    if (problem !== undefined) return `[${at}] ${problem}`;
  }
  const [first] = history;
  return first && first.role !== 'user'
    ? "[0] is a reply. Begin with a message whose role is 'user'"
    : undefined;
}

function findMessageProblem(message: unknown, ids: Set<string>): string | undefined {
  const { role, text, calls }: Readonly<Record<string, unknown>> = Object(message);
  if (role !== 'user' && role !== 'assistant')
    return `has ${describeValue(role)} as its role. Use 'user' or 'assistant'`;
  if (typeof text !== 'string') return `has ${describeValue(text)} as its text. Use a string`;
  if (role === 'user') return undefined;
  if (!Array.isArray(calls) || !calls.every(isCall)) {
    return 'has no list of calls. Use { id, name, input, result } for each, and [] for none';
  }
  const twice = calls.find(({ id }) => ids.has(id) || !ids.add(id));
  return twice && `has a second call with the id ${describeValue(twice.id)}`;
}

const isCall = (call: unknown): call is HistoryCall => {
  const { id, name, input, result }: Readonly<Record<string, unknown>> = Object(call);
  const isText = [id, name, input].every((one) => typeof one === 'string');
  return isText && (result === undefined || (isJsonObject(result) && typeof result.type === 'string'));
};
