import { toScheduledTurn } from '../../journal/event-rows.ts';
import type { ScheduledMessage } from '../../journal/events.ts';
import { MAX_WAITING } from '../../journal/inbox-message.ts';
import type { TurnState } from '../../journal/state.ts';
import { CallStarts } from '../../loop/call-starts.ts';
import { computeSha256Hex, DELAY_RULE, ENCODER, isDelay } from '../../tool/async.ts';
import type { CallContext } from '../../tool/call.ts';
import { defineTool } from '../../tool/define-tool.ts';
import { createLenientSchema } from '../../tool/input-schema.ts';
import type { Tool } from '../../tool/tool.ts';
import { error } from '../../tool/tool-result.ts';

/** The input from the model. A property is `undefined` if the model did not send text for it. */
interface ScheduleInput {
  readonly message: string | undefined;
  readonly when: string | undefined;
}

const INPUT_SCHEMA = {
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
 * Makes a tool that lets the model send this session a message later, such as "in 2 hours" or at a given
 * time. The message starts a separate turn. It is stored once, with the end of the call. If it cannot be
 * scheduled, the call returns an error result with the reason.
 */
export const scheduleMessage = (): Tool<'schedule_message', ScheduleInput> =>
  defineTool({
    name: 'schedule_message',
    description:
      'Sends a message to yourself later, in this conversation, so that you go on with something then.',
    input: createLenientSchema(
      INPUT_SCHEMA,
      (input): ScheduleInput => ({ message: readText(input, 'message'), when: readText(input, 'when') }),
    ),
    // The message is journaled with the end of the call, so running the call again does not schedule it
    // twice.
    effect: 'read',
    async run({ message, when }, call) {
      if (message === undefined) return error("Missing 'message' parameter");
      if (when === undefined) return error("Missing 'when' parameter");
      const now = Date.now();
      const delaySeconds = toDelay(when, now);
      if (delaySeconds === undefined) return error(formatUnclearTime(when));
      if (delaySeconds < 0) return error(`'${shortenTime(when)}' is over: it is ${formatTime(now)} now.`);
      if (!call.inSession)
        return error('There is no session that could keep the message, so it was not scheduled.');
      const turn = await sendLater(call, { message, delaySeconds });
      return `Scheduled for ${formatTime(now + delaySeconds * 1_000)}, as turn ${turn}.`;
    },
  });

function readText(input: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const sent = Object.hasOwn(input, name) ? input[name] : undefined;
  const words = typeof sent === 'number' ? String(sent) : sent;
  return typeof words === 'string' && words.trim() !== '' ? words : undefined;
}

/** The seconds of each unit, with the spellings that models use. */
const TIME_UNITS: readonly (readonly [RegExp, number])[] = [
  [/^s(ec(ond)?s?)?$/, 1],
  [/^m(in(ute)?s?)?$/, 60],
  [/^h((ou)?rs?)?$/, 3_600],
  [/^d(ays?)?$/, 86_400],
  [/^w(eeks?)?$/, 604_800],
];

const ISO_TIME = /^\d{4}-\d\d-\d\dt\d\d:\d\d(:\d\d(\.\d+)?)?(z|[+-]\d\d:?\d\d)$/;

/**
 * Returns the seconds from `now` to a time, or `undefined` if the time is ambiguous. Negative for a past
 * time.
 */
function toDelay(when: string, now: number): number | undefined {
  const words = when.trim().toLowerCase();
  const [, count, unit = 's'] = /^(?:in\s+)?(\d+(?:\.\d+)?|an?)\s*([a-z]+)?\.?$/.exec(words) ?? [];
  if (count !== undefined) {
    const seconds = TIME_UNITS.find(([name]) => name.test(unit))?.[1];
    return seconds && (/^a/.test(count) ? 1 : Number(count)) * seconds;
  }
  const time = ISO_TIME.test(words) ? Date.parse(when.trim()) : Number.NaN;
  return Number.isNaN(time) ? undefined : (time - now) / 1_000;
}

const formatUnclearTime = (when: string): string =>
  `'${shortenTime(when)}' is not clear. Say "in 2 hours", a number of seconds, or a time with its offset such as ` +
  '2027-01-31T09:00:00Z.';

const shortenTime = (when: string): string => (when.length > 60 ? `${when.slice(0, 60)}...` : when);

/**
 * Formats a time without milliseconds. The check of the delay has already refused times that a `Date` cannot
 * represent.
 */
const formatTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** A message to send later. */
export interface LaterMessage {
  readonly message: string;
  /** Seconds after the end of the call is stored. */
  readonly delaySeconds: number;
  /**
   * `true` for the next run of an agent that runs repeatedly. The run has its own budget. A session has at
   * most one such run at a time, at least 60 seconds later. A turn that another turn has started cannot
   * schedule such a run. Defaults to `false`.
   */
  readonly recurring?: boolean | undefined;
}

/**
 * Sends a message to the session of a call later. The message starts a separate turn, for the same principal
 * and with the same context. It is stored together with the end of the call, only if the call succeeds, and
 * only once even if the call runs again. Returns the id of the turn.
 *
 * @throws Error if the message is blank, the delay is not between 0 seconds and 365 days, the call has no
 * session, the turn has already scheduled 20 messages, the session has too many waiting messages, or a limit
 * of the agent (`maxGenerations` or `maxScheduled`) is reached. Also throws if `recurring` is set, but the
 * session already has a recurring run, or another turn started this one.
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
  const text = checkMessage(message);
  const after = toMilliseconds(delaySeconds);
  const again = isRecurring(recurring, after);
  if (!(origin instanceof CallStarts))
    throw new Error(
      inSession
        ? 'A message can only be scheduled in a session that is kept, and this one is not.'
        : 'A message can only be scheduled in a session, which keeps it. Give the tool to an agent.',
    );
  const request: MessageWithoutTurn = { message: text, after, ...(again && { recurring: true as const }) };
  reserveRoom(origin, request);
  // The id is derived from the call's id, so it is the same when the call runs again.
  const named = deriveTurnId(id, origin.later.length).then((turn) => ({ turn, ...request }));
  origin.later.push(named);
  return (await named).turn;
}

type MessageWithoutTurn = Omit<ScheduledMessage, 'turn'>;

const deriveTurnId = async (call: string, index: number): Promise<string> =>
  (await computeSha256Hex(JSON.stringify([call, 'scheduled', index]))).slice(0, 16);

/** The maximum number of messages that one turn can schedule. Stops a model that schedules endlessly. */
const MAX_MESSAGES_PER_TURN = 20;

/**
 * Reserves room for the message before the call reports it as scheduled, so that it is not refused later.
 *
 * @throws Error with a reason for the model if there is no room.
 */
function reserveRoom(origin: CallStarts, message: MessageWithoutTurn): void {
  const { turn } = origin.turns.journal.state;
  if (!turn) return;
  const bytes = countStoredBytes(message, turn);
  const limited = message.recurring
    ? findRecurringProblem(origin, turn)
    : (origin.treeProblem(turn) ?? findPerTurnProblem(origin, turn));
  const problem = limited ?? findFullProblem(origin, bytes);
  if (problem !== undefined) throw new Error(`Not scheduled: ${problem}`);
  origin.count({ as: message.recurring ? 'recurring' : 'scheduled', bytes });
}

/**
 * A session has one recurring run at a time, and only a root turn can schedule it. Otherwise, one tree could
 * leave recurring runs in many sessions.
 */
function findRecurringProblem(origin: CallStarts, turn: TurnState): string | undefined {
  if (turn.generation > 0)
    return 'another turn has started this one. Only a turn that a person or the app has started, or a recurring run, may schedule a recurring run.';
  const { recurring } = origin.turns.journal.state;
  if (recurring === undefined && origin.startedAs('recurring').length === 0) return undefined;
  const which = recurring === undefined ? '' : ` (turn ${recurring})`;
  return `a recurring run waits in this session already${which}, and only one may. Cancel that one first, or leave it.`;
}

function findPerTurnProblem(origin: CallStarts, turn: TurnState): string | undefined {
  if (turn.scheduled + origin.startedAs('scheduled').length < MAX_MESSAGES_PER_TURN) return undefined;
  return `the calls of this turn have scheduled ${MAX_MESSAGES_PER_TURN} messages already, and no more may be in one turn.`;
}

function findFullProblem(origin: CallStarts, bytes: number): string | undefined {
  const { turns, bytes: waiting } = origin.turns.journal.waiting;
  const running = origin.startedAs('scheduled', 'recurring');
  if (turns + running.length >= MAX_WAITING.turns)
    return `${MAX_WAITING.turns} messages wait in this session already, and no more may. There is room when some of them were answered.`;
  const all = running.reduce((sum, one) => sum + one.bytes, waiting + bytes);
  if (all <= MAX_WAITING.bytes) return undefined;
  return `the messages that wait in this session would weigh more than ${MAX_WAITING.bytes} bytes together. There is room when some of them were answered.`;
}

/** The size of the stored row. All ids have the same length. */
const countStoredBytes = (message: MessageWithoutTurn, turn: TurnState): number =>
  ENCODER.encode(toScheduledTurn({ ...message, turn: '0'.repeat(16) }, turn).started.body).length;

/** The maximum number of characters of one scheduled message. */
const MAX_MESSAGE_LENGTH = 100_000;

function checkMessage(message: unknown): string {
  if (typeof message !== 'string' || message.trim() === '')
    throw new Error('The message must be text that is not blank.');
  if (message.length <= MAX_MESSAGE_LENGTH) return message;
  throw new Error(
    `The message has ${message.length} characters, but can have at most ${MAX_MESSAGE_LENGTH}.`,
  );
}

function toMilliseconds(seconds: unknown): number {
  if (isDelay(seconds)) return Math.round(seconds * 1_000);
  throw new Error(`delaySeconds is ${String(seconds).slice(0, 40)}. It ${DELAY_RULE}.`);
}

/** The minimum number of seconds before a recurring run, since each run has a new budget. */
const MIN_RECURRING_S = 60;

/**
 * Returns whether a message is a recurring run. @throws Error if `recurring` is not a boolean, or the run
 * would be too early.
 */
function isRecurring(recurring: unknown, after: number): boolean {
  if (recurring === undefined || recurring === false) return false;
  if (recurring !== true)
    throw new Error(`recurring is ${String(recurring).slice(0, 40)}. It must be true or false.`);
  if (after >= MIN_RECURRING_S * 1_000) return true;
  throw new Error(
    `delaySeconds is ${after / 1_000}. For a recurring run, it must be ${MIN_RECURRING_S} or more.`,
  );
}
