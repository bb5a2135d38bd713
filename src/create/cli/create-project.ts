import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { type EmbedResult, embed } from './embed.ts';
import type { Options } from './options.ts';
import {
  detectManager,
  detectManagerVersion,
  findAppManager,
  MANAGERS,
  type Manager,
} from './package-manager.ts';
import { CreateProblem } from './problem.ts';
import { askAnswers, createDefaultAnswers } from './questions.ts';
import { type Project, renderProject, writeFiles } from './render.ts';
import { formatPath, readTarget } from './target.ts';

/** Writes a project, installs its packages, and prints how to run it. @throws CreateProblem if that fails. */
export async function createProject(options: Options): Promise<void> {
  const cwd = process.cwd();
  const isAsking = !options.yes && process.stdin.isTTY && process.stdout.isTTY && !process.env.CI;
  const { folder, template, install } = isAsking
    ? await askAnswers(options, cwd)
    : createDefaultAnswers(options, cwd);
  const target = readTarget(folder, template, cwd);
  const manager =
    options.manager ??
    (target.hasApp ? findAppManager(readdirSync(target.path)) : undefined) ??
    detectManager(process.env.npm_config_user_agent);
  const project = {
    name: target.name,
    template,
    manager,
    managerVersion: detectManagerVersion(manager, process.env.npm_config_user_agent),
    holdfast: resolveSpec(options.holdfast, cwd),
  };
  const { path } = target;
  const { script, notes } = target.hasApp ? embed(path, project) : writeProject(path, project);
  console.log(
    target.hasApp ? `\nAdded an agent to ${path}.` : `\nWrote the template "${template}" to ${path}.`,
  );
  for (const note of notes) console.log(note);
  if (install) installPackages(path, manager);
  if (options.git && !target.hasApp) createRepository(path, template);
  const { run, test } = MANAGERS[manager];
  const steps = [
    ...(path === cwd ? [] : [`cd ${formatPath(path, cwd)}`]),
    ...(install ? [] : [`${manager} install`]),
    `${run} ${script}`,
  ];
  console.log(`\nRun it:\n\n${steps.map((step) => `  ${step}`).join('\n')}\n`);
  if (!target.hasApp) console.log(`Test it by \`${test}\`; README.md says what is where.`);
}

function writeProject(path: string, project: Project): EmbedResult {
  writeFiles(path, renderProject(project));
  if (project.template === 'embed') embed(path, project, { isNew: true });
  return { script: 'dev', notes: [] };
}

/** Resolves a path against the folder in which the command runs, not against the project. */
function resolveSpec(spec: string | undefined, cwd: string): string | undefined {
  const path = spec?.match(/^(?:file:)?([./].*|[A-Za-z]:[\\/].*|.*\.tgz)$/)?.[1];
  return path === undefined ? spec : `file:${resolve(cwd, path)}`;
}

/** @throws CreateProblem if the package manager fails. The project stays. */
function installPackages(path: string, manager: Manager): void {
  const { status, error } = spawnSync(manager, ['install'], {
    cwd: path,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status === 0) return;
  const reason = error ? ` (${error.message})` : '';
  throw new CreateProblem(
    `\`${manager} install\` failed in ${path}${reason}. The project is created. Run the command there again.`,
  );
}

/**
 * Creates a repository with a first commit. Does nothing if the folder is in a repository, or Git is not
 * installed or has no user name.
 */
function createRepository(path: string, template: string): void {
  const runGit = (...args: string[]): boolean =>
    spawnSync('git', args, { cwd: path, stdio: 'ignore' }).status === 0;
  if (runGit('rev-parse', '--is-inside-work-tree') || !runGit('init', '--initial-branch=main')) return;
  runGit('add', '--all');
  runGit(
    '-c',
    'commit.gpgsign=false',
    'commit',
    '--no-verify',
    '--message',
    `Start from the template "${template}" of Holdfast`,
  );
}
