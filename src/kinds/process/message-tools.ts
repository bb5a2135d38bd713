import { sendLater } from '../../modules/schedules/send-later.ts';
import { defineTool } from '../../tool/define-tool.ts';
import { lenientSchema } from '../../tool/input-schema.ts';
import { warning } from '../../tool/log.ts';
import type { Tool } from '../../tool/tool.ts';
import { error } from '../../tool/tool-result.ts';
import { SHOWN_BY_ITSELF, textParameter } from './agent-process-tools.ts';

/**
 * Lets the model tell whoever watches the turn what it is doing. Nothing is kept; that nobody can be told is
 * no failure.
 */
export const progressTool = (): Tool<'progress', string | undefined> =>
  defineTool({
    name: 'progress',
    description: 'Tells the user what you are doing right now, while you go on working. It is not an answer.',
    input: textParameter('status', 'What you are doing, in a few words'),
    effect: 'read',
    metadata: SHOWN_BY_ITSELF,
    run(status, call) {
      if (status === undefined) return error("Missing 'status' parameter");
      if (!call.inSession) {
        call.log(warning('progress was reported outside of a session, so nobody is told.'));
        return 'Progress noted (no active process to display it).';
      }
      try {
        call.progress(status);
      } catch (failure) {
        call.log(warning('progress could not be shown', failure));
      }
      return `Progress reported: ${status}`;
    },
  });

/**
 * Lets the model say something to the user before the turn ends. The message is journaled together with the
 * call's success, so it is said exactly once, and is a message of the conversation; what cannot be said is an error result.
 */
export const communicateTool = (): Tool<'communicate', string | undefined> =>
  defineTool({
    name: 'communicate',
    description: 'Sends a message to the user now, while you go on working. The user can keep it.',
    input: textParameter('message', 'What to say to the user'),
    // The journal keeps the message with the end of the call: running it again says nothing twice.
    effect: 'read',
    metadata: SHOWN_BY_ITSELF,
    run(message, call) {
      if (message === undefined) return error("Missing 'message' parameter");
      if (!call.inSession) {
        call.log(warning('a message was sent outside of a session, so nobody gets it.'));
        return 'Message noted (no active process to deliver it).';
      }
      call.say(message);
      return 'Message sent to user.';
    },
  });

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
