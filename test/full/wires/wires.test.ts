/**
 * A small run of `npm run wires`: two wires, a model that returns, and a model that is upgraded. The command
 * itself plays all wires and changes.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readOptions, USAGE } from '../../wires/run/options.ts';
import { playWires } from '../../wires/run/play-wires.ts';
import { createRows, formatFindings, formatLastLine, formatTable } from '../../wires/run/report.ts';

const POSITION_COUNT = 1;
const seed = Date.now() % 1_000_000;

const createTemporaryFolder = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-wires-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }));
  return directory;
};

it(`a run keeps all data of two wires whose models change and return, with kills at random positions (seed ${seed})`, {
  timeout: 180_000,
}, async () => {
  const wires = ['anthropic-budget', 'kimi'] as const;
  const options = { wires, changes: ['flap'], kills: { positions: POSITION_COUNT, seed } } as const;
  const rows = createRows(await playWires(options, { directory: createTemporaryFolder(), say: () => {} }));
  console.log(`${formatTable(rows)}\nseed ${seed}`);
  expect(rows.flatMap(formatFindings)).toEqual([]);
  expect(formatLastLine(rows)).toBe('wires: 4 of 4 kept everything');
  for (const { kills } of rows) expect(kills).toBeGreaterThan(0);
});

const run = (...args: readonly string[]) =>
  spawnSync(process.execPath, [join(import.meta.dirname, '../../wires/run-wires.ts'), ...args], {
    encoding: 'utf8',
  });

it('npm run wires prints a table, the number of sessions, and the share of rows that kept all data as the last line', () => {
  const { status, stdout } = run('--only', 'kimi', '--change', 'upgrade', '--no-kills');
  expect(stdout).toMatch(/^wire +change +manner +kills +requests +refused +lost +executions$/m);
  expect(stdout).toMatch(/^kimi +upgrade +json +1 +32 +0 +0 +36 of 44 calls, 0 told as unknown$/m);
  expect(stdout).toMatch(/^kimi +upgrade +stream +1 +32 +0 +0 +36 of 44 calls, 0 told as unknown$/m);
  expect(stdout.split('\n').slice(-4)).toEqual([
    'wires: played 1 wires, each with upgrade and as json, stream: 2 rows, 2 kills, 64 requests',
    'wires: 0 requests refused, 0 things lost, 0 calls miscounted, 0 sessions failed',
    'wires: 2 of 2 kept everything',
    '',
  ]);
  expect(status).toBe(0);
});

it('npm run wires prints its usage for an unknown option', () => {
  const { status, stdout, stderr } = run('--only', 'nothing');
  expect({ status, stdout, stderr }).toEqual({
    status: 2,
    stdout: '',
    stderr: `--only must name a wire, not 'nothing'.\n\n${USAGE}\n`,
  });
  expect(readOptions(['--positions', '40', '--seed', '7', '--only', 'kimi'])).toEqual({
    wires: ['kimi'],
    changes: [undefined, 'fallback', 'flap', 'upgrade'],
    kills: { positions: 40, seed: 7 },
  });
  expect(readOptions([])?.kills).toEqual({ positions: 3, seed: 1 });
  expect(readOptions(['--all'])?.kills).toBe('all');
});
