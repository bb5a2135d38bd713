import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

function run(...args: readonly string[]) {
  const script = join(import.meta.dirname, 'run-crash-matrix.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

it('the crash matrix prints a table and passes', () => {
  const { status, stdout } = run('--only', 'pipeline', '--at', '3');
  expect(stdout).toMatch(/^pipeline +\d+ +1 +\d +1 +2 +3 +\d +0 +0 +0 +0$/m);
  expect(stdout).toMatch(/crash-matrix: [\d.]+ s; PASS\n$/);
  expect(status).toBe(0);
});

it.each(['write-ahead', 'fencing'])(
  'the crash matrix fails without the guard %s and prints the position',
  (guard) => {
    const { status, stdout } = run('--only', 'idempotent', '--samples', '0', '--without', guard);
    expect(stdout).toContain(`crash-matrix: without ${guard}\n`);
    expect(stdout).toMatch(/^failed: idempotent at \d+, /m);
    expect(stdout).toMatch(/; FAIL\n$/);
    expect(status).toBe(1);
  },
);

it('the crash matrix prints its usage for an unknown option', () => {
  const { status, stdout, stderr } = run('--only', 'nothing');
  expect(stderr).toBe("--only must name a kind of tool, not 'nothing'.\n\n");
  expect(stdout).toMatch(/^Usage: npm run crash-matrix/);
  expect(status).toBe(2);
});
