/**
 * The Worker's clock, which is `CLOCK_AHEAD` ms ahead of the machine's clock. Must be imported first, because
 * other modules may store `Date.now`. The Worker can thus read old data as of the time at which it was
 * stored.
 */
import { env } from 'cloudflare:workers';

declare global {
  namespace Cloudflare {
    interface Env {
      /** How far this Worker's clock is ahead of the machine's, in ms. Can be negative. */
      readonly CLOCK_AHEAD?: string;
    }
  }
}

const machineNow = Date.now.bind(Date);
let ahead = Number(env.CLOCK_AHEAD ?? 0);
Date.now = () => machineNow() + ahead;

/** Advances the clock by this many ms. */
export function moveClock(ms: number): void {
  ahead += ms;
}

/** Converts a time of this clock to the machine's clock, in ms since the epoch. */
export const toMachineTime = (time: number): number => time - ahead;
