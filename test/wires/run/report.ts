import type { Verdict } from '../session/judge.ts';
import { CHANGES, type Change, MANNERS, type Manner } from '../session/names.ts';
import type { WireName } from '../session/servers.ts';
import type { SessionResult } from './lives.ts';

/** The result of a wire in one manner. */
export interface Row extends Verdict {
  readonly wire: WireName;
  /** The model change, or `none`. */
  readonly change: Change | 'none';
  readonly manner: Manner;
  readonly kills: number;
  /** The reasons for sessions that did not end. */
  readonly failed: readonly string[];
}

/** Returns one row for each wire, change and manner, in the order of the results. */
export function createRows(results: readonly SessionResult[]): readonly Row[] {
  const wires = [...new Set(results.map(({ session }) => session.wire))];
  return wires.flatMap((wire) =>
    [undefined, ...CHANGES].flatMap((change) =>
      MANNERS.flatMap((manner) => {
        const own = results.filter(
          ({ session }) => session.wire === wire && session.change === change && session.manner === manner,
        );
        return own.length === 0 ? [] : [createRow(own, { wire, change: change ?? 'none', manner })];
      }),
    ),
  );
}

function createRow(own: readonly SessionResult[], of: Pick<Row, 'wire' | 'change' | 'manner'>): Row {
  const verdicts = own.flatMap(({ outcome }) => ('verdict' in outcome ? outcome.verdict : []));
  const sum = (count: (verdict: Verdict) => number): number =>
    verdicts.reduce((all, verdict) => all + count(verdict), 0);
  return {
    ...of,
    failed: own.flatMap(({ outcome }) => ('failed' in outcome ? outcome.failed : [])),
    kills: own.reduce((all, { kills }) => all + kills, 0),
    requests: sum(({ requests }) => requests),
    refused: verdicts.flatMap(({ refused }) => refused),
    lost: verdicts.flatMap(({ lost }) => lost),
    miscounted: verdicts.flatMap(({ miscounted }) => miscounted),
    calls: sum(({ calls }) => calls),
    executions: sum(({ executions }) => executions),
    unknown: sum(({ unknown }) => unknown),
  };
}

export const hasKeptEverything = ({ failed, refused, lost, miscounted }: Row): boolean =>
  failed.length + refused.length + lost.length + miscounted.length === 0;

/** Returns the findings of a row, one line each. Long lines are truncated. */
export const formatFindings = ({
  wire,
  change,
  manner,
  failed,
  refused,
  lost,
  miscounted,
}: Row): readonly string[] =>
  [
    ...failed.map((words) => `failed: ${words}`),
    ...refused.map((words) => `refused: ${words}`),
    ...lost.map((words) => `lost: ${words}`),
    ...miscounted.map((words) => `miscounted: ${words}`),
  ].map((words) => `${wire} (${change}, ${manner}): ${words}`.slice(0, MAX_LINE));

const MAX_LINE = 400;

const HEAD_CELLS = [
  'wire',
  'change',
  'manner',
  'kills',
  'requests',
  'refused',
  'lost',
  'executions',
] as const;

/**
 * Formats the rows as a table. The executions column shows how often tools ran, with the numbers of calls and
 * of unknown outcomes.
 */
export function formatTable(rows: readonly Row[]): string {
  const lines = [
    HEAD_CELLS,
    ...rows.map(({ wire, change, manner, kills, requests, refused, lost, ...others }) => [
      ...[wire, change, manner, kills, requests, refused.length, lost.length].map(String),
      formatExecutions(others),
    ]),
  ];
  const widths = HEAD_CELLS.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const formatExecutions = ({
  executions,
  calls,
  unknown,
  miscounted,
  failed,
}: Pick<Row, 'executions' | 'calls' | 'unknown' | 'miscounted' | 'failed'>): string =>
  [
    `${executions} of ${calls} calls`,
    `${unknown} told as unknown`,
    ...(miscounted.length > 0 ? [`${miscounted.length} WRONG`] : []),
    ...(failed.length > 0 ? [`${failed.length} sessions FAILED`] : []),
  ].join(', ');

/** Summarizes the sessions, and the rows that kept all data. */
export function formatSummary(rows: readonly Row[]): string {
  const sum = (count: (row: Row) => number): number => rows.reduce((all, row) => all + count(row), 0);
  const listKinds = (of: (row: Row) => string): string => [...new Set(rows.map(of))].join(', ');
  const wires = new Set(rows.map(({ wire }) => wire)).size;
  return [
    `wires: played ${wires} wires, each with ${listKinds(({ change }) => change)} and as ${listKinds(({ manner }) => manner)}: ${rows.length} rows, ` +
      `${sum(({ kills }) => kills)} kills, ${sum(({ requests }) => requests)} requests`,
    `wires: ${sum(({ refused }) => refused.length)} requests refused, ${sum(({ lost }) => lost.length)} things lost, ` +
      `${sum(({ miscounted }) => miscounted.length)} calls miscounted, ${sum(({ failed }) => failed.length)} sessions failed`,
    formatLastLine(rows),
  ].join('\n');
}

/** The last line of a run. */
export const formatLastLine = (rows: readonly Row[]): string =>
  `wires: ${rows.filter(hasKeptEverything).length} of ${rows.length} kept everything`;
