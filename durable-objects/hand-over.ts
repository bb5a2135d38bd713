import type { DueOutcome, DueRow } from '../src/journal/agenda.ts';
import type { HandOver, TurnRunner } from '../src/journal/turn-runner.ts';

/** Hands the unfinished turns of one session to whoever runs them. */
export interface TurnCarrier {
  /**
   * By the queue where there is one, else by the loopback; so also when nobody has come for what was sent, and it is due
   * again: a message may be lost, or wait behind others. Never rejects.
   */
  handOver(handOver: HandOver): Promise<void>;
  /** Somebody has come for what was sent. */
  arrived(): void;
  /** Offers a row of the agenda to its module, by the loopback. Returns the outcome, or `undefined` if there is none. Never rejects. */
  offer(row: DueRow): Promise<DueOutcome | undefined>;
}

/** Takes turns to a Worker faster than the loopback, and does not keep the object awake while they run. */
export type TurnQueue = Pick<Queue<HandOver>, 'send'>;

/** Makes what hands the turns of one session to whoever is to run them next. */
export function createTurnCarrier(ctx: DurableObjectState, queue: TurnQueue | undefined): TurnCarrier {
  /** The turn that was last sent by the queue, until somebody takes a lease. */
  let sent: string | undefined;
  /** Every alarm finds the same until another version is deployed, which starts the object anew. */
  let hasWarned = false;

  /** Says what keeps `work` from being done where the Worker has no runner. */
  function runnerFor(work: string): TurnRunner | undefined {
    // The exports belong to the Worker that hosts this class, and are not known here.
    const exported = ctx.exports as { readonly TurnRunner?: TurnRunner } | undefined;
    if (exported?.TurnRunner) return exported.TurnRunner;
    const problem = exported
      ? 'exports no `TurnRunner`: export const { TurnRunner } = holdfast;'
      : 'has no `ctx.exports`: set compatibility_date = "2026-10-01" or later';
    if (!hasWarned) console.error(`holdfast: ${work}: the Worker ${problem}`);
    hasWarned = true;
    return undefined;
  }

  /** Asks the runner by the loopback. Resolves with `undefined` if there is none, or if it fails, and says so. */
  async function ask<T>(
    { missing, failed }: { readonly missing: string; readonly failed: string },
    work: (runner: TurnRunner) => Promise<T>,
  ): Promise<T | undefined> {
    try {
      const runner = runnerFor(missing);
      return runner && (await work(runner));
    } catch (error) {
      console.error(`holdfast: ${failed}: ${String(error)}`);
      return undefined;
    }
  }

  return {
    async handOver(handOver) {
      const { name, turn } = handOver;
      if (queue !== undefined && sent !== turn) {
        sent = turn;
        try {
          await queue.send(handOver);
          return;
        } catch (error) {
          console.error(`holdfast: turn ${turn} could not be sent by the queue TURNS: ${String(error)}`);
        }
      }
      const missing = `turns of session ${name} are not taken over`;
      await ask({ missing, failed: `turn ${turn} was not taken over` }, (runner) => runner.run(handOver));
    },
    arrived() {
      sent = undefined;
    },
    offer(row) {
      const { name, module, key, ref } = row;
      const missing = `row ${ref} of module ${module} ${key} in session ${name} is not done`;
      return ask({ missing, failed: `${missing}, and is offered again` }, (runner) => runner.due(row));
    },
  };
}
