/** Tests the output of `npx holdfast`: no text from a model moves the cursor, and tables fit the terminal. */
import { describe, expect, it } from 'vitest';
import {
  computeWidth,
  formatDollars,
  formatTable,
  formatWhen,
  indentLines,
  toJsonLine,
  toOneLine,
} from '../../../doors/terminal.ts';

const HOSTILE_TEXT = '\u001b[2Ja\u202eb\u009bc\r\nd\te\u200b\ud800\u2028f';

it('control characters of terminals are escaped', () => {
  expect(toOneLine(HOSTILE_TEXT)).toBe('\\u{1b}[2Ja\\u{202e}b\\u{9b}c d e\\u{200b}\\u{d800} f');
  expect(indentLines(HOSTILE_TEXT, '  ')).toBe(
    '  \\u{1b}[2Ja\\u{202e}b\\u{9b}c\n  d  e\\u{200b}\\u{d800}\\u{2028}f',
  );
  expect(indentLines('a\rb', '')).toBe('a\\u{d}b');
  expect(toOneLine(`a${'\u0301'.repeat(100)}b`)).toBe('a\u0301\u0301\u0301b');
  expect(toOneLine(undefined)).toBe('');
});

it('JSON output preserves the data and contains no control characters', () => {
  const data = { [HOSTILE_TEXT]: [`${HOSTILE_TEXT}\u{e0001}\u007f`] };
  expect(JSON.parse(toJsonLine(data))).toEqual(data);
  expect(toJsonLine(data)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
});

describe('a table', () => {
  interface Row {
    readonly id: string;
    readonly title: string;
    readonly cost: string;
  }
  const columns = [
    { name: 'ID', of: ({ id }: Row) => id },
    { name: 'TITLE', of: ({ title }: Row) => title, isLong: true },
    { name: 'COST', of: ({ cost }: Row) => cost, isNumber: true },
  ];
  const rows = [
    { id: 's1', title: 'Where is my order?', cost: '$0.02' },
    { id: 'session-2', title: '注文はどこですか？ 👍 \u001b[2J', cost: '$120.00' },
  ];

  it('aligns its columns, even with wide characters', () => {
    expect(formatTable(columns, rows).split('\n')).toEqual([
      'ID         TITLE                               COST',
      's1         Where is my order?                 $0.02',
      'session-2  注文はどこですか？ 👍 \\u{1b}[2J  $120.00',
    ]);
  });

  it.each([40, 36, 30, 20])('fits a terminal of %i columns and shortens the longest text first', (width) => {
    const lines = formatTable(columns, rows, width).split('\n');
    for (const line of lines) expect(computeWidth(line)).toBeLessThanOrEqual(width);
    expect(lines[2]).toContain('…');
    if (width > 32) expect(lines[2]).toMatch(/^session-2 .* \$120\.00$/);
  });

  it('keeps the full id of a session while other text can be shortened', () => {
    const id = 'a-session-with-a-long-name-of-its-own';
    const [, row] = formatTable(columns, [{ id, title: 'Where is my order?', cost: '-' }], 59).split('\n');
    expect(row).toBe(`${id}  Where is my o…     -`);
  });
});

it.each([
  [0, '$0'],
  [0.000321, '$0.00032'],
  [0.00000004, '$0.000000040'],
  [0.000000001, '<$0.00000001'],
  [0.0123, '$0.01'],
  [12.345, '$12.35'],
  [undefined, '-'],
  ['1', '-'],
  [Number.NaN, '-'],
])('a cost of %j is shown as %s', (cost, shown) => {
  expect(formatDollars(cost)).toBe(shown);
});

it.each([
  [-5_000, 'now'],
  [-3 * 60_000, '3 min ago'],
  [2 * 3_600_000, 'in 2 h'],
  [-72 * 3_600_000, '3 days ago'],
])('a time %i ms from now is shown as %s', (ms, said) => {
  const now = new Date(2026, 10, 30, 10, 42).getTime();
  expect(formatWhen(now + ms, now)).toMatch(new RegExp(`^2026-1[12]-\\d\\d \\d\\d:\\d\\d, ${said}$`));
});

it('an invalid time is shown as a dash', () => {
  expect([formatWhen(undefined), formatWhen('x'), formatWhen(1e300)]).toEqual(['-', '-', '-']);
});
