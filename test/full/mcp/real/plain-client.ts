import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/cfworker';
import type { RealRun } from './real-run.ts';

/** Uses a run's server with the SDK's client, without Holdfast, and then ends the session. */
export async function withPlainClient<Answer>(
  { url }: RealRun,
  talk: (client: Client) => Promise<Answer>,
): Promise<Answer> {
  const client = new Client(
    { name: 'plain', version: '1.0.0' },
    { jsonSchemaValidator: new CfWorkerJsonSchemaValidator(), capabilities: { elicitation: {} } },
  );
  const transport = new StreamableHTTPClientTransport(new URL(url));
  // The types of the SDK disagree about a missing session id.
  await client.connect(transport as Transport);
  try {
    return await talk(client);
  } finally {
    await transport.terminateSession().catch(() => undefined);
    await client.close();
  }
}

/** Returns the tools that the server lists for a client with form support. */
export const listTools = (run: RealRun): Promise<readonly Tool[]> =>
  withPlainClient(run, async (client) => (await client.listTools()).tools);
