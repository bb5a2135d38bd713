import type { SessionPort } from '../../../src/journal/session-port.ts';
import type { Clock } from '../../../src/session/clock.ts';

/** Where a play takes place: one fresh session, and its time. */
export interface Stage {
  readonly port: SessionPort;
  readonly clock: Clock;
  readonly leaseMs: number;
  /** The object loses its memory; `abruptly`: as by a crash. */
  restart(abruptly: boolean): Promise<void>;
  wait(ms: number): Promise<void>;
  /** The promise's value. It must come: time passes while nothing else happens, which `moves` tells. @throws Error when it does not. */
  until<T>(promise: Promise<T>, moves: () => number): Promise<T>;
  /** Timers that were left on the clock. */
  timersLeft(): number;
}
