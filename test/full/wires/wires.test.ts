/** `npm run wires` with kills at 20 places that are drawn over all wires. The command by itself kills between all events. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readOptions, USAGE } from '../../wires/run/options.ts';
import { playWires } from '../../wires/run/play-wires.ts';
import { findingsOf, lastLine, rowsOf, tableOf } from '../../wires/run/report.ts';
import { WIRES } from '../../wires/session/servers.ts';

const POSITIONS = 20;
const seed = Date.now() % 1_000_000;

const temporary = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-wires-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }));
  return directory;
};

it(`every wire keeps everything, killed at ${POSITIONS} places (seed ${seed})`, {
  timeout: 300_000,
}, async () => {
  // The gate plays the others in memory.
  const options = { wires: WIRES, changes: [undefined], kills: { positions: POSITIONS, seed } };
  const rows = rowsOf(await playWires(options, { directory: temporary(), say: () => {} }));
  console.log(`${tableOf(rows)}\nseed ${seed}`);
  expect(rows.flatMap(findingsOf)).toEqual([]);
  expect(lastLine(rows)).toBe(`wires: ${2 * WIRES.length} of ${2 * WIRES.length} kept everything`);
  // Places that fall into one append are met one after another, and behind the last there is none.
  expect(rows.reduce((sum, { kills }) => sum + kills, 0)).toBeGreaterThan(POSITIONS / 2);
});

const run = (...args: readonly string[]) =>
  spawnSync(process.execPath, [join(import.meta.dirname, '../../wires/run-wires.ts'), ...args], {
    encoding: 'utf8',
  });

it('npm run wires prints a table, and what was kept as its last line', () => {
  const { status, stdout } = run('--only', 'kimi', '--no-kills');
  expect(stdout).toMatch(/^wire +change +manner +kills +requests +refused +lost +executions$/m);
  expect(stdout).toMatch(/^kimi +none +json +0 +32 +0 +0 +36 of 44 calls, 0 told as unknown$/m);
  expect(stdout).toMatch(/^kimi +upgrade +stream +1 +32 +0 +0 +36 of 44 calls, 0 told as unknown$/m);
  expect(stdout).toMatch(/\nwires: 8 of 8 kept everything\n$/);
  expect(status).toBe(0);
});

it('npm run wires explains itself when it does not understand', () => {
  const { status, stdout, stderr } = run('--only', 'nothing');
  expect({ status, stdout, stderr }).toEqual({
    status: 2,
    stdout: '',
    stderr: `There is no wire 'nothing'.\n\n${USAGE}\n`,
  });
  expect(readOptions(['--positions', '40', '--seed', '7', '--only', 'kimi'])).toEqual({
    wires: ['kimi'],
    changes: [undefined, 'fallback', 'flap', 'upgrade'],
    kills: { positions: 40, seed: 7 },
  });
});
