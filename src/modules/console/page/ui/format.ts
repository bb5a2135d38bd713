/** Formats numbers and times for people. */

const WHOLE_NUMBER_FORMAT = new Intl.NumberFormat('en-US');
const COMPACT_NUMBER_FORMAT = new Intl.NumberFormat('en-US', {
  notation: 'compact',
  maximumFractionDigits: 1,
});

/** Returns a number with separators: `1,234`. */
export const formatNumber = (value: number): string => WHOLE_NUMBER_FORMAT.format(value);

/** Returns a short number: `1.2K`. */
export const formatCompact = (value: number): string => COMPACT_NUMBER_FORMAT.format(value);

/** Returns a count with its noun: `1 event`, `2 events`. */
export const formatCount = (value: number, noun: string): string =>
  `${formatNumber(value)} ${noun}${value === 1 ? '' : 's'}`;

/** Returns a duration: `12 ms`, `1.4 s`, `2 min 5 s`, `3 h 2 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.floor((ms % 60_000) / 1_000)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`;
}

/** Returns a cost in USD, with as many digits as it needs. */
export const formatDollars = (cost: number): string =>
  `$${cost === 0 || cost >= 1 ? cost.toFixed(2) : cost.toPrecision(2)}`;

const TIME_FORMAT = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const DATE_TIME_FORMAT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** Returns a time of the day: `14:03:07`. */
export const formatTimeOfDay = (at: number): string => TIME_FORMAT.format(at);

export const formatDateTime = (at: number): string => DATE_TIME_FORMAT.format(at);

/** Returns how long ago a time was: `5 min ago`. */
export function formatAgo(at: number, now = Date.now()): string {
  const ms = Math.max(0, now - at);
  if (ms < 45_000) return 'just now';
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min ago`;
  if (ms < 86_400_000) return `${Math.round(ms / 3_600_000)} h ago`;
  return ms < 14 * 86_400_000 ? `${Math.round(ms / 86_400_000)} d ago` : DATE_TIME_FORMAT.format(at);
}

/** Returns a size: `1.2 MB`. */
export function formatBytes(size: number): string {
  if (size < 1_000) return `${size} B`;
  return size < 1_000_000 ? `${(size / 1_000).toFixed(1)} kB` : `${(size / 1_000_000).toFixed(1)} MB`;
}
