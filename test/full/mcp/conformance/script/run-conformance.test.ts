import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { findSurprises } from './expected-failures.ts';

const run = promisify(execFile);
const program = join(import.meta.dirname, 'run-conformance.ts');

it('all scenarios pass or fail as expected', {
  timeout: 400_000,
}, async () => {
  // The promise rejects if the exit code is 1. The error also contains the output.
  const { stdout } = await run(process.execPath, [program]).catch((failure: { stdout: string }) => failure);
  expect(stdout.trimEnd().split('\n').at(-1), stdout).toMatch(
    /^conformance: 0\.1\.16 client 25 of 26, server 25 of 32; 2025-11-25 client 18 of 18, server 24 of 30; 2026-07-28 client 32 of 32, server 36 of 37; [\d.]+ s; PASS$/,
  );
});

it('the conformance run refuses unknown options', async () => {
  const { code, stderr } = await run(process.execPath, [program, 'both']).catch((failure) => failure);
  expect([code, stderr]).toEqual([
    2,
    'Usage: npm run conformance -- [0.1.16 | 2025-11-25 | 2026-07-28] [client | server [scenario]]\n',
  ]);
});

const createCheck = (id: string, status: string) => ({ id, name: id, description: '', status });

it.each([
  ['SUCCESS', undefined, []],
  ['FAILURE', undefined, ["'a' is not expected to fail."]],
  ['WARNING', undefined, ["'a' is not expected to fail."]],
  ['SUCCESS', [], ['It is expected to fail, and passes.']],
  ['FAILURE', [], []],
  ['FAILURE', ['a'], []],
  ['SUCCESS', ['a'], ["'a' is expected to fail, and passes."]],
  ['FAILURE', ['b'], ["'a' is not expected to fail.", "'b' is expected to fail, and passes."]],
  ['SKIPPED', ['a'], []],
] as const)(
  'a scenario with the single check %s and the expected failures %j is reported as %j',
  (status, excused, surprises) => {
    const checks = [createCheck('a', status), createCheck('b', 'SUCCESS')];
    expect(findSurprises({ scenario: 's', checks }, excused && new Set(excused))).toEqual(surprises);
  },
);
