import {
  Client,
  type ClientCapabilities,
  type ElicitRequest,
  type ElicitResult,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker';
import { ORIGIN, type Send } from '../../http/client.ts';
import { createRpcRequest, postMcp, readMessages } from './talk.ts';

export const REVISION = '2026-07-28';

export const FORM_CAPABILITIES: ClientCapabilities = { elicitation: { form: {} } };

/** Creates the metadata that the client sends with every request. */
const createEnvelope = (capabilities: ClientCapabilities) => ({
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': capabilities,
});

/** The sender of a request, and the client's capabilities. */
export interface Sender {
  readonly capabilities?: ClientCapabilities;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns the JSON-RPC response to one request of the new revision. */
export async function sendModernRequest(
  via: Send,
  method: string,
  params: Readonly<Record<string, unknown>>,
  { capabilities = FORM_CAPABILITIES, headers = {} }: Sender = {},
): Promise<{ readonly result?: unknown; readonly error?: unknown }> {
  const response = await postMcp(
    via,
    createRpcRequest(method, {
      ...params,
      _meta: { ...createEnvelope(capabilities), ...Object(params._meta) },
    }),
    {
      headers: {
        'mcp-protocol-version': REVISION,
        'mcp-method': method,
        ...(typeof params.name === 'string' && { 'mcp-name': params.name }),
        ...headers,
      },
    },
  );
  if (response.headers.get('content-type')?.startsWith('application/json')) {
    const { result, error } = await response.json<{ result?: unknown; error?: unknown }>();
    return { result, error };
  }
  const messages = await readMessages(response);
  const { result, error } = messages.at(-1) ?? {};
  return { result, error };
}

/** The questions to a client. */
export interface Questions {
  readonly resultType: 'input_required';
  readonly inputRequests: Readonly<Record<string, ElicitRequest>>;
  readonly requestState: string;
}

/** The official client of the new revision, whose user gives these answers. */
export async function connectWithUser(
  via: Send,
  answer: (params: ElicitRequest['params']) => ElicitResult | Promise<ElicitResult>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(new URL(`${ORIGIN}/mcp`), {
    fetch: (url, init) => via(String(url), init),
    requestInit: { headers },
  });
  const client = new Client(
    { name: 'test', version: '2' },
    {
      capabilities: FORM_CAPABILITIES,
      versionNegotiation: { mode: { pin: REVISION } },
      jsonSchemaValidator: new CfWorkerJsonSchemaValidator(),
    },
  );
  client.setRequestHandler('elicitation/create', ({ params }) => answer(params));
  await client.connect(transport);
  return client;
}
