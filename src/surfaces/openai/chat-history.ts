/**
 * Which session a chat goes on, by what was said in it: clients of chat completions send their whole history, and no id. With each answer the
 * place in its session is kept under a hash of the history that the client will send the next time.
 */
import { sha256Hex } from '../../tool/async.ts';
import { isJsonObject, type Json, type JsonObject, sameJson } from '../../tool/json.ts';
import type { ModuleRequest } from '../../worker/module-request.ts';
import { isFirstTry } from '../../worker/request-headers.ts';
import type { Session } from '../../worker/session.ts';
import type { TurnItem } from '../../worker/turn-feed.ts';
import type { ChatEnd, ChatItem } from './chat-chunks.ts';
import { addsOnlyWords, CONTEXT_KEYS, type FoundTurn, mustBeOwn } from './refuse.ts';

/** An answer that was given: of this turn, up to this event. */
export interface Place {
  readonly session: string;
  readonly turn: string;
  readonly seq: number;
  /** Up to there the session holds only words. */
  readonly isWords: boolean;
}

/** A session that a chat has led to. */
export interface Found {
  /** What its client has of it. */
  readonly place: Place;
  /** The last event of the session. */
  readonly head: number;
  /** The session holds only words. */
  readonly isWords: boolean;
  /** The last turn that is behind the message that is looked for. Turns that failed since the place have answered nothing, and do not count. */
  readonly lastTurn: string;
  /** The turn that came next; absent if nothing was said since. */
  readonly next: Next | undefined;
}

/** A turn behind a place. */
interface Next {
  readonly turn: string;
  /** It begins with the same words. */
  readonly isSame: boolean;
  /** It is the one that this very message has begun: they ask for the same, and no other came behind it. */
  isThis: boolean;
  isOver: boolean;
}

/** The hash of messages to an agent, of what their places in the protocol say: the same however a client writes them back. */
export const hashOf = (agent: string, messages: readonly Json[]): Promise<string> =>
  sha256Hex(JSON.stringify([agent, ...messages.map(told)]));

/** The messages of a chat with an agent, and what else its request says of the conversation. */
export interface Told {
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
  readonly context: JsonObject;
}

/**
 * Finds the session that a chat of the caller's has led to: one that has said nothing since, or has begun a turn with this very message, before
 * any other. `undefined` if there is none. A session that holds more than words is found only for a caller that is one person.
 */
export async function continuedBy(
  asked: ModuleRequest,
  { words, context, ...of }: Wanted,
): Promise<Found | undefined> {
  const { agent } = of;
  const texts = await asked.kept(await keyOf(asked, of));
  // Chats may be the same in every word, so that a message which says that it is sent for the first time is not taken for another one's.
  const isFirst = isFirstTry(asked.request);
  let best: Found | undefined;
  let least = 4;
  for (const text of new Set(texts)) {
    const place: Place = JSON.parse(text); // written by `keepPlace`
    const session = asked.session({ agent, session: place.session });
    const found = await standingOf(session, place, { words, context }).catch((failure: unknown) => {
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

/** So long a message that is sent again finds its turn, in ms, as one does under a key. */
const AGAIN_WITHIN = 24 * 60 * 60 * 1000;

/** What a session has come to since a place in it. */
async function standingOf(
  session: Session,
  place: Place,
  { words, context }: { readonly words: string | undefined; readonly context: JsonObject },
): Promise<Found | undefined> {
  const { seq, turn } = place;
  let isThere = false;
  let { isWords } = place;
  let head = seq;
  let lastTurn = turn;
  let next: Next | undefined;
  for await (const event of session.events({ after: seq - 1 })) {
    // Otherwise it is another session of this name.
    isThere ||= event.seq === seq && 'turn' in event && event.turn === turn;
    if (!isThere) return undefined;
    head = event.seq;
    if (head > seq) isWords &&= addsOnlyWords(event);
    if (event.type === 'turn-started') {
      if (next && event.retries !== next.turn) next.isThis = false;
      else {
        const isSame = event.message === words && !event.parts;
        const isThis =
          isSame &&
          CONTEXT_KEYS.every((key) => sameJson(event.context[key], context[key])) &&
          event.at > Date.now() - AGAIN_WITHIN;
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
  let isAnswered = false;
  let seen: Omit<Place, 'session'> | undefined;
  async function* seeing() {
    for await (const item of items) {
      if ('seq' in item) {
        isAnswered = item.type === 'turn-ended' && item.outcome === 'completed';
        isWords &&= addsOnlyWords(item);
        if (answered.found) await mustBeOwn(item, isWords, answered.found);
        if ('turn' in item) seen = { turn: item.turn, seq: item.seq, isWords };
      }
      yield item;
    }
  }
  let last: ChatItem | undefined;
  for await (const item of translate(seeing())) {
    if (item.type === 'chunk' && item.chunk.choices[0]?.finish_reason) {
      last = item;
      continue;
    }
    if (item.type === 'end' && seen) await keep(answered, { ...seen, isAnswered }, item.end);
    if (last) yield last;
    last = undefined;
    yield item;
  }
}

async function keep(
  { asked, session, isStream, ...of }: Answered,
  { isAnswered, ...answer }: Omit<Place, 'session'> & { readonly isAnswered: boolean },
  end: ChatEnd,
): Promise<void> {
  const place: Place = { session, ...answer };
  if (end.type === 'said') {
    const content = isStream ? end.streamed : end.text;
    const said = { role: 'assistant', content, tool_calls: end.calls.map((call) => ({ ...call })) };
    await keepPlace(asked, { ...of, messages: [...of.messages, said] }, place);
  }
  // What its tools answered a client tells again with its next message, also when nothing was said to it, and a first message to retry it.
  if (!isAnswered) await keepPlace(asked, of, place);
}

/** Keeps a place, under what was said before it. */
export const keepPlace = async (asked: ModuleRequest, of: Told, place: Place): Promise<void> =>
  asked.keep(await keyOf(asked, of), JSON.stringify(place));
