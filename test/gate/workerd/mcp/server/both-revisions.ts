/** The same request in both revisions of the protocol, and the official client that supports them. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { ORIGIN, type Send } from '../../http/client.ts';
import { createRpcRequest, postMcp, readMessages, requestAnswer } from './talk.ts';

/** The second SDK's client, which selects the newest revision of the server. */
export async function connectNewest(
  via: Send,
  headers: Readonly<Record<string, string>> = {},
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${ORIGIN}/mcp`), {
      fetch: (url, init) => via(String(url), init),
      requestInit: { headers },
    }),
  );
  return client;
}

/** Returns the result or the error of a 2026-07-28 request, without the fields common to all responses. */
export async function askNewest(
  via: Send,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
): Promise<unknown> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const name = params.uri ?? params.name;
  // A name that is too long for a header, or is not a text, is sent only in the body.
  const isNamed = typeof name === 'string' && /^[\x21-\x7e]{1,4000}$/.test(name);
  const response = await postMcp(via, createRpcRequest(method, { ...params, _meta }), {
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(isNamed && { 'mcp-name': name }),
    },
  });
  const isStream = response.headers.get('content-type') === 'text/event-stream';
  const message = isStream ? (await readMessages(response)).at(-1) : await response.json();
  const { result, error } = Object(message);
  if (error !== undefined) return { error };
  const { _meta: _, resultType: _type, ...told } = result;
  return told;
}

/** The responses to a request in each revision. */
export const REVISIONS = [
  ['2025-11-25', requestAnswer],
  ['2026-07-28', askNewest],
] as const;
