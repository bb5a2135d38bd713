import { type IncomingMessage, request as requestTo } from 'node:http';
import type { ArrivedRequest } from './backend.ts';

/** The address of a server. */
export type ServerAddress =
  | { readonly socketPath: string }
  | { readonly host: string; readonly port: number };

/** Forwards a request to a server. */
export function passOn(arrived: ArrivedRequest, to: ServerAddress): void {
  const { request, response, body, path } = arrived;
  const { method, headers } = request;
  const onward = requestTo({ ...to, path, method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    // Sent immediately, because an event stream can be silent for a long time.
    response.flushHeaders();
    passBack(arrived, answer);
    answer.on('error', () => response.destroy());
  });
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  onward.end(body);
}

/**
 * Returns the response. In the old transport, the first event contains the URL for messages, which needs the
 * run's prefix.
 */
function passBack({ run, path, response }: ArrivedRequest, answer: IncomingMessage): void {
  if (path === '/sse') {
    answer.once('data', (first: Buffer) => {
      response.write(String(first).replace('data: /message', `data: /${run}/message`));
      answer.pipe(response);
    });
  } else answer.pipe(response);
}
