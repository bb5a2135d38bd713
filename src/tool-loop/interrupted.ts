import { CallInterrupted } from '../tools/call-interrupted.ts';

/** Why an invocation stops acting for a turn that has not ended. */
export type Interruption =
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
