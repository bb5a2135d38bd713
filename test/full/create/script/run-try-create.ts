/**
 * `npm run try-create` follows the steps of a new user with real package managers and several versions of Node,
 * and measures the time.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Template } from '../../../../src/create/cli/options.ts';
import { MANAGERS, type Manager } from '../../../../src/create/cli/package-manager.ts';
import { runCommand } from '../../process/run-command.ts';
import { createUserEnv, packBoth, runDev, type Tarballs } from '../created.ts';
import { type Options, readOptions, USAGE } from './options.ts';

/** The npm packages of each package manager. */
const PROGRAMS: Readonly<Record<Manager, readonly string[]>> = {
  npm: ['npm'],
  pnpm: ['pnpm'],
  yarn: ['@yarnpkg/cli-dist'],
  bun: ['bun'],
};

interface CommandOutput {
  readonly ms: number;
  readonly text: string;
}

/** Runs a command to its end. @throws Error with all output if the command fails. */
async function executeCommand(line: string, cwd: string, env: NodeJS.ProcessEnv): Promise<CommandOutput> {
  const start = performance.now();
  const child = spawn('bash', ['-c', line], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (text += piece));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`\`${line}\` failed in ${cwd}:\n${text}`);
  return { ms: performance.now() - start, text };
}

/** Matches warnings. Yarn numbers its messages, and the excluded numbers are messages about progress. */
const WARNING = /\bwarn|deprecated|YN(?!0000|0007|0013|0019|0085)\d{4}|ERR_|peer/i;

interface Trial {
  readonly manager: Manager;
  readonly node: string;
  readonly template: Template;
  readonly tarballs: Tarballs;
  readonly env: NodeJS.ProcessEnv;
}

/** Creates a project and follows its README. Returns a row of the report. */
async function tryOne({ manager, node, template, tarballs, env }: Trial): Promise<string[]> {
  const cwd = join(tarballs.folder, `${manager}-${node}`);
  const path = join(cwd, template);
  await rm(path, { recursive: true, force: true });
  await mkdir(cwd, { recursive: true });
  const { run, exec } = MANAGERS[manager];
  const create = `create-holdfast ${template} --template ${template} --yes --no-install --package-manager ${manager} --holdfast ${tarballs.holdfast}`;
  const created = await executeCommand(create, cwd, env);
  const installed = await executeCommand(`${manager} install`, path, env);
  const start = performance.now();
  const project = await runDev(path, env);
  const answered = performance.now() - start;
  await project.end();
  if (!/"outcome"|202 Accepted/.test(project.answer))
    throw new Error(`The command printed by the project in ${path} returned: ${project.answer}`);
  const checked = await executeCommand(`${run} check`, path, env);
  const tested = await executeCommand(`${run} test`, path, env);
  const deployed = await executeCommand(`${exec} wrangler deploy --dry-run`, path, env);
  const warnings = [created, installed, checked, tested]
    .flatMap(({ text }) => text.split('\n'))
    .filter((line) => WARNING.test(line));
  for (const line of warnings) console.log(`    ${line.trim()}`);
  const times = [created.ms, installed.ms, answered, checked.ms, tested.ms, deployed.ms];
  const total = times.reduce((sum, ms) => sum + ms);
  return [
    manager,
    node,
    template,
    ...[...times, total].map((ms) => (ms / 1000).toFixed(1)),
    String(warnings.length),
  ];
}

const HEAD = [
  '',
  'Node',
  'template',
  'create',
  'install',
  'answer',
  'check',
  'test',
  'dry run',
  'all (s)',
  'warnings',
];

async function tryAll({ managers, nodes, templates }: Options): Promise<boolean> {
  const tarballs = await packBoth();
  const tools = join(tarballs.folder, 'tools');
  const rows: string[][] = [HEAD];
  let hasFailed = false;
  try {
    for (const node of nodes) {
      const bin = await installPrograms(node, managers, tarballs, tools);
      for (const manager of managers) {
        for (const template of templates) {
          // `CI` is unset, because Yarn does not write a lock file if it is set.
          const env = createUserEnv({
            CI: undefined,
            PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`,
            XDG_CONFIG_HOME: join(tools, 'config'),
          });
          console.log(`${manager}, Node ${node}, ${template}`);
          try {
            rows.push(await tryOne({ manager, node, template, tarballs, env }));
          } catch (problem) {
            hasFailed = true;
            console.log(problem instanceof Error ? problem.message : problem);
          }
        }
      }
    }
  } finally {
    await rm(tarballs.folder, { recursive: true, force: true, maxRetries: 3 });
  }
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows)
    console.log(row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  '));
  return !hasFailed;
}

/**
 * Installs a version of Node, `create-holdfast` and the package managers. Returns the folder of their commands.
 */
async function installPrograms(
  node: string,
  managers: readonly Manager[],
  tarballs: Tarballs,
  tools: string,
): Promise<string> {
  const folder = join(tools, node);
  await mkdir(folder, { recursive: true });
  const allowScripts = { node: true, pnpm: true, bun: true };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, allowScripts }));
  const packages = [
    `node@${node}`,
    tarballs.createHoldfast,
    ...managers.flatMap((manager) => PROGRAMS[manager]),
  ];
  await executeCommand(`npm install --no-audit --no-fund ${packages.join(' ')}`, folder, createUserEnv());
  return join(folder, 'node_modules/.bin');
}

await runCommand({ usage: USAGE, readOptions, run: tryAll });
