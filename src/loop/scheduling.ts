import { toScheduledTurn } from '../journal/event-rows.ts';
import type { ScheduledMessage } from '../journal/events.ts';
import { MAX_WAITING, type WaitingLoad } from '../journal/inbox-message.ts';
import type { CallRecord, SessionState, TurnState } from '../journal/state.ts';
import { treeOf } from '../journal/turn-tree.ts';
import { DELAY_RULE, isDelay, sha256Hex } from '../tool/async.ts';
import type { ScheduleRequest } from '../tool/call.ts';
import type { CallOrigin, TreePlace } from '../tool/call-origin.ts';
import type { CallLimit } from '../tool/frame.ts';
import { type Log, warning } from '../tool/log.ts';

/** The calls of one turn may schedule as many messages: a model that plans its whole life is stopped early. */
const MOST_PER_TURN = 20;

/** The turns of one tree that turns may start, before a person says something again. The default of `maxScheduled`. */
export const MOST_IN_TREE = 20;

/** The least seconds before a recurring run, which has a budget of its own each time. */
const LEAST_RECURRING = 60;

/** Turns that turns may start one after another before a person says something again. The default of `maxGenerations`. */
export const MOST_GENERATIONS = 8;

/** The most characters that one scheduled message may have. */
const MAX_MESSAGE = 100_000;

/** What a turn knows when one of its calls schedules something. */
interface ScheduleBounds {
  readonly journal: {
    readonly state: Pick<SessionState, 'turn' | 'trees' | 'recurring'>;
    /** What waits in the session: as the object told it last, and what was emitted since. */
    readonly waiting: WaitingLoad;
  };
  /** The name of the agent, how many turns in a row turns may start, and how many in one tree. */
  readonly agent: {
    readonly name: string;
    readonly maxGenerations: CallLimit;
    readonly maxScheduled: CallLimit;
  };
  readonly log: Log;
}

/** A turn that a running call has scheduled or sent: no event says so yet. */
interface TakenRoom {
  readonly as: 'scheduled' | 'recurring' | 'sent';
  readonly by: Pick<CallRecord, 'ended'>;
  readonly bytes: number;
}

/** What a call asks to have scheduled. */
type Asked = Pick<ScheduledMessage, 'message' | 'after' | 'recurring'>;

/**
 * Says how much more the calls of a turn may schedule. It is looked at before a call is told that something was scheduled: what a
 * call was told is not refused later. An invocation has one.
 */
export class ScheduleRoom {
  readonly #bounds: ScheduleBounds;
  #taken: readonly TakenRoom[] = [];
  readonly #told = new Set<string>();

  constructor(bounds: ScheduleBounds) {
    this.#bounds = bounds;
  }

  /** The call begins or restarts: its earlier schedules are never stored. Messages that it has sent are. */
  begin(by: Pick<CallRecord, 'ended'>): void {
    this.#taken = this.#taken.filter((one) => one.by !== by || one.as === 'sent');
  }

  /** @throws Error when there is no room, which says why to the model. */
  take(by: Pick<CallRecord, 'ended'>, message: Asked): void {
    const { turn } = this.#bounds.journal.state;
    if (!turn) return;
    const bytes = weightOf(message, turn);
    this.#forgetEnded();
    const as = message.recurring ? 'recurring' : 'scheduled';
    const bound = message.recurring ? this.#recurring(turn) : (this.#tree(turn) ?? this.#perTurn(turn));
    const problem = bound ?? this.#full(bytes);
    if (problem !== undefined) throw new Error(`Not scheduled: ${problem}`);
    this.#taken = [...this.#taken, { as, by, bytes }];
  }

  /** Counts a message that a call sends to another session. @throws Error if the tree may have no more turns. */
  send(by: Pick<CallRecord, 'ended'>): TreePlace {
    const { state } = this.#bounds.journal;
    const { turn } = state;
    if (!turn) throw new Error('Not sent: the call is of no turn.');
    this.#forgetEnded();
    const problem = this.#tree(turn);
    if (problem !== undefined) throw new Error(`Not sent: ${problem}`);
    this.#taken = [...this.#taken, { as: 'sent', by, bytes: 0 }];
    return { root: turn.root, generation: turn.generation + 1, count: this.#countOf(turn) };
  }

  /** Returns how many messages a call that is about to end has sent to other sessions. */
  sentBy(by: Pick<CallRecord, 'ended'>): number {
    return this.#taken.filter((one) => one.as === 'sent' && one.by === by).length;
  }

  #forgetEnded(): void {
    this.#taken = this.#taken.filter((one) => !one.by.ended);
  }

  #taking(...kinds: readonly TakenRoom['as'][]): readonly TakenRoom[] {
    return this.#taken.filter(({ as }) => kinds.includes(as));
  }

  #countOf(turn: TurnState): number {
    return treeOf(this.#bounds.journal.state, turn).count + this.#taking('scheduled', 'sent').length;
  }

  #perTurn(turn: TurnState): string | undefined {
    if (turn.scheduled + this.#taking('scheduled').length < MOST_PER_TURN) return undefined;
    return `the calls of this turn have scheduled ${MOST_PER_TURN} messages already, and no more may be in one turn.`;
  }

  #full(bytes: number): string | undefined {
    const { turns, bytes: waiting } = this.#bounds.journal.waiting;
    const running = this.#taking('scheduled', 'recurring');
    const taken = running.reduce((sum, one) => sum + one.bytes, 0);
    if (turns + running.length >= MAX_WAITING.turns) {
      return `${MAX_WAITING.turns} messages wait in this session already, and no more may. There is room when some of them were answered.`;
    }
    if (waiting + taken + bytes <= MAX_WAITING.bytes) return undefined;
    return `the messages that wait in this session would weigh more than ${MAX_WAITING.bytes} bytes together. There is room when some of them were answered.`;
  }

  /** One at a time, and only from a root, so that a tree cannot leave recurring runs in every session that it reaches. */
  #recurring(turn: TurnState): string | undefined {
    if (turn.generation > 0) {
      return 'another turn has started this one. Only a turn that a person or the app has started, or a recurring run, may schedule a recurring run.';
    }
    const { recurring } = this.#bounds.journal.state;
    if (recurring === undefined && this.#taking('recurring').length === 0) return undefined;
    const which = recurring === undefined ? '' : ` (turn ${recurring})`;
    return `a recurring run waits in this session already${which}, and only one may. Cancel that one first, or leave it.`;
  }

  #tree(turn: TurnState): string | undefined {
    const { maxGenerations, maxScheduled } = this.#bounds.agent;
    if (maxGenerations !== 'unlimited' && turn.generation >= maxGenerations) {
      const row = `${turn.generation} turns in a row were scheduled by the turn before them`;
      this.#warn(turn, 'maxGenerations', { most: maxGenerations, why: row });
      return `${row}, this one the last, and no more may be before a person has sent a message.`;
    }
    if (maxScheduled === 'unlimited' || this.#countOf(turn) < maxScheduled) return undefined;
    const many = `turns have started ${maxScheduled} turns since the last message of a person`;
    this.#warn(turn, 'maxScheduled', { most: maxScheduled, why: many });
    return `${many}, and no more may be before a person has sent another one.`;
  }

  /** Tells the developer, once an invocation. */
  #warn(turn: TurnState, option: 'maxGenerations' | 'maxScheduled', { most, why }: Exhausted): void {
    if (this.#told.has(option)) return;
    this.#told.add(option);
    const message =
      `turn ${turn.id} of agent '${this.#bounds.agent.name}' may schedule no further turn: ${why}, without a word of a person. Its ` +
      `\`${option}\` of ${most} allows no more: raise it if turns of this agent are to go on by themselves, or schedule the next run ` +
      'with `recurring: true`.';
    this.#bounds.log(warning(message));
  }
}

/** A bound that was met, and how. */
interface Exhausted {
  readonly most: number;
  readonly why: string;
}

/** Returns a call as the messages know it that it sends to sessions; `undefined` where nothing counts them. */
export const originIn = (
  { scheduleRoom }: Pick<SchedulingPlace, 'scheduleRoom'>,
  record: Pick<CallRecord, 'ended'>,
): CallOrigin | undefined => scheduleRoom && { send: () => scheduleRoom.send(record) };

/** Of the row that is stored of it; ids are all as long. */
const weightOf = (message: Asked, turn: TurnState): number =>
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
    async schedule({ message, delaySeconds, recurring }) {
      const text = checked(message);
      const after = inMilliseconds(delaySeconds);
      const again = isRecurring(recurring, after);
      if (inSession && !scheduleRoom) {
        throw new Error('A message can only be scheduled in a session that is kept, and this one is not.');
      }
      if (!scheduleRoom) {
        throw new Error(
          'A message can only be scheduled in a session, which keeps it: give the tool to an agent.',
        );
      }
      const request = { message: text, after, ...(again && { recurring: true as const }) };
      scheduleRoom.take(record, request);
      const one = turnId(record.id, asked.length).then((turn) => ({ turn, ...request }));
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

/** @throws Error if it is no boolean, or the run would come too soon. */
function isRecurring(recurring: unknown, after: number): boolean {
  if (recurring === undefined || recurring === false) return false;
  if (recurring !== true)
    throw new Error(`recurring is ${String(recurring).slice(0, 40)}; it must be true or false.`);
  if (after >= LEAST_RECURRING * 1_000) return true;
  throw new Error(
    `delaySeconds is ${after / 1_000}; for a recurring run it must be ${LEAST_RECURRING} or more.`,
  );
}
