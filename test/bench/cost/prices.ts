/** Cloudflare's prices, and the cost of a turn at these prices. */
import type { BilledCounts } from './kept-counts.ts';

/** Prices in dollars on the paid plan, beyond the included usage. */
export const PRICES = {
  read: 'November 2026',
  sources: [
    'https://developers.cloudflare.com/workers/platform/pricing/',
    'https://developers.cloudflare.com/durable-objects/platform/pricing/',
  ],
  /** A million requests to a Worker. */
  workerRequests: 0.3,
  /** A million milliseconds of a Worker's CPU time. */
  cpuMs: 0.02,
  /** A million requests to an object: calls, opened WebSockets, alarms. */
  objectRequests: 0.15,
  /** The number of WebSocket messages that count as one request. */
  messagesARequest: 20,
  /** A million GB-s of an awake object. An object is billed for 128 MB. */
  gigabyteSeconds: 12.5,
  gigabytes: 0.128,
  /** A million rows of SQLite. Setting an alarm counts as a written row. */
  rowsWritten: 1,
  rowsRead: 0.001,
} as const;

/** Milliseconds assumed for values that cannot be counted on one machine, rounded up. */
export const ASSUMPTIONS = {
  /** The time for which an object is awake for each request, including its commit. */
  awakePerRequest: 10,
  /** CPU time of a turn, and of each of its model calls. */
  cpuPerTurn: 3,
  cpuPerCall: 1,
} as const;

/** The cost of a million turns in dollars, by billed item. */
export interface Bill {
  readonly worker: number;
  readonly requests: number;
  readonly duration: number;
  readonly rows: number;
  readonly total: number;
}

/** Returns the cost of a million such turns. @param modelCalls The number of model calls of each turn. */
export function computeBill(counts: BilledCounts, modelCalls: number): Bill {
  const requests = counts.requests + counts.messages / PRICES.messagesARequest;
  const awakeSeconds = (counts.requests * ASSUMPTIONS.awakePerRequest) / 1_000;
  const cpu = ASSUMPTIONS.cpuPerTurn + modelCalls * ASSUMPTIONS.cpuPerCall;
  const parts = {
    worker: PRICES.workerRequests + cpu * PRICES.cpuMs,
    requests: requests * PRICES.objectRequests,
    duration: awakeSeconds * PRICES.gigabytes * PRICES.gigabyteSeconds,
    rows: (counts.rowsWritten + counts.alarmsSet) * PRICES.rowsWritten + counts.rowsRead * PRICES.rowsRead,
  };
  return { ...parts, total: Object.values(parts).reduce((sum, one) => sum + one) };
}
