import type { ScheduledMessage } from '../journal/events.ts';
import { DELAY_RULE, isDelay, sha256Hex } from '../tool/async.ts';
import type { ScheduleRequest } from '../tool/call.ts';

/** The calls of one turn may schedule as many messages: a model that plans its whole life is stopped early. */
const MOST_PER_TURN = 20;

/** As many messages of a session wait for their time at the most, whoever sent them. What a call has scheduled is not refused later. */
export const MOST_WAITING = 100;

/** Characters of one message. */
const MAX_MESSAGE = 100_000;

/** Counts how many more messages the calls of a turn may schedule. An invocation has one; calls that fail give nothing back to it. */
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

/** What one call schedules. */
interface Scheduling {
  /** As `CallScope.schedule`. */
  schedule(request: ScheduleRequest): Promise<string>;
  /** All of it, in the order in which it was asked for. */
  scheduled(): Promise<readonly ScheduledMessage[]>;
}

/** Where a call is, and who lets it schedule anything; without `scheduleRoom` nobody does. */
interface SchedulingPlace {
  readonly call: string;
  readonly inSession: boolean;
  readonly scheduleRoom?: ScheduleRoom | undefined;
}

/** The ids of the turns come from that of the call, so that they are the same when the call is run again. */
export function scheduling({ call, inSession, scheduleRoom }: SchedulingPlace): Scheduling {
  const asked: Promise<ScheduledMessage>[] = [];
  return {
    async schedule({ message, delaySeconds }) {
      const text = checked(message);
      const after = inMilliseconds(delaySeconds);
      if (!inSession || !scheduleRoom) {
        throw new Error(
          'A message can only be scheduled in a session, which keeps it: give the tool to an agent.',
        );
      }
      scheduleRoom.take();
      const one = turnId(call, asked.length).then((turn) => ({ turn, message: text, after }));
      asked.push(one);
      return (await one).turn;
    },
    scheduled: () => Promise.all(asked),
  };
}

const turnId = async (call: string, index: number): Promise<string> =>
  (await sha256Hex(JSON.stringify([call, 'scheduled', index]))).slice(0, 16);

function checked(message: unknown): string {
  if (typeof message !== 'string' || message.trim() === '') {
    throw new Error('The message to be scheduled must be text that is not blank.');
  }
  if (message.length <= MAX_MESSAGE) return message;
  throw new Error(
    `The message to be scheduled has ${message.length} characters, and may have ${MAX_MESSAGE}.`,
  );
}

function inMilliseconds(seconds: unknown): number {
  if (isDelay(seconds)) return Math.round(seconds * 1_000);
  throw new Error(`delaySeconds is ${String(seconds).slice(0, 40)}; it ${DELAY_RULE}.`);
}
