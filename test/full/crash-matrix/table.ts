import { type CrashRow, crashTable } from '../../doors/testing.ts';
import type { Played } from './matrix.ts';

/** A kind and what was played of it. */
export interface TableRow {
  readonly kind: string;
  /** Positions of its scenario. */
  readonly positions: number;
}

/** The plays as a table: per kind how often it was disturbed in each way, and what came of it. */
export const tableOf = (rows: readonly TableRow[], played: readonly Played[]): string =>
  crashTable(
    'kind',
    rows.map(
      ({ kind, positions }): CrashRow => ({
        name: kind,
        positions,
        plays: played
          .filter((one) => one.kind === kind)
          .map(({ disturbance: { mode }, damage, verdict }) => ({
            mode,
            damage,
            failed: verdict.is === 'failed',
          })),
      }),
    ),
  );

/** Why plays failed, the first few of them, with what is needed to see one again. */
export function failuresOf(played: readonly Played[], most: number): string[] {
  const failed = played.flatMap(({ kind, disturbance: { at, mode }, verdict }) =>
    verdict.is === 'failed' ? [{ head: `${kind} at ${at}, ${mode}`, why: verdict.why }] : [],
  );
  return failed.slice(0, most).map(({ head, why }) => {
    const [first = '', ...more] = why;
    return `${head}: ${first.slice(0, 400)}${more.length > 0 ? ` (and ${more.length} more)` : ''}`;
  });
}
