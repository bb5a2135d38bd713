import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import type { Readable } from 'node:stream';
import { createLeashArguments } from '../../../../src/examples/files/server/leash.ts';
import type { Backend } from './backend.ts';
import { passOn, type ServerAddress } from './pass-on.ts';

/** A Node program that serves HTTP. */
export interface ChildCommand {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Matches the text that it writes to standard error when it is listening. */
  readonly ready: RegExp;
  readonly at: ServerAddress;
}

/** Starts a server in a separate process, which serves all runs. */
export async function startChild({ args, env, ready, at }: ChildCommand): Promise<Backend> {
  const child = spawn(process.execPath, [...createLeashArguments({ reads: false }), ...args], {
    stdio: ['pipe', 'ignore', 'pipe'],
    env,
  });
  await waitUntilReady(child, child.stderr, ready);
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  return {
    handle: async (arrived) => passOn(arrived, at),
    // One process serves all runs, so the front only breaks the connections of this run.
    kill: () => {},
    pids: () => (hasEnded() || child.pid === undefined ? [] : [child.pid]),
    async stop() {
      if (hasEnded()) return;
      const ended = once(child, 'exit');
      // Closing the leash makes the process exit and end its children.
      child.stdin.end();
      await ended;
    },
  };
}

/** @throws Error with its output if it exits before it is listening. */
async function waitUntilReady(child: ChildProcess, stderr: Readable, ready: RegExp): Promise<void> {
  let said = '';
  await new Promise<void>((resolve, reject) => {
    stderr.setEncoding('utf8').on('data', (text: string) => {
      said = `${said}${text}`.slice(-2_000);
      if (ready.test(said)) resolve();
    });
    child.once('error', reject);
    child.once('exit', (code) =>
      reject(new Error(`The server exited with code ${code} before it was listening. Its output: ${said}`)),
    );
  });
}
