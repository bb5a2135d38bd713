/**
 * `npm run plays -- --count 2000 --seed N` runs random plays with the real session object in Node. Prints the
 * findings with their seeds. Exits with 1 if there are findings.
 */
import { runCommand } from '../process/run-command.ts';
import { prepareImports } from './machine/load-library.ts';
import { type PlaysOptions, readOptions, USAGE } from './options.ts';
import type { MatrixReport } from './play/matrix.ts';

const MAX_SHOWN = 10;

/** Returns `true` if there are no findings. */
async function run({ seed, count, isTraced, bails, holes, matrix }: PlaysOptions): Promise<boolean> {
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  prepareImports(holes);
  const { playAll, playEach } = await import('./play/play-all.ts');
  if (matrix) return runMatrix(await playEach(matrix === 'whole', say), say);
  const { played, failed, figures, seconds } = await playAll({ seed, count, isTraced, bails }, say);
  for (const one of failed.slice(0, MAX_SHOWN))
    say(`again: npm run plays -- --seed ${one} --count 1 --trace`);
  const { messages, turns, calls, effects, forks, retries, refusals, deaths, takeOvers, unknown, longest } =
    figures;
  say(
    `plays: ${messages} messages, ${turns} turns, ${calls} calls, ${effects} effects, ${forks} forks, ${retries} retries, ` +
      `${refusals} of both refused, ${deaths} invocations that died, ${takeOvers} take-overs, ${unknown} calls in doubt; ` +
      `after a storm no turn took longer than ${Math.round(longest / 1000)} s`,
  );
  const verdict = failed.length === 0 ? 'PASS' : 'FAIL';
  say(
    `plays: ${played} from seed ${seed}; ${failed.length} with findings; ${seconds.toFixed(1)} s; ${verdict}`,
  );
  // An exiting process loses the output that is still in a pipe.
  await new Promise<void>((resolve) => void process.stdout.write('', () => resolve()));
  return failed.length === 0;
}

/** Returns `true` if there are no findings. */
function runMatrix(reports: readonly MatrixReport[], say: (line: string) => void): boolean {
  for (const { scene, messages, played, failed } of reports)
    say(`matrix: ${scene}: ${messages} messages; ${played} plays, ${failed} with findings`);
  const isRight = reports.every(({ failed }) => failed === 0);
  say(`matrix: ${isRight ? 'PASS' : 'FAIL'}`);
  return isRight;
}

await runCommand({ usage: USAGE, readOptions, run });
