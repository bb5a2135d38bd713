import { toScheduledTurn } from '../journal/event-rows.ts';
import type { ScheduledMessage } from '../journal/events.ts';
import { MAX_WAITING, type WaitingLoad } from '../journal/inbox-message.ts';
import type { CallRecord, TurnState } from '../journal/state.ts';
import { DELAY_RULE, isDelay, sha256Hex } from '../tool/async.ts';
import type { ScheduleRequest } from '../tool/call.ts';
import type { CallLimit } from '../tool/frame.ts';
import { type Log, warning } from '../tool/log.ts';

/** The calls of one turn may schedule as many messages: a model that plans its whole life is stopped early. */
const MOST_PER_TURN = 20;

/** Turns that turns may schedule one after another, unless the agent says otherwise, before a person has said something again. */
export const MOST_GENERATIONS = 8;

/** The most characters that one scheduled message may have. */
const MAX_MESSAGE = 100_000;

/** What a turn knows when one of its calls schedules something. */
interface ScheduleBounds {
  readonly journal: {
    readonly state: { readonly turn: TurnState | undefined };
    /** What waits in the session: as the object told it last, and what was emitted since. */
    readonly waiting: WaitingLoad;
  };
  /** The name of the agent, and how many turns in a row may be scheduled by turns. */
  readonly agent: { readonly name: string; readonly maxGenerations: CallLimit };
  readonly log: Log;
}

/** What a call has scheduled that is still running: nobody else knows of it yet. */
interface TakenRoom {
  readonly by: Pick<CallRecord, 'ended'>;
  readonly bytes: number;
}

/**
 * Says how much more the calls of a turn may schedule. It is looked at before a call is told that something was scheduled: what a
 * call was told is not refused later. An invocation has one.
 */
export class ScheduleRoom {
  readonly #bounds: ScheduleBounds;
  #taken: readonly TakenRoom[] = [];
  #isTold = false;

  constructor(bounds: ScheduleBounds) {
    this.#bounds = bounds;
  }

  /** The call begins, or begins anew: what it has scheduled before is not stored, and never will be. */
  begin(by: Pick<CallRecord, 'ended'>): void {
    this.#taken = this.#taken.filter((one) => one.by !== by);
  }

  /** @throws Error when there is no room, which says why to the model. */
  take(by: Pick<CallRecord, 'ended'>, message: Pick<ScheduledMessage, 'message' | 'after'>): void {
    const { turn } = this.#bounds.journal.state;
    if (!turn) return;
    const bytes = weightOf(message, turn);
    this.#taken = this.#taken.filter((one) => !one.by.ended);
    const problem = this.#generations(turn) ?? this.#full(turn, bytes);
    if (problem !== undefined) throw new Error(`Not scheduled: ${problem}`);
    this.#taken = [...this.#taken, { by, bytes }];
  }

  #full(turn: TurnState, bytes: number): string | undefined {
    const { turns, bytes: waiting } = this.#bounds.journal.waiting;
    const running = this.#taken.length;
    const taken = this.#taken.reduce((sum, one) => sum + one.bytes, 0);
    if (turn.scheduled + running >= MOST_PER_TURN) {
      return `the calls of this turn have scheduled ${MOST_PER_TURN} messages already, and no more may be in one turn.`;
    }
    if (turns + running >= MAX_WAITING.turns) {
      return `${MAX_WAITING.turns} messages wait in this session already, and no more may. There is room when some of them were answered.`;
    }
    if (waiting + taken + bytes <= MAX_WAITING.bytes) return undefined;
    return `the messages that wait in this session would weigh more than ${MAX_WAITING.bytes} bytes together. There is room when some of them were answered.`;
  }

  #generations(turn: TurnState): string | undefined {
    const { name, maxGenerations: most } = this.#bounds.agent;
    if (most === 'unlimited' || turn.generation < most) return undefined;
    const row = `${turn.generation} turns in a row were scheduled by the turn before them`;
    if (!this.#isTold) {
      this.#isTold = true;
      const message =
        `turn ${turn.id} of agent '${name}' may schedule no further turn: ${row}, without a word of a person. Its ` +
        `\`maxGenerations\` of ${most} allows no more: raise it if turns of this agent are to go on by themselves.`;
      this.#bounds.log(warning(message));
    }
    return `${row}, this one the last, and no more may be before a person has sent a message.`;
  }
}

/** Of the row that is stored of it; ids are all as long. */
const weightOf = (message: Pick<ScheduledMessage, 'message' | 'after'>, turn: TurnState): number =>
  bytesOf(toScheduledTurn({ ...message, turn: '0'.repeat(16) }, turn).started.body);

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** What one call schedules. */
interface Scheduling {
  /** Schedules a message as `CallScope.schedule` says, and answers the id of its turn. */
  schedule(request: ScheduleRequest): Promise<string>;
  /** All of it, in the order in which it was asked for. */
  scheduled(): Promise<readonly ScheduledMessage[]>;
}

/** Where a call is, and who lets it schedule anything; without `scheduleRoom` nobody does. */
interface SchedulingPlace {
  readonly record: Pick<CallRecord, 'id' | 'ended'>;
  readonly inSession: boolean;
  readonly scheduleRoom?: ScheduleRoom | undefined;
}

/** The ids of the turns come from that of the call, so that they are the same when the call is run again. */
export function scheduling({ record, inSession, scheduleRoom }: SchedulingPlace): Scheduling {
  const asked: Promise<ScheduledMessage>[] = [];
  scheduleRoom?.begin(record);
  return {
    async schedule({ message, delaySeconds }) {
      const text = checked(message);
      const after = inMilliseconds(delaySeconds);
      if (inSession && !scheduleRoom) {
        throw new Error('A message can only be scheduled in a session that is kept, and this one is not.');
      }
      if (!scheduleRoom) {
        throw new Error(
          'A message can only be scheduled in a session, which keeps it: give the tool to an agent.',
        );
      }
      scheduleRoom.take(record, { message: text, after });
      const one = turnId(record.id, asked.length).then((turn) => ({ turn, message: text, after }));
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
