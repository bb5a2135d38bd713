/**
 * `npm run wires` checks that every provider gets its own data back, using servers as strict as the real
 * ones. Runs a turn of ten iterations and a second turn, with tools of every kind, in workerd, and kills the
 * process at random positions. Prints a table. Exits with 1 on a failure.
 */
import { createTemporaryDirectory } from '../../src/examples/demo/temporary-directory.ts';
import { runCommand } from '../full/process/run-command.ts';
import { readOptions, USAGE, type WiresOptions } from './run/options.ts';
import { playWires } from './run/play-wires.ts';
import { createRows, formatFindings, formatSummary, formatTable, hasKeptEverything } from './run/report.ts';

async function run(options: WiresOptions): Promise<boolean> {
  const began = performance.now();
  const { wires, kills } = options;
  const where =
    kills === 'none' || kills === 'all'
      ? kills
      : `${kills.positions} places of each row, drawn by seed ${kills.seed}`;
  console.log(`wires: ${wires.length} wires, as JSON and as a stream; kills: ${where}`);
  const say = (line: string): void =>
    console.log(`wires: ${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${line}`);
  const rows = createRows(
    await playWires(options, { directory: createTemporaryDirectory('holdfast-wires-'), say }),
  );
  console.log(`\n${formatTable(rows)}\n`);
  for (const finding of rows.flatMap(formatFindings)) console.log(finding);
  console.log(formatSummary(rows));
  return rows.every(hasKeptEverything);
}

await runCommand({ usage: USAGE, readOptions, run });
