import { DELAY_RULE, isDelay, LONGEST_DELAY } from '../tool/async.ts';
import type { WhenBusy } from '../tool/call.ts';
import { isJsonObject, type Json, type JsonObject } from '../tool/json.ts';
import { ToolCallContext, ToolCallContextError } from '../tool/tool-call-context.ts';
import { invalidBody, unknownProblems } from './body.ts';
import type { BodySchema, Parameter } from './description.ts';
import { Problem } from './problem.ts';

/** The body of a message. */
export const MESSAGE: BodySchema = {
  name: 'Message',
  schema: {
    type: 'object',
    required: ['message'],
    additionalProperties: false,
    properties: {
      message: { type: 'string', minLength: 1 },
      context: { type: 'object', description: 'Values for the tools, which the model never sees.' },
      loopId: { type: 'string', description: 'Continues the loop of an earlier turn.' },
      delaySeconds: {
        type: 'number',
        minimum: 0,
        maximum: LONGEST_DELAY,
        description: 'The turn starts so much later, or when the turns before it have ended.',
      },
    },
  },
};

/** A checked message. */
interface MessageBody {
  readonly message: string;
  readonly context: ToolCallContext;
  readonly loopId?: string | undefined;
  /** The turn is to start so much later. */
  readonly delaySeconds?: number | undefined;
}

const KNOWN = ['message', 'context', 'loopId', 'delaySeconds'];

/** Reads the body of a message. @throws Problem that lists everything that is wrong with it. */
export function parseMessageBody(body: JsonObject): MessageBody {
  const { message, loopId, delaySeconds } = body;
  const problems: string[] = [];
  if (message === undefined) problems.push('message: is missing');
  else if (!isText(message, /\S/)) problems.push('message: must be text that is not blank');
  const context = parseContext(body.context);
  if (typeof context === 'string') problems.push(context);
  if (loopId !== undefined && !isText(loopId, /^[A-Za-z0-9_.:-]{1,128}$/)) {
    problems.push('loopId: must be 1 to 128 of the characters A-Z a-z 0-9 _ . : -');
  }
  if (delaySeconds !== undefined && !isDelay(delaySeconds)) {
    problems.push(`delaySeconds: ${DELAY_RULE}`);
  }
  problems.push(...unknownProblems(body, KNOWN));
  if (problems.length > 0) throw invalidBody(problems);
  return { message, context, loopId, delaySeconds } as MessageBody; // as just checked
}

const isText = (value: unknown, pattern: RegExp): value is string =>
  typeof value === 'string' && pattern.test(value);

/** The context, or what is wrong with it. */
function parseContext(values: Json | undefined): ToolCallContext | string {
  if (values === undefined) return ToolCallContext.EMPTY;
  if (!isJsonObject(values)) return 'context: must be a JSON object';
  try {
    return ToolCallContext.of(values);
  } catch (failure) {
    if (!(failure instanceof ToolCallContextError)) throw failure;
    return `context: the value of '${failure.key.slice(0, 80)}' is nested too deeply`;
  }
}

/** What `messageQuery` reads. */
export const MESSAGE_QUERY: readonly Parameter[] = [
  {
    name: 'whenBusy',
    in: 'query',
    schema: { type: 'string', enum: ['reject', 'queue', 'steer'], default: 'reject' },
    description:
      'While a turn is open: `reject` answers 409, `queue` starts the turn when those before it have ended, and `steer` ' +
      'shows the message to the model of the open turn with its next request. That answers 202, and the context ' +
      'and the loop of the message are those of the turn; when it ends first, the message is a turn of its own. ' +
      'A turn that waits for somebody is not steered: 409 with what it waits for.',
  },
  {
    name: 'pending',
    in: 'query',
    schema: { type: 'string', enum: ['decline'] },
    description: 'Declines what the turn before waits for, ends it, and then takes the message.',
  },
];

/** What the query of a message says of a session that is not free. */
interface MessageQuery {
  /** While a turn is open: wait for its end, or be shown to its model. Refused unless given. */
  readonly whenBusy?: WhenBusy | undefined;
  /** What the open turn waits for is declined first. */
  readonly declines: boolean;
}

/** Reads `?whenBusy=` and `?pending=`. @throws Problem when one says anything else. */
export function messageQuery({ url }: Request): MessageQuery {
  const { searchParams } = new URL(url);
  const pending = searchParams.get('pending');
  if (pending !== null && pending !== 'decline') {
    throw new Problem('invalid-query', 'pending can be decline, and nothing else.');
  }
  return { whenBusy: whenBusyOf(searchParams.get('whenBusy')), declines: pending !== null };
}

function whenBusyOf(value: string | null): MessageQuery['whenBusy'] {
  switch (value) {
    case null:
    case 'reject':
      return undefined;
    case 'queue':
    case 'steer':
      return value;
    default:
      throw new Problem('invalid-query', 'whenBusy can be reject, queue or steer, and nothing else.');
  }
}
