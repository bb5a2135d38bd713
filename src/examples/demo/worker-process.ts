import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isOpen, until } from './ports.ts';
import { type ProcessGroup, startGroup } from './process-group.ts';

/** The root of this repository. */
export const root = fileURLToPath(new URL('../../../', import.meta.url));
const wrangler = join(root, 'node_modules/wrangler/bin/wrangler.js');

/** What wrangler prints, in the directory of a Worker; a restart goes on with it. */
export const LOG_FILE = 'wrangler.log';

/** Where a Worker of the demo listens, and where it keeps its sessions. */
export interface WorkerOptions {
  readonly port: number;
  /** A directory for the storage, the log and wrangler's own files; the same one continues the same sessions. */
  readonly directory: string;
  readonly vars: Readonly<Record<string, string>>;
  /** Its entry, from the root of this repository; the one of `wrangler.toml` unless given. */
  readonly entry?: string | undefined;
  /** Its settings, from there too; `wrangler.toml` unless given. */
  readonly config?: string | undefined;
}

/** The Worker of this repository under `wrangler dev`. */
export interface WorkerProcess {
  readonly url: string;
  /** SIGKILL to the whole process group; resolves when its port is seen closed. */
  kill(): Promise<void>;
  /** SIGTERM, with the same wait. */
  stop(): Promise<void>;
  /** The end of what wrangler has printed. */
  log(): string;
}

/** Starts the Worker and resolves when it answers. @throws Error with the end of its log when it does not. */
export async function startWorker(options: WorkerOptions): Promise<WorkerProcess> {
  const { port, directory, vars, entry, config } = options;
  const log = join(directory, LOG_FILE);
  const named = [
    ...(entry === undefined ? [] : [entry]),
    ...(config === undefined ? [] : ['--config', config]),
  ];
  const args = ['dev', ...named, ...flags(port, directory), ...varFlags(vars)];
  const group = startGroup(wrangler, args, {
    log,
    cwd: root,
    env: environment(directory),
  });
  const url = `http://127.0.0.1:${port}`;
  try {
    await until('the Worker answers', 60_000, async () => {
      if (!group.running) throw new Error('wrangler dev has ended.');
      return answers(url);
    });
  } catch (error) {
    await group.end('SIGKILL');
    throw new Error(`The Worker did not start. Its log ends:\n${tail(log)}`, { cause: error });
  }
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => endAndSee(group, signal, port);
  return { url, kill: () => end('SIGKILL'), stop: () => end('SIGTERM'), log: () => tail(log) };
}

async function endAndSee(group: ProcessGroup, signal: 'SIGKILL' | 'SIGTERM', port: number): Promise<void> {
  await group.end(signal);
  await until(`port ${port} is closed`, 10_000, async () => !(await isOpen(port)));
}

function flags(port: number, directory: string): string[] {
  // In the place of the developer's own `.dev.vars`, which may hold a token or a key.
  const devVars = join(directory, 'dev.env');
  writeFileSync(devVars, 'HOLDFAST_AUTH=localhost\n');
  return [
    ...['--ip', '127.0.0.1', '--port', String(port), '--inspector-port', '0'],
    ...['--persist-to', join(directory, 'storage'), '--env-file', devVars],
    '--show-interactive-dev-session=false',
  ];
}

const varFlags = (vars: Readonly<Record<string, string>>): string[] =>
  Object.entries(vars).flatMap(([name, value]) => ['--var', `${name}:${value}`]);

/** Nothing is sent home, and nothing is written outside of the directory. */
const environment = (directory: string): NodeJS.ProcessEnv => ({
  ...process.env,
  TMPDIR: directory,
  CI: '1',
  NO_COLOR: '1',
  WRANGLER_SEND_METRICS: 'false',
  XDG_CONFIG_HOME: join(directory, 'config'),
  WRANGLER_LOG_PATH: join(directory, 'wrangler-logs'),
  WRANGLER_REGISTRY_PATH: join(directory, 'wrangler-registry'),
});

async function answers(url: string): Promise<boolean> {
  try {
    const { ok, headers } = await fetch(`${url}/health`, { signal: AbortSignal.timeout(2_000) });
    // A Worker that lacks something, such as the secret of a webhook, answers all the same.
    return ok || headers.get('content-type') === 'application/problem+json';
  } catch {
    return false;
  }
}

const tail = (log: string): string => readFileSync(log, 'utf8').split('\n').slice(-30).join('\n');
