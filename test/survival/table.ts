import { DISTURBANCES, type DisturbanceName, type Played } from './matrix.ts';

/** A kind and what was played of it. */
export interface TableRow {
  readonly kind: string;
  /** Moments of its scenario. */
  readonly positions: number;
}

const NAMES = Object.keys(DISTURBANCES) as DisturbanceName[]; // the keys of the literal

const HEADS = ['kind', 'positions', ...NAMES, 'equal', 'unknown', 'failed'];

/** The plays as a table: per kind how often it was disturbed in each way, and what came of it. */
export function tableOf(rows: readonly TableRow[], played: readonly Played[]): string {
  const lines = rows.map(({ kind, positions }) => [
    kind,
    String(positions),
    ...countsOf(played.filter((one) => one.kind === kind)),
  ]);
  const positions = rows.reduce((sum, row) => sum + row.positions, 0);
  const all = [HEADS, ...lines, ['all', String(positions), ...countsOf(played)]];
  const widths = HEADS.map((_, column) => Math.max(...all.map((line) => line[column]?.length ?? 0)));
  return all
    .map((line) =>
      line
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  '),
    )
    .join('\n');
}

function countsOf(played: readonly Played[]): string[] {
  const count = (fits: (one: Played) => boolean): string => String(played.filter(fits).length);
  const isOf = (name: DisturbanceName, { disturbance: { mode } }: Played): boolean => {
    const modes: readonly string[] = DISTURBANCES[name];
    return modes.includes(mode);
  };
  return [
    ...NAMES.map((name) => count((one) => isOf(name, one))),
    ...(['equal', 'unknown', 'failed'] as const).map((is) => count(({ verdict }) => verdict.is === is)),
  ];
}

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
