/**
 * `npm run prompt-cache` measures how well the requests of a loop extend each other, on every wire. The
 * providers' packages send the requests to strict local servers, whose received bodies are compared. Prints a
 * table, and the departures with their causes. Exits with 1 if plain agents or state machines have
 * departures, or if a departure has no cause.
 */
import { runCommand } from '../full/process/run-command.ts';
import { formatDepartures, formatLastLine, formatTable, listProblems } from './measure/report.ts';
import { PARTS } from './measure/request-parts.ts';
import { type PromptCacheOptions, readOptions, USAGE } from './options.ts';
import { playScenarios } from './play/play-scenarios.ts';
import { MEASURED_WIRES } from './play/wires.ts';

async function run(options: PromptCacheOptions): Promise<boolean> {
  for (const { name, by } of MEASURED_WIRES) console.log(`${name}: ${by}`);
  console.log(
    `A cache is taken to keep, over every wire, the beginning of: ${PARTS.join(', ')}. Tokens are those of o200k_base.\n`,
  );
  const rows = await playScenarios(options, console.log);
  console.log(`\n${formatTable(rows)}\n`);
  for (const line of formatDepartures(rows)) console.log(line);
  const problems = listProblems(rows);
  for (const problem of problems) console.log(`PROBLEM: ${problem}`);
  console.log(formatLastLine(rows));
  return problems.length === 0;
}

await runCommand({ usage: USAGE, readOptions, run });
