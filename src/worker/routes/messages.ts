import { isDelay, DELAY_RULE } from '../../tool/async.ts';
import { type JsonObject, type Json, isJsonObject } from '../../tool/json.ts';
import { ToolCallContext, ToolCallContextError } from '../../tool/tool-call-context.ts';
import type { Accepted, Deferred, Leased, NotStarted, TurnStart } from '../../journal/session-port.ts';
import { openQuestions } from '../../session/answers/questions.ts';
import { readerOf, readTurn } from '../../session/fold-session.ts';
import type { CancelMessage } from '../../session/inbox.ts';
import { runTurn, type TurnHost } from '../../session/run-turn.ts';
import { SessionUnavailableError } from '../../session/send-again.ts';
import { toTurnStart } from '../../session/start-turn.ts';
import { turnStopped } from '../../session/watching/turn-outcome.ts';
import { mustHaveRole } from '../auth.ts';
import { readBody, unknownProblems, invalidBody } from '../body.ts';
import { MESSAGE, parseMessageBody } from '../message-body.ts';
import { MESSAGE_QUERY, messageQuery } from './busy-session.ts';
import { Problem } from '../problem.ts';
import { refusal } from '../refusal.ts';
import { contextOfHeaders, idempotencyKey, prefersAsync } from '../request-headers.ts';
import { TURN_HEADERS, defineRoute, SESSION, type SessionRequest, TURN_ANSWERS } from '../route.ts';
import { type Target, turnPath, turnServices } from '../target.ts';
import { joined, resume, runHere, settled, accepted } from '../turn-response.ts';
import { answeredLater, type QueuedMessage, queuedView } from '../turn-view.ts';

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

/**
 * Declines everything that a turn waits for, and ends the turn as cancelled, without another model call; resolves when
 * it has ended. One message to the turn's holder does both, so that nothing lies between: a client that is lost on the way sends its message
 * again, and finds the turn as it was, or over.
 *
 * @throws Problem when the caller lacks a role that one of the calls asks for; then nothing was declined.
 */
async function declinePending(asked: SessionRequest, services: TurnHost, turn: string): Promise<void> {
  const { host, target, request } = asked;
  const { port, caller } = target;
  for (const question of openQuestions(await readTurn(port, turn))) mustHaveRole(caller, question);
  const cancel: CancelMessage = { declinedBy: caller.id };
  await port.post({ kind: 'cancel', turn, body: JSON.stringify(cancel) });
  const sentAt = host.clock.now();
  const resumed = await resume(asked, turn);
  if (resumed.status === 'leased') await runTurn(services, resumed, sentAt);
  else await turnStopped({ port, clock: host.clock, meter: host.meter, turn, signal: request.signal });
}

/** What a client is told when no answer came: the message may be stored, and sent again it would be a second one. */
async function mayBeTaken<T>(target: Target, start: TurnStart, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (failure) {
    if (!(failure instanceof SessionUnavailableError)) throw failure;
    const { turn } = start;
    console.error(`holdfast: nobody knows whether turn ${turn} was taken`, failure);
    const detail = `The session did not answer, and may have taken the message all the same${howToGoOn(target, start)}`;
    throw new Problem('session-unavailable', detail, {
      headers: { 'retry-after': '1' },
      more: { turn },
    });
  }
}

/** Under a key the message may be that of an earlier request, and another turn than this one. */
const howToGoOn = (target: Target, { turn, request }: TurnStart): string =>
  request === undefined
    ? `, as turn ${turn}: GET ${turnPath(target, turn)} answers 404 if it has not. ` +
      'Send the message again only then. One with an Idempotency-Key may be sent again at any time.'
    : '. Send it again with the same Idempotency-Key: it is taken once under it. ' +
      `GET ${target.path} shows the session.`;

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
