import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { PlayedCell } from '../matrix.ts';
import { PROGRESS, type WorkerdOrder } from '../workerd-order.ts';

const root = resolve(import.meta.dirname, '../../../..');

/**
 * Plays a seeded sample in real Durable Objects. A separate Vitest run plays it, prints its progress, and
 * writes a report.
 *
 * @throws Error if there is no report.
 */
export async function playInWorkerd(order: WorkerdOrder): Promise<readonly PlayedCell[]> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-crash-matrix-'));
  try {
    const report = join(folder, 'report.json');
    const output = await runTest(report, order);
    const played = existsSync(report) ? readPlayed(readFileSync(report, 'utf8')) : undefined;
    if (!played) throw new Error(`The run in workerd wrote no report.\n${output}`);
    return played;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runTest(report: string, order: WorkerdOrder): Promise<string> {
  const config = join(import.meta.dirname, 'vitest.config.ts');
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${report}`];
  const test = spawn('npx', ['vitest', 'run', '--root', root, '--config', config, ...reporters], {
    cwd: root,
    env: { ...process.env, CRASH_MATRIX_ORDER: JSON.stringify(order) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: string[] = [];
  test.stderr.on('data', (data) => said.push(String(data)));
  for await (const line of createInterface({ input: test.stdout })) {
    said.push(line);
    const at = line.indexOf(PROGRESS); // the reporter writes color codes before the text
    if (at >= 0) console.log(line.slice(at));
  }
  return said.join('\n');
}

function readPlayed(report: string): readonly PlayedCell[] | undefined {
  interface Report {
    readonly testResults: readonly {
      readonly assertionResults: readonly {
        readonly meta: { readonly crashMatrix?: readonly PlayedCell[] };
      }[];
    }[];
  }
  const { testResults } = JSON.parse(report) as Report; // the format of Vitest's JSON report
  return testResults.flatMap(({ assertionResults }) => assertionResults).at(0)?.meta.crashMatrix;
}
