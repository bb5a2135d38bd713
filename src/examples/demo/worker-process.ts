import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isOpen, pollUntil } from './ports.ts';
import { type ProcessGroup, startGroup } from './process-group.ts';

export const root = fileURLToPath(new URL('../../../', import.meta.url));
const wrangler = join(root, 'node_modules/wrangler/bin/wrangler.js');

/** The file in a Worker's directory that contains wrangler's output. A restart appends to it. */
export const LOG_FILE = 'wrangler.log';

/** The port and storage of a Worker. */
export interface WorkerOptions {
  readonly port: number;
  /**
   * A directory for the storage, the log and wrangler's own files. The same directory continues the same
   * sessions.
   */
  readonly directory: string;
  readonly vars: Readonly<Record<string, string>>;
  /**
   * The entry of the Worker, relative to the root of this repository. Defaults to the entry in
   * `wrangler.toml`.
   */
  readonly entry?: string | undefined;
  /** The wrangler configuration file, relative to the same root. Defaults to `wrangler.toml`. */
  readonly config?: string | undefined;
}

/** The Worker of this repository under `wrangler dev`. */
export interface WorkerProcess {
  readonly url: string;
  /** Sends SIGKILL to the whole process group. Resolves when its port is closed. */
  kill(): Promise<void>;
  /** Sends SIGTERM to the whole process group. Resolves when its port is closed. */
  stop(): Promise<void>;
  /** Returns the last lines of wrangler's output. */
  log(): string;
}

/**
 * Starts the Worker, and resolves when it responds. @throws Error with the last lines of its log if it does
 * not respond.
 */
export async function startWorker(options: WorkerOptions): Promise<WorkerProcess> {
  const { port, directory, vars, entry, config } = options;
  const log = join(directory, LOG_FILE);
  const named = [
    ...(entry === undefined ? [] : [entry]),
    ...(config === undefined ? [] : ['--config', config]),
  ];
  const args = ['dev', ...named, ...listWranglerFlags(port, directory), ...toVarFlags(vars)];
  const group = startGroup(wrangler, args, {
    log,
    cwd: root,
    env: createProcessEnvironment(directory),
  });
  const url = `http://127.0.0.1:${port}`;
  try {
    await pollUntil('the Worker answers', 60_000, async () => {
      if (!group.running) throw new Error('wrangler dev has exited.');
      return isAnswering(url);
    });
  } catch (error) {
    await group.end('SIGKILL');
    throw new Error(`The Worker did not start. The end of its log:\n${getLastLines(log)}`, { cause: error });
  }
  const endWithSignal = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> =>
    endAndSee(group, signal, port);
  return {
    url,
    kill: () => endWithSignal('SIGKILL'),
    stop: () => endWithSignal('SIGTERM'),
    log: () => getLastLines(log),
  };
}

async function endAndSee(group: ProcessGroup, signal: 'SIGKILL' | 'SIGTERM', port: number): Promise<void> {
  await group.end(signal);
  await pollUntil(`port ${port} is closed`, 10_000, async () => !(await isOpen(port)));
}

function listWranglerFlags(port: number, directory: string): string[] {
  // Prevents wrangler from reading the developer's `.dev.vars`, which may contain a token or a key.
  const devVars = join(directory, 'dev.env');
  writeFileSync(devVars, 'HOLDFAST_AUTH=localhost\n');
  return [
    ...['--ip', '127.0.0.1', '--port', String(port), '--inspector-port', '0'],
    ...['--persist-to', join(directory, 'storage'), '--env-file', devVars],
    '--show-interactive-dev-session=false',
  ];
}

const toVarFlags = (vars: Readonly<Record<string, string>>): string[] =>
  Object.entries(vars).flatMap(([name, value]) => ['--var', `${name}:${value}`]);

/** Returns an environment in which wrangler sends no telemetry and writes only inside the directory. */
const createProcessEnvironment = (directory: string): NodeJS.ProcessEnv => ({
  ...process.env,
  TMPDIR: directory,
  CI: '1',
  NO_COLOR: '1',
  WRANGLER_SEND_METRICS: 'false',
  XDG_CONFIG_HOME: join(directory, 'config'),
  WRANGLER_LOG_PATH: join(directory, 'wrangler-logs'),
  WRANGLER_REGISTRY_PATH: join(directory, 'wrangler-registry'),
});

async function isAnswering(url: string): Promise<boolean> {
  try {
    const { ok, headers } = await fetch(`${url}/health`, { signal: AbortSignal.timeout(2_000) });
    // A Worker with a missing setting, such as the secret of a webhook, still responds.
    return ok || headers.get('content-type') === 'application/problem+json';
  } catch {
    return false;
  }
}

const getLastLines = (log: string): string => readFileSync(log, 'utf8').split('\n').slice(-30).join('\n');
