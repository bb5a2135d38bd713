import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkerSettings } from './start-worker.ts';

/** A Worker whose process and workerd can be killed, as in a power cut. */
export interface KillableWorker {
  readonly url: string;
  /** Sends SIGKILL to the process group. Resolves when its leader has exited. */
  kill(): Promise<void>;
}

/** The maximum time in ms until a process is listening, for an overloaded machine. */
const TIMEOUT_MS = 120_000;

/**
 * Starts a Worker's entry in a separate process group. A Worker with the same storage continues the same
 * sessions.
 *
 * @throws Error if the process exits early or does not listen in time.
 */
export async function startKillable(entry: string, settings: WorkerSettings): Promise<KillableWorker> {
  const program = resolve(import.meta.dirname, 'worker-child.ts');
  const child = fork(program, [entry, JSON.stringify(settings)], {
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: [],
  });
  const exited = once(child, 'exit');
  const sendKillSignal = (): boolean => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return false;
    return process.kill(-child.pid, 'SIGKILL');
  };
  // Kills the group if this program exits for any reason.
  process.on('exit', sendKillSignal);
  void exited.then(() => process.off('exit', sendKillSignal));
  const kill = async (): Promise<void> => {
    if (sendKillSignal()) await exited;
  };
  const limit = new AbortController();
  const late = delay(TIMEOUT_MS, undefined, { signal: limit.signal }).catch(() => {});
  const told = await Promise.race([once(child, 'message'), exited.then(() => undefined), late]);
  limit.abort();
  if (told === undefined) {
    const how = sendKillSignal() ? `did not listen within ${TIMEOUT_MS} ms` : 'exited before it listened';
    throw new Error(`The Worker ${entry} ${how}.`);
  }
  return { url: String(told[0]).replace(/\/$/, ''), kill };
}
