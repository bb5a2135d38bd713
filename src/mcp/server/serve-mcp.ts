import {
  createMcpHandler,
  type Implementation,
  isJsonContentType,
  isLegacyRequest,
  type Result,
  Server,
  type ServerContext,
  type ServerNotification,
  type StandardSchemaV1,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { attempt } from '../../tool/async.ts';
import { isJsonObject, type JsonObject } from '../../tool/json.ts';
import type { EndpointRequest } from '../../worker/host.ts';
import type { FailureLog } from '../../worker/refusal.ts';
import { RPC_CODE } from '../content/rpc.ts';
import { answerRequest, CACHING, isOffered, offeredBy } from './answer-request.ts';
import { resumeCall } from './resume-call.ts';
import { capabilitiesIn, type Published, type RpcRequest } from './rpc-request.ts';
import { eventStoreOf, primingFrame, RETRY, StreamPosition } from './stream-position.ts';
import { listenToTasks } from './task-notifications.ts';
import { hasTasks, TASK_METHODS, TASKS } from './tasks.ts';

/** An endpoint as it is served. */
interface Served {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly published: Published;
  /** Logs what went wrong inside of a request. */
  readonly logFailure: FailureLog;
}

/** One HTTP request, while it is served. */
interface Serving {
  readonly served: Served;
  readonly within: EndpointRequest;
  /** Aborts when the client has gone. */
  readonly leave: AbortSignal;
  readonly position: StreamPosition;
  /** The body, parsed. */
  readonly body: unknown;
  /** What the client takes. */
  readonly takes: Taken;
}

/**
 * Answers one HTTP request by a server of its own: nothing is remembered between two. The SDK reads the messages, tells the
 * revisions of the protocol apart, and writes the response; requests are answered here. A `GET` takes up a stream that has broken.
 */
export async function serveMcp(served: Served, within: EndpointRequest): Promise<Response> {
  const { request } = within;
  if (request.method !== 'POST') return resumeCall(served.published, within);
  const takes = takenBy(request.headers.get('accept'));
  if (!takes) return refusal(406, OF_HTTP, NOT_ACCEPTABLE);
  if (!isJsonContentType(request.headers.get('content-type'))) return refusal(415, OF_HTTP, NO_JSON);
  const text = await request.clone().text();
  const parsed = attempt((): unknown => JSON.parse(text));
  if (!parsed.ok) return refusal(400, RPC_CODE.parseError, 'Parse error: Invalid JSON');
  const body = parsed.value;
  if (isDeep(body)) return refusal(400, RPC_CODE.invalidRequest, TOO_DEEP);
  const calls = callsIn(body);
  if (calls > 1) return refusal(400, RPC_CODE.invalidRequest, manyCalls(calls));
  const gone = new AbortController();
  const leave = AbortSignal.any([request.signal, gone.signal]);
  const position = new StreamPosition();
  const response = await respond({ served, within, leave, position, body, takes });
  return watched(response, position, () => gone.abort());
}

/** Hands the parsed body to the SDK, by the revision that it is of. */
async function respond(serving: Serving): Promise<Response> {
  const { within, leave, body, takes, position } = serving;
  const { url, method, headers, signal } = within.request;
  const asked = new Request(url, { method, headers, signal });
  // What is taken is known; the SDK asks for both words.
  asked.headers.set('accept', 'application/json, text/event-stream');
  // The app has checked the size of the body by its own limit.
  const maxRequestBodySize = Number.MAX_SAFE_INTEGER;
  if (!(await isLegacyRequest(asked, body))) {
    const responseMode = takes === 'events' || (takes === 'both' && isAgentCall(serving)) ? 'sse' : 'auto';
    const options = { legacy: 'reject', maxRequestBodySize, responseMode } as const;
    const handler = createMcpHandler(() => createServer(serving, 'modern'), options);
    const response = await handler.fetch(asked, { parsedBody: body });
    return listenToTasks({ published: serving.served.published, within, body }, response);
  }
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: takes === 'json',
    eventStore: eventStoreOf(position),
    retryInterval: RETRY,
    maxRequestBodySize,
  });
  await createServer(serving, 'legacy').connect(transport);
  leave.addEventListener('abort', () => void transport.close());
  const response = await transport.handleRequest(asked, { parsedBody: body });
  // Clients take up streams only in a session. It is none, and nobody's: no request is known by it.
  if (methodOf(body) === 'initialize' && response.ok)
    response.headers.set('mcp-session-id', crypto.randomUUID());
  return response;
}

/** An agent may take long: its client is answered by a stream at once, so that it is seen when it goes. */
const isAgentCall = ({ served, body }: Serving): boolean => {
  if (methodOf(body) !== 'tools/call' || !isJsonObject(body) || !isJsonObject(body.params)) return false;
  const { name } = body.params;
  return typeof name === 'string' && served.published.callable.get(name)?.kind === 'agent';
};

const methodOf = (body: unknown): string | undefined =>
  isJsonObject(body) && typeof body.method === 'string' ? body.method : undefined;

function createServer(serving: Serving, era: RpcRequest['era']): Server {
  const { served, within, leave, position, body, takes } = serving;
  const { info, instructions, published, logFailure } = served;
  const { resources, completions } = offeredBy(published);
  // What is published changes with a deploy alone, which no connection outlives: nothing is said to change, and nobody subscribes.
  const capabilities = {
    logging: {},
    ...(published.callable.size > 0 && { tools: {} }),
    ...(published.prompts.size > 0 && { prompts: {} }),
    ...(resources && { resources: {} }),
    ...(completions && { completions: {} }),
    ...(hasTasks(published) && { extensions: TASKS }),
  };
  const server = new Server(info, {
    capabilities,
    cacheHints: { 'server/discover': CACHING },
    ...(instructions !== undefined && { instructions }),
  });
  // The SDK's handlers answer bad params as internal errors.
  server.removeRequestHandler('logging/setLevel');
  const answer = (method: string, params: unknown, { mcpReq }: ServerContext): Promise<Result> =>
    answerRequest(published, {
      within,
      era,
      id: mcpReq.id,
      method,
      params: toParams(params),
      client: capabilitiesIn(mcpReq.envelope),
      ...continuationOf(mcpReq),
      send: (notification) => (takes === 'json' ? Promise.resolve() : tell(mcpReq, notification)),
      position,
      leave,
      logFailure,
    });
  const asked = methodOf(body);
  // What the SDK finds no handler for, it answers with the status that each revision has for that.
  if (asked === undefined || isOffered(published, asked))
    server.fallbackRequestHandler = ({ method, params }, context) => answer(method, params, context);
  // Methods of the same names were in an earlier revision, so that the SDK hands them to nobody who has not said what they are.
  for (const method of hasTasks(published) ? TASK_METHODS : [])
    server.setRequestHandler(method, { params: ANY }, (params, context) => answer(method, params, context));
  return server;
}

/** Sends a notification; a log message only when the client has asked for its level. */
async function tell(mcpReq: ServerContext['mcpReq'], notification: ServerNotification): Promise<void> {
  if (notification.method !== 'notifications/message') return mcpReq.notify(notification);
  const { level, data, logger } = notification.params;
  return mcpReq.log(level, data, logger);
}

/** Leaves the params of a method to whoever answers it. */
const ANY: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'holdfast', validate: (value) => ({ value }) },
};

/** What a client sends with a request that it makes again, since it was asked something. */
function continuationOf({
  inputResponses = {},
  requestState,
}: ServerContext['mcpReq']): Pick<RpcRequest, 'answers' | 'state'> {
  return { answers: inputResponses, state: requestState<string>() };
}

/** Takes anything else for no params: the SDK checks only that they are JSON. */
const toParams = (params: unknown): JsonObject => (isJsonObject(params) ? params : {});

/**
 * Calls `onGone` when the reader of the response leaves before its end: not every platform tells that by the request's
 * signal. The event without data, with which the SDK begins a stream, gets its id here, and waits for it.
 */
function watched(response: Response, position: StreamPosition, onGone: () => void): Response {
  const { body, status, headers } = response;
  if (!body) return response;
  const reader = body.getReader();
  const next = async (): Promise<Uint8Array | undefined> => {
    const { value } = await reader.read();
    if (!value || !isPriming(value)) return value;
    const id = await position.primed;
    return id === '' ? next() : new TextEncoder().encode(primingFrame(id));
  };
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const value = await next();
      if (value) controller.enqueue(value);
      else controller.close();
    },
    async cancel(reason) {
      onGone();
      await reader.cancel(reason);
    },
  });
  return new Response(stream, { status, headers });
}

/** Tells the event without data from messages, which begin with their type. */
const isPriming = (chunk: Uint8Array): boolean => new TextDecoder().decode(chunk.subarray(0, 3)) === 'id:';

/** Counts the calls of a batch, which is an array of messages, and what it reads. One request may begin one turn: its invocation has a budget for that,
 * and whoever limits the requests of a client limits its turns by that. The MCP specification has no batches since 2025-06-18; of
 * what else older clients put into one, the SDK takes up to 100 messages.
 */
const callsIn = (body: unknown): number =>
  Array.isArray(body) ? body.filter((message) => ONE_OF.includes(methodOf(message))).length : 0;

/** Runs code of the app that may cost much, and may answer many bytes. */
const ONE_OF: readonly unknown[] = ['tools/call', 'resources/read'];

const manyCalls = (calls: number): string =>
  `A batch may hold one tools/call or resources/read, and this one holds ${calls}. Send each in a request of its own.`;

/** How deep a message may be nested: the SDK reads some of it by functions that call themselves. */
const MAX_DEPTH = 500;
const TOO_DEEP = `Bad Request: the message is nested more than ${MAX_DEPTH} levels deep`;

function isDeep(message: unknown): boolean {
  let level: unknown[] = [message];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
  }
  return false;
}

/** Forms of an answer that a client takes. */
type Taken = 'both' | 'json' | 'events';

/** Reads `Accept`, which older clients leave out: `undefined` when the client takes neither form. */
function takenBy(accept: string | null): Taken | undefined {
  const types = (accept || '*/*').split(',').map((range) => range.replace(/;.*$/s, '').trim().toLowerCase());
  const takes = (type: string): boolean =>
    [type, '*/*', type.replace(/\/.*$/, '/*')].some((range) => types.includes(range));
  const json = takes('application/json');
  if (takes('text/event-stream')) return json ? 'both' : 'events';
  return json ? 'json' : undefined;
}

/** The code that the SDK gives to what HTTP alone refuses. */
const OF_HTTP = -32000;
const NOT_ACCEPTABLE =
  'Not Acceptable: what is answered is application/json or text/event-stream. Send Accept: application/json, text/event-stream.';
const NO_JSON = 'Unsupported Media Type: Content-Type must be application/json';

const refusal = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
