/**
 * Finds the session of a chat by its history: clients of chat completions send their whole history, but no
 * id. The place of each answer is stored under a hash of the history that the client's next request will
 * contain.
 */
import { computeSha256Hex } from '../../tool/async.ts';
import { isEqualJson, isJsonObject, type Json, type JsonObject } from '../../tool/json.ts';
import type { ModuleRequest } from '../../worker/module-request.ts';
import { isFirstAttempt } from '../../worker/request-headers.ts';
import type { Session } from '../../worker/session.ts';
import type { TurnItem } from '../../worker/turn-feed.ts';
import type { ChatEnd, ChatItem } from './chat-chunks.ts';
import { addsOnlyText, assertOwnTurn, CONTEXT_KEYS, type FoundTurn } from './refuse.ts';

/** The place of an answer: its turn, and the last event that it shows. */
export interface AnswerPlace {
  readonly session: string;
  readonly turn: string;
  readonly seq: number;
  /** `true` if the session has only text up to this place. */
  readonly isWords: boolean;
}

/** A session that matches the history of a chat. */
export interface FoundSession {
  /** The place that the client has seen. */
  readonly place: AnswerPlace;
  /** The last event of the session. */
  readonly head: number;
  /** `true` if the session has only text. */
  readonly isWords: boolean;
  /** The last turn before the message. Turns that failed after the place have no answer and do not count. */
  readonly lastTurn: string;
  /** The next turn. Absent if no turn followed. */
  readonly next: NextTurn | undefined;
}

/** The turn after a place. */
interface NextTurn {
  readonly turn: string;
  /** `true` if it begins with the same text. */
  readonly isSame: boolean;
  /** `true` if this message began the turn: the requests are the same, and no other turn followed. */
  isThis: boolean;
  isOver: boolean;
}

/** Returns the hash of messages to an agent. It uses only fields that clients send back unchanged. */
export const hashMessages = (agent: string, messages: readonly Json[]): Promise<string> =>
  computeSha256Hex(JSON.stringify([agent, ...messages.map(toStableMessage)]));

/** The messages of a chat with an agent, and other request fields about the conversation. */
export interface ChatHistory {
  readonly agent: string;
  readonly messages: readonly Json[];
  readonly narrowing: readonly Json[];
}

/**
 * Returns the key for the places of a chat. Each person finds only their own places, even if a tenant shares
 * its sessions. The other request fields narrow the search. They come from the client, so they do not
 * identify a person.
 */
const computeHistoryKey = async (
  { caller, context }: ModuleRequest,
  { agent, messages, narrowing }: ChatHistory,
): Promise<string> => JSON.stringify([caller.id, narrowing, context, await hashMessages(agent, messages)]);

/** `true` if the caller is known to be one person. */
export const isPerson = ({ caller }: ModuleRequest): boolean => caller.delegates === false;

function toStableMessage(message: Json): Json {
  const { role, content, tool_calls: calls, tool_call_id: of } = isJsonObject(message) ? message : {};
  return [
    role ?? null,
    toStableContent(content),
    Array.isArray(calls) ? calls.map(toStableCall) : [],
    of ?? null,
  ];
}

/** Returns comparable content: text counts as a single text part, and empty content is dropped. */
function toStableContent(content: Json | undefined): Json[] {
  const parts = Array.isArray(content) ? content : [content ?? ''];
  return parts.flatMap((part) => {
    const said = isJsonObject(part) && part.type === 'text' ? (part.text ?? '') : part;
    return said === '' || (isJsonObject(said) && said.type === 'refusal') ? [] : [said];
  });
}

function toStableCall(call: Json): Json {
  const { id, function: of } = isJsonObject(call) ? call : {};
  const { name, arguments: given } = isJsonObject(of) ? of : {};
  return [id ?? null, name ?? null, given ?? null];
}

/** A search: the last text message, unless it has files, and the messages before it. */
interface HistoryQuery extends ChatHistory {
  readonly words: string | undefined;
  /** The other settings of the request. A message that is sent again has the same settings. */
  readonly context: JsonObject;
}

/**
 * Returns the session that matches the chat of the caller, or `undefined`. Prefers a session without later
 * turns, or one whose next turn began with this message. Finds a session that contains more than text only if
 * the caller is a single person.
 */
export async function findContinuedSession(
  asked: ModuleRequest,
  { words, context, ...of }: HistoryQuery,
): Promise<FoundSession | undefined> {
  const { agent } = of;
  const texts = await asked.kept(await computeHistoryKey(asked, of));
  // Chats can have identical text, so a message that is sent for the first time must not match another chat's
  // turn.
  const isFirst = isFirstAttempt(asked.request);
  let best: FoundSession | undefined;
  let least = 4;
  for (const text of new Set(texts)) {
    const place: AnswerPlace = JSON.parse(text); // written by `storePlace`
    const session = asked.session({ agent, session: place.session });
    const found = await readStateAfter(session, place, { words, context }).catch((failure: unknown) => {
      if (asked.problem(failure).type === 'unknown-session') return undefined;
      throw failure;
    });
    if (!found || (!found.isWords && !isPerson(asked))) continue;
    const { next } = found;
    const rank = next ? (next.isThis ? 0 : next.isSame ? 2 : 3) : 1;
    if (rank === Number(isFirst)) return found;
    if (rank < least) [best, least] = [found, rank];
  }
  return best;
}

/** For how many milliseconds a resent message finds its turn, as it would with an idempotency key. */
const REPEAT_WINDOW_MS = 24 * 60 * 60 * 1000;

/** Returns the state of a session after a place. */
async function readStateAfter(
  session: Session,
  place: AnswerPlace,
  { words, context }: { readonly words: string | undefined; readonly context: JsonObject },
): Promise<FoundSession | undefined> {
  const { seq, turn } = place;
  let isThere = false;
  let { isWords } = place;
  let head = seq;
  let lastTurn = turn;
  let next: NextTurn | undefined;
  for await (const event of session.events({ after: seq - 1 })) {
    // Without this event, it is a different session with the same id.
    isThere ||= event.seq === seq && 'turn' in event && event.turn === turn;
    if (!isThere) return undefined;
    head = event.seq;
    if (head > seq) isWords &&= addsOnlyText(event);
    if (event.type === 'turn-started') {
      if (next && event.retries !== next.turn) next.isThis = false;
      else {
        const isSame = event.message === words && !event.parts;
        const isThis =
          isSame &&
          CONTEXT_KEYS.every((key) => isEqualJson(event.context[key], context[key])) &&
          event.at > Date.now() - REPEAT_WINDOW_MS;
        next = { turn: event.turn, isSame, isThis, isOver: false };
      }
    } else if (next && event.type === 'turn-ended' && event.turn === next.turn) {
      next.isOver = true;
      if (event.outcome === 'failed') {
        lastTurn = event.turn;
        next = undefined;
      }
    }
  }
  return isThere ? { place, head, isWords, lastTurn, next } : undefined;
}

/** An answer whose place is to be stored. */
interface AnsweredChat extends ChatHistory {
  readonly asked: ModuleRequest;
  readonly session: string;
  /** `true` if the session had only text before the turn. */
  readonly isWords?: boolean | undefined;
  /** The turn, if its session was found only by text and may belong to another person. */
  readonly found?: FoundTurn | undefined;
  /** `true` if the client concatenates the deltas. Otherwise, it has the text of the answer. */
  readonly isStream: boolean;
}

/**
 * Yields the translated items of a turn. Stores the place before it yields the last chunk, so that the client
 * can continue at once.
 *
 * @throws OpenAiError like `assertOwnTurn`.
 */
export async function* withStoredPlace(
  answered: AnsweredChat,
  items: AsyncIterable<TurnItem>,
  translate: (items: AsyncIterable<TurnItem>) => AsyncIterable<ChatItem>,
): AsyncGenerator<ChatItem, void, undefined> {
  let { isWords = false } = answered;
  let isAnswered = false;
  let seen: Omit<AnswerPlace, 'session'> | undefined;
  async function* watchItems() {
    for await (const item of items) {
      if ('seq' in item) {
        isAnswered = item.type === 'turn-ended' && item.outcome === 'completed';
        isWords &&= addsOnlyText(item);
        if (answered.found) await assertOwnTurn(item, isWords, answered.found);
        if ('turn' in item) seen = { turn: item.turn, seq: item.seq, isWords };
      }
      yield item;
    }
  }
  let last: ChatItem | undefined;
  for await (const item of translate(watchItems())) {
    if (item.type === 'chunk' && item.chunk.choices[0]?.finish_reason) {
      last = item;
      continue;
    }
    if (item.type === 'end' && seen) await storeAnswerPlace(answered, { ...seen, isAnswered }, item.end);
    if (last) yield last;
    last = undefined;
    yield item;
  }
}

async function storeAnswerPlace(
  { asked, session, isStream, ...of }: AnsweredChat,
  { isAnswered, ...answer }: Omit<AnswerPlace, 'session'> & { readonly isAnswered: boolean },
  end: ChatEnd,
): Promise<void> {
  const place: AnswerPlace = { session, ...answer };
  if (end.type === 'said') {
    const content = isStream ? end.streamed : end.text;
    const said = { role: 'assistant', content, tool_calls: end.calls.map((call) => ({ ...call })) };
    await storePlace(asked, { ...of, messages: [...of.messages, said] }, place);
  }
  // A client resends tool results with its next message, even if it received no answer, and resends a first
  // message to retry it.
  if (!isAnswered) await storePlace(asked, of, place);
}

/**
 * Stores where the answer to this chat history is, keyed by the history, so that the next request finds its
 * session.
 */
export const storePlace = async (asked: ModuleRequest, of: ChatHistory, place: AnswerPlace): Promise<void> =>
  asked.keep(await computeHistoryKey(asked, of), JSON.stringify(place));
