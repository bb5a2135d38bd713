import { toScheduledTurn } from '../../journal/event-rows.ts';
import type { ScheduledMessage } from '../../journal/events.ts';
import { MAX_WAITING } from '../../journal/inbox-message.ts';
import type { TurnState } from '../../journal/state.ts';
import { CallStarts } from '../../loop/call-starts.ts';
import { DELAY_RULE, ENCODER, isDelay, sha256Hex } from '../../tool/async.ts';
import type { CallContext } from '../../tool/call.ts';
import { defineTool } from '../../tool/define-tool.ts';
import { lenientSchema } from '../../tool/input-schema.ts';
import type { Tool } from '../../tool/tool.ts';
import { error } from '../../tool/tool-result.ts';

/** Holds what the model sends; a part is `undefined` where it sent nothing that is text. */
interface Wish {
  readonly message: string | undefined;
  readonly when: string | undefined;
}

const SCHEMA = {
  type: 'object',
  properties: {
    message: {
      type: 'string',
      description: 'What you will be told then; you will see this conversation too',
    },
    when: {
      type: 'string',
      description:
        '"in 2 hours", a number of seconds, or a time with its offset such as 2027-01-31T09:00:00Z',
    },
  },
  required: ['message', 'when'],
};

/**
 * Lets the model send this session a message later, "in 2 hours" or at a time, which starts a turn of its own then. It is
 * stored once with the call's end; what cannot be scheduled is an error result that says why.
 */
export const scheduleMessage = (): Tool<'schedule_message', Wish> =>
  defineTool({
    name: 'schedule_message',
    description:
      'Sends a message to yourself later, in this conversation, so that you go on with something then.',
    input: lenientSchema(
      SCHEMA,
      (input): Wish => ({ message: textIn(input, 'message'), when: textIn(input, 'when') }),
    ),
    // The journal keeps the message with the end of the call: running it again schedules nothing twice.
    effect: 'read',
    async run({ message, when }, call) {
      if (message === undefined) return error("Missing 'message' parameter");
      if (when === undefined) return error("Missing 'when' parameter");
      const now = Date.now();
      const delaySeconds = toDelay(when, now);
      if (delaySeconds === undefined) return error(unclear(when));
      if (delaySeconds < 0) return error(`'${shown(when)}' is over: it is ${timeOf(now)} now.`);
      if (!call.inSession)
        return error('There is no session that could keep the message, so it was not scheduled.');
      const turn = await sendLater(call, { message, delaySeconds });
      return `Scheduled for ${timeOf(now + delaySeconds * 1_000)}, as turn ${turn}.`;
    },
  });

function textIn(input: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const sent = Object.hasOwn(input, name) ? input[name] : undefined;
  const words = typeof sent === 'number' ? String(sent) : sent;
  return typeof words === 'string' && words.trim() !== '' ? words : undefined;
}

/** Lists the seconds of each unit, with the ways in which models write it. */
const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^s(ec(ond)?s?)?$/, 1],
  [/^m(in(ute)?s?)?$/, 60],
  [/^h((ou)?rs?)?$/, 3_600],
  [/^d(ays?)?$/, 86_400],
  [/^w(eeks?)?$/, 604_800],
];

const ISO = /^\d{4}-\d\d-\d\dt\d\d:\d\d(:\d\d(\.\d+)?)?(z|[+-]\d\d:?\d\d)$/;

/**
 * Returns seconds from `now`. They are negative when that time is over, and `undefined` when it is not clear which time
 * is meant.
 */
function toDelay(when: string, now: number): number | undefined {
  const words = when.trim().toLowerCase();
  const [, count, unit = 's'] = /^(?:in\s+)?(\d+(?:\.\d+)?|an?)\s*([a-z]+)?\.?$/.exec(words) ?? [];
  if (count !== undefined) {
    const seconds = UNITS.find(([name]) => name.test(unit))?.[1];
    return seconds && (/^a/.test(count) ? 1 : Number(count)) * seconds;
  }
  const time = ISO.test(words) ? Date.parse(when.trim()) : Number.NaN;
  return Number.isNaN(time) ? undefined : (time - now) / 1_000;
}

const unclear = (when: string): string =>
  `'${shown(when)}' is not clear. Say "in 2 hours", a number of seconds, or a time with its offset such as ` +
  '2027-01-31T09:00:00Z.';

const shown = (when: string): string => (when.length > 60 ? `${when.slice(0, 60)}...` : when);

/** Writes a time without the thousandths. A time beyond all calendars has been refused where the delay is checked. */
const timeOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** A message that is to be sent later. */
export interface LaterMessage {
  readonly message: string;
  /** From when the call's end is stored. */
  readonly delaySeconds: number;
  /**
   * The next run of an agent that runs again and again: it has a budget of its own. A session has one at a time, at least 60 seconds
   * later; a turn that another turn has started may schedule none. Defaults to `false`.
   */
  readonly recurring?: boolean | undefined;
}

/**
 * Sends a message to the session of a call later. It starts a turn of its own then, for the same principal and with the same context.
 * The message is stored with the call's end, if the call succeeds: once, however often the call is run again. Returns the id of the turn.
 *
 * @throws Error if the message is blank, the delay is not from 0 seconds to 365 days, no session would keep the message, the turn has
 *   scheduled 20 already, no more may wait in the session, the turn is the last in a row of turns that were scheduled by turns
 *   (`maxGenerations` of the agent), its tree has no room (`maxScheduled`), or no recurring run may be scheduled.
 *
 * @example
 * ```ts
 * const remind = defineTool({
 *   name: 'remind',
 *   description: 'Reminds you of the order tomorrow.',
 *   effect: 'read',
 *   run: (_, call) => sendLater(call, { message: 'Look at the order again.', delaySeconds: 24 * 3600 }),
 * });
 * ```
 */
export async function sendLater(
  { id, origin, inSession }: Pick<CallContext, 'id' | 'origin' | 'inSession'>,
  { message, delaySeconds, recurring }: LaterMessage,
): Promise<string> {
  const text = checked(message);
  const after = inMilliseconds(delaySeconds);
  const again = isRecurring(recurring, after);
  if (!(origin instanceof CallStarts))
    throw new Error(
      inSession
        ? 'A message can only be scheduled in a session that is kept, and this one is not.'
        : 'A message can only be scheduled in a session, which keeps it: give the tool to an agent.',
    );
  const request: Unnamed = { message: text, after, ...(again && { recurring: true as const }) };
  takeRoom(origin, request);
  // From the id of the call, so that it is the same when the call is run again.
  const named = turnId(id, origin.later.length).then((turn) => ({ turn, ...request }));
  origin.later.push(named);
  return (await named).turn;
}

type Unnamed = Omit<ScheduledMessage, 'turn'>;

const turnId = async (call: string, index: number): Promise<string> =>
  (await sha256Hex(JSON.stringify([call, 'scheduled', index]))).slice(0, 16);

/** The calls of one turn may schedule as many messages: a model that plans its whole life is stopped early. */
const MOST_PER_TURN = 20;

/**
 * Counts the message before the call is told that it was scheduled: it is not refused later.
 *
 * @throws Error if there is no room, which says why to the model.
 */
function takeRoom(origin: CallStarts, message: Unnamed): void {
  const { turn } = origin.turns.journal.state;
  if (!turn) return;
  const bytes = weightOf(message, turn);
  const limited = message.recurring
    ? recurringProblem(origin, turn)
    : (origin.treeProblem(turn) ?? perTurnProblem(origin, turn));
  const problem = limited ?? fullProblem(origin, bytes);
  if (problem !== undefined) throw new Error(`Not scheduled: ${problem}`);
  origin.count({ as: message.recurring ? 'recurring' : 'scheduled', bytes });
}

/** One at a time, and only from a root, so that a tree cannot leave recurring runs in every session that it reaches. */
function recurringProblem(origin: CallStarts, turn: TurnState): string | undefined {
  if (turn.generation > 0)
    return 'another turn has started this one. Only a turn that a person or the app has started, or a recurring run, may schedule a recurring run.';
  const { recurring } = origin.turns.journal.state;
  if (recurring === undefined && origin.startedAs('recurring').length === 0) return undefined;
  const which = recurring === undefined ? '' : ` (turn ${recurring})`;
  return `a recurring run waits in this session already${which}, and only one may. Cancel that one first, or leave it.`;
}

function perTurnProblem(origin: CallStarts, turn: TurnState): string | undefined {
  if (turn.scheduled + origin.startedAs('scheduled').length < MOST_PER_TURN) return undefined;
  return `the calls of this turn have scheduled ${MOST_PER_TURN} messages already, and no more may be in one turn.`;
}

function fullProblem(origin: CallStarts, bytes: number): string | undefined {
  const { turns, bytes: waiting } = origin.turns.journal.waiting;
  const running = origin.startedAs('scheduled', 'recurring');
  if (turns + running.length >= MAX_WAITING.turns)
    return `${MAX_WAITING.turns} messages wait in this session already, and no more may. There is room when some of them were answered.`;
  const all = running.reduce((sum, one) => sum + one.bytes, waiting + bytes);
  if (all <= MAX_WAITING.bytes) return undefined;
  return `the messages that wait in this session would weigh more than ${MAX_WAITING.bytes} bytes together. There is room when some of them were answered.`;
}

/** Of the row that is stored of it; ids are all as long. */
const weightOf = (message: Unnamed, turn: TurnState): number =>
  ENCODER.encode(toScheduledTurn({ ...message, turn: '0'.repeat(16) }, turn).started.body).length;

/** The most characters that one scheduled message may have. */
const MAX_MESSAGE = 100_000;

function checked(message: unknown): string {
  if (typeof message !== 'string' || message.trim() === '')
    throw new Error('The message to be scheduled must be text that is not blank.');
  if (message.length <= MAX_MESSAGE) return message;
  throw new Error(
    `The message to be scheduled has ${message.length} characters, and may have ${MAX_MESSAGE}.`,
  );
}

function inMilliseconds(seconds: unknown): number {
  if (isDelay(seconds)) return Math.round(seconds * 1_000);
  throw new Error(`delaySeconds is ${String(seconds).slice(0, 40)}; it ${DELAY_RULE}.`);
}

/** The least seconds before a recurring run, which has a budget of its own each time. */
const LEAST_RECURRING = 60;

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
