import type { Damage } from './damage.ts';
import {
  DISTURBANCES,
  type Disturbance,
  type DisturbanceName,
  type Mode,
  nameOf,
  type Position,
  positionText,
} from './disturbances.ts';

/** What a crash matrix found. */
export interface CrashReport {
  /** Places of the undisturbed play at which a crash may fall: before and after each thing that an invocation does. */
  readonly positions: number;
  /** A play is the whole script in a fresh session, disturbed once; a turn of it may take many invocations. */
  readonly plays: number;
  /** Turns, of all plays, that ended as they do undisturbed. */
  readonly turnsCompleted: number;
  /** Accepted messages without exactly one outcome. */
  readonly messagesLost: number;
  /**
   * Effects beyond those of the undisturbed play: a `once` call that ran twice, a call that was carried out under two keys,
   * or what a receiver reported too often. One that both ran and was reported twice counts as both.
   */
  readonly effectsDoubled: number;
  /**
   * Calls that were cut off and of which it is not known what they did, as the model was told: of `once` tools without
   * `reconcile`, and of any in a turn that was cancelled.
   */
  readonly effectsUnknown: number;
  /** Plays in which something happened that must not, in the order of their positions. */
  readonly failures: readonly CrashFailure[];
  /** There is no failure. */
  readonly passed: boolean;
  /** The report as text: what was done at the positions, by what it was disturbed, and the first failures. */
  toTable(): string;
}

/** One play that failed; `options.only` with its `at` and `mode` plays it again. */
export interface CrashFailure extends Disturbance {
  /** The position in words. */
  readonly position: string;
  readonly problems: readonly string[];
  /** The last error that a call of the play ended with, such as `tool 'pay' answered: No money.`. Absent if none did. */
  readonly toolError?: string;
}

/** One disturbed play, and what it came to. */
export interface DisturbedPlay {
  readonly disturbance: Disturbance;
  readonly position: Position;
  readonly damage: Damage;
}

const SHOWN = 10;

/** Sums plays up. `positions`: of the undisturbed one. */
export function toCrashReport(positions: number, plays: readonly DisturbedPlay[]): CrashReport {
  const failures = plays.flatMap(({ disturbance, position, damage: { problems, toolError } }) =>
    problems.length > 0
      ? {
          ...disturbance,
          position: positionText(position),
          problems,
          ...(toolError !== undefined && { toolError }),
        }
      : [],
  );
  return {
    positions,
    plays: plays.length,
    ...totalsOf(plays),
    failures: failures.toSorted((a, b) => a.at - b.at),
    passed: failures.length === 0,
    toTable() {
      const { length } = this.failures;
      const shown = this.failures.slice(0, SHOWN).map(failureText);
      const more = length > SHOWN ? [`... and ${length - SHOWN} more`] : [];
      return [crashTable('at', rowsOf(plays)), ...shown, ...more].join('\n');
    },
  };
}

type Totals = Pick<CrashReport, 'turnsCompleted' | 'messagesLost' | 'effectsDoubled' | 'effectsUnknown'>;

function totalsOf(plays: readonly DisturbedPlay[]): Totals {
  const sum = (of: (damage: Damage) => number): number =>
    plays.reduce((total, { damage }) => total + of(damage), 0);
  return {
    turnsCompleted: sum(({ turnsCompleted }) => turnsCompleted),
    messagesLost: sum(({ messagesLost }) => messagesLost),
    effectsDoubled: sum(({ effectsDoubled }) => effectsDoubled),
    effectsUnknown: sum(({ effectsUnknown }) => effectsUnknown),
  };
}

const failureText = ({
  at,
  mode,
  position,
  problems: [first = '', ...more],
  toolError,
}: CrashFailure): string =>
  `failed: ${mode} at ${at}, ${position}: ${first}${more.length > 0 ? ` (and ${more.length} more)` : ''}` +
  (toolError === undefined ? '' : `; last error: ${toolError}`);

/** Plays that stand in one line of a table. */
export interface CrashRow {
  readonly name: string;
  readonly positions: number;
  readonly plays: readonly { readonly mode: Mode; readonly damage: Damage; readonly failed: boolean }[];
}

const NAMES = Object.keys(DISTURBANCES) as DisturbanceName[]; // the keys of the literal

/** Rows and their sum: how often each was disturbed in each way, and what that did. `head`: what the rows are. */
export function crashTable(head: string, rows: readonly CrashRow[]): string {
  const all: CrashRow = {
    name: 'all',
    positions: rows.reduce((sum, { positions }) => sum + positions, 0),
    plays: rows.flatMap(({ plays }) => plays),
  };
  const heads = [head, 'positions', ...NAMES, 'turns', 'lost', 'doubled', 'unknown', 'failed'];
  return textTable([heads, ...[...rows, all].map(cellsOf)]);
}

function cellsOf({ name, positions, plays }: CrashRow): readonly (string | number)[] {
  const sum = (of: (damage: Damage) => number): number =>
    plays.reduce((total, { damage }) => total + of(damage), 0);
  return [
    name,
    positions,
    ...NAMES.map((one) => plays.filter(({ mode }) => nameOf(mode) === one).length),
    sum(({ turnsCompleted }) => turnsCompleted),
    sum(({ messagesLost }) => messagesLost),
    sum(({ effectsDoubled }) => effectsDoubled),
    sum(({ effectsUnknown }) => effectsUnknown),
    plays.filter(({ failed }) => failed).length,
  ];
}

/** One row for each thing that was done, before and after it. */
function rowsOf(plays: readonly DisturbedPlay[]): CrashRow[] {
  const names = [...new Set(plays.map(({ position }) => positionText(position)))].toSorted();
  return names.map((name) => {
    const own = plays.filter(({ position }) => positionText(position) === name);
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

/** Rows as lines of equal width: the first column to the left, the others to the right. */
function textTable(rows: readonly (readonly (string | number)[])[]): string {
  const cells = rows.map((row) => row.map(String));
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ');
  return cells.map(line).join('\n');
}
