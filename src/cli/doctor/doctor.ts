import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Command, type Output, UsageError } from '../command.ts';
import { bundleProject } from './bundle.ts';
import { findNeededSecrets, type NeededSecret } from './check-vars.ts';
import { checkProject } from './checks.ts';
import { applyFixes, type FixOutcome } from './fix.ts';
import type { Problem } from './problem.ts';
import {
  type Bundle,
  type Project,
  type ProjectSelector,
  readProject,
  UnreadableProjectError,
} from './project.ts';

const HELP = `Usage: npx holdfast doctor [OPTIONS]

Checks the Worker in this folder: its settings, exports, packages and bundle.
Reads only files: it contacts no account, and prints no secret. Exits with 1 if there is an error.

  --fix            makes the changes that need no decision, and checks again
  --env NAME       checks an environment of the configuration
  --config FILE    the configuration; defaults to wrangler.json, wrangler.jsonc or wrangler.toml
  --no-bundle      does not bundle the Worker, so exports, uses and sizes are not checked
  --json           prints JSON`;

/** The result of the doctor. */
export interface Diagnosis {
  readonly problems: readonly Problem[];
  /** Absent if the Worker was not bundled. */
  readonly bundle?: Bundle;
  readonly secrets: readonly NeededSecret[];
  readonly environments: readonly string[];
}

/** `npx holdfast doctor`. */
export const doctor: Command = {
  summary: 'checks a Worker, and fixes it with --fix',
  help: HELP,
  async run(args, output) {
    const options = parseOptions(args);
    const first = await diagnose(options);
    if ('id' in first) return reportUnreadable(first, options.isJson, output);
    if (!options.isFix) return printReport(first.diagnosis, undefined, options.isJson, output);
    // If wrangler cannot bundle the project, further problems show only after a fix.
    const tried = new Set<string>();
    const done: Problem[] = [];
    const refused: FixOutcome['refused'][number][] = [];
    let found = first;
    for (;;) {
      const fresh = found.diagnosis.problems.filter((one) => one.edits && !tried.has(formatProblemName(one)));
      if (fresh.length === 0) break;
      for (const one of fresh) tried.add(formatProblemName(one));
      const fixed = applyFixes(found.project, fresh);
      done.push(...fixed.done);
      refused.push(...fixed.refused);
      const again = await diagnose(options);
      if ('id' in again) return reportUnreadable(again, options.isJson, output);
      found = again;
    }
    const left = new Set(found.diagnosis.problems.map(formatProblemName));
    return printReport(
      found.diagnosis,
      {
        fixed: done.filter((one) => !left.has(formatProblemName(one))),
        refused: refused.map(({ problem, because }) => ({ id: problem.id, because })),
      },
      options.isJson,
      output,
    );
  },
};

/** Returns a name for a problem. Problems with the same name count as one. */
const formatProblemName = ({ id, what }: Problem): string => `${id} ${what}`;

interface Options extends ProjectSelector {
  readonly isFix: boolean;
  readonly isJson: boolean;
  readonly isBundled: boolean;
}

function parseOptions(args: readonly string[]): Options {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        fix: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        'no-bundle': { type: 'boolean', default: false },
        env: { type: 'string' },
        config: { type: 'string' },
      },
    });
    return {
      folder: process.cwd(),
      config: values.config,
      environment: values.env === '' ? undefined : values.env,
      isFix: values.fix,
      isJson: values.json,
      isBundled: !values['no-bundle'],
    };
  } catch (failure) {
    throw new UsageError(failure instanceof Error ? failure.message : String(failure));
  }
}

/** Checks a project. Resolves with the error if the project is unreadable. */
async function diagnose(
  options: Options,
): Promise<{ readonly project: Project; readonly diagnosis: Diagnosis } | UnreadableProjectError> {
  try {
    const read = await readProject({ ...options, folder: resolve(options.folder) });
    const isBundled = options.isBundled && read.entry !== undefined;
    const project = isBundled ? { ...read, bundle: await bundleProject(read) } : read;
    return { project, diagnosis: createDiagnosis(project) };
  } catch (failure) {
    if (failure instanceof UnreadableProjectError) return failure;
    throw failure;
  }
}

/** Returns the diagnosis of a project that has been read. */
export const createDiagnosis = (project: Project): Diagnosis => ({
  problems: checkProject(project),
  ...(project.bundle && 'files' in project.bundle && { bundle: project.bundle }),
  secrets: findNeededSecrets(project),
  environments: project.environment === undefined ? (project.config.definedEnvironments ?? []) : [],
});

function reportUnreadable(failure: UnreadableProjectError, isJson: boolean, { out }: Output): number {
  const { id, why, fix } = failure;
  const problem: Problem = { id, level: 'error', what: failure.message, why, fix };
  out(isJson ? JSON.stringify({ problems: [problem] }, null, 2) : formatProblem(problem));
  return 1;
}

/** The outcome of `--fix`. */
interface Repair {
  readonly fixed: readonly Problem[];
  readonly refused: readonly { readonly id: string; readonly because: string }[];
}

function printReport(found: Diagnosis, repair: Repair | undefined, isJson: boolean, { out }: Output): number {
  const { problems, bundle, secrets, environments } = found;
  const errors = problems.filter(({ level }) => level === 'error').length;
  if (isJson) {
    const listed = problems.map(({ edits, ...problem }) => ({ ...problem, isFixable: edits !== undefined }));
    const { files: _, ...weighed } = bundle ?? { files: undefined };
    const fixed = repair && {
      fixed: repair.fixed.map(({ id }) => id),
      refused: repair.refused,
    };
    out(
      JSON.stringify(
        { problems: listed, ...fixed, bundle: bundle && weighed, secrets, environments },
        null,
        2,
      ),
    );
    return errors > 0 ? 1 : 0;
  }
  for (const { id, what } of repair?.fixed ?? []) out(`fixed   ${id}: ${what}`);
  for (const { id, because } of repair?.refused ?? [])
    out(`not fixed   ${id}: ${because} Change it by hand.`);
  if (repair && repair.fixed.length + repair.refused.length > 0) out('');
  for (const problem of problems) out(`${formatProblem(problem)}\n`);
  if (bundle) out(`${formatModules(bundle)}\n`);
  if (secrets.length > 0) {
    out(
      'Secrets that Holdfast reads in a deployment (functions of the project may read others). `wrangler secret list` shows those that are set:',
    );
    for (const secret of secrets) out(`  ${secret.name}  ${secret.for}`);
    out('');
  }
  if (environments.length > 0)
    out(`Not checked: ${environments.map((name) => `--env ${name}`).join(', ')}\n`);
  out(formatSummary(problems, errors));
  return errors > 0 ? 1 : 0;
}

const formatProblem = ({ id, level, what, why, fix, edits }: Problem): string =>
  [
    `${level.padEnd(9)}${id}`,
    `  ${what}`,
    `  ${why}`,
    `  Fix: ${fix}${edits ? ' (--fix does it)' : ''}`,
  ].join('\n');

function formatSummary(problems: readonly Problem[], errors: number): string {
  if (problems.length === 0) return 'No problems.';
  const formatCount = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`;
  const fixable = problems.filter(({ edits }) => edits).length;
  const hint = fixable > 0 ? `; --fix fixes ${fixable}` : '';
  return `${formatCount(errors, 'error')}, ${formatCount(problems.length - errors, 'warning')}${hint}`;
}

/** The number of modules to list. Smaller ones are summed up. */
const MAX_LISTED_MODULES = 20;

function formatModules({ bytes, gzipped, modules }: Bundle): string {
  const formatKib = (size: number): string => `${(size / 1024).toFixed(1)} KiB`.padStart(12);
  const rest = modules.slice(MAX_LISTED_MODULES).reduce((sum, one) => sum + one.bytes, 0);
  return [
    `The bundle: ${formatKib(bytes).trim()}, gzipped ${formatKib(gzipped).trim()}`,
    ...modules.slice(0, MAX_LISTED_MODULES).map(({ module, bytes: size }) => `${formatKib(size)}  ${module}`),
    ...(rest > 0 ? [`${formatKib(rest)}  others`] : []),
  ].join('\n');
}
