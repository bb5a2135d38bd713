import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { USAGE } from './options.ts';

const run = (...args: readonly string[]) =>
  spawnSync(process.execPath, [join(import.meta.dirname, 'run-chaos.ts'), ...args], { encoding: 'utf8' });

describe('npm run chaos', () => {
  it('prints its usage and starts no run', () => {
    expect(run('--help')).toMatchObject({ status: 0, stdout: `${USAGE}\n`, stderr: '' });
  });

  it('refuses unknown options and prints its usage', () => {
    const { status, stdout, stderr } = run('--calm');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^Unknown option '--calm'/);
    expect(stderr.endsWith(`\n\n${USAGE}\n`)).toBe(true);
  });
});
