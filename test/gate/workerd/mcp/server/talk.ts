import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/cfworker';
import { createParser } from 'eventsource-parser';
import { defineMcpEndpoint, type McpEndpointConfig } from '../../../../../src/mcp/server/entry.ts';
import { clerk } from '../../../../fixtures/clerk-agent.ts';
import { scripted } from '../../../../fixtures/scripted-agent.ts';
import { type AppConfig, createTestApp } from '../../http/app.ts';
import { ORIGIN, type Send } from '../../http/client.ts';

type Vars = Readonly<Record<string, unknown>>;

/** A Worker that publishes this endpoint, with any additional settings and vars. */
export const createEndpointApp = (mcp: McpEndpointConfig, config: AppConfig = {}, vars: Vars = {}): Send =>
  createTestApp(
    { agents: [scripted, clerk], ...config, use: [...(config.use ?? []), defineMcpEndpoint(mcp)] },
    vars,
  );

export const ACCEPT_HEADERS = { accept: 'application/json, text/event-stream' };

/** Posts a body as a client would. These headers override the client's own. */
export const postMcp = (
  via: Send,
  body: unknown,
  { headers = {}, signal }: { headers?: Readonly<Record<string, string>>; signal?: AbortSignal } = {},
): Promise<Response> =>
  via('/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...ACCEPT_HEADERS, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal && { signal }),
  });

export const createRpcRequest = (method: string, params: unknown = {}, id: number | string = 1): unknown => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

/** Returns the JSON-RPC messages of a response, in order. */
export async function readMessages(response: Response): Promise<Record<string, unknown>[]> {
  const messages: Record<string, unknown>[] = [];
  const text = await response.text();
  if (response.headers.get('content-type') === 'application/json') return [JSON.parse(text)];
  // The event that makes a stream resumable has no data.
  const onEvent = ({ data }: { readonly data: string }) => data !== '' && messages.push(JSON.parse(data));
  createParser({ onEvent }).feed(text);
  return messages;
}

/** Returns the result or the error of one request. */
export async function requestAnswer(via: Send, method: string, params: unknown = {}): Promise<unknown> {
  const [message] = await readMessages(await postMcp(via, createRpcRequest(method, params)));
  return message?.result ?? { error: message?.error };
}

/** Returns the result of a tool or agent. */
export async function callTool(
  via: Send,
  name: string,
  input: unknown = {},
  meta?: Readonly<Record<string, unknown>>,
): Promise<CallToolResult> {
  const params = { name, arguments: input, ...(meta && { _meta: meta }) };
  return (await requestAnswer(via, 'tools/call', params)) as CallToolResult;
}

export const IDEMPOTENCY_META = 'holdfast/idempotency-key';

/** The official client, connected to a Worker of a test. */
export async function connectClient(
  via: Send,
  headers: Readonly<Record<string, string>> = {},
): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(new URL(`${ORIGIN}/mcp`), {
    fetch: (url, init) => via(String(url), init),
    requestInit: { headers },
  });
  const client = new Client(
    { name: 'test', version: '1' },
    { jsonSchemaValidator: new CfWorkerJsonSchemaValidator() },
  );
  await client.connect(transport as Parameters<Client['connect']>[0]); // the types differ only in optional properties
  return client;
}

/** Returns the structured content of an agent's answer. */
export const getView = (answer: unknown): Record<string, string> => Object(Object(answer).structuredContent);

/** Returns the texts of an answer, one for each block. */
export const getTexts = (answer: unknown): string[] =>
  Object(answer).content.map((block: { readonly text: string }) => block.text);

/** Returns the id of an unused session. */
export const createSessionId = (): string => `s-${crypto.randomUUID()}`;

/** A call of the tool that records this note. */
export const recordCall = (note: string) => ({ calls: [{ name: 'record', input: { note } }] });
