/** Chat completions: handles their requests and responses. */
import { markOf } from '../../modules/caller-words/caller-words.ts';
import { declaredTools } from '../../modules/client-tools/declared.ts';
import { isFile, textsOf } from '../../tool/content.ts';
import type { JsonObject } from '../../tool/json.ts';
import type { ModuleRequest } from '../../worker/module-request.ts';
import { idempotencyKeyOf, isFirstTry } from '../../worker/request-headers.ts';
import type { Session, TurnStream } from '../../worker/session.ts';
import type { TurnItem } from '../../worker/turn-feed.ts';
import { wholeTurn } from '../whole-turn.ts';
import { askedContext } from './asked.ts';
import { type ChatChunk, type ChatEnd, type ChatItem, type ChatWanted, chatItems } from './chat-chunks.ts';
import { continuedBy, findable, hashOf, isPerson, keepPlace, type Told } from './chat-history.ts';
import { saidOf } from './read-body.ts';
import { type ChatRequest, readChatBody } from './read-chat.ts';
import { AGAIN, type GivenAnswer } from './read-items.ts';
import { CONTEXT_KEYS, OpenAiError, toError, toErrorBody, unknownChat } from './refuse.ts';
import { type ChatCompletion, inSeconds, type Named } from './response-object.ts';
import { bodyOf, mustHaveFormat, newSession, type OpenAiSurface, sessionOfAnswers } from './responses.ts';

/** The header with the session of a chat, in requests and responses. */
const SESSION_HEADER = 'x-holdfast-session';

/** Handles a request for a chat completion. Returns the completion or the stream of its chunks. */
export async function createCompletion(asked: ModuleRequest, surface: OpenAiSurface): Promise<Response> {
  const body = readChatBody(await bodyOf(asked, surface), asked.agents, surface.mode);
  const { messages, narrowing, isStream, input } = body;
  const agent = body.agent.name;
  const context = {
    ...(await askedContext(body.asked)),
    ...declaredTools(asked, { agent, tools: body.functions }),
  };
  const told = { agent, messages, narrowing };
  const named = body.session ?? asked.request.headers.get(SESSION_HEADER) ?? undefined;
  const asking: Asking = { asked, body, context, told, named };
  const { chat, stream, behind } =
    input.type === 'answers' ? await sendAnswers(asking, input.answers) : await sendMessage(asking, input);
  const session = sessionOf(asking, chat);
  const of = { agent, session: chat.session };
  const hasForm = body.asked.format !== undefined;
  const wanted = { ...of, turn: stream.turn, behind, hasForm, now: Date.now() };
  const turn = surface.tellerOf(asked.request).items(wholeTurn(session, stream, asked.signal));
  const toChunks = (items: AsyncIterable<TurnItem>) => chatItems(items, wanted);
  const { isNamed, head, ...place } = chat;
  const found = head === undefined ? undefined : { session, stream, head };
  // A client that names the session once names it in every request.
  const items = isNamed
    ? toChunks(turn)
    : findable({ asked, ...told, ...place, isStream, found }, turn, toChunks);
  const headers = { [SESSION_HEADER]: of.session };
  return isStream
    ? asked.stream(() => frames(items, body.includesUsage), headers)
    : completed(items, wanted, headers);
}

type SentMessage = Extract<ChatRequest['input'], { type: 'message' }>;

/** A parsed request. */
interface Asking {
  readonly asked: ModuleRequest;
  readonly body: ChatRequest;
  /** The request's settings beside its message. */
  readonly context: JsonObject;
  readonly told: Told;
  /** The session that the request names. */
  readonly named: string | undefined;
}

/** The session that a request continues or creates. */
interface Chat {
  readonly session: string;
  /** `true` if the request names the session. */
  readonly isNamed?: boolean;
  /** `true` if the session has only text. */
  readonly isWords?: boolean | undefined;
  /** The last event of the session, if only its text led to it. The session can belong to another person. */
  readonly head?: number | undefined;
}

/** The turn that a request began or resumed. */
interface Begun {
  readonly chat: Chat;
  readonly stream: TurnStream;
  /** The answer that resumed the turn. */
  readonly behind?: Named | undefined;
}

/** Returns the session of a chat. */
const sessionOf = ({ asked, told: { agent } }: Asking, { session }: Chat): Session =>
  asked.session({ agent, session, contextKeys: CONTEXT_KEYS });

/** Resumes the turn whose calls are answered. */
async function sendAnswers(asking: Asking, given: readonly GivenAnswer[]): Promise<Begun> {
  const { asked, body, named } = asking;
  const { session: id } = sessionOfAnswers({ ...body, conversation: named }, given, 'messages');
  const chat: Chat = { session: id, isNamed: named !== undefined };
  const session = sessionOf(asking, chat);
  await mustHaveFormat(session, given, { format: body.asked.format, at: 'response_format' });
  const answers = given.map(({ answer }) => answer);
  const idempotencyKey = idempotencyKeyOf(asked.request) ?? AGAIN;
  const stream = await session.streamAnswers(answers, { idempotencyKey, signal: asked.signal });
  return { chat, stream, behind: given[0]?.of };
}

/**
 * Begins or finds the turn of a message, in the session that the request names or its history matches, or in
 * a new session.
 */
async function sendMessage(asking: Asking, { parts, history }: SentMessage): Promise<Begun> {
  const { asked, context, told, named } = asking;
  const { request, signal } = asked;
  const { retry, forkInstead } = asked.parts;
  const isFirst = isFirstTry(request);

  async function tryAgain(chat: Chat, turn?: string): Promise<Begun | undefined> {
    const stream = await retry?.(sessionOf(asking, chat), { asked, parts, turn, context });
    return stream && { chat, stream };
  }

  async function send(chat: Chat, key?: string): Promise<Begun> {
    const idempotencyKey = idempotencyKeyOf(request) ?? key;
    const sending = { idempotencyKey, context, signal };
    return { chat, stream: await sessionOf(asking, chat).stream(saidOf(parts), sending) };
  }

  if (named !== undefined) {
    const chat = { session: named, isNamed: true };
    return (await tryAgain(chat)) ?? send(chat);
  }
  const isNew = history.length === 0;
  const before = isNew ? told : { ...told, messages: history };
  const words = parts.some(isFile) ? undefined : textsOf(parts);
  // If the first chat has no answer, another chat of the same person that begins alike has lost nothing.
  const found =
    isNew && !(retry && isFirst && isPerson(asked))
      ? undefined
      : await continuedBy(asked, { ...before, words, context });
  if (isNew) {
    const again = found && !found.next && (await tryAgain(found.place, found.lastTurn));
    return again || send({ session: await newSession(asked, told.agent), isWords: true });
  }
  if (!found) throw unknownChat();
  const { place, next, lastTurn, isWords } = found;
  const head = isPerson(asked) ? undefined : found.head;
  const chat = { ...place, isWords, head };
  const again = !next || next.isSame ? await tryAgain(chat, next?.turn) : undefined;
  if (again) return again;
  // After a failed turn, the same message counts as a new one.
  const hash = await hashOf(told.agent, told.messages);
  const key = ['chat', lastTurn, hash, await markOf(context)].join('-');
  if (!next) return send(chat, key);
  const session = sessionOf(asking, chat);
  if (next.isThis && !(forkInstead && next.isOver && isFirst && idempotencyKeyOf(request) === undefined))
    return { chat, stream: await session.follow(next.turn, { signal }) };
  // A message with files that is sent again could have begun that turn.
  if (!forkInstead || (words === undefined && !isFirst)) throw unknownChat();
  const at = place.seq;
  const fork = { ...place, session: await forkInstead(session, { at, turn: next.turn, said: key }) };
  const begun = await send({ ...fork, head: head && at }, key);
  await keepPlace(asked, before, fork);
  return begun;
}

async function* frames(
  items: AsyncIterable<ChatItem>,
  includesUsage: boolean,
): AsyncGenerator<string, void, undefined> {
  let last: ChatChunk | undefined;
  try {
    for await (const item of items) {
      if (item.type === 'chunk') {
        last = item.chunk;
        yield framed(includesUsage ? { ...item.chunk, usage: null } : item.chunk);
      } else if (item.end.type !== 'said') {
        yield framed({ error: errorOf(item.end) });
        return;
      } else if (includesUsage && last) yield framed({ ...last, choices: [], usage: item.end.usage });
    }
  } catch (failure) {
    if (!(failure instanceof OpenAiError)) throw failure;
    yield framed({ error: toErrorBody(failure) });
    return;
  }
  yield 'data: [DONE]\n\n';
}

const framed = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

function errorOf(end: Exclude<ChatEnd, { readonly type: 'said' }>) {
  if (end.type === 'erased') {
    return toErrorBody({ message: 'The session was erased.', param: null, code: 'session_erased' });
  }
  const { error, turn } = end.answer;
  const message = error?.message ?? 'The turn failed.';
  return {
    message,
    type: 'server_error',
    param: null,
    code: error?.type.replaceAll('-', '_') ?? 'turn_failed',
    turn,
  };
}

async function completed(
  items: AsyncIterable<ChatItem>,
  { agent, now }: ChatWanted,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  let id = '';
  for await (const item of items) {
    if (item.type === 'chunk') ({ id } = item.chunk);
    else if (item.end.type !== 'said')
      return toError(item.end.type === 'erased' ? 410 : 502, errorOf(item.end), true);
    else return Response.json(completionOf(item.end, { id, model: agent, now }), { headers });
  }
  throw new Error('A turn has no end.');
}

function completionOf(
  { text, calls, finish, usage, metadata }: Extract<ChatEnd, { readonly type: 'said' }>,
  { id, model, now }: { readonly id: string; readonly model: string; readonly now: number },
): ChatCompletion {
  const message: ChatCompletion['choices'][number]['message'] = {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return {
    id,
    object: 'chat.completion',
    created: inSeconds(now),
    model,
    choices: [{ index: 0, message, finish_reason: finish, logprobs: null }],
    usage,
    metadata,
  };
}
