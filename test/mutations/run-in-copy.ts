import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Report, TestRun } from './judge.ts';

interface RunResult {
  readonly isLate: boolean;
  readonly isGood: boolean;
  readonly output: string;
}

/** Runs these test files in all projects that contain them. `bail` stops at the first failed test. */
export async function runTests(
  copy: string,
  tests: readonly string[],
  { bail, mostMs }: { readonly bail: boolean; readonly mostMs: number },
): Promise<TestRun> {
  const report = join(copy, 'mutations-report.json');
  rmSync(report, { force: true });
  const reporting = ['--reporter=json', `--outputFile=${report}`];
  const args = [
    'vitest/vitest.mjs',
    'run',
    '--project=gate*',
    '--project=!gate in production',
    ...tests,
    ...reporting,
    ...(bail ? ['--bail=1'] : []),
  ];
  const { isLate, output } = await run(copy, args, mostMs);
  if (isLate) return { ended: 'too-late', afterMs: mostMs };
  if (!existsSync(report)) return { ended: 'broken', output };
  return { ended: 'reported', report: JSON.parse(readFileSync(report, 'utf8')) as Report }; // the format of Vitest's JSON report
}

/** Returns the compiler's errors for these files and all of their imports, one line each. */
export async function compile(copy: string, files: readonly string[], mostMs: number): Promise<string[]> {
  // Disabled, because a mutation can leave unused code behind.
  const compilerOptions = { noUnusedLocals: false, noUnusedParameters: false, noEmit: true };
  const config = { extends: './tsconfig.json', compilerOptions, include: [], files };
  writeFileSync(join(copy, 'tsconfig.mutations.json'), JSON.stringify(config));
  const args = ['typescript/bin/tsc', '-p', 'tsconfig.mutations.json', '--pretty', 'false'];
  const { isLate, isGood, output } = await run(copy, args, mostMs);
  if (isLate) return ['The compiler did not end.'];
  if (isGood) return [];
  const errors = output.split('\n').filter((line) => /error TS\d+/.test(line));
  return errors.length > 0 ? errors : [`The compiler failed: ${output.trim()}`];
}

const runningProcesses = new Set<ChildProcess>();

/** Kills all running programs and their children. */
export function stopAll(): void {
  for (const child of runningProcesses) kill(child);
}

function kill({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}

/** Runs a package's program in its own process group, so that the tests' Workers can be ended with it. */
async function run(
  copy: string,
  [program = '', ...args]: readonly string[],
  mostMs: number,
): Promise<RunResult> {
  const child = spawn(process.execPath, [join(copy, 'node_modules', program), ...args], {
    cwd: copy,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  runningProcesses.add(child);
  let output = '';
  let isLate = false;
  const listen = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-100_000);
  };
  child.stdout.on('data', listen);
  child.stderr.on('data', listen);
  const ended = Promise.withResolvers<void>();
  child.on('exit', () => kill(child)); // its children can keep its output open
  child.on('close', () => ended.resolve());
  child.on('error', ended.reject);
  const timer = setTimeout(() => {
    isLate = true;
    kill(child);
  }, mostMs);
  try {
    await ended.promise;
  } finally {
    clearTimeout(timer);
    runningProcesses.delete(child);
  }
  return { isLate, isGood: child.exitCode === 0, output };
}
