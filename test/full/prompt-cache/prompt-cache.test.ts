/** Runs `npm run prompt-cache` as a program. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { formatLastLine, formatTable, listProblems, type Row } from '../../prompt-cache/measure/report.ts';
import { readOptions, SCENARIO_NAMES, USAGE } from '../../prompt-cache/options.ts';
import { playScenarios } from '../../prompt-cache/play/play-scenarios.ts';
import { MEASURED_WIRES } from '../../prompt-cache/play/wires.ts';

const PROMISED_SCENARIOS = ['plain', 'plain-turns', 'state-machine', 'state-machine-loop'];

/** Returns the wires of a scenario. `npm run prompt-cache` plays all scenarios over all wires. */
const listWires = (scenario: string): readonly string[] =>
  PROMISED_SCENARIOS.includes(scenario) ? MEASURED_WIRES.map(({ name }) => name) : ['anthropic', 'chat'];

it('requests of plain agents and state machines extend the previous one, and other departures have a cause', {
  timeout: 300_000,
}, async () => {
  const rows: Row[] = [];
  for (const scenario of SCENARIO_NAMES)
    for (const wire of listWires(scenario)) rows.push(...(await playScenarios({ scenario, wire }, () => {})));
  console.log(formatTable(rows));
  expect(listProblems(rows)).toEqual([]);
  expect(rows.map(({ scenario, wire }) => [scenario, wire])).toEqual(
    SCENARIO_NAMES.flatMap((name) => listWires(name).map((wire) => [name, wire])),
  );
  const promised = rows.filter(({ isPromised }) => isPromised);
  expect(new Set(promised.map(({ scenario }) => scenario))).toEqual(new Set(PROMISED_SCENARIOS));
  expect(formatLastLine(rows)).toBe(
    `prompt-cache: plain agents and state machines: 0 departures in ${4 * MEASURED_WIRES.length} sessions over ${MEASURED_WIRES.length} wires; ` +
      'every other departure has its cause; PASS',
  );
  // docs/models.md lists these scenarios as exceptions.
  const others = ['playbook', 'chain', 'mcp'];
  expect(rows.filter(({ scenario, findings }) => others.includes(scenario) && findings.length > 0)).toEqual(
    [],
  );
  // The minimum for a session: 20 requests, most of whose bytes are shared with the previous request.
  expect(rows.filter(({ requests }) => requests < 20)).toEqual([]);
  expect(promised.filter(({ bytes }) => bytes.total < 0.75)).toEqual([]);
});

const run = (...args: readonly string[]) =>
  spawnSync(
    process.execPath,
    [join(import.meta.dirname, '../../prompt-cache/run-prompt-cache.ts'), ...args],
    {
      encoding: 'utf8',
    },
  );

it('npm run prompt-cache prints a table, the departures with their causes, and its result as the last line', () => {
  const { status, stdout } = run('--only', 'workspace', '--wire', 'chat');
  expect(stdout).toMatch(/^workspace +chat +20 +11 /m);
  expect(stdout).toMatch(
    /^workspace, request 2 of workspace: tools: 1 changed, 3 inserted; the unfolding tool `files` gave its place to what is inside: 3 came, 1 changed \[every wire\]$/m,
  );
  expect(stdout).toMatch(
    /^workspace, request 11 of workspace: .*; another turn began, and what unfolding tools had opened in the one before is closed: /m,
  );
  expect(stdout).toMatch(/\nprompt-cache: .*; every other departure has its cause; PASS\n$/);
  expect(status).toBe(0);
});

it('npm run prompt-cache prints its usage for an unknown option', () => {
  const { status, stdout, stderr } = run('--only', 'nothing');
  expect({ status, stdout, stderr }).toEqual({
    status: 2,
    stdout: '',
    stderr: `--only must name a scenario, not 'nothing'.\n\n${USAGE}\n`,
  });
  expect(() => readOptions(['--wire', 'fax'])).toThrow("--wire must name a wire, not 'fax'.");
  expect(readOptions(['--only', 'plain', '--wire', 'gemini'])).toEqual({ scenario: 'plain', wire: 'gemini' });
  expect(readOptions([])).toEqual({});
});
