import type { Backend } from './backend.ts';
import { startChild } from './child-server.ts';

/** All that its tool `get-env` can tell. */
export const EVERYTHING_ENV = { GREETING: 'Hello from the environment.' };

/**
 * Starts the "everything" server by a transport of its own. It would listen on every interface of the machine, so what it
 * takes for a port is the path of a Unix socket.
 */
export const startEverything = (
  main: string,
  { transport, socketPath }: { readonly transport: 'streamableHttp' | 'sse'; readonly socketPath: string },
): Promise<Backend> =>
  startChild({
    args: [main, transport],
    env: { ...EVERYTHING_ENV, PORT: socketPath },
    ready: /(listening|running) on port/,
    at: { socketPath },
  });
