import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkerSettings } from './start-worker.ts';

/** A Worker whose process, and workerd with it, can be ended as a power cut would. */
export interface KillableWorker {
  readonly url: string;
  /** SIGKILL to the whole process group; resolves when its head is gone. */
  kill(): Promise<void>;
}

/** How long a process may take until it listens, in ms, also on an overloaded machine. */
const PATIENCE = 120_000;

/**
 * Starts a Worker's entry in a process group of its own. With the same storage it continues the same sessions.
 *
 * @throws Error if it ends before it listens, or does not listen in time.
 */
export async function startKillable(entry: string, settings: WorkerSettings): Promise<KillableWorker> {
  const program = resolve(import.meta.dirname, 'worker-child.ts');
  const child = fork(program, [entry, JSON.stringify(settings)], {
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: [],
  });
  const exited = once(child, 'exit');
  const signal = (): boolean => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return false;
    return process.kill(-child.pid, 'SIGKILL');
  };
  // Whatever way this program ends, the group does not stay behind.
  process.on('exit', signal);
  void exited.then(() => process.off('exit', signal));
  const kill = async (): Promise<void> => {
    if (signal()) await exited;
  };
  const limit = new AbortController();
  const late = delay(PATIENCE, undefined, { signal: limit.signal }).catch(() => {});
  const told = await Promise.race([once(child, 'message'), exited.then(() => undefined), late]);
  limit.abort();
  if (told === undefined) {
    const how = signal() ? `did not listen within ${PATIENCE} ms` : 'ended before it listened';
    throw new Error(`The process of ${entry} ${how}.`);
  }
  return { url: String(told[0]).replace(/\/$/, ''), kill };
}
