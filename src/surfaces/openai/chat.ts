/** Chat completions: handles their requests and responses. */
import { toMark } from '../../modules/caller-words/caller-words.ts';
import { declaredTools } from '../../modules/client-tools/declared.ts';
import { isFile, joinTexts } from '../../tool/content.ts';
import type { JsonObject } from '../../tool/json.ts';
import type { ModuleRequest } from '../../worker/module-request.ts';
import { isFirstAttempt, readIdempotencyKey } from '../../worker/request-headers.ts';
import type { Session, TurnStream } from '../../worker/session.ts';
import type { TurnItem } from '../../worker/turn-feed.ts';
import { streamWholeTurn } from '../whole-turn.ts';
import { toExtrasContext } from './asked.ts';
import {
  type ChatChunk,
  type ChatEnd,
  type ChatItem,
  type ChatTarget,
  streamChatItems,
} from './chat-chunks.ts';
import {
  type ChatHistory,
  findContinuedSession,
  hashMessages,
  isPerson,
  storePlace,
  withStoredPlace,
} from './chat-history.ts';
import { toMessageContent } from './read-body.ts';
import { type ChatRequest, readChatBody } from './read-chat.ts';
import { type CallAnswerItem, REPEATED_ANSWER_KEY } from './read-items.ts';
import { CONTEXT_KEYS, createUnknownChatError, OpenAiError, toError, toErrorBody } from './refuse.ts';
import { type ChatCompletion, type NamedObject, toUnixSeconds } from './response-object.ts';
import {
  assertAnswerFormat,
  createSessionId,
  getAnsweredSession,
  type OpenAiSurface,
  readRequestBody,
} from './responses.ts';

/** The header of requests and responses that contains the session of a chat. */
const SESSION_HEADER = 'x-holdfast-session';

/** Handles a request for a chat completion. Returns the completion or the stream of its chunks. */
export async function createCompletion(asked: ModuleRequest, surface: OpenAiSurface): Promise<Response> {
  const body = readChatBody(await readRequestBody(asked, surface), asked.agents, surface.mode);
  const { messages, narrowing, isStream, input } = body;
  const agent = body.agent.name;
  const context = {
    ...(await toExtrasContext(body.asked)),
    ...declaredTools(asked, { agent, tools: body.functions }),
  };
  const told = { agent, messages, narrowing };
  const named = body.session ?? asked.request.headers.get(SESSION_HEADER) ?? undefined;
  const asking: CompletionRequest = { asked, body, context, told, named };
  const { chat, stream, behind } =
    input.type === 'answers' ? await sendAnswers(asking, input.answers) : await sendMessage(asking, input);
  const session = openSession(asking, chat);
  const of = { agent, session: chat.session };
  const hasForm = body.asked.format !== undefined;
  const wanted = { ...of, turn: stream.turn, behind, hasForm, now: Date.now() };
  const turn = surface.tellerOf(asked.request).items(streamWholeTurn(session, stream, asked.signal));
  const toChunks = (items: AsyncIterable<TurnItem>) => streamChatItems(items, wanted);
  const { isNamed, head, ...place } = chat;
  const found = head === undefined ? undefined : { session, stream, head };
  // The client names the session in every request, so no place is stored.
  const items = isNamed
    ? toChunks(turn)
    : withStoredPlace({ asked, ...told, ...place, isStream, found }, turn, toChunks);
  const headers = { [SESSION_HEADER]: of.session };
  return isStream
    ? asked.stream(() => yieldFrames(items, body.includesUsage), headers)
    : respondWithCompletion(items, wanted, headers);
}

type SentMessage = Extract<ChatRequest['input'], { type: 'message' }>;

interface CompletionRequest {
  readonly asked: ModuleRequest;
  readonly body: ChatRequest;
  /** The request's settings beside its message. */
  readonly context: JsonObject;
  readonly told: ChatHistory;
  /** The session that the request names. */
  readonly named: string | undefined;
}

/** The session that a request continues or creates. */
interface ChatSession {
  readonly session: string;
  /** `true` if the request includes the id of the session. */
  readonly isNamed?: boolean;
  /** `true` if the session has only text. */
  readonly isWords?: boolean | undefined;
  /**
   * The last event of the session, if the session was found only by text and may belong to another person.
   */
  readonly head?: number | undefined;
}

/** The turn that a request began or resumed. */
interface RunningTurn {
  readonly chat: ChatSession;
  readonly stream: TurnStream;
  /** The answer that resumed the turn. */
  readonly behind?: NamedObject | undefined;
}

const openSession = ({ asked, told: { agent } }: CompletionRequest, { session }: ChatSession): Session =>
  asked.session({ agent, session, contextKeys: CONTEXT_KEYS });

/** Resumes the turn whose calls are answered. */
async function sendAnswers(
  asking: CompletionRequest,
  given: readonly CallAnswerItem[],
): Promise<RunningTurn> {
  const { asked, body, named } = asking;
  const { session: id } = getAnsweredSession({ ...body, conversation: named }, given, 'messages');
  const chat: ChatSession = { session: id, isNamed: named !== undefined };
  const session = openSession(asking, chat);
  await assertAnswerFormat(session, given, { format: body.asked.format, at: 'response_format' });
  const answers = given.map(({ answer }) => answer);
  const idempotencyKey = readIdempotencyKey(asked.request) ?? REPEATED_ANSWER_KEY;
  const stream = await session.streamAnswers(answers, { idempotencyKey, signal: asked.signal });
  return { chat, stream, behind: given[0]?.of };
}

/**
 * Begins or finds the turn of a message, in the session that the request names or its history matches, or in
 * a new session.
 */
async function sendMessage(asking: CompletionRequest, { parts, history }: SentMessage): Promise<RunningTurn> {
  const { asked, context, told, named } = asking;
  const { request, signal } = asked;
  const { retry, forkInstead } = asked.parts;
  const isFirst = isFirstAttempt(request);

  async function tryAgain(chat: ChatSession, turn?: string): Promise<RunningTurn | undefined> {
    const stream = await retry?.(openSession(asking, chat), { asked, parts, turn, context });
    return stream && { chat, stream };
  }

  async function send(chat: ChatSession, key?: string): Promise<RunningTurn> {
    const idempotencyKey = readIdempotencyKey(request) ?? key;
    const sending = { idempotencyKey, context, signal };
    return { chat, stream: await openSession(asking, chat).stream(toMessageContent(parts), sending) };
  }

  if (named !== undefined) {
    const chat = { session: named, isNamed: true };
    return (await tryAgain(chat)) ?? send(chat);
  }
  const isNew = history.length === 0;
  const before = isNew ? told : { ...told, messages: history };
  const words = parts.some(isFile) ? undefined : joinTexts(parts);
  // A first message retries an earlier chat only if that chat has no answer. Other chats of the person that
  // begin with the same text are not affected.
  const found =
    isNew && !(retry && isFirst && isPerson(asked))
      ? undefined
      : await findContinuedSession(asked, { ...before, words, context });
  if (isNew) {
    const again = found && !found.next && (await tryAgain(found.place, found.lastTurn));
    return again || send({ session: await createSessionId(asked, told.agent), isWords: true });
  }
  if (!found) throw createUnknownChatError();
  const { place, next, lastTurn, isWords } = found;
  const head = isPerson(asked) ? undefined : found.head;
  const chat = { ...place, isWords, head };
  const again = !next || next.isSame ? await tryAgain(chat, next?.turn) : undefined;
  if (again) return again;
  // After a failed turn, the same message counts as a new one.
  const hash = await hashMessages(told.agent, told.messages);
  const key = ['chat', lastTurn, hash, await toMark(context)].join('-');
  if (!next) return send(chat, key);
  const session = openSession(asking, chat);
  if (next.isThis && !(forkInstead && next.isOver && isFirst && readIdempotencyKey(request) === undefined))
    return { chat, stream: await session.follow(next.turn, { signal }) };
  // A resent message with files may itself have begun that turn, in its first attempt.
  if (!forkInstead || (words === undefined && !isFirst)) throw createUnknownChatError();
  const at = place.seq;
  const fork = { ...place, session: await forkInstead(session, { at, turn: next.turn, said: key }) };
  const begun = await send({ ...fork, head: head && at }, key);
  await storePlace(asked, before, fork);
  return begun;
}

async function* yieldFrames(
  items: AsyncIterable<ChatItem>,
  includesUsage: boolean,
): AsyncGenerator<string, void, undefined> {
  let last: ChatChunk | undefined;
  try {
    for await (const item of items) {
      if (item.type === 'chunk') {
        last = item.chunk;
        yield formatFrame(includesUsage ? { ...item.chunk, usage: null } : item.chunk);
      } else if (item.end.type !== 'said') {
        yield formatFrame({ error: toEndError(item.end) });
        return;
      } else if (includesUsage && last) yield formatFrame({ ...last, choices: [], usage: item.end.usage });
    }
  } catch (failure) {
    if (!(failure instanceof OpenAiError)) throw failure;
    yield formatFrame({ error: toErrorBody(failure) });
    return;
  }
  yield 'data: [DONE]\n\n';
}

const formatFrame = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

function toEndError(end: Exclude<ChatEnd, { readonly type: 'said' }>) {
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

async function respondWithCompletion(
  items: AsyncIterable<ChatItem>,
  { agent, now }: ChatTarget,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  let id = '';
  for await (const item of items) {
    if (item.type === 'chunk') ({ id } = item.chunk);
    else if (item.end.type !== 'said')
      return toError(item.end.type === 'erased' ? 410 : 502, toEndError(item.end), true);
    else return Response.json(toCompletion(item.end, { id, model: agent, now }), { headers });
  }
  throw new Error('The turn did not end.');
}

function toCompletion(
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
    created: toUnixSeconds(now),
    model,
    choices: [{ index: 0, message, finish_reason: finish, logprobs: null }],
    usage,
    metadata,
  };
}
