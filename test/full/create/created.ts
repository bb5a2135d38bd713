import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort, pollUntil } from '../../../src/examples/demo/ports.ts';
import { type ProcessGroup, startGroup } from '../../../src/examples/demo/process-group.ts';
import { packPackage } from '../process/packed.ts';

const root = resolve(import.meta.dirname, '../../..');

/** The paths of the tarballs of both packages, in a folder outside of the repository. */
export interface Tarballs {
  readonly folder: string;
  readonly holdfast: string;
  readonly createHoldfast: string;
}

/** Packs both packages. The caller removes the folder. */
export async function packBoth(): Promise<Tarballs> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-create-'));
  const { tarball } = await packPackage();
  await promisify(execFile)('npm', ['pack', '--pack-destination', folder], { cwd: join(root, 'src/create') });
  const [name = ''] = readdirSync(folder);
  return { folder, holdfast: tarball, createHoldfast: join(folder, name) };
}

/** The environment of a user's commands, without the scripts and settings of this repository. */
export function createUserEnv(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|vitest|node_env|node_options)/i.test(name),
  );
  return {
    ...Object.fromEntries(own),
    CI: '1',
    WRANGLER_SEND_METRICS: 'false',
    // Color codes make logs hard to read.
    NO_COLOR: '1',
    ...more,
  };
}

/** A project that is running with its `dev` script. */
export interface RunningProject {
  /** The output of the command that the project's script has printed. */
  readonly answer: string;
  /** The output so far. */
  log(): string;
  end(): Promise<void>;
}

/**
 * Starts a project with its script under Node, waits for the command that it prints, and runs that command with
 * bash.
 */
export async function runDev(path: string, env: NodeJS.ProcessEnv, script = 'dev'): Promise<RunningProject> {
  const place = join(path, '.wrangler');
  mkdirSync(place, { recursive: true });
  const file = join(place, 'dev.log');
  const { scripts } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as {
    scripts: Readonly<Record<string, string>>;
  }; // the package.json of a template
  const [program, entry = ''] = scripts[script]?.split(' ') ?? [];
  if (program !== 'node')
    throw new Error(`The script '${script}' must run node, but is '${scripts[script]}'.`);
  // The PATH that `npm run` sets.
  const bin = `${join(path, 'node_modules/.bin')}:${join(path, '../node_modules/.bin')}`;
  const log = (): string => readFileSync(file, 'utf8');
  let server: ProcessGroup | undefined;
  try {
    server = startGroup(entry, ['--port', String(await findFreePort())], {
      log: file,
      cwd: path,
      env: { ...env, PATH: `${bin}:${env.PATH}` },
    });
    const group = server;
    await pollUntil('a command to try', 90_000, async () => {
      if (!group.running) throw new Error(`\`${script}\` exited before it printed a command:\n${log()}`);
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
