/**
 * Which session a chat goes on, by what was said in it: clients of chat completions send their whole history, and no id. With each answer the
 * place in its session is kept under a hash of the history that the client will send the next time.
 */
import { sha256Hex } from '../../tool/async.ts';
import { isJsonObject, type Json, type JsonObject, sameJson } from '../../tool/json.ts';
import type { ModuleRequest } from '../../worker/module-request.ts';
import type { Session } from '../../worker/session.ts';
import type { TurnItem } from '../../worker/turn-feed.ts';
import type { ChatEnd, ChatItem } from './chat-chunks.ts';
import { addsOnlyWords, CONTEXT_KEYS, type FoundTurn, mustBeOwn } from './refuse.ts';

/** An answer that was given: of this turn, up to this event. */
interface Place {
  readonly session: string;
  readonly turn: string;
  readonly seq: number;
  /** Up to there the session holds only words. */
  readonly isWords: boolean;
}

/** What continues a chat: a session that has said nothing since, or the turn that this very message has begun in it already. */
export type Continued = {
  readonly session: string;
  /** The last event of the session. */
  readonly head: number;
  /** The session holds only words. */
  readonly isWords: boolean;
} & (
  | { readonly type: 'fresh'; readonly lastTurn: string }
  | { readonly type: 'begun'; readonly turn: string }
);

/** The hash of messages to an agent, of what their places in the protocol say: the same however a client writes them back. */
export const hashOf = (agent: string, messages: readonly Json[]): Promise<string> =>
  sha256Hex(JSON.stringify([agent, ...messages.map(told)]));

/** The messages of a chat with an agent, and what else its request says of the conversation. */
interface Told {
  readonly agent: string;
  readonly messages: readonly Json[];
  readonly narrowing: readonly Json[];
}

/**
 * The key under which the places of a chat are kept: each person finds only their own, also where a tenant shares its sessions. What
 * the request says besides narrows the search: it is what a client sends, and so names no person.
 */
const keyOf = async (
  { caller, context }: ModuleRequest,
  { agent, messages, narrowing }: Told,
): Promise<string> => JSON.stringify([caller.id, narrowing, context, await hashOf(agent, messages)]);

/** `true` if the caller is known to be one person. */
export const isPerson = ({ caller }: ModuleRequest): boolean => caller.delegates === false;

/** `true` if the client says that this is no retry of its own. */
export const isFirstTry = ({ request }: ModuleRequest): boolean =>
  request.headers.get('x-stainless-retry-count') === '0';

function told(message: Json): Json {
  const { role, content, tool_calls: calls, tool_call_id: of } = isJsonObject(message) ? message : {};
  return [role ?? null, toldContent(content), Array.isArray(calls) ? calls.map(toldCall) : [], of ?? null];
}

/** Text is the same as one part of text, and what is empty says nothing. */
function toldContent(content: Json | undefined): Json[] {
  const parts = Array.isArray(content) ? content : [content ?? ''];
  return parts.flatMap((part) => {
    const said = isJsonObject(part) && part.type === 'text' ? (part.text ?? '') : part;
    return said === '' || (isJsonObject(said) && said.type === 'refusal') ? [] : [said];
  });
}

function toldCall(call: Json): Json {
  const { id, function: of } = isJsonObject(call) ? call : {};
  const { name, arguments: given } = isJsonObject(of) ? of : {};
  return [id ?? null, name ?? null, given ?? null];
}

/** What is looked for: the last message in words, unless it has files, and the messages before it. */
interface Wanted extends Told {
  readonly words: string | undefined;
  /** What else the request asks for: a message that is sent again asks for the same. */
  readonly context: JsonObject | undefined;
}

/**
 * Finds what continues a chat of the caller's: `undefined` if nothing does. A session that holds more than words is found only for a
 * caller that is one person.
 */
export async function continuedBy(
  asked: ModuleRequest,
  { words, context = {}, ...of }: Wanted,
): Promise<Continued | undefined> {
  const { agent } = of;
  const texts = await asked.kept(await keyOf(asked, of));
  // Chats may be the same in every word, so that a message which says that it is sent for the first time is not taken for another one's.
  const isFirst = isFirstTry(asked);
  let other: Continued | undefined;
  for (const text of new Set(texts)) {
    const place: Place = JSON.parse(text); // written by `findable`
    const session = asked.session({ agent, session: place.session });
    const found = await standingOf(session, place, { words, context }).catch((failure: unknown) => {
      if (asked.problem(failure).type === 'unknown-session') return undefined;
      throw failure;
    });
    if (!found?.isWords && !isPerson(asked)) continue;
    if (found?.type === (isFirst ? 'fresh' : 'begun')) return found;
    other ??= found;
  }
  return other;
}

/** So long a message that is sent again finds its turn, in ms, as one does under a key. */
const AGAIN_WITHIN = 24 * 60 * 60 * 1000;

/** What a session has come to since a place in it. Turns that failed since have answered nothing, and do not count. */
async function standingOf(
  session: Session,
  { session: id, turn, seq, ...place }: Place,
  { words, context }: { readonly words: string | undefined; readonly context: JsonObject },
): Promise<Continued | undefined> {
  let isThere = false;
  let { isWords } = place;
  let head = seq;
  let lastTurn = turn;
  let next: { readonly turn: string; readonly isThis: boolean } | undefined;
  for await (const event of session.events({ after: seq - 1 })) {
    // Otherwise it is another session of this name.
    isThere ||= event.seq === seq && 'turn' in event && event.turn === turn;
    if (!isThere) return undefined;
    head = event.seq;
    if (head > seq) isWords &&= addsOnlyWords(event);
    if (event.type === 'turn-started') {
      if (next && event.retries !== next.turn) return undefined;
      const isSame =
        event.message === words &&
        !event.parts &&
        CONTEXT_KEYS.every((key) => sameJson(event.context[key], context[key]));
      const isThis = isSame && event.at > Date.now() - AGAIN_WITHIN;
      next = { turn: event.turn, isThis };
    } else if (event.type === 'turn-ended' && event.outcome === 'failed' && event.turn === next?.turn) {
      lastTurn = event.turn;
      next = undefined;
    }
  }
  if (!isThere) return undefined;
  const found = { session: id, head, isWords };
  if (!next) return { ...found, type: 'fresh', lastTurn };
  return next.isThis ? { ...found, type: 'begun', turn: next.turn } : undefined;
}

/** An answer by which its chat is to be found again. */
interface Answered extends Told {
  readonly asked: ModuleRequest;
  readonly session: string;
  /** The session held only words before the turn. */
  readonly isWords?: boolean | undefined;
  /** The turn, where its session was found by words alone: it may be another person's. */
  readonly found?: FoundTurn | undefined;
  /** Its client adds up what came in pieces, and has else what the answer says. */
  readonly isStream: boolean;
}

/**
 * Tells what a turn shows, as `translate` does, and keeps its place before the last chunk: a client that goes on at once is known by then.
 *
 * @throws OpenAiError as `mustBeOwn` does.
 */
export async function* findable(
  answered: Answered,
  items: AsyncIterable<TurnItem>,
  translate: (items: AsyncIterable<TurnItem>) => AsyncIterable<ChatItem>,
): AsyncGenerator<ChatItem, void, undefined> {
  let { isWords = false } = answered;
  let seen: Omit<Place, 'session'> | undefined;
  async function* seeing() {
    for await (const item of items) {
      if ('seq' in item) {
        isWords &&= addsOnlyWords(item);
        if (answered.found) await mustBeOwn(item, isWords, answered.found);
        if ('turn' in item) seen = { turn: item.turn, seq: item.seq, isWords };
      }
      yield item;
    }
  }
  let last: ChatItem | undefined;
  for await (const item of translate(seeing())) {
    if (item.type === 'chunk' && item.chunk.choices.some((choice) => choice.finish_reason !== null)) {
      last = item;
      continue;
    }
    if (item.type === 'end' && seen) await keep(answered, seen, item.end);
    if (last) yield last;
    last = undefined;
    yield item;
  }
}

async function keep(
  { asked, session, isStream, ...of }: Answered,
  answer: Omit<Place, 'session'>,
  end: ChatEnd,
): Promise<void> {
  const behind: Json[] = [];
  if (end.type === 'said') {
    const content = isStream ? end.streamed : end.text;
    behind.push({ role: 'assistant', content, tool_calls: end.calls.map((call) => ({ ...call })) });
  } else if (!isOfTool(of.messages.at(-1))) return;
  const place: Place = { session, ...answer };
  const messages = [...of.messages, ...behind];
  await asked.keep(await keyOf(asked, { ...of, messages }), JSON.stringify(place));
}

/** What its tools answered a client tells again with its next message, also when nothing was said to it. */
const isOfTool = (message: Json | undefined): boolean => isJsonObject(message) && message.role === 'tool';
