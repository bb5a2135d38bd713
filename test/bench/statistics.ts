/** Samples of one figure and their formatting. */

export interface Quartiles {
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

/** Returns the median and the quartiles of samples. They are `NaN` if there are no samples. */
export function computeQuartiles(samples: readonly number[]): Quartiles {
  const sorted = samples.toSorted((a, b) => a - b);
  const getQuantile = (share: number): number => {
    const place = (sorted.length - 1) * share;
    const [below = Number.NaN, above = below] = sorted.slice(Math.floor(place), Math.floor(place) + 2);
    return below + (above - below) * (place - Math.floor(place));
  };
  return { low: getQuantile(0.25), median: getQuantile(0.5), high: getQuantile(0.75) };
}

/** Formats a figure with three digits, as in `1.23`, `12.3`, `123` and `1,234`. */
export function formatNumber(value: number): string {
  if (Number.isNaN(value)) return '-';
  const digits =
    value === 0 || Number.isInteger(value) ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString('en-US', {
    minimumFractionDigits: Math.min(digits, 3),
    maximumFractionDigits: Math.min(digits, 3),
  });
}

/** Formats a median with its quartiles. */
export function withQuartiles(samples: readonly number[]): string {
  if (samples.length === 0) return '-';
  const { low, median, high } = computeQuartiles(samples);
  return low === high
    ? formatNumber(median)
    : `${formatNumber(median)} [${formatNumber(low)} to ${formatNumber(high)}]`;
}

/** Formats rows of cells as a Markdown table. The first row is the header. */
export function asTable(rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows;
  const widths = head.map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)));
  const formatLine = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [
    formatLine(head),
    formatLine(widths.map((width) => '-'.repeat(width))),
    ...body.map(formatLine),
  ].join('\n');
}
