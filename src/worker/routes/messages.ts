import type { Deferred } from '../../journal/event-page.ts';
import { toTurnStart } from '../../journal/event-rows.ts';
import type { Accepted, Leased, NotStarted, TurnStart } from '../../journal/session-port.ts';
import { readerOf } from '../../session/fold-session.ts';
import type { TurnHost } from '../../session/run-turn.ts';
import { DELAY_RULE, isDelay, LONGEST_DELAY } from '../../tool/async.ts';
import { isJsonObject, type Json, type JsonObject } from '../../tool/json.ts';
import { ToolCallContext, ToolCallContextError } from '../../tool/tool-call-context.ts';
import { invalidBody, readBody, unknownProblems } from '../body.ts';
import { Problem } from '../problem.ts';
import { mayBeTaken, refusal } from '../refusal.ts';
import { contextOfHeaders, idempotencyKey, prefersAsync } from '../request-headers.ts';
import {
  type BodySchema,
  defineRoute,
  SESSION,
  type SessionRequest,
  TURN_ANSWERS,
  TURN_HEADERS,
} from '../route.ts';
import { turnServices } from '../target.ts';
import { accepted, answeredLater, joined, runHere, settled } from '../turn-response.ts';
import { type QueuedMessage, queuedView } from '../turn-view.ts';
import { declinePending, MESSAGE_QUERY, messageQuery } from './busy-session.ts';

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

/** Runs a turn here, or stores it for the background, or joins the one that a retry names. */
export const postMessage = defineRoute({
  method: 'POST',
  path: `${SESSION}/messages`,
  access: 'session',
  summary: 'Runs a turn',
  parameters: [...TURN_HEADERS, ...MESSAGE_QUERY],
  body: MESSAGE,
  answers: TURN_ANSWERS,
  handle: (asked) => settled(asked, answerMessage(asked)),
});

async function answerMessage(asked: SessionRequest): Promise<Response> {
  const { target, request } = asked;
  const { whenBusy, declines } = messageQuery(request);
  const start = { ...(await readStart(asked)), whenBusy };
  if (whenBusy === 'steer' && start.delayMs !== undefined) throw steersLater();
  // Copied, so that what this deployment lacks is found out before the message is taken.
  const services = { ...turnServices(asked, { port: target.port, agent: target.agent.name }) };
  const { answer, sentAt } = await (declines ? takeDeclining(asked, services, start) : take(asked, start));
  switch (answer.status) {
    case 'accepted':
      return accepted(asked, answer.turn);
    case 'known': {
      const { turn, into } = answer;
      if (into !== undefined) return waiting(asked, { status: 'steered', turn, into });
      return prefersAsync(request) ? accepted(asked, turn) : joined(asked, turn);
    }
    case 'leased':
      return runHere(asked, { turn: start.turn, services, lease: answer, sentAt });
    case 'queued':
      return prefersAsync(request) ? waiting(asked, answer) : joined(asked, answer.turn);
    case 'steering':
    case 'scheduled':
      return waiting(asked, answer);
    default:
      throw await refusal(answer, target);
  }
}

const waiting = (asked: SessionRequest, message: QueuedMessage): Response =>
  answeredLater(asked, message.turn, queuedView(asked.target, message));

const steersLater = (): Problem =>
  new Problem(
    'invalid-query',
    'A message with delaySeconds gets in line when its time comes, so whenBusy cannot be steer.',
  );

/** What the session says to a turn that is sent to it, and when it was asked. */
interface Taken {
  readonly answer: Accepted | Deferred | Leased | NotStarted;
  readonly sentAt: number;
}

/** Stores the turn for the background, or leases the session for it. */
async function take({ host, target, request }: SessionRequest, start: TurnStart): Promise<Taken> {
  const { port } = target;
  const sentAt = host.clock.now();
  const answer = await mayBeTaken<Taken['answer']>(target, start, () =>
    prefersAsync(request)
      ? port.accept(start)
      : port.begin({ nonce: host.newId(), start, reader: readerOf(host.kinds) }),
  );
  return { answer, sentAt };
}

/**
 * Declines what the open turn waits for, if it does, before the message may wait behind it: whoever may not decline is told so,
 * and has sent nothing.
 */
async function takeDeclining(asked: SessionRequest, services: TurnHost, start: TurnStart): Promise<Taken> {
  const first = await take(asked, { ...start, whenBusy: undefined });
  const { answer } = first;
  if (answer.status === 'suspended') await declinePending(asked, services, answer.turn);
  else if (answer.status !== 'busy' || start.whenBusy === undefined) return first;
  return take(asked, start);
}

/** The turn that a message asks for. @throws Problem when it is not a message. */
async function readStart({ host, target, request }: SessionRequest): Promise<TurnStart> {
  const { text, value } = await readBody(request, host.maxBodyBytes);
  const { message, context, loopId, delaySeconds } = parseMessageBody(value);
  const delayMs = delaySeconds === undefined ? undefined : Math.round(delaySeconds * 1000);
  const fromHeaders = contextOfHeaders(request.headers, host.contextHeaders);
  const start = {
    agent: target.agent.name,
    message,
    context: fromHeaders.merge(context),
    loopId,
    from: target.caller,
    request: await idempotencyKey(request.headers, text),
  };
  return { ...toTurnStart(start, host.newId), delayMs };
}

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
function parseMessageBody(body: JsonObject): MessageBody {
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
