import type { Verdict } from '../session/judge.ts';
import { CHANGES, type Change, MANNERS, type Manner } from '../session/names.ts';
import type { WireName } from '../session/servers.ts';
import type { Result } from './lives.ts';

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
export function rowsOf(results: readonly Result[]): readonly Row[] {
  const wires = [...new Set(results.map(({ session }) => session.wire))];
  return wires.flatMap((wire) =>
    [undefined, ...CHANGES].flatMap((change) =>
      MANNERS.flatMap((manner) => {
        const own = results.filter(
          ({ session }) => session.wire === wire && session.change === change && session.manner === manner,
        );
        return own.length === 0 ? [] : [rowOf(own, { wire, change: change ?? 'none', manner })];
      }),
    ),
  );
}

function rowOf(own: readonly Result[], of: Pick<Row, 'wire' | 'change' | 'manner'>): Row {
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

export const keptEverything = ({ failed, refused, lost, miscounted }: Row): boolean =>
  failed.length + refused.length + lost.length + miscounted.length === 0;

/** Returns the findings of a row, one line each. Long lines are truncated. */
export const findingsOf = ({
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
  ].map((words) => `${wire} (${change}, ${manner}): ${words}`.slice(0, LONGEST));

const LONGEST = 400;

const HEAD = ['wire', 'change', 'manner', 'kills', 'requests', 'refused', 'lost', 'executions'] as const;

/**
 * Formats the rows as a table. The column of executions shows how often tools ran, with the numbers of calls
 * and of unknown outcomes.
 */
export function tableOf(rows: readonly Row[]): string {
  const lines = [
    HEAD,
    ...rows.map(({ wire, change, manner, kills, requests, refused, lost, ...others }) => [
      ...[wire, change, manner, kills, requests, refused.length, lost.length].map(String),
      executionsOf(others),
    ]),
  ];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const executionsOf = ({
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
export function summaryOf(rows: readonly Row[]): string {
  const sum = (count: (row: Row) => number): number => rows.reduce((all, row) => all + count(row), 0);
  const kinds = (of: (row: Row) => string): string => [...new Set(rows.map(of))].join(', ');
  const wires = new Set(rows.map(({ wire }) => wire)).size;
  return [
    `wires: played ${wires} wires, each with ${kinds(({ change }) => change)} and as ${kinds(({ manner }) => manner)}: ${rows.length} rows, ` +
      `${sum(({ kills }) => kills)} kills, ${sum(({ requests }) => requests)} requests`,
    `wires: ${sum(({ refused }) => refused.length)} requests refused, ${sum(({ lost }) => lost.length)} things lost, ` +
      `${sum(({ miscounted }) => miscounted.length)} calls miscounted, ${sum(({ failed }) => failed.length)} sessions failed`,
    lastLine(rows),
  ].join('\n');
}

/** The last line of a run. */
export const lastLine = (rows: readonly Row[]): string =>
  `wires: ${rows.filter(keptEverything).length} of ${rows.length} kept everything`;
