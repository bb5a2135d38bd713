/** A hostile MCP server over streamable HTTP, whose messages an attack controls. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { listen } from '../../../../src/examples/demo/loopback.ts';

/** A message that the server received, with its request. */
export interface RecordedRequest {
  /** The scenario's name, from the path of the request. */
  readonly scenario: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  readonly rpc: { readonly id?: unknown; readonly method?: string; readonly params?: Params };
}

interface Params {
  readonly name?: string;
  readonly arguments?: unknown;
  readonly inputResponses?: unknown;
  readonly requestState?: unknown;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** An HTTP response that the attack builds itself. */
export interface RawResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends a request to the client while a call runs, and resolves to the client's response. */
type Ask = (method: string, params: object) => Promise<unknown>;

/** The behavior of the server at one path. */
export interface Scenario {
  readonly tools?: readonly object[] | (() => readonly object[]);
  /** Returns the result of a call. The server wraps it in JSON-RPC. */
  readonly call?: (params: Params, ask: Ask) => unknown;
  /** Uses revision 2026-07-28, which has no sessions. Defaults to an older revision. */
  readonly isStateless?: boolean;
  /** Returns the HTTP response to a message. It is called before all other members. */
  readonly raw?: (heard: RecordedRequest) => RawResponse | undefined;
}

export interface EnemyServer {
  readonly url: string;
  readonly heard: readonly RecordedRequest[];
  /** Plays a scenario at the path of this name. */
  stage(name: string, scenario: Scenario): void;
  stop(): void;
}

export async function startEnemyServer(): Promise<EnemyServer> {
  const scenarios = new Map<string, Scenario>();
  const heard: RecordedRequest[] = [];
  const answers = new Map<unknown, (result: unknown) => void>();
  let asked = 0;
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const message = await toHeard(request);
    heard.push(message);
    const scenario = scenarios.get(message.scenario) ?? {};
    const raw = scenario.raw?.(message);
    const { id, method } = message.rpc;
    if (raw) respond(response, raw);
    else if (request.method !== 'POST') respond(response, { status: 405 });
    else if (method === undefined || id === undefined) {
      answers.get(id)?.(message.rpc);
      respond(response, { status: 202 });
    } else if (method !== 'tools/call') respondJson(response, id, { result: createResult(method, scenario) });
    else {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const write = (sent: object): void =>
        void response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...sent })}\n\n`);
      const ask: Ask = (question, params) => {
        const own = `q${asked++}`;
        const { promise, resolve } = Promise.withResolvers<unknown>();
        answers.set(own, resolve);
        write({ id: own, method: question, params });
        return promise;
      };
      write({ id, result: await scenario.call?.(message.rpc.params ?? {}, ask) });
      response.end();
    }
  };
  const { server, url } = await listen((request, response) => {
    handle(request, response).catch((failure: unknown) => response.writeHead(500).end(String(failure)));
  });
  return {
    url,
    heard,
    stage: (name, scenario) => void scenarios.set(name, scenario),
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function toHeard(request: IncomingMessage): Promise<RecordedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  const path = request.url ?? '';
  const scenario = decodeURIComponent(path.split(/[/?]/)[1] ?? '');
  return { scenario, path, headers: request.headers, body, rpc: body === '' ? {} : JSON.parse(body) };
}

function createResult(method: string, { tools = [], isStateless = false }: Scenario): unknown {
  if (method === 'tools/list') return { tools: typeof tools === 'function' ? tools() : tools };
  if (method === 'server/discover' && isStateless)
    return { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };
  if (method !== 'initialize') return {};
  return {
    protocolVersion: '2025-06-18',
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'enemy', version: '1' },
  };
}

const respondJson = (response: ServerResponse, id: unknown, message: object): void =>
  respond(response, {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id, ...message }),
  });

function respond(response: ServerResponse, { status, headers = {}, body }: RawResponse): void {
  response.writeHead(status, { ...headers });
  response.end(body);
}

/** Returns a tool as it appears in the server's list. */
export const createEnemyTool = (name: string, more: object = {}): object => ({
  name,
  description: 'Helps.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  annotations: { readOnlyHint: true },
  ...more,
});

/** A result that contains this text. */
export const createTextResult = (text: string): object => ({ content: [{ type: 'text', text }] });
