/** Runs the script from docs/scripts.md in a separate Node process. */
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../../..');

it('a script runs an agent, prints its answer, and exits by itself', async () => {
  const node = resolve(root, 'node_modules/.bin/node');
  const script = 'src/examples/script/shopping.ts';
  const { stdout, stderr } = await promisify(execFile)(node, [script], { cwd: root, timeout: 60_000 });
  expect(stdout).toContain('find_price (tea): product: tea, cents: 300');
  expect(stderr).toBe('');
}, 70_000);
