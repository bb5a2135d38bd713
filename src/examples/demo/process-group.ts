import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';

/** A process and all its child processes, which end together. */
export interface ProcessGroup {
  /** Resolves with the exit code of the first process, or `null` if a signal ended it. */
  readonly exited: Promise<number | null>;
  readonly running: boolean;
  /** Signals the whole group, and resolves when its first process is gone. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
}

const running = new Set<ChildProcess>();

// Ends all groups on every exit of this program.
process.on('exit', () => {
  for (const child of running) signalGroup(child, 'SIGKILL');
});

/** Starts a Node program in a new process group. Writes its output to the file `log`. */
export function startGroup(
  script: string,
  args: readonly string[],
  { log, cwd, env }: { readonly log: string; readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): ProcessGroup {
  const output = openSync(log, 'a');
  const child = spawn(process.execPath, [script, ...args], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', output, output],
  });
  running.add(child);
  const exited = once(child, 'exit').then(([code]) => {
    running.delete(child);
    return typeof code === 'number' ? code : null;
  });
  return {
    exited,
    get running() {
      return running.has(child);
    },
    async end(signal) {
      signalGroup(child, signal);
      await exited;
    },
  };
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has already ended.
  }
}
