import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';

/** An HTTP server on loopback, on a port that the system chose. */
export async function listen(
  handle: RequestListener,
): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer(handle).listen(0, '127.0.0.1');
  // Closed while idle, a connection could break under a request of a client that was held up, as if a process had died.
  server.keepAliveTimeout = 0;
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The system gave no port.');
  return { server, url: `http://127.0.0.1:${address.port}` };
}

/** The body of a request, parsed as JSON. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}
