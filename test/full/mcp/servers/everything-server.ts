import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import type { Readable } from 'node:stream';
import { leash } from '../../../../src/examples/files/server/leash.ts';
import type { Backend } from './backend.ts';
import { passOn } from './pass-on.ts';

/** All that its tool `get-env` can tell. */
export const EVERYTHING_ENV = { GREETING: 'Hello from the environment.' };

/**
 * Starts the "everything" server by a transport of its own. It would listen on every interface of the machine, so what it
 * takes for a port is the path of a Unix socket.
 */
export async function startEverything(
  main: string,
  { transport, socketPath }: { readonly transport: 'streamableHttp' | 'sse'; readonly socketPath: string },
): Promise<Backend> {
  const child = spawn(process.execPath, [...leash({ reads: false }), main, transport], {
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { ...EVERYTHING_ENV, PORT: socketPath },
  });
  await listening(child, child.stderr);
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  return {
    handle: async (arrived) => passOn(arrived, { socketPath }),
    // One process serves all runs. The front breaks the connections of the one that is to be killed.
    kill: () => {},
    pids: () => (hasEnded() || child.pid === undefined ? [] : [child.pid]),
    async stop() {
      if (hasEnded()) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** @throws Error with its words when it ends before it listens. */
async function listening(child: ChildProcess, stderr: Readable): Promise<void> {
  let said = '';
  await new Promise<void>((resolve, reject) => {
    stderr.setEncoding('utf8').on('data', (text: string) => {
      said = `${said}${text}`.slice(-2_000);
      if (/(listening|running) on port/.test(said)) resolve();
    });
    child.once('error', reject);
    child.once('exit', (code) =>
      reject(new Error(`The everything server ended with ${code}, and said: ${said}`)),
    );
  });
}
