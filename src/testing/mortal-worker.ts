import type { Leased, NotResumed } from '../journal/session-port.ts';
import type { TurnEnd } from '../session/run-turn.ts';
import type { TurnSteps } from './turn-steps.ts';

/** Runs the turns of one session in invocations that can be killed. */
export interface MortalWorker {
  /** Runs a leased turn: invocations of the Worker, one after another, until one stops that was not killed. */
  drive(turn: string, leased: Leased): Promise<void>;
  /** The same for a turn that is leased first; nothing when it is not to be had. */
  goOn(turn: string): Promise<void>;
  /** Whatever the invocation that runs still does is lost, and another goes on; nothing when none runs. */
  kill(): void;
}

/** `expireLease` makes the lease of whoever holds the session run out within the call. */
export function mortalWorker(
  { resume, run }: Pick<TurnSteps, 'resume' | 'run'>,
  expireLease: () => void,
): MortalWorker {
  let die: (() => void) | undefined;

  async function drive(turn: string, first: Leased): Promise<void> {
    let leased: Leased | undefined = first;
    while (leased) {
      const successor = Promise.withResolvers<Leased | NotResumed>();
      const dies = (): void => {
        die = undefined;
        expireLease();
        // The session changes hands within this call, so nothing that the dead one still sends is stored.
        successor.resolve(resume(turn));
      };
      die = dies;
      const end: TurnEnd | Leased | NotResumed = await Promise.race([run(leased), successor.promise]);
      leased = end.status === 'leased' ? end : undefined;
      // The next turn of the session may run already.
      if (die === dies) die = undefined;
    }
  }

  return {
    drive,
    async goOn(turn) {
      const leased = await resume(turn);
      if (leased.status === 'leased') await drive(turn, leased);
    },
    kill: () => die?.(),
  };
}
