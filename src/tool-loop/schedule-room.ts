/** As many messages may the calls of one turn schedule: a model that plans its whole life is stopped early. */
export const MOST_PER_TURN = 20;

/** As many messages of a session wait for their time at the most, whoever sent them; what a call schedules is not refused any more. */
export const MOST_WAITING = 100;

/** How many more messages the calls of a turn may schedule. One an invocation; calls that fail give nothing back to it. */
export class ScheduleRoom {
  #left: number;

  /** `byTurn`: by the calls of the turn that have ended. `scheduled`: in the session, by whomever. */
  constructor(byTurn: number, scheduled: number) {
    this.#left = Math.min(MOST_PER_TURN - byTurn, MOST_WAITING - scheduled);
  }

  /** @throws Error when there is no room. */
  take(): void {
    if (this.#left <= 0) {
      throw new Error(
        `No more messages can be scheduled now: one turn may schedule ${MOST_PER_TURN}, and ${MOST_WAITING} may wait for their time in a session.`,
      );
    }
    this.#left -= 1;
  }
}
