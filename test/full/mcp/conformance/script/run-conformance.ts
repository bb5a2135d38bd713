/**
 * `npm run conformance` runs the MCP project's conformance suites against two Workers in workerd: all scenarios
 * of 0.1.16, and the requirements of each revision in 0.2. Exits with 1 if an unexpected scenario fails or an
 * expected failure passes. `npm run conformance -- 2026-07-28 client auth/basic-cimd` runs one scenario and
 * prints all output of the suite.
 */
import { type RunningWorker, startWorker } from '../../../process/start-worker.ts';
import {
  type ExpectedFailures,
  findSurprises,
  hasFailed,
  readExpected,
  SETS,
  type SetName,
  type Side,
} from './expected-failures.ts';
import { findRequired, type Play, type PlayedScenario, playSuite, type SuiteRun } from './run-suite.ts';

const SIDES: readonly Side[] = ['client', 'server'];

const WORKERS: Readonly<Record<Side, string>> = {
  client: 'test/full/mcp/conformance/client-worker.ts',
  server: 'test/full/mcp/conformance/server-worker.ts',
};

/**
 * The number of retries of a scenario with an unexpected result. Retries run alone, because the suite's time
 * limits are too short for a busy machine.
 */
const TRIES = 3;

/** The results of one side of a set as text, and whether they match the expectations. */
interface Report {
  readonly set: SetName;
  readonly side: Side;
  readonly summary: string;
  readonly isRight: boolean;
}

async function createReport(play: Play, run: SuiteRun): Promise<Report> {
  const { set, side, scenario } = play;
  const expected = readExpected(set)[side];
  const played: PlayedScenario[] = [];
  for (const one of run.played) played.push(await retryFailed(play, one, expected));
  const surprises = played.flatMap((one) => findSurprises(one, expected.get(one.scenario)));
  // The suite does not report unknown scenarios.
  const names = new Set(played.map((one) => one.scenario));
  const unknown = scenario === undefined ? [...expected.keys()].filter((name) => !names.has(name)) : [];
  const required = findRequired(set, side);
  const isRequired = (one: PlayedScenario): boolean => required?.has(one.scenario) ?? true;
  console.log(`\n${set} ${side}`);
  for (const one of played) {
    const note = isRequired(one) || scenario !== undefined ? '' : ' (not required)';
    console.log(formatLines(one, findSurprises(one, expected.get(one.scenario)), note));
  }
  for (const name of unknown) console.log(`There is no ${side} scenario '${name}' that could fail.`);
  if (played.length !== run.announced)
    console.log(`Of ${run.announced} scenarios ${played.length} were played.`);
  const isRight = surprises.length === 0 && unknown.length === 0 && played.length === run.announced;
  if (played.length !== run.announced || scenario !== undefined) console.log(`\n${run.output}`);
  const counted = scenario === undefined ? played.filter(isRequired) : played;
  const passed = counted.filter(({ checks }) => !checks.some(hasFailed)).length;
  return { set, side, summary: `${side} ${passed} of ${counted.length}`, isRight };
}

async function retryFailed(
  play: Play,
  first: PlayedScenario,
  expected: ExpectedFailures,
): Promise<PlayedScenario> {
  const { scenario } = first;
  let one = first;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const surprises = findSurprises(one, expected.get(scenario));
    if (surprises.length === 0) break;
    console.log(`${play.set} ${play.side} ${scenario} is played again: ${surprises.join(' ')}`);
    one = (await playSuite({ ...play, scenario })).played[0] ?? one;
  }
  return one;
}

function formatLines(
  { scenario, checks }: PlayedScenario,
  surprises: readonly string[],
  note: string,
): string {
  const failed = checks.filter(hasFailed);
  const mark = surprises.length > 0 ? '✗' : failed.length > 0 ? '~' : '✓';
  const passed = checks.filter(({ status }) => status === 'SUCCESS').length;
  return [
    `  ${mark} ${scenario}: ${passed} passed${note}`,
    ...failed.map(({ id, errorMessage, description }) => `${id}: ${errorMessage ?? description}`),
    ...surprises,
  ].join('\n      ');
}

async function playAll(plays: readonly Omit<Play, 'worker'>[]): Promise<readonly Report[]> {
  const workers = new Map<Side, RunningWorker>();
  try {
    for (const side of new Set(plays.map((play) => play.side)))
      workers.set(side, await startWorker(WORKERS[side]));
    const runs = await Promise.all(
      plays.map(async (one) => {
        const worker = workers.get(one.side)?.url;
        if (worker === undefined) throw new Error(`No Worker is running for the ${one.side} side.`);
        const play = { ...one, worker };
        return [play, await playSuite(play)] as const;
      }),
    );
    const reports: Report[] = [];
    // Unexpected results are retried after all parallel runs.
    for (const [play, run] of runs) reports.push(await createReport(play, run));
    for (const [side, { logs }] of workers) {
      const isRight = reports.every((one) => one.isRight || one.side !== side);
      if (!isRight) console.log(`\nWhat the Worker of the ${side} logged:\n${logs.join('\n')}`);
    }
    return reports;
  } finally {
    for (const worker of workers.values()) await worker.stop();
  }
}

async function runConformance(plays: readonly Omit<Play, 'worker'>[]): Promise<boolean> {
  const began = performance.now();
  const reports = await playAll(plays);
  const isRight = reports.every((one) => one.isRight);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const summaries = [...new Set(reports.map(({ set }) => set))].map((set) => {
    const sides = reports.filter((one) => one.set === set).map(({ summary }) => summary);
    return `${set} ${sides.join(', ')}`;
  });
  console.log(`\nconformance: ${[...summaries, `${seconds} s`, isRight ? 'PASS' : 'FAIL'].join('; ')}`);
  return isRight;
}

/** Parses the arguments. Returns `undefined` if they are invalid. */
function parsePlays(args: readonly string[]): readonly Omit<Play, 'worker'>[] | undefined {
  const sets = SETS.filter((set) => args.length === 0 || !isSet(args[0]) || set === args[0]);
  const [side, scenario, ...more] = isSet(args[0]) ? args.slice(1) : args;
  const sides = SIDES.filter((one) => side === undefined || one === side);
  if (sides.length === 0 || more.length > 0) return undefined;
  return sets.flatMap((set) => sides.map((one) => ({ set, side: one, scenario })));
}

const isSet = (word: string | undefined): boolean => SETS.some((set) => set === word);

const plays = parsePlays(process.argv.slice(2));
if (plays === undefined) {
  console.error(`Usage: npm run conformance -- [${SETS.join(' | ')}] [client | server [scenario]]`);
  process.exit(2);
}
process.exit((await runConformance(plays)) ? 0 : 1);
