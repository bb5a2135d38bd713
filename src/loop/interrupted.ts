import { CallInterrupted } from '../tool/signals.ts';

/** Why an invocation stops acting for a turn that has not ended. */
type Interruption =
  /** Somebody asked to stop the turn. */
  | 'cancelled'
  /** Another invocation goes on: this one is over its means, or its client has gone. */
  | 'handed-over'
  /** A call waits for somebody outside. */
  | 'suspended'
  /** The lease is lost, or may be: nothing more may be started or stored. */
  | 'lost';

/** Leaves the loop, through every tool and nested loop; it is never turned into a tool result. */
export class Interrupted extends CallInterrupted {
  override readonly name = 'Interrupted';
  readonly why: Interruption;

  constructor(why: Interruption, detail: string) {
    super(detail);
    this.why = why;
  }
}

/** Whether something was thrown, or a signal aborted, for this reason. */
export const isInterrupted = (thrown: unknown, why: Interruption): thrown is Interrupted =>
  thrown instanceof Interrupted && thrown.why === why;

/** What platforms and libraries say of a line that broke, or of a receiver that went away, before an answer came. */
const CUT_OFF =
  /network connection lost|connection (was )?(lost|reset|closed)|socket hang up|econnreset|\breset because\b|\b(was|be|been) reset\b|internal error/i;

/** What the platform adds to the errors of its own calls. */
interface PlatformError extends Error {
  readonly retryable?: boolean;
  readonly durableObjectReset?: boolean;
  readonly overloaded?: boolean;
}

/** How deep a chain of causes is followed. */
const MAX_DEPTH = 5;

/**
 * Whether a thrown value says that nobody knows, rather than that the work failed: an abort, a timeout, a lost
 * connection, a Durable Object that was reset or is overloaded, or any of these as its cause.
 */
export function isCutOff(thrown: unknown, depth = 0): boolean {
  if (thrown instanceof Interrupted) return true;
  if (!(thrown instanceof Error) || depth > MAX_DEPTH) return false;
  const flags: PlatformError = thrown;
  return (
    thrown.name === 'AbortError' ||
    thrown.name === 'TimeoutError' ||
    flags.retryable === true ||
    flags.durableObjectReset === true ||
    flags.overloaded === true ||
    CUT_OFF.test(thrown.message) ||
    isCutOff(thrown.cause, depth + 1)
  );
}
