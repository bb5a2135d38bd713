import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import * as v from 'valibot';
import { type Chance, createChance } from './chance.ts';
import type { AssistantMessage, Recording } from './recording.ts';
import { createReplayScript, type ReplayScript, type ScriptMatch } from './replay-script.ts';
import { finishReason, streamReply } from './stream-reply.ts';

export const API_KEY = 'sk-loopback';

/** The recorded output that is served with one changed bit. */
export interface FlippedByte {
  readonly conversation: string;
  readonly position: number;
}

interface ReplayServerOptions {
  /** Awaited after each request arrives and before it is checked. */
  readonly before?: ((conversation: string) => Promise<void>) | undefined;
  readonly flip?: FlippedByte | undefined;
}

/**
 * Plays the model and the services of recorded conversations: OpenAI's API, and the data that the tools fetch.
 */
export interface ReplayServer {
  readonly url: string;
  /** The number of answered model requests, by conversation. */
  readonly answered: ReadonlyMap<string, number>;
  /** The number of times that the output of a call was served, by idempotency key. */
  readonly served: ReadonlyMap<string, number>;
  /** A description of the difference for each request that was refused with 409. */
  readonly differences: readonly string[];
  stop(): Promise<void>;
}

interface ReplayState {
  readonly script: ReplayScript;
  readonly options: ReplayServerOptions;
  readonly chance: Chance;
  readonly answered: Map<string, number>;
  readonly served: Map<string, number>;
  readonly differences: string[];
}

const tool = v.object({
  type: v.literal('function'),
  function: v.object({
    name: v.string(),
    description: v.string(),
    parameters: v.looseObject({ type: v.literal('object') }),
  }),
});

const modelRequest = v.strictObject({
  model: v.literal('gpt-4o'),
  messages: v.array(v.unknown()),
  tools: v.array(tool),
  stream: v.optional(v.literal(true)),
  stream_options: v.optional(v.strictObject({ include_usage: v.literal(true) })),
});

const toolRequest = v.strictObject({
  conversation: v.string(),
  tool: v.string(),
  input: v.record(v.string(), v.unknown()),
  idempotencyKey: v.string(),
});

/** Starts a server of one recording on a free local port. */
export async function startReplayServer(
  recording: Recording,
  options: ReplayServerOptions = {},
): Promise<ReplayServer> {
  const replay: ReplayState = {
    script: createReplayScript(recording),
    options,
    chance: createChance(20260110),
    answered: new Map(),
    served: new Map(),
    differences: [],
  };
  const server = createServer((request, response) => {
    answerRequest(replay, request, response).catch((failure) => sendError(response, 500, String(failure)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { answered, served, differences } = replay;
  return {
    url: `http://127.0.0.1:${getPort(server)}`,
    answered,
    served,
    differences,
    stop: () => stopServer(server),
  };
}

async function answerRequest(
  replay: ReplayState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const route = `${request.method} ${request.url}`;
  const body = await readJson(request);
  if (route === 'POST /tools') return answerTool(replay, v.parse(toolRequest, body), response);
  if (route !== 'POST /v1/chat/completions') return sendError(response, 404, `There is no ${route}.`);
  if (request.headers.authorization !== `Bearer ${API_KEY}`)
    return sendError(response, 401, 'Incorrect API key.');
  const checked = v.safeParse(modelRequest, body);
  if (!checked.success) return sendError(response, 400, v.summarize(checked.issues));
  return answerModel(replay, checked.output, response);
}

async function answerModel(
  replay: ReplayState,
  { messages, stream }: v.InferOutput<typeof modelRequest>,
  response: ServerResponse,
): Promise<void> {
  await replay.options.before?.(replay.script.conversationOf(messages));
  const reply = acceptNext(replay, replay.script.replyTo(messages), response);
  if (!reply) return;
  incrementCount(replay.answered, reply.conversation);
  if (stream) return streamReply(response, reply.message, replay.chance);
  sendJson(response, 200, toCompletion(reply.message));
}

async function answerTool(
  replay: ReplayState,
  { conversation, tool: name, input, idempotencyKey }: v.InferOutput<typeof toolRequest>,
  response: ServerResponse,
): Promise<void> {
  await replay.options.before?.(conversation);
  const found = acceptNext(replay, replay.script.outputOf(conversation, name, input), response);
  if (!found) return;
  incrementCount(replay.served, idempotencyKey);
  const { flip } = replay.options;
  const isFlipped = flip?.conversation === conversation && flip.position === found.position;
  sendJson(response, 200, { output: isFlipped ? flipByte(found.output) : found.output });
}

/** Returns the next item. Otherwise, responds with the difference and returns `undefined`. */
function acceptNext<Next>(
  replay: ReplayState,
  found: ScriptMatch<Next>,
  response: ServerResponse,
): Next | undefined {
  if ('next' in found) return found.next;
  replay.differences.push(found.difference);
  sendError(response, 409, found.difference);
  return undefined;
}

const toCompletion = (message: AssistantMessage): unknown => ({
  id: 'chatcmpl-replay',
  object: 'chat.completion',
  created: 0,
  model: 'gpt-4o',
  choices: [{ index: 0, message, finish_reason: finishReason(message) }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

const incrementCount = (counts: Map<string, number>, key: string): unknown =>
  counts.set(key, (counts.get(key) ?? 0) + 1);

/** Returns the text with the lowest bit of its middle byte changed. */
export function flipByte(text: string): string {
  const bytes = Buffer.from(text);
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  return bytes.toString();
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return JSON.parse(Buffer.concat(pieces).toString() || 'null');
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const sendError = (response: ServerResponse, status: number, message: string): void =>
  sendJson(response, status, { error: { message, type: 'invalid_request_error' } });

function getPort(server: Server): number {
  const address = server.address();
  if (typeof address !== 'object' || address === null)
    throw new Error('The server does not listen on a port.');
  return address.port;
}

function stopServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve, reject) => server.close((failure) => (failure ? reject(failure) : resolve())));
}
