import type { SessionPort } from '../../journal/session-port.ts';
import type { Clock } from '../../session/read-platform.ts';
import type { Progress } from './crashable-invocation.ts';

/** Where a play takes place: one fresh session, and its time. */
export interface CrashableSession {
  readonly port: SessionPort;
  readonly clock: Clock;
  readonly leaseMs: number;
  /** The session as one invocation sees it; as it is unless given. */
  outgoing?(port: SessionPort): SessionPort;
  /** The object loses its memory; `abruptly`: as by a crash. */
  restart(abruptly: boolean): Promise<void>;
  wait(ms: number): Promise<void>;
  /** The promise's value. It must come: time passes while nothing else happens. @throws Error when it does not. */
  until<T>(promise: Promise<T>, progress: Progress): Promise<T>;
  /** Timers that were left on the clock. */
  timersLeft(): number;
}
