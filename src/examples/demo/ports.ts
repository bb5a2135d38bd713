import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Returns a free port of this machine. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return address.port;
}

export async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Polls until `holds` returns true. @throws Error with `what` in its message after `ms`. */
export async function pollUntil(what: string, ms: number, holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + ms;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`Timed out after ${ms} ms; expected: ${what}.`);
    await delay(50);
  }
}

/** Returns the promise's value. @throws Error with `what` in its message if it takes more than `ms`. */
export async function withTimeLimit<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
  const late = AbortSignal.timeout(ms);
  return Promise.race([
    promise,
    new Promise<never>((_, reject) => {
      late.addEventListener(
        'abort',
        () => reject(new Error(`Timed out after ${ms} ms; expected: ${what}.`)),
        {
          once: true,
        },
      );
    }),
  ]);
}
