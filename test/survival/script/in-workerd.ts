import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Played } from '../matrix.ts';
import type { WorkerdOrder } from '../workerd-order.ts';

const root = resolve(import.meta.dirname, '../../..');

/** Plays a seeded sample in real Durable Objects: a test of its own, whose report holds what was played. @throws Error when there is none. */
export function playInWorkerd(order: WorkerdOrder): readonly Played[] {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-survival-'));
  try {
    const report = join(folder, 'report.json');
    const config = join(import.meta.dirname, 'vitest.config.ts');
    const args = [
      'vitest',
      'run',
      '--root',
      root,
      '--config',
      config,
      '--reporter=json',
      `--outputFile=${report}`,
    ];
    const { stdout, stderr } = spawnSync('npx', args, {
      cwd: root,
      env: { ...process.env, SURVIVAL_ORDER: JSON.stringify(order) },
      encoding: 'utf8',
    });
    const played = existsSync(report) ? playedIn(readFileSync(report, 'utf8')) : undefined;
    if (!played) throw new Error(`Nothing was played in workerd.\n${stdout}\n${stderr}`);
    return played;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function playedIn(report: string): readonly Played[] | undefined {
  interface Report {
    readonly testResults: readonly {
      readonly assertionResults: readonly { readonly meta: { readonly survival?: readonly Played[] } }[];
    }[];
  }
  const { testResults } = JSON.parse(report) as Report; // vitest's own JSON report
  return testResults.flatMap(({ assertionResults }) => assertionResults).at(0)?.meta.survival;
}
