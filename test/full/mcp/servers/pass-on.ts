import { type IncomingMessage, request as requestTo } from 'node:http';
import type { Arrived } from './backend.ts';

/** Where a server listens. */
export type Listening = { readonly socketPath: string } | { readonly host: string; readonly port: number };

/** Passes a request on to a server. */
export function passOn(arrived: Arrived, to: Listening): void {
  const { request, response, body, path } = arrived;
  const { method, headers } = request;
  const onward = requestTo({ ...to, path, method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    // At once: an event stream may have nothing to say for long.
    response.flushHeaders();
    passBack(arrived, answer);
    answer.on('error', () => response.destroy());
  });
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  onward.end(body);
}

/** The old transport first says where messages are to be posted, and knows of no run. */
function passBack({ run, path, response }: Arrived, answer: IncomingMessage): void {
  if (path === '/sse') {
    answer.once('data', (first: Buffer) => {
      response.write(String(first).replace('data: /message', `data: /${run}/message`));
      answer.pipe(response);
    });
  } else answer.pipe(response);
}
