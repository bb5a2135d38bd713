/** Chat completions: what their requests do to sessions, and how they are answered. */
import { markOf } from '../../modules/caller-words/caller-words.ts';
import { declaredTools } from '../../modules/client-tools/declared.ts';
import { type ContentPart, isFile, textsOf } from '../../tool/content.ts';
import type { JsonObject } from '../../tool/json.ts';
import type { ModuleRequest } from '../../worker/module-request.ts';
import { idempotencyKeyOf } from '../../worker/request-headers.ts';
import type { Session, TurnStream } from '../../worker/session.ts';
import type { TurnItem } from '../../worker/turn-feed.ts';
import { wholeTurn } from '../whole-turn.ts';
import { askedContext } from './asked.ts';
import { type ChatChunk, type ChatEnd, type ChatItem, type ChatWanted, chatItems } from './chat-chunks.ts';
import { continuedBy, findable, hashOf, isFirstTry, isPerson } from './chat-history.ts';
import { saidOf } from './read-body.ts';
import { type ChatRequest, readChatBody } from './read-chat.ts';
import { AGAIN, type GivenAnswer } from './read-items.ts';
import { CONTEXT_KEYS, OpenAiError, toError, toErrorBody, unknownChat } from './refuse.ts';
import type { ChatCompletion } from './response-object.ts';
import { turnOf } from './response-object.ts';
import { bodyOf, mustHaveFormat, newSession, type OpenAiSurface } from './responses.ts';

/** Names the session of a chat, in requests and in answers. */
const SESSION_HEADER = 'x-holdfast-session';

/** Answers a request for a chat completion: the completion, or the stream of its chunks. */
export async function createCompletion(asked: ModuleRequest, surface: OpenAiSurface): Promise<Response> {
  const body = readChatBody(await bodyOf(asked, surface), asked.agents, surface.mode);
  const { messages, narrowing, isStream } = body;
  const context = {
    ...(await askedContext(body.asked)),
    ...declaredTools(asked, { agent: body.agent.name, tools: body.functions }),
  };
  const chat = await chatOf(asked, body, context);
  const of = { agent: body.agent.name, session: chat.session };
  const session = asked.session({ ...of, contextKeys: CONTEXT_KEYS });
  const stream = await begin(asked, session, { body, chat, context });
  const behind = body.input.type === 'answers' ? body.input.answers[0]?.of : undefined;
  const hasForm = body.asked.format !== undefined;
  const wanted = { ...of, turn: stream.turn, behind, hasForm, now: Date.now() };
  const turn = surface.tellerOf(asked.request).items(wholeTurn(session, stream, asked.signal));
  const toChunks = (items: AsyncIterable<TurnItem>) => chatItems(items, wanted);
  const { isNamed, isWords, head } = chat;
  const found = head === undefined ? undefined : { session, stream, head };
  // Who names the session once names it always.
  const items = isNamed
    ? toChunks(turn)
    : findable({ asked, ...of, messages, narrowing, isStream, isWords, found }, turn, toChunks);
  const headers = { [SESSION_HEADER]: of.session };
  return isStream
    ? asked.stream(() => frames(items, body.includesUsage), headers)
    : completed(items, wanted, headers);
}

/** Which session a request goes on, or begins. */
interface Chat {
  readonly session: string;
  /** The request says it itself. */
  readonly isNamed?: true;
  /** It begins with this request. */
  readonly isNew?: true;
  /** By which a message that is sent again is found, unless its client gives it a key. */
  readonly key?: string;
  /** The turn that this very message has begun before. */
  readonly begun?: string;
  /** The session holds only words. */
  readonly isWords?: boolean | undefined;
  /** Its last event, where it was found by its words alone: it may be another person's. */
  readonly head?: number | undefined;
}

/** What begins a turn, or continues one. */
interface Beginning {
  readonly body: ChatRequest;
  readonly chat: Chat;
  /** What the request asks for beside its message. */
  readonly context: JsonObject;
}

/** Begins the turn of a message, or finds it, or goes on with the one whose calls are answered. */
async function begin(
  asked: ModuleRequest,
  session: Session,
  { body: { input, asked: wanted }, chat, context }: Beginning,
): Promise<TurnStream> {
  const { request, signal } = asked;
  const idempotencyKey = idempotencyKeyOf(request);
  if (input.type === 'answers') {
    const [first] = input.answers;
    if (first)
      await mustHaveFormat(session, turnOf(first.of), { format: wanted.format, at: 'response_format' });
    const answers = input.answers.map(({ answer }) => answer);
    return session.streamAnswers(answers, { idempotencyKey: idempotencyKey ?? AGAIN, signal });
  }
  const message = wordsOf(input.parts);
  if (message !== undefined && idempotencyKey === undefined && !chat.isNew && isFirstTry(asked)) {
    const again = await asked.parts.retry?.(session, { message, turn: chat.begun, context, signal });
    if (again) return again;
  }
  if (chat.begun !== undefined) return session.follow(chat.begun, { signal });
  return session.stream(saidOf(input.parts), {
    idempotencyKey: idempotencyKey ?? chat.key,
    signal,
    context,
  });
}

/** The session that a request names, or the ids of its answers do, or that its history leads to, or a new one. */
async function chatOf(asked: ModuleRequest, body: ChatRequest, context: JsonObject): Promise<Chat> {
  const { agent, input, narrowing } = body;
  const named = body.session ?? asked.request.headers.get(SESSION_HEADER) ?? undefined;
  if (input.type === 'answers') return answeredChat(body, input.answers, named);
  if (named !== undefined) return { session: named, isNamed: true };
  if (input.history.length === 0)
    return { session: await newSession(asked, agent.name), isNew: true, isWords: true };
  const found = await continuedBy(asked, {
    agent: agent.name,
    messages: input.history,
    narrowing,
    words: wordsOf(input.parts),
    context,
  });
  if (!found) throw unknownChat();
  const { session, isWords, head } = found;
  const chat: Chat = { session, isWords, head: isPerson(asked) ? undefined : head };
  if (found.type === 'begun') return { ...chat, begun: found.turn };
  // Behind a turn that failed, the same message is another one.
  const hash = await hashOf(agent.name, body.messages);
  return { ...chat, key: ['chat', found.lastTurn, hash, await markOf(context)].join('-') };
}

/** What the journal has as the words of a message; `undefined` of one with files. */
function wordsOf(parts: readonly ContentPart[]): string | undefined {
  const said = saidOf(parts);
  if (typeof said === 'string') return said;
  return said.some(isFile) ? undefined : textsOf(said);
}

function answeredChat(
  { agent }: ChatRequest,
  answers: readonly GivenAnswer[],
  named: string | undefined,
): Chat {
  const [first] = answers;
  const isOne = answers.every(
    ({ of }) =>
      of.agent === agent.name && of.session === first?.of.session && turnOf(of) === turnOf(first.of),
  );
  if (!first || !isOne || (named !== undefined && named !== first.of.session)) {
    throw new OpenAiError('The messages of the role tool must be of calls of one turn of the model.', {
      param: 'messages',
      code: 'invalid_value',
    });
  }
  return { session: first.of.session, ...(named !== undefined && { isNamed: true }) };
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
  throw new Error('A turn came to no end.');
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
    created: Math.floor(now / 1000),
    model,
    choices: [{ index: 0, message, finish_reason: finish, logprobs: null }],
    usage,
    metadata,
  };
}
