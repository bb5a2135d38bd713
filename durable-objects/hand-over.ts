import type { HandOver, TurnRunner } from '../src/journal/session-port.ts';

/** By what a turn is handed over. */
export interface Carriers {
  /** Takes turns to a Worker faster than the loopback, and does not keep the object awake while they run. */
  readonly queue: Pick<Queue<HandOver>, 'send'> | undefined;
  /** What the Worker exports that hosts the object; `undefined` where the platform does not tell. */
  readonly exports: () => { readonly TurnRunner?: TurnRunner } | undefined;
}

/** Hands the unfinished turns of one session to whoever runs them. */
export class TurnCarrier {
  readonly #carriers: Carriers;
  #hasWarned = false;
  /** The turn that was last sent by the queue, until somebody takes a lease. */
  #sent: string | undefined;

  constructor(carriers: Carriers) {
    this.#carriers = carriers;
  }

  /** Somebody has come for what was sent. */
  arrived(): void {
    this.#sent = undefined;
  }

  /**
   * By the queue where there is one, else by the loopback; so also when nobody has come for what was sent, and it is due
   * again: a message may be lost, or wait behind others. Never rejects.
   */
  async handOver(handOver: HandOver): Promise<void> {
    const { turn } = handOver;
    const { queue } = this.#carriers;
    if (queue !== undefined && this.#sent !== turn) {
      this.#sent = turn;
      try {
        await queue.send(handOver);
        return;
      } catch (error) {
        console.error(`holdfast: turn ${turn} could not be sent by the queue TURNS: ${String(error)}`);
      }
    }
    await this.#runByLoopback(handOver);
  }

  async #runByLoopback(handOver: HandOver): Promise<void> {
    const exported = this.#carriers.exports();
    if (!exported?.TurnRunner) {
      const problem = exported
        ? 'exports no `TurnRunner`: export const { TurnRunner } = holdfast;'
        : 'has no `ctx.exports`: set compatibility_date = "2026-10-01" or later';
      this.#warn(`holdfast: turns of session ${handOver.name} are not taken over: the Worker ${problem}`);
      return;
    }
    try {
      await exported.TurnRunner.run(handOver);
    } catch (error) {
      console.error(`holdfast: turn ${handOver.turn} was not taken over: ${String(error)}`);
    }
  }

  /** Once: every alarm finds the same until another version is deployed, which starts the object anew. */
  #warn(text: string): void {
    if (!this.#hasWarned) console.error(text);
    this.#hasWarned = true;
  }
}
