import { type Target, turnPath } from '../../app/target.ts';
import { turnPart } from '../../app/turn-part.ts';
import type { Accepted, Deferred, Leased, NotStarted, TurnStart } from '../../journal/session-port.ts';
import { readerOf } from '../../session/fold-session.ts';
import type { TurnHost } from '../../session/run-turn.ts';
import { SessionUnavailableError } from '../../session/session-unavailable-error.ts';
import { toTurnStart } from '../../session/start-turn.ts';
import { readBody } from '../body.ts';
import { contextOfHeaders } from '../context-headers.ts';
import { declinePending } from '../decline-pending.ts';
import type { Exchange } from '../exchange.ts';
import { idempotencyKey } from '../idempotency-key.ts';
import { answeredLater } from '../later-response.ts';
import { parseMessageBody } from '../message-body.ts';
import { messageQuery } from '../message-query.ts';
import { prefersAsync } from '../preferences.ts';
import { Problem } from '../problem.ts';
import { refusal } from '../refusal.ts';
import { type Standing, standingView } from '../standing-view.ts';
import { accepted, joined, runHere } from '../turn-response.ts';

/** `POST .../messages`: runs a turn here, or stores it for the background, or joins the one that a retry names. */
export function postMessage(exchange: Exchange): Promise<Response> {
  const answering = answerMessage(exchange);
  // A turn that was begun is left in good order, even when its client has gone.
  exchange.execution.waitUntil(answering.catch(() => {}));
  return answering;
}

async function answerMessage(exchange: Exchange): Promise<Response> {
  const { target, request } = exchange;
  const { whenBusy, declines } = messageQuery(request);
  const start = { ...(await readStart(exchange)), whenBusy };
  if (whenBusy === 'steer' && start.delayMs !== undefined) throw steersLater();
  // Copied, so that what this deployment lacks is found out before the message is taken.
  const part = { ...turnPart(exchange, { port: target.port, agent: target.agent.name }) };
  const { answer, sentAt } = await (declines ? takeDeclining(exchange, part, start) : take(exchange, start));
  switch (answer.status) {
    case 'accepted':
      return accepted(exchange, answer.turn);
    case 'known': {
      const { turn, into } = answer;
      if (into !== undefined) return waiting(exchange, { status: 'steered', turn, into });
      return prefersAsync(request) ? accepted(exchange, turn) : joined(exchange, turn);
    }
    case 'leased':
      return runHere(exchange, { turn: start.turn, part, leased: answer, sentAt });
    case 'queued':
      return prefersAsync(request) ? waiting(exchange, answer) : joined(exchange, answer.turn);
    case 'steering':
    case 'scheduled':
      return waiting(exchange, answer);
    default:
      throw await refusal(answer, target);
  }
}

const waiting = (exchange: Exchange, standing: Standing): Response =>
  answeredLater(exchange, standing.turn, standingView(exchange.target, standing));

const steersLater = (): Problem =>
  new Problem(
    400,
    'invalid-query',
    'A message with delaySeconds gets in line when its time comes, so whenBusy cannot be steer.',
  );

/** What the session says to a turn that is sent to it, and when it was asked. */
interface Taken {
  readonly answer: Accepted | Deferred | Leased | NotStarted;
  readonly sentAt: number;
}

/** Stores the turn for the background, or leases the session for it. */
async function take({ host, target, request }: Exchange, start: TurnStart): Promise<Taken> {
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
async function takeDeclining(exchange: Exchange, part: TurnHost, start: TurnStart): Promise<Taken> {
  const first = await take(exchange, { ...start, whenBusy: undefined });
  const { answer } = first;
  if (answer.status === 'suspended') await declinePending(exchange, part, answer.turn);
  else if (answer.status !== 'busy' || start.whenBusy === undefined) return first;
  return take(exchange, start);
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
    throw new Problem(503, 'session-unavailable', detail, {
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
async function readStart({ host, target, request }: Exchange): Promise<TurnStart> {
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
