import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';

/** Starts an HTTP server on loopback, on a free port. */
export async function listen(
  handle: RequestListener,
): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer(handle).listen(0, '127.0.0.1');
  // If the server closed idle connections, a late request could fail as if a process had been killed.
  server.keepAliveTimeout = 0;
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return { server, url: `http://127.0.0.1:${address.port}` };
}

/** Parses the body of a request as JSON. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}
