import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { USAGE } from './options.ts';

const runPlays = (...args: readonly string[]) =>
  spawnSync(process.execPath, [join(import.meta.dirname, 'run-plays.ts'), ...args], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });

/** The timeout of a test in ms, for a busy machine. */
const TIMEOUT_MS = 600_000;

describe('npm run plays', () => {
  it('reports no failures in 25 plays', { timeout: TIMEOUT_MS }, () => {
    const { stdout, stderr, status } = runPlays('--count', '25');
    expect({ stderr, status }, stdout).toEqual({ stderr: '', status: 0 });
    expect(stdout).toMatch(/^plays: 25 from seed 1; 0 with findings; .* s; PASS$/m);
  });

  it('reports no failures in forks and retries with a fault at each message', {
    timeout: TIMEOUT_MS,
  }, () => {
    const { stdout, stderr, status } = runPlays('--matrix', 'in-turn');
    expect({ stderr, status }, stdout).toEqual({ stderr: '', status: 0 });
    expect(stdout).toMatch(
      /^matrix: fork: (?:[7-9]\d|1\d\d) messages; \d+ plays, 0 with findings\nmatrix: retry: (?:[2-9]\d) messages; \d+ plays, 0 with findings\nmatrix: PASS$/m,
    );
  });

  it('plays a seed in the same way each time, alone and after another seed', { timeout: TIMEOUT_MS }, () => {
    const runTrace = (...args: readonly string[]) =>
      runPlays('--trace', ...args).stdout.replace(/^plays: .*$/gm, '');
    const alone = runTrace('--seed', '103', '--count', '1');
    expect(alone.split('\n').length).toBeGreaterThan(300);
    expect(runTrace('--seed', '102', '--count', '2').endsWith(alone)).toBe(true);
  });

  // Tries several seeds, because each change to the library changes which defects a seed finds.
  it.each([
    ['reconcile', 100, /: doubled: /],
    ['append-again', 1, /: (?:snapshot is not cold|warm is not cold|ends once|stream): /],
    ['fencing-off', 1, /: epoch: /],
    ['shown-early', 1, /was shown before it was durable/],
    ['snapshot-field', 8, /: warm is not cold: /],
  ])('detects the planted hole %s', { timeout: TIMEOUT_MS }, (hole, seed, finding) => {
    const { stdout, status } = runPlays('--hole', hole, '--bail', '--seed', String(seed), '--count', '40');
    expect(stdout).toMatch(finding);
    expect(status).toBe(1);
  });

  it('detects the planted hole retry-key in retries with faults', { timeout: TIMEOUT_MS }, () => {
    const { stdout, status } = runPlays('--matrix', 'in-turn', '--hole', 'retry-key');
    expect(stdout).toMatch(/: differs: /);
    expect(status).toBe(1);
  });

  it('refuses an unknown hole', () => {
    const { stderr, status } = runPlays('--hole', 'nothing');
    expect(status).toBe(1);
    expect(stderr).toContain('--hole must be a mutation of test/mutations.ts or one of append-again, ');
  });

  it('prints its usage and starts no play', () => {
    expect(runPlays('--help')).toMatchObject({ status: 0, stdout: `${USAGE}\n`, stderr: '' });
  });

  it('refuses unknown options and prints its usage', () => {
    const { status, stdout, stderr } = runPlays('--calm');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^Unknown option '--calm'/);
    expect(stderr.endsWith(`\n\n${USAGE}\n`)).toBe(true);
  });
});
