import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { ErrorCode, type Implementation } from '@modelcontextprotocol/sdk/types.js';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/cfworker';
import { attempt } from '../../tool/async.ts';
import { isJsonObject, type JsonObject } from '../../tool/json.ts';
import type { EndpointRequest } from '../../worker/host.ts';
import type { FailureLog } from '../../worker/refusal.ts';
import { answerRequest, type Published } from './answer-request.ts';

/** An endpoint as it is served. */
interface Served {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly published: Published;
  /** Logs what went wrong inside of a request. */
  readonly logFailure: FailureLog;
}

/**
 * Answers one HTTP request by a server of its own: nothing is remembered between two (streamable HTTP without sessions). The
 * SDK reads the messages, negotiates the version and writes the response; requests are answered here.
 */
export async function serveMcp(served: Served, within: EndpointRequest): Promise<Response> {
  const refused = await refuseManyCalls(within.request);
  if (refused) return refused;
  const gone = new AbortController();
  const leave = AbortSignal.any([within.request.signal, gone.signal]);
  const server = createServer(served, within, leave);
  // The app has checked the size of the body by its own limit.
  const transport = new WebStandardStreamableHTTPServerTransport({
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
  });
  await server.connect(transport);
  leave.addEventListener('abort', () => void transport.close());
  return watched(await transport.handleRequest(within.request), () => gone.abort());
}

function createServer(
  { info, instructions, published, logFailure }: Served,
  within: EndpointRequest,
  leave: AbortSignal,
): Server {
  const capabilities = {
    logging: {},
    ...(published.callable.size > 0 && { tools: {} }),
    ...(published.prompts.size > 0 && { prompts: {} }),
  };
  const server = new Server(info, {
    capabilities,
    ...(instructions !== undefined && { instructions }),
    // The SDK's own validator makes code of schemas, which no Worker may.
    jsonSchemaValidator: new CfWorkerJsonSchemaValidator(),
  });
  // The SDK's handlers answer bad params as internal errors.
  server.removeRequestHandler('logging/setLevel');
  server.fallbackRequestHandler = ({ method, params }, { sendNotification }) =>
    answerRequest(published, {
      within,
      method,
      params: toParams(params),
      send: sendNotification,
      leave,
      logFailure,
    });
  return server;
}

/** Takes anything else for no params: the SDK checks only that they are JSON. */
const toParams = (params: unknown): JsonObject => (isJsonObject(params) ? params : {});

/**
 * Calls `onGone` when the reader of the response leaves before its end: not every platform tells that by the request's
 * signal.
 */
function watched(response: Response, onGone: () => void): Response {
  const { body, status, headers } = response;
  if (!body) return response;
  const reader = body.getReader();
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel(reason) {
      onGone();
      await reader.cancel(reason);
    },
  });
  return new Response(stream, { status, headers });
}

/**
 * Answers 400 to a batch that calls more than one tool or agent, before anything has begun; `undefined` for any other request,
 * whose body stays unread. One request may begin one turn: its invocation has a budget for that, and whoever limits the requests
 * of a client limits its turns by that. The MCP specification has no batches since 2025-06-18; of what else older clients put
 * into one, the SDK takes up to 100 messages.
 */
async function refuseManyCalls(request: Request): Promise<Response | undefined> {
  const calls = callsIn(await request.clone().text());
  return calls > 1 ? refusal(calls) : undefined;
}

/** Counts the calls of a batch, which is an array of messages; nothing else is parsed here. */
function callsIn(body: string): number {
  if (!/^\s*\[/.test(body)) return 0;
  const parsed = attempt((): unknown => JSON.parse(body));
  if (!parsed.ok || !Array.isArray(parsed.value)) return 0;
  return parsed.value.filter((message) => isJsonObject(message) && message.method === 'tools/call').length;
}

const refusal = (calls: number): Response => {
  const message = `A batch may hold one tools/call, and this one holds ${calls}. Send each in a request of its own.`;
  return Response.json(
    { jsonrpc: '2.0', error: { code: ErrorCode.InvalidRequest, message }, id: null },
    { status: 400 },
  );
};
