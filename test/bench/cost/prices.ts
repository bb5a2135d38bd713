/** What Cloudflare bills, in one place, and what a turn costs by it. */
import type { BilledCounts } from './kept-counts.ts';

/** Dollars on the paid plan, beyond what it includes. */
export const PRICES = {
  read: 'November 2026',
  sources: [
    'https://developers.cloudflare.com/workers/platform/pricing/',
    'https://developers.cloudflare.com/durable-objects/platform/pricing/',
  ],
  /** A million requests to a Worker. */
  workerRequests: 0.3,
  /** A million ms of CPU of a Worker. */
  cpuMs: 0.02,
  /** A million requests to an object: calls, WebSockets that are opened, alarms. */
  objectRequests: 0.15,
  /** Messages over a WebSocket that count as a request. */
  messagesARequest: 20,
  /** A million GB-s of an object that is awake. It is billed for 128 MB. */
  gigabyteSeconds: 12.5,
  gigabytes: 0.128,
  /** A million rows of SQLite. An alarm that is set is a row written. */
  rowsWritten: 1,
  rowsRead: 0.001,
} as const;

/** What cannot be counted on one machine is assumed, on the high side, in ms. */
export const ASSUMED = {
  /** An object is awake for each request, its commit included. */
  awakePerRequest: 10,
  /** CPU of a turn, and of each of its model calls. */
  cpuPerTurn: 3,
  cpuPerCall: 1,
} as const;

/** Dollars that a million turns cost, by what is billed. */
export interface Bill {
  readonly worker: number;
  readonly requests: number;
  readonly duration: number;
  readonly rows: number;
  readonly total: number;
}

/** Returns what a million such turns cost. `modelCalls`: how often each asks its model. */
export function billOf(counts: BilledCounts, modelCalls: number): Bill {
  const requests = counts.requests + counts.messages / PRICES.messagesARequest;
  const awakeSeconds = (counts.requests * ASSUMED.awakePerRequest) / 1_000;
  const cpu = ASSUMED.cpuPerTurn + modelCalls * ASSUMED.cpuPerCall;
  const parts = {
    worker: PRICES.workerRequests + cpu * PRICES.cpuMs,
    requests: requests * PRICES.objectRequests,
    duration: awakeSeconds * PRICES.gigabytes * PRICES.gigabyteSeconds,
    rows: (counts.rowsWritten + counts.alarmsSet) * PRICES.rowsWritten + counts.rowsRead * PRICES.rowsRead,
  };
  return { ...parts, total: Object.values(parts).reduce((sum, one) => sum + one) };
}
