import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createMcpHandler,
  type Implementation,
  type Result,
  Server,
  type ServerContext,
  specTypeSchemas,
} from '@modelcontextprotocol/server';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { attempt } from '../../tool/async.ts';
import { isJsonObject, type JsonObject } from '../../tool/json.ts';
import type { EndpointRequest } from '../../worker/host.ts';
import type { FailureLog } from '../../worker/refusal.ts';
import { RPC_CODE } from '../content/rpc.ts';
import { answerRequest, type Published, type RpcRequest } from './answer-request.ts';
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
}

/**
 * Answers one HTTP request by a server of its own: nothing is remembered between two. The SDK reads the messages, tells the
 * revisions of the protocol apart, and writes the response; requests are answered here.
 */
export async function serveMcp(served: Served, within: EndpointRequest): Promise<Response> {
  const refused = await refuseManyCalls(within.request);
  if (refused) return refused;
  const gone = new AbortController();
  const leave = AbortSignal.any([within.request.signal, gone.signal]);
  const handler = createMcpHandler(({ era }) => createServer({ served, within, leave }, era), {
    // The app has checked the size of the body by its own limit.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
  });
  return watched(await handler.fetch(within.request), () => gone.abort());
}

function createServer({ served, within, leave }: Serving, era: RpcRequest['era']): Server {
  const { info, instructions, published, logFailure } = served;
  const capabilities = {
    logging: {},
    ...(published.callable.size > 0 && { tools: {} }),
    ...(published.prompts.size > 0 && { prompts: {} }),
    ...(hasTasks(published) && { extensions: TASKS }),
  };
  const server = new Server(info, { capabilities, ...(instructions !== undefined && { instructions }) });
  // The SDK's handlers answer bad params as internal errors.
  server.removeRequestHandler('logging/setLevel');
  const answer = (method: string, params: unknown, { mcpReq }: ServerContext): Promise<Result> =>
    answerRequest(published, {
      within,
      era,
      method,
      params: toParams(params),
      client: capabilitiesIn(mcpReq.envelope),
      ...continuationOf(mcpReq),
      send: mcpReq.notify,
      leave,
      logFailure,
    });
  server.fallbackRequestHandler = ({ method, params }, context) => answer(method, params, context);
  // Methods of the same names were in an earlier revision, so that the SDK hands them to nobody who has not said what they are.
  for (const method of TASK_METHODS) {
    server.setRequestHandler(method, { params: ANY }, (params, context) => answer(method, params, context));
  }
  return server;
}

/** Leaves the params of a method to whoever answers it. */
const ANY: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'holdfast', validate: (value) => ({ value }) },
};

/** What a client of the revision 2026-07-28 declares in each request (MCP specification, `_meta`). */
function capabilitiesIn(envelope: unknown): ClientCapabilities {
  const declared: unknown = isJsonObject(envelope) ? envelope[CLIENT_CAPABILITIES_META_KEY] : undefined;
  const read = specTypeSchemas.ClientCapabilities['~standard'].validate(declared);
  return read.issues ? {} : read.value;
}

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
    { jsonrpc: '2.0', error: { code: RPC_CODE.invalidRequest, message }, id: null },
    { status: 400 },
  );
};
