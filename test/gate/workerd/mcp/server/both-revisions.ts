/** The same request of both revisions of the protocol, and the official client that speaks them. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { ORIGIN, type Send } from '../../http/client.ts';
import { answerTo, messagesOf, postMcp, rpc } from './talk.ts';

/** The second SDK's client, which finds the newest revision that the server speaks. */
export async function connectedToNewest(
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

/** What one request of the revision 2026-07-28 is answered, without what every answer has: its result, or its error. */
export async function newestAnswerTo(
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
  // What is too long for a header, or no text, is told in the body alone.
  const isNamed = typeof name === 'string' && /^[\x21-\x7e]{1,4000}$/.test(name);
  const response = await postMcp(via, rpc(method, { ...params, _meta }), {
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(isNamed && { 'mcp-name': name }),
    },
  });
  const isStream = response.headers.get('content-type') === 'text/event-stream';
  const message = isStream ? (await messagesOf(response)).at(-1) : await response.json();
  const { result, error } = Object(message);
  if (error !== undefined) return { error };
  const { _meta: _, resultType: _type, ...told } = result;
  return told;
}

/** How a request of each revision is answered. */
export const REVISIONS = [
  ['2025-11-25', answerTo],
  ['2026-07-28', newestAnswerTo],
] as const;
