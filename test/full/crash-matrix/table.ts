import { type CrashRow, formatCrashTable } from '../../doors/testing.ts';
import type { PlayedCell } from './matrix.ts';

/** A kind of tool and its plays. */
export interface TableRow {
  readonly kind: string;
  /** The number of positions in its scenario. */
  readonly positions: number;
}

/** Formats the plays as a table: for each kind, the disturbances and their results. */
export const formatTable = (rows: readonly TableRow[], played: readonly PlayedCell[]): string =>
  formatCrashTable(
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

/** Returns the first failures, with the arguments that reproduce them. */
export function listFailures(played: readonly PlayedCell[], most: number): string[] {
  const failed = played.flatMap(({ kind, disturbance: { at, mode }, verdict }) =>
    verdict.is === 'failed' ? [{ head: `${kind} at ${at}, ${mode}`, why: verdict.why }] : [],
  );
  return failed.slice(0, most).map(({ head, why }) => {
    const [first = '', ...more] = why;
    return `${head}: ${first.slice(0, 400)}${more.length > 0 ? ` (and ${more.length} more)` : ''}`;
  });
}
