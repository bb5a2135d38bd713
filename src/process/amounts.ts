/** Milliseconds as a model reads them: `1h 2m 3s`, `2m 3s`, `3.4s`, `250ms` (PRC-06). */
export function duration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (hours > 0) return `${hours}h ${minutes}m ${seconds % 60}s`;
  if (minutes > 0) return `${minutes}m ${seconds % 60}s`;
  return seconds > 0 ? `${seconds}.${Math.floor((ms % 1000) / 100)}s` : `${Math.floor(ms)}ms`;
}

/** `1,234`. */
export const count = (amount: number): string => amount.toLocaleString('en-US');

/** `$0.1234`, with so many decimals. */
export const dollars = (amount: number, decimals: number): string => `$${amount.toFixed(decimals)}`;
