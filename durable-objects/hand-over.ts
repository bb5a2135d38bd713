import type {
  Announced,
  Announcement,
  HandOver,
  StoreDeletion,
  TurnRunner,
} from '../src/journal/turn-runner.ts';

/** Hands the unfinished turns of one session to whoever runs them. */
export interface TurnCarrier {
  /**
   * By the queue where there is one, else by the loopback; so also when nobody has come for what was sent, and it is due
   * again: a message may be lost, or wait behind others. Never rejects.
   */
  handOver(handOver: HandOver): Promise<void>;
  /** Somebody has come for what was sent. */
  arrived(): void;
  /** Has copies of files deleted in the store outside, by the loopback. Returns whether they are. Never rejects. */
  deleteFiles(deletion: StoreDeletion): Promise<boolean>;
  /** Has an outgoing webhook told, by the loopback. Answers as the runner does; `undefined` when it did not. Never rejects. */
  announce(announcement: Announcement): Promise<Announced | undefined>;
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

  async function runByLoopback(handOver: HandOver): Promise<void> {
    const { name, turn } = handOver;
    try {
      await runnerFor(`turns of session ${name} are not taken over`)?.run(handOver);
    } catch (error) {
      console.error(`holdfast: turn ${turn} was not taken over: ${String(error)}`);
    }
  }

  return {
    async handOver(handOver) {
      const { turn } = handOver;
      if (queue !== undefined && sent !== turn) {
        sent = turn;
        try {
          await queue.send(handOver);
          return;
        } catch (error) {
          console.error(`holdfast: turn ${turn} could not be sent by the queue TURNS: ${String(error)}`);
        }
      }
      await runByLoopback(handOver);
    },
    arrived() {
      sent = undefined;
    },
    async deleteFiles(deletion) {
      const { name, attempt, nextAfter } = deletion;
      const what = `files of session ${name} are not deleted in the file store`;
      try {
        const runner = runnerFor(what);
        await runner?.deleteFiles(deletion);
        return runner !== undefined;
      } catch (error) {
        const next = `attempt ${attempt + 1} follows in ${Math.round(nextAfter / 60_000)} min`;
        console.error(`holdfast: ${what}; ${next}: ${String(error)}`);
        return false;
      }
    },
    async announce(announcement) {
      const { webhook, turn } = announcement;
      try {
        return await runnerFor(`outgoing webhook ${webhook} is not told of turn ${turn}`)?.announce(
          announcement,
        );
      } catch (error) {
        console.error(
          `holdfast: outgoing webhook ${webhook} was not told of turn ${turn}, which is tried again: ${String(error)}`,
        );
        return undefined;
      }
    },
  };
}
