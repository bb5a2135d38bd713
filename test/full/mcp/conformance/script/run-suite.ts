import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { getSetFile, type SetName, type Side } from './expected-failures.ts';

const root = resolve(import.meta.dirname, '../../../../..');
const client = join(import.meta.dirname, 'client.ts');

/** The last line that a successful client prints. See `client.ts`. */
export const SUCCESS_TEXT = 'The turn went as it should.';

/** One check of a scenario. */
export interface Check {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/** The result of one scenario. */
export interface PlayedScenario {
  readonly scenario: string;
  readonly checks: readonly Check[];
}

/** The results of one run of a suite's program. */
export interface SuiteRun {
  readonly played: readonly PlayedScenario[];
  /** The number of scenarios that the program announced. */
  readonly announced: number;
  /** The output of the program. */
  readonly output: string;
}

/** The scenarios to run, and the Worker. */
export interface Play {
  readonly set: SetName;
  readonly side: Side;
  /** The URL of the Worker for this side. */
  readonly worker: URL;
  /** Defaults to all scenarios of the set. */
  readonly scenario?: string | undefined;
}

/** The timeout of a scenario on a busy machine. Time-dependent scenarios set their own. */
const TIMEOUT_ARGUMENTS = ['--timeout', '120000'];

/** Runs scenarios with the suite's program. */
export async function playSuite(play: Play): Promise<SuiteRun> {
  const { set, side, worker } = play;
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-conformance-'));
  const suite = set === '0.1.16' ? '@modelcontextprotocol/conformance' : 'conformance-next';
  const args = [
    join(root, 'node_modules', suite, 'dist/index.js'),
    side,
    // The suite runs the command in a shell.
    ...(side === 'client'
      ? ['--command', `'${process.execPath}' '${client}' ${worker.origin}`, ...TIMEOUT_ARGUMENTS]
      : ['--url', new URL('/mcp', worker).href, ...(set === '0.1.16' ? [] : TIMEOUT_ARGUMENTS)]),
    ...listChoiceArguments(play),
    ...['--expected-failures', getSetFile(set), '--output-dir', directory],
  ];
  const program = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(program, 'close');
  const printed = await Promise.all([text(program.stdout), text(program.stderr)]);
  await closed;
  const output = stripVTControlCharacters(printed.join(''));
  const played = globSync('**/checks.json', { cwd: directory }).map((file) => readPlayed(directory, file));
  rmSync(directory, { recursive: true });
  const announced = Number(/^Running .*\((\d+) scenarios\)/m.exec(output)?.[1] ?? 1);
  return { played, announced, output };
}

function listChoiceArguments({ set, scenario }: Play): readonly string[] {
  if (set === '0.1.16') return scenario === undefined ? ['--suite', 'all'] : ['--scenario', scenario];
  if (scenario === undefined) return ['--requirements', set];
  return ['--scenario', scenario, '--spec-version', set, '--force'];
}

/** Reads a result. The suite writes it to a directory that is named after the scenario and the time. */
function readPlayed(directory: string, file: string): PlayedScenario {
  const folder = dirname(file);
  const scenario = folder.replace(/^server-(?=.*-\d{4}-)|-\d{4}-\d\d-\d\dT[\d-]+Z$/g, '');
  const checks: readonly Check[] = JSON.parse(readFileSync(join(directory, file), 'utf8'));
  return { scenario, checks: [...checks, ...readClientChecks(join(directory, folder))] };
}

/** Checks how the client exited. The suite does not detect a client that fails after the last check. */
function readClientChecks(folder: string): readonly Check[] {
  const [said, broke] = ['stdout.txt', 'stderr.txt'].map((name) => {
    const [file] = globSync(name, { cwd: folder });
    return file === undefined ? undefined : readFileSync(join(folder, file), 'utf8').trimEnd();
  });
  if (said === undefined || said.endsWith(SUCCESS_TEXT)) return [];
  const description = broke || `The client ended without '${SUCCESS_TEXT}'`;
  return [{ id: 'our-client', name: 'OurClient', description, status: 'FAILURE' }];
}

/** Returns the scenarios that decide about conformance to a revision. The suite runs additional ones. */
export function findRequired(set: SetName, side: Side): ReadonlySet<string> | undefined {
  if (set === '0.1.16') return undefined;
  const file = join(root, 'node_modules/conformance-next/requirements', `${set}.yaml`);
  const [, list = ''] =
    new RegExp(`^${side}:\\n((?:^[ #].*\\n|^\\n)*)`, 'm').exec(readFileSync(file, 'utf8')) ?? [];
  return new Set(Array.from(list.matchAll(/^ {2}- ([^\s:]+)$/gm), ([, name = '']) => name));
}
