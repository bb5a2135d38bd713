/** Chat completions: what their requests do to sessions, and how they are answered. */
import { idempotencyKeyOf } from '../../worker/request-headers.ts';
import type { TurnStream } from '../../worker/session.ts';
import type { SurfaceRequest, SurfaceSession } from '../define-surface.ts';
import { type ChatChunk, type ChatEnd, type ChatItem, type ChatWanted, chatItems } from './chat-chunks.ts';
import { turnOf } from './ids.ts';
import { saidOf } from './read-body.ts';
import { type ChatRequest, readChatBody } from './read-chat.ts';
import { OpenAiError, toError } from './refuse.ts';
import { newSession } from './responses.ts';
import { wholeTurn } from './whole-turn.ts';

/** Names the session of a chat, in requests and in answers. */
const SESSION_HEADER = 'x-holdfast-session';

/** Answers a request for a chat completion: the completion, or the stream of its chunks. */
export async function createCompletion(asked: SurfaceRequest): Promise<Response> {
  const body = readChatBody(await asked.json(), asked.agents);
  const of = await sessionOf(asked, body);
  const session = asked.session(of);
  const { signal } = asked;
  const idempotencyKey = idempotencyKeyOf(asked.request);
  const stream: TurnStream =
    body.input.type === 'message'
      ? await session.stream(saidOf(body.input.parts), { idempotencyKey, signal })
      : await session.streamAnswers(
          body.input.answers.map(({ answer }) => answer),
          { idempotencyKey, signal },
        );
  const wanted = { ...of, turn: stream.turn, now: Date.now() };
  const items = chatItems(wholeTurn(session, stream, signal), wanted);
  const headers = { [SESSION_HEADER]: of.session };
  return body.isStream
    ? asked.stream(() => frames(items, body.includesUsage), headers)
    : whole(items, wanted, headers);
}

/** The session that a request names, or the one that the ids of its answers do, or a new one. */
async function sessionOf(asked: SurfaceRequest, body: ChatRequest): Promise<SurfaceSession> {
  const { agent, input } = body;
  const named = body.session ?? asked.request.headers.get(SESSION_HEADER) ?? undefined;
  if (input.type === 'answers') {
    const [first] = input.answers;
    const isOne = input.answers.every(
      ({ of }) =>
        of.agent === agent.name && of.session === first?.of.session && turnOf(of) === turnOf(first.of),
    );
    if (!first || !isOne || (named !== undefined && named !== first.of.session)) {
      throw new OpenAiError(
        'The messages of the role tool must be of calls of one turn of one session of the model.',
        {
          param: 'messages',
          code: 'invalid_value',
        },
      );
    }
    return { agent: agent.name, session: first.of.session };
  }
  if (named !== undefined) return { agent: agent.name, session: named };
  if (!input.isContinued) return { agent: agent.name, session: await newSession(asked, agent.name) };
  throw new OpenAiError(
    `Which conversation this continues is not told: send the session that its first answer has in metadata.session, and in the header ${SESSION_HEADER}, as metadata: { session } or in that header.`,
    { param: 'metadata.session', code: 'unknown_conversation' },
  );
}

async function* frames(
  items: AsyncIterable<ChatItem>,
  includesUsage: boolean,
): AsyncGenerator<string, void, undefined> {
  let last: ChatChunk | undefined;
  for await (const item of items) {
    if (item.type === 'chunk') {
      last = item.chunk;
      yield framed(includesUsage ? { ...item.chunk, usage: null } : item.chunk);
    } else if (item.end.type !== 'said') {
      yield framed({ error: errorOf(item.end) });
      return;
    } else if (includesUsage && last) yield framed({ ...last, choices: [], usage: item.end.usage });
  }
  yield 'data: [DONE]\n\n';
}

const framed = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

function errorOf(end: Exclude<ChatEnd, { readonly type: 'said' }>) {
  if (end.type === 'erased') {
    return {
      message: 'The session was erased.',
      type: 'invalid_request_error',
      param: null,
      code: 'session_erased',
    };
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

async function whole(
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
) {
  const message = {
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
