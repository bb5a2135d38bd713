/**
 * `npm run spec-coverage` runs the tests and prints, for every behavior in `behaviours.md`, the passed tests
 * that name it. Then prints how many rows of the source documents have only covered behaviors.
 * `-- --report file.json` reads the JSON report of an earlier run. `-- --seed 7` draws 25 ids for mutation
 * tests.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Coverage, computeCoverage, type IdStatus, type RanTest } from './coverage.ts';

const root = resolve(import.meta.dirname, '../..');
const { values } = parseArgs({ options: { report: { type: 'string' }, seed: { type: 'string' } } });

const coverage = computeCoverage(parseTests(values.report ?? runTests()));
print(coverage);
if (values.seed !== undefined)
  console.log(`drawn with seed ${values.seed}: ${drawSample(Number(values.seed)).join(' ')}`);
const missingStandings = coverage.standings.filter(({ is }) => is === 'missing');
process.exitCode = missingStandings.length + coverage.faults.length === 0 ? 0 : 1;

/** Runs every test and returns the path of the report. */
function runTests(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-spec-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const report = join(folder, 'report.json');
  console.log('spec: running all tests ...');
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${report}`];
  spawnSync('npx', ['vitest', 'run', ...reporters], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  if (!existsSync(report)) throw new Error(`Vitest did not write a report to ${report}.`);
  return report;
}

function parseTests(report: string): RanTest[] {
  interface Report {
    readonly testResults: readonly {
      readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
    }[];
  }
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report; // the format of Vitest's JSON report
  return testResults.flatMap(({ assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'passed' || status === 'failed')
      .map(({ fullName, status }) => ({ title: fullName, passed: status === 'passed' })),
  );
}

function print({ standings, rows, faults }: Coverage): void {
  for (const standing of standings) console.log(formatStanding(standing));
  const open = rows.filter(({ missing }) => missing.length > 0);
  for (const { row, feature, missing } of open)
    console.log(`${row}  ${feature}: MISSING ${missing.join(', ')}`);
  for (const fault of faults) console.log(`fault: ${fault}`);
  const countStandings = (is: IdStatus['is']): number => standings.filter((one) => one.is === is).length;
  const [covered, excused, lacking] = [
    countStandings('covered'),
    countStandings('not-applicable'),
    countStandings('missing'),
  ];
  console.log(`spec: ${covered} covered, ${excused} not applicable, ${lacking} missing`);
  console.log(`rows of the source documents: ${rows.length - open.length} of ${rows.length} covered`);
}

function formatStanding(standing: IdStatus): string {
  switch (standing.is) {
    case 'covered':
      return `${standing.id}  ${standing.by.join('\n         ')}`;
    case 'missing':
      return `${standing.id}  MISSING`;
    default:
      return `${standing.id}  (${standing.is}) ${standing.why}`;
  }
}

/** Draws 25 covered ids. The same seed draws the same ids. */
function drawSample(seed: number): string[] {
  let state = seed >>> 0 || 1;
  const drawNext = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const left = coverage.standings.filter(({ is }) => is === 'covered').map(({ id }) => id);
  return Array.from(
    { length: Math.min(25, left.length) },
    () => left.splice(Math.floor(drawNext() * left.length), 1)[0] ?? '',
  ).sort();
}
