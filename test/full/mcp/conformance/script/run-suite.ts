import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { EXPECTED_FAILURES } from './expected-failures.ts';

const root = resolve(import.meta.dirname, '../../../../..');
const suite = join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const client = join(import.meta.dirname, 'client.ts');

/** What came of one scenario. */
export interface Played {
  readonly scenario: string;
  readonly passed: number;
  /** What the suite says of each check that failed, or that it warns of: it counts both. */
  readonly failures: readonly string[];
}

/** What came of one run of the suite's program. */
export interface SuiteRun {
  readonly played: readonly Played[];
  /** All went as `expected-failures.yml` says, and no client ended with an error. */
  readonly ok: boolean;
  /** What it printed. */
  readonly output: string;
}

/** Plays client scenarios: those that `args` choose. */
export async function playClient(worker: string, args: readonly string[]): Promise<SuiteRun> {
  // The suite hands the command to a shell.
  const command = `'${process.execPath}' '${client}' ${worker}`;
  const run = await play(['client', '--command', command, ...args]);
  // A client that breaks after the last check does not fail its scenario there.
  return { ...run, ok: run.ok && !/^Client (exited with code|timed out)/m.test(run.output) };
}

/** Plays server scenarios: those that `args` choose. */
export const playServer = (url: string, args: readonly string[]): Promise<SuiteRun> =>
  play(['server', '--url', url, ...args]);

async function play(args: readonly string[]): Promise<SuiteRun> {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-conformance-'));
  const flags = ['--expected-failures', EXPECTED_FAILURES, '--output-dir', directory];
  const program = spawn(process.execPath, [suite, ...args, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(program, 'close');
  const printed = await Promise.all([text(program.stdout), text(program.stderr)]);
  const [code] = await closed;
  const played = globSync('**/checks.json', { cwd: directory }).map((file) => readChecks(directory, file));
  rmSync(directory, { recursive: true });
  return { played, ok: code === 0, output: stripVTControlCharacters(printed.join('')) };
}

interface Check {
  readonly name: string;
  readonly description: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/** The suite keeps what it found in a directory that is named for the scenario and the time. */
function readChecks(directory: string, file: string): Played {
  const checks: readonly Check[] = JSON.parse(readFileSync(join(directory, file), 'utf8'));
  return {
    scenario: dirname(file).replace(/^server-(?=.*-\d{4}-)|-\d{4}-\d\d-\d\dT[\d-]+Z$/g, ''),
    passed: checks.filter(({ status }) => status === 'SUCCESS').length,
    failures: checks
      .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
      .map(({ name, errorMessage, description }) => `${name}: ${errorMessage ?? description}`),
  };
}
