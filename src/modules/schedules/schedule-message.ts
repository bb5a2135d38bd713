import { defineTool } from '../../tool/define-tool.ts';
import { lenientSchema } from '../../tool/input-schema.ts';
import type { Tool } from '../../tool/tool.ts';
import { error } from '../../tool/tool-result.ts';
import { sendLater } from './send-later.ts';

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
