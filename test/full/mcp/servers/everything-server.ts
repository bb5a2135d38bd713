import type { Backend } from './backend.ts';
import { startChild } from './child-server.ts';

/** The variables that its tool `get-env` can return. */
export const EVERYTHING_ENV = { GREETING: 'Hello from the environment.' };

/**
 * Starts the "everything" server with one of its transports. Its port is set to the path of a Unix socket,
 * because it would otherwise listen on every network interface.
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
