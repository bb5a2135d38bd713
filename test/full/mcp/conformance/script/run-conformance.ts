/**
 * `npm run conformance`: all scenarios of `@modelcontextprotocol/conformance`, against two Workers in workerd. When a
 * scenario fails that is not in `expected-failures.yml`, or one that is in there does not, the last line and the exit code
 * say so. `npm run conformance -- client auth/basic-cimd` plays one scenario, and shows all that the suite prints.
 */
import { startWorker } from '../../../process/start-worker.ts';
import { readExpected, type Side } from './expected-failures.ts';
import { type Played, playClient, playServer, type SuiteRun } from './run-suite.ts';

/** What the suite's program is told to play. */
type Choice = readonly ['--scenario' | '--suite', string];

interface Half {
  readonly worker: string;
  play(worker: URL, choice: Choice): Promise<SuiteRun>;
  /** What is played one after the other; each a number of choices at the same time. */
  readonly all: readonly (readonly Choice[])[];
}

/** Allows 200 ms more than it tells a client to wait, which a busy machine may take. */
const BY_THE_CLOCK: Choice = ['--scenario', 'sse-retry'];
const TRIES = 3;

const halves: Readonly<Record<Side, Half>> = {
  client: {
    worker: 'test/full/mcp/conformance/client-worker.ts',
    play: (worker, choice) => playClient(worker.origin, choice),
    all: [
      [BY_THE_CLOCK],
      // Ending a scenario can take the suite ten seconds: it waits for a connection that workerd opened and did not need.
      [
        ['--scenario', 'initialize'],
        ['--scenario', 'tools_call'],
        ['--scenario', 'elicitation-sep1034-client-defaults'],
        ['--suite', 'auth'],
        ['--suite', 'backcompat'],
        ['--suite', 'extensions'],
        ['--suite', 'draft'],
      ],
    ],
  },
  server: {
    worker: 'test/full/mcp/conformance/server-worker.ts',
    play: (worker, choice) => playServer(new URL('/mcp', worker).href, choice),
    // Those included that are pending in the suite.
    all: [[['--suite', 'all']]],
  },
};

async function playHalf({ worker, play }: Half, all: Half['all']): Promise<readonly SuiteRun[]> {
  const running = await startWorker(worker);
  const runs: SuiteRun[] = [];
  try {
    for (const choices of all) {
      runs.push(
        ...(await Promise.all(choices.map((choice) => patiently(choice, () => play(running.url, choice))))),
      );
    }
  } finally {
    await running.stop();
  }
  return runs;
}

async function patiently(choice: Choice, play: () => Promise<SuiteRun>): Promise<SuiteRun> {
  let run = await play();
  for (let tries = 1; !run.ok && choice === BY_THE_CLOCK && tries < TRIES; tries += 1) run = await play();
  return run;
}

/** What came of one half, in words, and whether it is as the file says. */
interface Report {
  readonly summary: string;
  readonly isRight: boolean;
}

async function report(side: Side, scenario: string | undefined): Promise<Report> {
  const half = halves[side];
  const runs = await playHalf(half, scenario === undefined ? half.all : [[['--scenario', scenario]]]);
  const expected = readExpected()[side];
  const played = runs.flatMap((run) => run.played);
  console.log(`\n${side}\n${played.map((one) => lineOf(one, expected)).join('\n')}`);
  for (const { ok, output } of runs) if (!ok || scenario !== undefined) console.log(`\n${output}`);
  // The suite does not say that it has no such scenario.
  const names = new Set(played.map((one) => one.scenario));
  const unknown = scenario === undefined ? [...expected].filter((name) => !names.has(name)) : [];
  for (const name of unknown) console.log(`There is no ${side} scenario '${name}' that could fail.`);
  const passed = played.filter(({ failures }) => failures.length === 0).length;
  return {
    summary: `${side} ${passed} of ${played.length} scenarios`,
    isRight: runs.every(({ ok }) => ok) && played.length > 0 && unknown.length === 0,
  };
}

function lineOf({ scenario, passed, failures }: Played, expected: ReadonlySet<string>): string {
  const mark = failures.length === 0 ? '✓' : expected.has(scenario) ? '~' : '✗';
  return [`  ${mark} ${scenario}: ${passed} passed`, ...failures].join('\n      ');
}

async function conformance(sides: readonly Side[], scenario: string | undefined): Promise<boolean> {
  const began = performance.now();
  const reports: Report[] = [];
  for (const side of sides) reports.push(await report(side, scenario));
  const isRight = reports.every((one) => one.isRight);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const summaries = reports.map(({ summary }) => summary).join(', ');
  console.log(`\nconformance: ${summaries}; ${seconds} s; ${isRight ? 'PASS' : 'FAIL'}`);
  return isRight;
}

const [side, scenario] = process.argv.slice(2);
if (side !== undefined && side !== 'client' && side !== 'server') {
  console.error('Usage: npm run conformance -- [client | server [scenario]]');
  process.exit(2);
}
process.exit((await conformance(side ? [side] : ['client', 'server'], scenario)) ? 0 : 1);
