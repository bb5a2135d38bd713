import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const program = join(import.meta.dirname, 'run-conformance.ts');

it('all scenarios pass that are not expected to fail, and none of those that are', {
  timeout: 180_000,
}, async () => {
  // With an exit code of 1 it rejects, and has the output too.
  const { stdout } = await run(process.execPath, [program]).catch((failure: { stdout: string }) => failure);
  expect(stdout.trimEnd().split('\n').at(-1), stdout).toMatch(
    /^conformance: client 26 of 26 scenarios, server 18 of 32 scenarios; [\d.]+ s; PASS$/,
  );
});

it('refuses what it does not know', async () => {
  const { code, stderr } = await run(process.execPath, [program, 'both']).catch((failure) => failure);
  expect([code, stderr]).toEqual([2, 'Usage: npm run conformance -- [client | server [scenario]]\n']);
});
