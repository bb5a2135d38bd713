/** The routes that `useChat` and its transport call. */

import type { StoredEvent } from '../../journal/events.ts';
import { parseCallId } from '../../journal/reply-data.ts';
import { ConfigurationError } from '../../model/configuration-error.ts';
import { copyOn } from '../../modules/branches/copy-events.ts';
import { findForkWithTurn, findLastFork, findReplacementPoint } from '../../modules/branches/replace-turn.ts';
import { declaredTools } from '../../modules/client-tools/declared.ts';
import { LIVE_TEXT_PARTS } from '../../modules/live-text/live-text.ts';
import { RETRY_PARTS } from '../../modules/retry/retry-route.ts';
import { streamResent } from '../../modules/retry/stream-retry.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import type { ContentPart } from '../../tool/content.ts';
import type { JsonObject } from '../../tool/json.ts';
import { literals } from '../../tool/literals.ts';
import { createModule, type ModuleUse } from '../../tool/module-use.ts';
import { type FileUrls, fileUrlsOf } from '../../worker/file-urls.ts';
import type { ModuleRequest, RouteProblem, RouteSession } from '../../worker/module-request.ts';
import { createRoutesUse, defineRoute } from '../../worker/module-routes.ts';
import { Problem, SessionError } from '../../worker/problem.ts';
import type { CallAnswer, Session, TurnStream } from '../../worker/session.ts';
import { createErrorWording, type ErrorWording, type Tell } from '../../worker/tell.ts';
import type { TurnItem, TurnStreamEnd } from '../../worker/turn-feed.ts';
import { followInBackground } from '../whole-turn.ts';
import type { UiVersion } from './chunks.ts';
import {
  createChatProblem,
  type ReplacedTurn,
  readChat,
  rewordForPage,
  type UiChatRequest,
  UNKNOWN_MESSAGE_TEXT,
} from './read-chat.ts';
import { type ChunkOptions, METADATA_KEY, uiChunks } from './turn-chunks.ts';
import { toUiMessages } from './ui-messages.ts';

const AI_SDK_UI_MODULE = createModule({ name: 'ai-sdk-ui' });

const STREAM_HEADERS = {
  'cache-control': 'no-cache',
  'x-vercel-ai-ui-message-stream': 'v1',
  'x-accel-buffering': 'no',
};

/** The configuration of `aiSdkUi`. */
export interface AiSdkUiConfig {
  /**
   * Returns the error text to show to the user of the page. By default, a short sentence replaces the
   * messages of providers, tools and the Worker, which appear only in the log. In development, a request from
   * your own machine sees the full message.
   */
  readonly tell?: Tell | undefined;
}

/**
 * A surface that lets `useChat` of the AI SDK, version 6 or 7, talk to the agents of an app. The transport
 * needs only `api: '/agents/{agent}/chat'`. The id of a chat is the id of its session. The same three routes
 * handle approvals, results of tools that the page runs, files, and a page that reconnects in the middle of a
 * turn.
 *
 * @throws ConfigurationError if a setting is invalid.
 *
 * @example
 * ```ts
 * const use = [aiSdkUi(), cors({ origins: ['https://shop.example'] })]; // of createHoldfast({ agents, use })
 * ```
 */
export function aiSdkUi(config: AiSdkUiConfig = {}): ModuleUse {
  const fault = literals?.fault(config, CONFIG_SHAPE);
  if (fault) throw new ConfigurationError(`aiSdkUi ${fault.problem}.`);
  const surface: ChatSurface = { tellerOf: createErrorWording('aiSdkUi', config.tell) };
  const refuse = createRefuser(surface);
  return createRoutesUse(
    AI_SDK_UI_MODULE,
    [
      defineRoute({
        method: 'POST',
        path: '/agents/{agent}/chat',
        isCounted: true,
        streams: true,
        handle: async (asked, { agent }) => handleChat({ ...surface, asked }, agent),
        refuse,
      }),
      defineRoute({
        method: 'GET',
        path: '/agents/{agent}/chat/{chat}/stream',
        streams: true,
        handle: async (asked, { agent, chat }) =>
          resumeChat({ ...surface, asked }, { agent, session: chat, chat }),
        refuse,
      }),
      defineRoute({
        method: 'GET',
        path: '/agents/{agent}/chat/{chat}/messages',
        handle: async (asked, { agent, chat }) =>
          listMessages({ ...surface, asked }, { agent, session: chat, chat }),
        refuse,
      }),
    ],
    { ...LIVE_TEXT_PARTS, ...RETRY_PARTS, copyOn },
  );
}

const CONFIG_SHAPE = {
  of: 'aiSdkUi',
  keys: { tell: 'function' },
  required: [],
  foreign: { onError: 'tell' },
} satisfies LiteralShape<keyof AiSdkUiConfig>;

interface ChatSurface {
  readonly tellerOf: ReturnType<typeof createErrorWording>;
}

interface SurfaceRequest extends ChatSurface {
  readonly asked: ModuleRequest;
}

/**
 * Creates the function that formats problems. A client shows the body text of an unsuccessful response as its
 * error message.
 */
const createRefuser =
  ({ tellerOf }: ChatSurface) =>
  (problem: RouteProblem, request: Request): Response => {
    const { status, detail, headers } = tellerOf(request).problem(problem);
    return new Response(detail, {
      status,
      headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' },
    });
  };

interface OpenChat extends ChunkOptions {
  readonly asked: ModuleRequest;
  readonly session: Session;
  readonly teller: ErrorWording;
  readonly files: FileUrls;
}

/** A session of a chat: the chat's own session or a fork of it. */
interface ChatSession extends RouteSession {
  readonly chat: string;
}

function openChat({ asked, tellerOf }: SurfaceRequest, { chat, ...named }: ChatSession): OpenChat {
  const { request } = asked;
  const files = fileUrlsOf(asked, named);
  return {
    asked,
    session: asked.session(named),
    teller: tellerOf(request),
    version: readUiVersion(request),
    files,
    fileUrl: files.url,
    branch: named.session === chat ? undefined : named.session,
    pending: (events) => asked.pending(events),
  };
}

function readUiVersion({ url, headers }: Request): UiVersion {
  const said = new URL(url).searchParams.get('ui') ?? headers.get('x-ai-sdk') ?? '6';
  if (said === '6') return 6;
  if (said === '7') return 7;
  throw new Problem('invalid-query', 'The version of the AI SDK (`?ui=` or `x-ai-sdk`) must be 6 or 7.');
}

async function handleChat(asked: SurfaceRequest, agent: string): Promise<Response> {
  const sent = readChat(await asked.asked.json());
  const { chat, branch = chat } = sent;
  const named = { agent, session: branch, chat };
  // A message can create only the chat's own session, so a fork must exist.
  if (branch !== chat) await openChat(asked, named).session.state();
  if (sent.type === 'answers') return sendChatAnswers(openChat(asked, named), sent);
  const { tools, metadata, replaces } = sent;
  const context = {
    ...(tools !== undefined && declaredTools(asked.asked, { agent, tools })),
    ...(metadata !== undefined && { [METADATA_KEY]: metadata }),
  };
  const to = { ...named, partsAt: `${sent.at}.parts`, context };
  return replaces ? replaceTurn({ asked, to }, sent, replaces) : sendChatMessage(openChat(asked, to), sent);
}

/**
 * Replaces the answer to a message that is regenerated or edited. Retries the turn if it has no answer.
 * Otherwise, forks the session before the turn.
 */
async function replaceTurn(
  { asked, to }: { readonly asked: SurfaceRequest; readonly to: ChatSession },
  sent: ChatRequestOf<'message'>,
  { isAgain, ...turn }: ReplacedTurn,
): Promise<Response> {
  const { chat, branch, message } = sent;
  const own = openChat(asked, { ...to, session: chat }).session;
  const found = await findReplacementPoint(own, { by: AI_SDK_UI_MODULE.name, branch, ...turn });
  if (found === 'unknown' || (isAgain && !found)) throw createChatProblem(UNKNOWN_MESSAGE_TEXT);
  if (!found) return sendChatMessage(openChat(asked, to), sent);
  const { session } = found;
  const last = openChat(asked, { ...to, session });
  const stream =
    found.isLast && (await streamResent(last.session, message as MessageContent, asked.asked.signal));
  if (stream) return respondWithStream(last, { stream });
  const key = await found.fork().catch((failure) => {
    throw rewordForPage(failure);
  });
  return sendChatMessage(openChat(asked, { ...to, session: key }), { ...sent, key });
}

type ChatRequestOf<Type extends UiChatRequest['type']> = Extract<UiChatRequest, { type: Type }>;

async function sendChatMessage(chat: OpenChat, sent: ChatRequestOf<'message'>): Promise<Response> {
  const { asked, session } = chat;
  const { key, context, whenBusy, pending } = sent;
  // The body is checked when the message is sent.
  const message = sent.message as MessageContent;
  const options = {
    idempotencyKey: key,
    context: context as JsonObject,
    whenBusy,
    pending,
    signal: asked.signal,
  };
  const head = whenBusy === 'steer' ? await readHead(session) : 0;
  const stream = await session.stream(message, options).catch((failure) => {
    throw rewordForPage(failure);
  });
  // A user who resends a message after its turn failed does not want to see the failure again.
  const again = stream.isJoined && (await streamResent(session, message, asked.signal, stream.turn));
  if (again) return respondWithStream(chat, { stream: again });
  // The client shows the rest of the open turn below the message that steers it.
  const messageId = whenBusy === 'steer' && head > 0 ? stream.turn : undefined;
  return respondWithStream({ ...chat, messageId }, { stream, head });
}

/** A message as parsed from a body. */
type MessageContent = string | readonly ContentPart[];

/** Returns the sequence number of the last event. */
const readHead = async (session: Session): Promise<number> =>
  (await session.state().catch(ignoreUnknownError))?.seq ?? 0;

/**
 * Returns `undefined` for an unknown session, which the first message of its chat will create. Rethrows other
 * errors.
 */
function ignoreUnknownError(failure: unknown): undefined {
  if (failure instanceof SessionError && failure.type === 'unknown-session') return undefined;
  throw failure;
}

async function sendChatAnswers(chat: OpenChat, sent: ChatRequestOf<'answers'>): Promise<Response> {
  const { session, asked } = chat;
  const { decisions, results, known, after } = sent;
  const due = results.length === 0 ? [] : await listPendingResults(session, sent);
  const answers = [...decisions, ...due];
  const { signal } = asked;
  const stream =
    answers.length > 0
      ? await session.streamAnswers(answers, { idempotencyKey: 'ai-sdk-ui', after, signal })
      : await followAnswered(session, sent, signal);
  return respondWithStream({ ...chat, known }, { stream });
}

/**
 * Returns only the results for calls that still wait. A page sends all results of its last message, including
 * earlier ones.
 */
async function listPendingResults(
  session: Session,
  { results }: ChatRequestOf<'answers'>,
): Promise<CallAnswer[]> {
  const { pending } = await session.state();
  return pending.flatMap((one) => {
    const result = one.for === 'result' && results.find(({ call }) => call === one.call);
    return result ? [{ call: one.call, question: one.question, ...result.sent }] : [];
  });
}

/** Shows the outcome to a page that resends results for which calls no longer wait. */
async function followAnswered(
  session: Session,
  { results, after }: ChatRequestOf<'answers'>,
  signal: AbortSignal,
): Promise<TurnStream> {
  const asked = parseCallId(results.at(-1)?.call ?? '');
  // No turn has this call, so `streamAnswers` reports the error.
  if (!asked)
    return session.streamAnswers(
      results.map(({ call, sent }) => ({ call, ...sent })),
      { signal },
    );
  const { turn, reply } = asked;
  const from = after ?? reply;
  const { outcome } = await session.turn(turn);
  // A page that receives no new events would resend the same results forever.
  if (outcome === 'suspended' && (await session.state()).seq <= from)
    throw new SessionError(
      'not-waiting',
      'The message of the page does not answer the call that the turn waits for.',
    );
  return session.follow(turn, { after: from, signal });
}

async function resumeChat(asked: SurfaceRequest, named: ChatSession): Promise<Response> {
  const { request, signal } = asked.asked;
  const wanted = new URL(request.url).searchParams.get('turn');
  const own = openChat(asked, named).session;
  const session = wanted
    ? await findForkWithTurn(own, AI_SDK_UI_MODULE.name, wanted)
    : await findLastFork(own, AI_SDK_UI_MODULE.name);
  const chat = openChat(asked, { ...named, session: session ?? named.session });
  if (wanted) return respondWithStream(chat, { stream: await chat.session.follow(wanted, { signal }) });
  const turn = (await chat.session.state().catch(ignoreUnknownError))?.openTurn ?? undefined;
  const stands = turn === undefined ? undefined : await chat.session.turn(turn);
  if (turn === undefined || stands?.status !== 'running') return new Response(null, { status: 204 });
  return respondWithStream(chat, { stream: await chat.session.follow(turn, { signal }) });
}

async function listMessages(asked: SurfaceRequest, own: ChatSession): Promise<Response> {
  const named = { ...own, session: await findLastFork(openChat(asked, own).session, AI_SDK_UI_MODULE.name) };
  const chat = openChat(asked, named);
  const events: StoredEvent[] = [];
  try {
    for await (const event of chat.files.items(chat.session.events({ signal: chat.asked.signal })))
      events.push(event);
  } catch (failure) {
    ignoreUnknownError(failure);
  }
  const stop = await readStop(chat.session, events);
  const messages = toUiMessages(events, { ...named, stop, teller: chat.teller }, chat);
  return Response.json(messages, { headers: { 'cache-control': 'no-store' } });
}

/** Returns the state of the last turn if it is suspended. */
async function readStop(
  session: Session,
  events: readonly StoredEvent[],
): Promise<TurnStreamEnd | undefined> {
  const last = events.findLast((event) => event.type === 'turn-started' || event.type === 'turn-ended');
  if (last?.type !== 'turn-started') return undefined;
  const view = await session.turn(last.turn);
  return view.outcome === 'suspended' ? { type: 'suspended', view } : undefined;
}

interface StreamedTurn {
  readonly stream: TurnStream;
  /** The last event before the shown part of the steered turn. */
  readonly head?: number;
}

function respondWithStream(chat: OpenChat, { stream, head = 0 }: StreamedTurn): Response {
  const { asked, session, teller, files } = chat;
  const items = files.items(
    teller.items(followInBackground(stream, { session, head, signal: asked.signal })),
  );
  return asked.stream(() => yieldFrames(chat, items), STREAM_HEADERS);
}

async function* yieldFrames(
  chat: OpenChat,
  items: AsyncIterable<TurnItem>,
): AsyncGenerator<string, void, undefined> {
  try {
    for await (const chunk of uiChunks(items, chat)) yield `data: ${JSON.stringify(chunk)}\n\n`;
  } catch (failure) {
    const { detail: errorText } = chat.teller.problem(chat.asked.problem(failure));
    yield `data: ${JSON.stringify({ type: 'error', errorText })}\n\n`;
    yield DONE_FRAME;
    throw failure;
  }
  yield DONE_FRAME;
}

const DONE_FRAME = 'data: [DONE]\n\n';
