import {
  createMcpHandler,
  type Implementation,
  isLegacyRequest,
  isSpecType,
  type Result,
  Server,
  type ServerContext,
  type ServerNotification,
  type StandardSchemaV1,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { ENCODER } from '../../tool/async.ts';
import { isJsonObject, type JsonObject } from '../../tool/json.ts';
import type { FailureLog } from '../../worker/refusal.ts';
import { RPC_CODE } from '../content/rpc.ts';
import { answerRequest, CACHING, getCapabilities, isOffered } from './answer-request.ts';
import type { EndpointRequest } from './caller.ts';
import { readCapabilities } from './caller.ts';
import { findHeadersMismatch, type Publication } from './publish.ts';
import {
  findMethod,
  type McpMessage,
  type PublishedItems,
  type RpcRequest,
  readMessage,
  resumeCall,
} from './rpc-request.ts';
import { formatPrimingFrame, RETRY_MS, StreamPosition, toEventStore } from './stream-position.ts';
import { listenToTasks } from './task-notifications.ts';
import { hasTasks, TASK_METHODS, TASKS } from './tasks.ts';

interface RunningEndpoint {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly published: PublishedItems;
  /** Logs internal errors of a request. */
  readonly logFailure: FailureLog;
}

/** One HTTP request in progress. */
interface EndpointExchange extends McpMessage {
  readonly served: RunningEndpoint;
  readonly within: EndpointRequest;
  /** Aborts when the client disconnects. */
  readonly leave: AbortSignal;
  readonly position: StreamPosition;
}

/**
 * Handles one HTTP request with its own server, without state between requests. The SDK reads the messages,
 * detects the revision of the protocol, and writes the response. Requests are handled here. A `GET` resumes a
 * broken stream.
 */
export async function serveMcp(served: RunningEndpoint, within: EndpointRequest): Promise<Response> {
  const { request } = within;
  if (request.method !== 'POST') return resumeCall(served.published, within);
  const message = await readMessage(request);
  if (message instanceof Response) return message;
  const gone = new AbortController();
  const leave = AbortSignal.any([request.signal, gone.signal]);
  const position = new StreamPosition();
  const response = await respond({ served, within, leave, position, ...message });
  return watchResponse(response, position, () => gone.abort());
}

/** Passes the parsed body to the SDK, by its revision. */
async function respond(serving: EndpointExchange): Promise<Response> {
  const { within, leave, body, takes, position } = serving;
  const { url, method, headers, signal } = within.request;
  const asked = new Request(url, { method, headers, signal });
  // The accepted forms are already known, but the SDK requires both values.
  asked.headers.set('accept', 'application/json, text/event-stream');
  // The app has checked the size of the body by its own limit.
  const maxRequestBodySize = Number.MAX_SAFE_INTEGER;
  if (!(await isLegacyRequest(asked, body))) {
    const mismatch = refuseParamMismatch(serving);
    if (mismatch) return mismatch;
    const responseMode = takes === 'events' || (takes === 'both' && isAgentCall(serving)) ? 'sse' : 'auto';
    const options = { legacy: 'reject', maxRequestBodySize, responseMode } as const;
    const handler = createMcpHandler(() => createServer(serving, 'modern'), options);
    const response = await handler.fetch(asked, { parsedBody: body });
    return listenToTasks({ published: serving.served.published, within, body }, response);
  }
  const misbegun = createInitializeFault(body);
  if (misbegun) return misbegun;
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: takes === 'json',
    eventStore: toEventStore(position),
    retryInterval: RETRY_MS,
    maxRequestBodySize,
  });
  await createServer(serving, 'legacy').connect(transport);
  leave.addEventListener('abort', () => void transport.close());
  const response = await transport.handleRequest(asked, { parsedBody: body });
  // Clients resume streams only in a session. This id identifies no session: no data is stored under it, and
  // no request is matched by it.
  if (findMethod(body) === 'initialize' && response.ok)
    response.headers.set('mcp-session-id', crypto.randomUUID());
  return response;
}

/**
 * Returns an error for an incomplete `initialize`. The SDK would respond with an internal error and the text
 * of its schema library.
 */
function createInitializeFault(body: unknown): Response | undefined {
  if (findMethod(body) !== 'initialize' || isSpecType.InitializeRequest(body)) return undefined;
  const { id } = Object(body);
  if (!isSpecType.RequestId(id)) return undefined;
  const message =
    '`initialize` must have a string `protocolVersion`, `capabilities`, and a `clientInfo` with a name and a version.';
  const error = { code: RPC_CODE.invalidParams, message };
  return Response.json({ jsonrpc: '2.0', error, id }, { status: 400 });
}

/** Returns the published tool or agent of a call. */
function findCalled({
  served,
  body,
}: EndpointExchange): { readonly published: Publication; readonly params: JsonObject } | undefined {
  if (findMethod(body) !== 'tools/call' || !isJsonObject(body) || !isJsonObject(body.params))
    return undefined;
  const { params } = body;
  const published = typeof params.name === 'string' ? served.published.callable.get(params.name) : undefined;
  return published && { published, params };
}

/**
 * Returns whether a request calls an agent. The call can take a long time, so its response is a stream from
 * the start, and the client's departure is noticed.
 */
const isAgentCall = (serving: EndpointExchange): boolean => findCalled(serving)?.published.kind === 'agent';

/**
 * Refuses a call whose arguments contradict its headers. A proxy in front of the Worker may have admitted the
 * call because of these headers.
 */
function refuseParamMismatch(serving: EndpointExchange): Response | undefined {
  const { published, params } = findCalled(serving) ?? {};
  if (published?.kind !== 'tool' || !isJsonObject(params?.arguments)) return undefined;
  const { headers } = serving.within.request;
  const mismatch = findHeadersMismatch(published.tool.inputSchema, params.arguments, headers);
  if (!mismatch) return undefined;
  const { id = null } = isJsonObject(serving.body) ? serving.body : {};
  const message = `Bad Request: the request headers and body disagree: ${mismatch.body}`;
  const error = { code: RPC_CODE.headerMismatch, message, data: { mismatch } };
  return Response.json({ jsonrpc: '2.0', error, id }, { status: 400 });
}

function createServer(serving: EndpointExchange, era: RpcRequest['era']): Server {
  const { served, within, leave, position, body, takes } = serving;
  const { info, instructions, published, logFailure } = served;
  const { resources, completions } = getCapabilities(published);
  // Published data changes only with a deployment, which ends every connection. So there are no change
  // notifications and no subscriptions.
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
  // The SDK's handlers respond to invalid params with internal errors.
  server.removeRequestHandler('logging/setLevel');
  const answerMethod = (method: string, params: unknown, { mcpReq }: ServerContext): Promise<Result> =>
    answerRequest(published, {
      within,
      era,
      id: mcpReq.id,
      method,
      params: toParams(params),
      client: readCapabilities(mcpReq.envelope),
      ...readContinuation(mcpReq),
      send: (notification) => (takes === 'json' ? Promise.resolve() : sendNotification(mcpReq, notification)),
      position,
      leave,
      logFailure,
    });
  const asked = findMethod(body);
  // Without a handler, the SDK responds with the right status for each revision.
  if (asked === undefined || isOffered(published, asked))
    server.fallbackRequestHandler = ({ method, params }, context) => answerMethod(method, params, context);
  // An earlier revision had methods of the same names. The SDK therefore requires schemas for them.
  for (const method of hasTasks(published) ? TASK_METHODS : [])
    server.setRequestHandler(method, { params: ANY_SCHEMA }, (params, context) =>
      answerMethod(method, params, context),
    );
  return server;
}

/** Sends a notification. A log message is sent only if the client asked for its level. */
async function sendNotification(
  mcpReq: ServerContext['mcpReq'],
  notification: ServerNotification,
): Promise<void> {
  if (notification.method !== 'notifications/message') return mcpReq.notify(notification);
  const { level, data, logger } = notification.params;
  return mcpReq.log(level, data, logger);
}

/** Leaves the params of a method unvalidated, for its handler. */
const ANY_SCHEMA: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'holdfast', validate: (value) => ({ value }) },
};

/** Returns the answers and the state of a request that a client repeats after a question. */
function readContinuation({
  inputResponses = {},
  requestState,
}: ServerContext['mcpReq']): Pick<RpcRequest, 'answers' | 'state'> {
  return { answers: inputResponses, state: requestState<string>() };
}

/** Treats invalid params as absent. The SDK only checks that they are JSON. */
const toParams = (params: unknown): JsonObject => (isJsonObject(params) ? params : {});

/**
 * Calls `onGone` if the reader of the response leaves before its end, because some platforms do not abort the
 * request's signal. Also delays the SDK's first event, which has no data, until its id is known.
 */
function watchResponse(response: Response, position: StreamPosition, onGone: () => void): Response {
  const { body, status, headers } = response;
  if (!body) return response;
  const reader = body.getReader();
  const readNext = async (): Promise<Uint8Array | undefined> => {
    const { value } = await reader.read();
    if (!value || !isPriming(value)) return value;
    const id = await position.firstEventId;
    return id === '' ? readNext() : ENCODER.encode(formatPrimingFrame(id));
  };
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const value = await readNext();
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

/** Returns whether a chunk is the event without data. Messages begin with their type. */
const isPriming = (chunk: Uint8Array): boolean => new TextDecoder().decode(chunk.subarray(0, 3)) === 'id:';
