/**
 * Makes texts of models, tools and people safe for a terminal: they cannot move the cursor, or reverse or
 * hide other text.
 */
import { escapeInvisible, INVISIBLE_CHARACTERS } from '../../tool/shown.ts';

/** Matches more than three combining marks on one letter, which would cover adjacent lines. */
const EXCESS_MARKS = /(\p{M}{3})\p{M}+/gu;

export const toOneLine = (value: unknown): string =>
  escapeInvisible(String(value ?? '').replaceAll(/\s+/gu, ' '))
    .replaceAll(EXCESS_MARKS, '$1')
    .trim();

/** Returns a multi-line text with each line prefixed by `indent`. */
export const indentLines = (value: unknown, indent: string): string =>
  String(value ?? '')
    .trim()
    .split(/\r?\n/)
    .map((line) =>
      `${indent}${escapeInvisible(line.replaceAll('\t', '  ')).replaceAll(EXCESS_MARKS, '$1')}`.trimEnd(),
    )
    .join('\n');

/** Returns JSON as one line. Terminal control characters are escaped, so the data is unchanged. */
export const toJsonLine = (value: unknown): string =>
  JSON.stringify(value).replaceAll(INVISIBLE_CHARACTERS, (one) =>
    one
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );

export interface Column<Row> {
  readonly name: string;
  readonly of: (row: Row) => unknown;
  /** `true` for numbers, which are aligned to the right. */
  readonly isNumber?: boolean;
  /** `true` if this column is cut first when the terminal is too narrow. */
  readonly isLong?: boolean;
}

const GAP = '  ';
const MIN_CUT_WIDTH = 12;
const MIN_WIDTH = 4;

/**
 * Returns a table with one line per row. `width`: the width of the terminal. Lines fit if the columns have
 * room.
 */
export function formatTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width = Infinity,
): string {
  const cells = [
    columns.map(({ name }) => name),
    ...rows.map((row) => columns.map(({ of }) => toOneLine(of(row)))),
  ];
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => computeWidth(line[at] ?? ''))));
  const sumWidths = (): number => widths.reduce((sum, one) => sum + one, GAP.length * (widths.length - 1));
  const narrowColumns = (least: number, may: (column: Column<Row>) => boolean): void => {
    while (sumWidths() > width) {
      const most = Math.max(...columns.map((column, at) => (may(column) ? (widths[at] ?? 0) : 0)));
      if (most <= least) return;
      const over = columns.findIndex((column, at) => may(column) && widths[at] === most);
      widths[over] = most - 1;
    }
  };
  narrowColumns(MIN_CUT_WIDTH, ({ isLong = false }) => isLong);
  narrowColumns(MIN_WIDTH, () => true);
  const padCell = (text: string, at: number): string => {
    const room = widths[at] ?? 0;
    const short = truncate(text, room);
    const filling = ' '.repeat(Math.max(0, room - computeWidth(short)));
    return columns[at]?.isNumber ? filling + short : short + filling;
  };
  return cells.map((line) => line.map(padCell).join(GAP).trimEnd()).join('\n');
}

/** Matches characters of double width: East Asian characters and pictographs. */
const WIDE_CHARACTER =
  /[\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18fff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;

const getCharWidth = (sign: string): number => (/\p{M}/u.test(sign) ? 0 : WIDE_CHARACTER.test(sign) ? 2 : 1);

/** Returns the width of a line in the terminal's columns. */
export const computeWidth = (line: string): number =>
  Array.from(line).reduce((sum, sign) => sum + getCharWidth(sign), 0);

/** Returns the part of a line that fits, with a mark if the line was cut. */
export function truncate(line: string, room: number): string {
  if (computeWidth(line) <= room) return line;
  let short = '';
  let left = room - 1;
  for (const sign of line) {
    left -= getCharWidth(sign);
    if (left < 0) break;
    short += sign;
  }
  return `${short.trimEnd()}…`;
}

/** Returns a dollar amount with its significant digits. */
export function formatDollars(cost: unknown): string {
  if (typeof cost !== 'number' || !Number.isFinite(cost)) return '-';
  if (cost === 0 || Math.abs(cost) >= 0.01) return `$${cost === 0 ? '0' : cost.toFixed(2)}`;
  if (Math.abs(cost) < 1e-8) return '<$0.00000001';
  return `$${cost.toFixed(Math.min(9, 1 - Math.floor(Math.log10(Math.abs(cost)))))}`;
}

/** Returns a count with grouped digits. */
export const formatCount = (value: unknown): string =>
  typeof value === 'number' && Number.isFinite(value) ? value.toLocaleString('en-US') : '-';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Returns a local time: `2026-11-30 10:42`, with seconds if requested. */
export function formatLocalTime(at: unknown, withSeconds = false): string {
  const date = new Date(typeof at === 'number' ? at : Number.NaN);
  if (Number.isNaN(date.getTime())) return '-';
  const padTwoDigits = (part: number): string => String(part).padStart(2, '0');
  const day = [date.getFullYear(), padTwoDigits(date.getMonth() + 1), padTwoDigits(date.getDate())].join('-');
  const seconds = withSeconds ? `:${padTwoDigits(date.getSeconds())}` : '';
  return `${day} ${padTwoDigits(date.getHours())}:${padTwoDigits(date.getMinutes())}${seconds}`;
}

/** Returns a local time and its distance from now: `2026-11-30 10:42, 3 min ago`. */
export function formatWhen(at: unknown, now = Date.now()): string {
  const local = formatLocalTime(at);
  return typeof at !== 'number' || local === '-' ? local : `${local}, ${formatDistance(at - now)}`;
}

function formatDistance(ms: number): string {
  const far = Math.abs(ms);
  if (far < MINUTE) return 'now';
  const said =
    far < HOUR
      ? `${Math.floor(far / MINUTE)} min`
      : far < 2 * DAY
        ? `${Math.floor(far / HOUR)} h`
        : `${Math.floor(far / DAY)} days`;
  return ms < 0 ? `${said} ago` : `in ${said}`;
}
