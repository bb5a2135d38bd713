/**
 * The time of the Worker, as a test holds it: `CLOCK_AHEAD` ms after the machine's, or before it. Imported before all else,
 * since code may take `Date.now` as it is. What was stored long ago is then read at the time at which it was stored.
 */
import { env } from 'cloudflare:workers';

declare global {
  namespace Cloudflare {
    interface Env {
      /** How far this Worker's clock is ahead of the machine's, in ms. */
      readonly CLOCK_AHEAD?: string;
    }
  }
}

const machineNow = Date.now.bind(Date);
let ahead = Number(env.CLOCK_AHEAD ?? 0);
Date.now = () => machineNow() + ahead;

/** Moves the clock on by so many ms, at once. */
export function moveClock(ms: number): void {
  ahead += ms;
}

/** The machine's time at this time of the clock, in ms since the epoch. */
export const machineTime = (time: number): number => time - ahead;
