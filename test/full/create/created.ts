import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { freePort, until } from '../../../src/examples/demo/ports.ts';
import { type ProcessGroup, startGroup } from '../../../src/examples/demo/process-group.ts';
import { packPackage } from '../process/packed.ts';

const root = resolve(import.meta.dirname, '../../..');

/** Both packages as they are published, in a folder outside of the repository. */
export interface Tarballs {
  readonly folder: string;
  readonly holdfast: string;
  readonly createHoldfast: string;
}

/** Packs both; the caller removes the folder. */
export async function packBoth(): Promise<Tarballs> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-create-'));
  const { tarball } = await packPackage();
  await promisify(execFile)('npm', ['pack', '--pack-destination', folder], { cwd: join(root, 'src/create') });
  const [name = ''] = readdirSync(folder);
  return { folder, holdfast: tarball, createHoldfast: join(folder, name) };
}

/** The environment of commands that are run as a user does, who has neither our scripts nor our settings. */
export function userEnv(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|vitest|node_env|node_options)/i.test(name),
  );
  return {
    ...Object.fromEntries(own),
    CI: '1',
    WRANGLER_SEND_METRICS: 'false',
    // What a terminal would make of colours is in the way of whoever reads a log.
    NO_COLOR: '1',
    ...more,
  };
}

/** A project under its own `dev` script. */
export interface RunningProject {
  /** What the command that it shows answers. */
  readonly answer: string;
  /** What it has said so far. */
  log(): string;
  end(): Promise<void>;
}

/** Starts a project by its script, as Node does it, waits for the command that it shows, and runs that by bash. */
export async function runDev(path: string, env: NodeJS.ProcessEnv, script = 'dev'): Promise<RunningProject> {
  const place = join(path, '.wrangler');
  mkdirSync(place, { recursive: true });
  const file = join(place, 'dev.log');
  const { scripts } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as {
    scripts: Readonly<Record<string, string>>;
  }; // ours
  const [program, entry = ''] = scripts[script]?.split(' ') ?? [];
  if (program !== 'node') throw new Error(`The script ${script} is ${scripts[script]}.`);
  // What `npm run` finds its programs by.
  const bin = `${join(path, 'node_modules/.bin')}:${join(path, '../node_modules/.bin')}`;
  const log = (): string => readFileSync(file, 'utf8');
  let server: ProcessGroup | undefined;
  try {
    server = startGroup(entry, ['--port', String(await freePort())], {
      log: file,
      cwd: path,
      env: { ...env, PATH: `${bin}:${env.PATH}` },
    });
    const group = server;
    await until('a command to try', 90_000, async () => {
      if (!group.running) throw new Error(`\`${script}\` has ended:\n${log()}`);
      return /^curl .*\n/m.test(log());
    });
    const [curl = ''] = /^curl .*/m.exec(log()) ?? [];
    const command = curl.replace('curl ', 'curl -s ');
    const { stdout } = await promisify(execFile)('bash', ['-c', command], { cwd: path, env });
    return { answer: stdout, log, end: () => group.end('SIGKILL') };
  } catch (problem) {
    await server?.end('SIGKILL');
    throw problem;
  }
}
