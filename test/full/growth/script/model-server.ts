/** A local server of chat completions that reports the size of each request before it replies. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';

export interface ModelServer {
  readonly url: string;
  /** Receives the size of a request. The server awaits it before it replies. */
  onRequest: (bytes: number) => Promise<void>;
  close(): void;
}

/** Starts the server. For a message `Draw 5`, it calls the tool `draw` in five replies. */
export async function startModelServer(): Promise<ModelServer> {
  const server = createServer((request, response) => {
    const answerRequest = async (): Promise<void> => {
      const body = await readBody(request);
      const { messages } = JSON.parse(body.toString()) as { messages: readonly ServedMessage[] };
      await model.onRequest(body.byteLength);
      const answer = { choices: [{ message: createReply(messages), finish_reason: 'stop' }] };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
    };
    answerRequest().catch((failure: unknown) => {
      console.error(failure);
      response.writeHead(400).end(JSON.stringify({ error: { message: String(failure) } }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('The model server is not listening on a port.');
  const url = `http://127.0.0.1:${address.port}/v1`;
  const model: ModelServer = { url, onRequest: async () => {}, close: () => server.close() };
  return model;
}

interface ServedMessage {
  readonly role: string;
  readonly content: unknown;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer); // no encoding is set, so pieces are buffers
  return Buffer.concat(pieces);
}

function createReply(messages: readonly ServedMessage[]): object {
  // Images of tools follow as user messages with several parts, so the search skips them.
  const at = messages.findLastIndex(({ role, content }) => role === 'user' && typeof content === 'string');
  const wanted = Number(/^Draw (\d+)/.exec(String(messages[at]?.content))?.[1] ?? 0);
  const done = messages.slice(at).filter(({ role }) => role === 'tool').length;
  if (done >= wanted) return { role: 'assistant', content: 'Seen.' };
  const call = { id: `call_${done}`, type: 'function', function: { name: 'draw', arguments: '{}' } };
  return { role: 'assistant', content: null, tool_calls: [call] };
}
