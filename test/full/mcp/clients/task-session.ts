import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createTaskSessionFromClient, type TaskEnabledSession } from '@modelcontextprotocol/ext-tasks/client';
import { createParser } from 'eventsource-parser';
import { MCP_URL } from './killed-worker.ts';

const REVISION = '2026-07-28';
const clientInfo = { name: 'foreign-client', version: '1' };

/** Opens the client of the tasks extension on a connection of the second SDK. */
export async function createTaskSession(via: typeof fetch): Promise<TaskEnabledSession> {
  const client = new Client(clientInfo, { versionNegotiation: { mode: { pin: REVISION } } });
  await client.connect(new StreamableHTTPClientTransport(MCP_URL, { fetch: via }));
  let id = 0;
  return createTaskSessionFromClient(client, {
    endpointId: 'published',
    v2RequestFraming: { protocolVersion: REVISION, clientInfo, clientCapabilities: {} },
    // The SDK's client rejects task results, so requests of the extension bypass it.
    async rawDispatch(request) {
      const { method, params } = Object(request);
      id += 1;
      const ask = (): Promise<Response> =>
        via(MCP_URL, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            'mcp-protocol-version': REVISION,
            'mcp-method': method,
            'mcp-name': params.taskId ?? params.name,
          },
          body: JSON.stringify({ jsonrpc: '2.0', id, ...Object(request) }),
        });
      // Only a `tasks/get` request can be repeated if its connection is lost.
      const response = await ask().catch((lost: unknown) => {
        if (method !== 'tasks/get') throw lost;
        return ask();
      });
      const { result, error } = await readLastMessage(response);
      return error === undefined ? { kind: 'result', result } : { kind: 'error', error };
    },
  });
}

/** Returns the last message of a stream. */
async function readLastMessage(response: Response) {
  const text = await response.text();
  if (response.headers.get('content-type') !== 'text/event-stream') return JSON.parse(text);
  const told: string[] = [];
  // The first event of a stream only sets its id.
  const parser = createParser({ onEvent: ({ data }) => data !== '' && told.push(data) });
  parser.feed(text);
  return JSON.parse(told.at(-1) ?? 'null');
}
