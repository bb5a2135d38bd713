import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/cfworker';
import type { RealRun } from './real-run.ts';

/** Talks to a run's server by the SDK's own client, with nothing of Holdfast in it, and then ends the session there. */
export async function plainly<Answer>(
  { url }: RealRun,
  talk: (client: Client) => Promise<Answer>,
): Promise<Answer> {
  const client = new Client(
    { name: 'plain', version: '1.0.0' },
    { jsonSchemaValidator: new CfWorkerJsonSchemaValidator(), capabilities: { elicitation: {} } },
  );
  const transport = new StreamableHTTPClientTransport(new URL(url));
  // It may have no session id yet, which its type and that of transports say in two ways.
  await client.connect(transport as Transport);
  try {
    return await talk(client);
  } finally {
    await transport.terminateSession().catch(() => undefined);
    await client.close();
  }
}

/** What the server itself lists for a client that can be asked for forms. */
export const listedBy = (run: RealRun): Promise<readonly Tool[]> =>
  plainly(run, async (client) => (await client.listTools()).tools);
