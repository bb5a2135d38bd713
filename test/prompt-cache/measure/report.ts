/** The output of `npm run prompt-cache`: a table, the departures with their causes, and the result. */
import { UNEXPLAINED } from './causes.ts';
import type { Finding, SessionMeasurement } from './measure-session.ts';
import type { ShareSummary } from './shares.ts';

/** The result of a scenario on one wire. */
export interface Row extends SessionMeasurement {
  readonly scenario: string;
  readonly wire: string;
  /** `true` if every request must extend the previous one. */
  readonly isPromised: boolean;
}

const SHARES_HEAD = '  least   median    total';

const HEAD_CELLS = ['scenario', 'wire', 'requests', 'departed', 'bytes kept', 'tokens kept'] as const;

/**
 * Formats the rows as a table. The shares are the minimum and the median of requests with a previous one, and
 * the share of all sent data.
 */
export function formatTable(rows: readonly Row[]): string {
  const lines = [
    HEAD_CELLS,
    ['', '', '', '', SHARES_HEAD, SHARES_HEAD],
    ...rows.map(({ scenario, wire, requests, findings, bytes, tokens }) => [
      scenario,
      wire,
      ...[requests, countDeparted(findings)].map(String),
      formatShares(bytes),
      formatShares(tokens),
    ]),
  ];
  const widths = HEAD_CELLS.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Counts the requests with departures. */
const countDeparted = (findings: readonly Finding[]): number =>
  new Set(findings.map(({ request }) => request)).size;

const formatShares = ({ least, median, total }: ShareSummary): string =>
  [least, median, total].map((share) => `${(share * 100).toFixed(1)} %`.padStart(7)).join('  ');

/** Returns one line for each kind of departure. Equal departures of several requests and wires share a line. */
export function formatDepartures(rows: readonly Row[]): readonly string[] {
  const scenarios = Map.groupBy(rows, ({ scenario }) => scenario);
  return [...scenarios].flatMap(([scenario, own]) => {
    const wires = new Map<string, string[]>();
    for (const { wire, findings } of own)
      for (const line of groupAlike(findings)) wires.set(line, [...(wires.get(line) ?? []), wire]);
    return [...wires].map(([line, on]) => {
      const where = on.length === own.length ? 'every wire' : on.join(', ');
      return `${scenario}, ${line} [${where}]`;
    });
  });
}

function groupAlike(findings: readonly Finding[]): readonly string[] {
  const groups = Map.groupBy(findings, ({ path, place, cause }) => `${path}: ${place}; ${cause}`);
  return [...groups].map(([words, own]) => {
    const numbers = own.map(({ request }) => request);
    return `${numbers.length > 1 ? 'requests' : 'request'} ${numbers.join(', ')} of ${words}`;
  });
}

/** Returns the failures: departures in scenarios that forbid them, and departures without a cause. */
export function listProblems(rows: readonly Row[]): readonly string[] {
  const broken = rows
    .filter(({ isPromised, findings }) => isPromised && findings.length > 0)
    .map(
      ({ scenario, wire, findings }) => `'${scenario}' departs ${countDeparted(findings)} times over ${wire}`,
    );
  const unexplained = rows.flatMap(({ scenario, wire, findings }) =>
    findings
      .filter(({ cause }) => cause === UNEXPLAINED)
      .map(
        ({ request, place }) =>
          `'${scenario}' departs over ${wire} in request ${request}, unexplained: ${place}`,
      ),
  );
  return [...broken, ...unexplained];
}

/** The last line of a run. */
export function formatLastLine(rows: readonly Row[]): string {
  const problems = listProblems(rows);
  const wires = new Set(rows.map(({ wire }) => wire)).size;
  const promised = rows.filter(({ isPromised }) => isPromised);
  const departures = promised.reduce((sum, { findings }) => sum + countDeparted(findings), 0);
  const kept = `plain agents and state machines: ${departures} departures in ${promised.length} sessions over ${wires} wires`;
  const others = problems.length > 0 ? `${problems.length} problems` : 'every other departure has its cause';
  return `prompt-cache: ${kept}; ${others}; ${problems.length > 0 ? 'FAIL' : 'PASS'}`;
}
