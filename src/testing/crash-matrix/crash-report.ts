import type { Damage } from './damage.ts';
import {
  DISTURBANCES,
  type Disturbance,
  type DisturbanceName,
  formatPosition,
  getDisturbanceName,
  type Mode,
  type Position,
} from './disturbances.ts';

/** The result of a crash matrix. */
export interface CrashReport {
  /**
   * The number of positions in the undisturbed play at which a crash can happen: before and after each
   * operation of an invocation.
   */
  readonly positions: number;
  /** The number of plays. A play runs the whole script in a fresh session with one disturbance. */
  readonly plays: number;
  /** The number of turns in all plays that ended as in the undisturbed play. */
  readonly turnsCompleted: number;
  /** The number of accepted messages without exactly one outcome. */
  readonly messagesLost: number;
  /**
   * The number of effects beyond those of the undisturbed play: a `once` call that ran twice, a call that ran
   * under two keys, or an effect that a receiver reported too often. An effect that both ran and was reported
   * twice counts as two.
   */
  readonly effectsDoubled: number;
  /**
   * The number of interrupted calls that are reported to the model as unknown: calls to `once` tools without
   * `reconcile`, and calls of any tool in a cancelled turn.
   */
  readonly effectsUnknown: number;
  /** The plays that broke a guarantee, in the order of their positions. */
  readonly failures: readonly CrashFailure[];
  /** Whether every play kept the guarantees. */
  readonly passed: boolean;
  /** Formats the report as a table of operations and disturbances, followed by the first failures. */
  toTable(): string;
}

/** A failed play. To run it again, pass its `at` and `mode` in `options.only`. */
export interface CrashFailure extends Disturbance {
  /** Describes the position as text. */
  readonly position: string;
  readonly problems: readonly string[];
  /**
   * The last error result of a call in the play, such as `tool 'pay' answered: No money.`. Absent if there is
   * none.
   */
  readonly toolError?: string;
}

export interface DisturbedPlay {
  readonly disturbance: Disturbance;
  readonly position: Position;
  readonly damage: Damage;
}

const MAX_SHOWN_FAILURES = 10;

/** Summarizes plays. `positions` is their number in the undisturbed play. */
export function toCrashReport(positions: number, plays: readonly DisturbedPlay[]): CrashReport {
  const failures = plays.flatMap(({ disturbance, position, damage: { problems, toolError } }) =>
    problems.length > 0
      ? {
          ...disturbance,
          position: formatPosition(position),
          problems,
          ...(toolError !== undefined && { toolError }),
        }
      : [],
  );
  return {
    positions,
    plays: plays.length,
    ...computeTotals(plays),
    failures: failures.toSorted((a, b) => a.at - b.at),
    passed: failures.length === 0,
    toTable() {
      const { length } = this.failures;
      const shown = this.failures.slice(0, MAX_SHOWN_FAILURES).map(formatFailure);
      const more = length > MAX_SHOWN_FAILURES ? [`... and ${length - MAX_SHOWN_FAILURES} more`] : [];
      return [formatCrashTable('at', toCrashRows(plays)), ...shown, ...more].join('\n');
    },
  };
}

type Totals = Pick<CrashReport, 'turnsCompleted' | 'messagesLost' | 'effectsDoubled' | 'effectsUnknown'>;

function computeTotals(plays: readonly DisturbedPlay[]): Totals {
  const sum = (of: (damage: Damage) => number): number =>
    plays.reduce((total, { damage }) => total + of(damage), 0);
  return {
    turnsCompleted: sum(({ turnsCompleted }) => turnsCompleted),
    messagesLost: sum(({ messagesLost }) => messagesLost),
    effectsDoubled: sum(({ effectsDoubled }) => effectsDoubled),
    effectsUnknown: sum(({ effectsUnknown }) => effectsUnknown),
  };
}

const formatFailure = ({
  at,
  mode,
  position,
  problems: [first = '', ...more],
  toolError,
}: CrashFailure): string =>
  `failed: ${mode} at ${at}, ${position}: ${first}${more.length > 0 ? ` (and ${more.length} more)` : ''}` +
  (toolError === undefined ? '' : `; last error: ${toolError}`);

export interface CrashRow {
  readonly name: string;
  readonly positions: number;
  readonly plays: readonly { readonly mode: Mode; readonly damage: Damage; readonly failed: boolean }[];
}

const DISTURBANCE_NAMES = Object.keys(DISTURBANCES) as DisturbanceName[]; // `Object.keys` returns strings

/**
 * Formats rows and their total. Each row counts the strikes of each disturbance, and the damage. `head` is
 * the title of the first column.
 */
export function formatCrashTable(head: string, rows: readonly CrashRow[]): string {
  const all: CrashRow = {
    name: 'all',
    positions: rows.reduce((sum, { positions }) => sum + positions, 0),
    plays: rows.flatMap(({ plays }) => plays),
  };
  const heads = [head, 'positions', ...DISTURBANCE_NAMES, 'turns', 'lost', 'doubled', 'unknown', 'failed'];
  return formatTable([heads, ...[...rows, all].map(toCells)]);
}

function toCells({ name, positions, plays }: CrashRow): readonly (string | number)[] {
  const sum = (of: (damage: Damage) => number): number =>
    plays.reduce((total, { damage }) => total + of(damage), 0);
  return [
    name,
    positions,
    ...DISTURBANCE_NAMES.map((one) => plays.filter(({ mode }) => getDisturbanceName(mode) === one).length),
    sum(({ turnsCompleted }) => turnsCompleted),
    sum(({ messagesLost }) => messagesLost),
    sum(({ effectsDoubled }) => effectsDoubled),
    sum(({ effectsUnknown }) => effectsUnknown),
    plays.filter(({ failed }) => failed).length,
  ];
}

/** Returns two rows for each operation: one before it and one after it. */
function toCrashRows(plays: readonly DisturbedPlay[]): CrashRow[] {
  const names = [...new Set(plays.map(({ position }) => formatPosition(position)))].toSorted();
  return names.map((name) => {
    const own = plays.filter(({ position }) => formatPosition(position) === name);
    return {
      name,
      positions: new Set(own.map(({ disturbance }) => disturbance.at)).size,
      plays: own.map(({ disturbance: { mode }, damage }) => ({
        mode,
        damage,
        failed: damage.problems.length > 0,
      })),
    };
  });
}

/** Formats rows as lines of equal width, with the first column left-aligned and the others right-aligned. */
function formatTable(rows: readonly (readonly (string | number)[])[]): string {
  const cells = rows.map((row) => row.map(String));
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  );
  const formatLine = (row: readonly string[]): string =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ');
  return cells.map(formatLine).join('\n');
}
