import type { Accepted, Deferred, Leased, NotStarted, TurnStart } from '../../journal/session-port.ts';
import { READER } from '../../session/fold-session.ts';
import { SessionUnavailableError } from '../../session/object-session.ts';
import { toTurnStart } from '../../session/start-turn.ts';
import { readBody } from '../body.ts';
import { contextOfHeaders } from '../context-headers.ts';
import { declinePending } from '../decline-pending.ts';
import type { Exchange } from '../exchange.ts';
import { idempotencyKey } from '../idempotency-key.ts';
import { parseMessageBody } from '../message-body.ts';
import { prefersAsync } from '../preferences.ts';
import { Problem } from '../problem.ts';
import { refusal } from '../refusal.ts';
import type { Target } from '../target.ts';
import { accepted, deferred, joined, runHere, turnHost } from '../turn-response.ts';

/** `POST .../messages`: runs a turn here, or stores it for the background, or joins the one that a retry names. */
export function postMessage(exchange: Exchange): Promise<Response> {
  const answering = answerMessage(exchange);
  // A turn that was begun is left in good order, even when its client has gone.
  exchange.execution.waitUntil(answering.catch(() => {}));
  return answering;
}

async function answerMessage(exchange: Exchange): Promise<Response> {
  const { host, target, request } = exchange;
  const declines = wantsDecline(request);
  const start = await readStart(exchange);
  const part = turnHost(exchange);
  let sentAt = host.clock.now();
  let taken = await take(exchange, start);
  if (taken.status === 'suspended' && declines) {
    await declinePending(exchange, part, taken.turn);
    sentAt = host.clock.now();
    taken = await take(exchange, start);
  }
  switch (taken.status) {
    case 'accepted':
      return accepted(target, taken.turn);
    case 'known':
      return prefersAsync(request) ? accepted(target, taken.turn) : joined(exchange, taken.turn);
    case 'leased':
      return runHere(exchange, { turn: start.turn, part, leased: taken, sentAt });
    case 'queued':
      return prefersAsync(request) ? deferred(target, taken) : joined(exchange, taken.turn);
    case 'steering':
    case 'scheduled':
      return deferred(target, taken);
    default:
      throw await refusal(taken, target);
  }
}

/** Stores the turn for the background, or leases the session for it. */
function take(
  { host, target, request }: Exchange,
  start: TurnStart,
): Promise<Accepted | Deferred | Leased | NotStarted> {
  const { port } = target;
  return mayBeTaken<Accepted | Deferred | Leased | NotStarted>(target, start.turn, () =>
    prefersAsync(request) ? port.accept(start) : port.begin({ nonce: host.newId(), start, reader: READER }),
  );
}

/** What a client is told when no answer came: the message may be stored, and sent again it would be a second one. */
async function mayBeTaken<T>({ path }: Target, turn: string, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (failure) {
    if (!(failure instanceof SessionUnavailableError)) throw failure;
    throw new Problem(
      503,
      'session-unavailable',
      `The session did not answer, and may have taken the message all the same, as turn ${turn}: GET ${path} shows it. ` +
        'Send it again only with the Idempotency-Key that it had.',
      { headers: { 'retry-after': '1' }, more: { turn } },
    );
  }
}

/** The turn that a message asks for. @throws Problem when it is not a message. */
async function readStart({ host, target, request }: Exchange): Promise<TurnStart> {
  const { text, value } = await readBody(request, host.maxBodyBytes);
  const { message, context, loopId } = parseMessageBody(value);
  const fromHeaders = contextOfHeaders(request.headers, host.contextHeaders);
  const start = {
    agent: target.agent.name,
    message,
    context: fromHeaders.merge(context),
    loopId,
    from: target.caller,
    request: await idempotencyKey(request.headers, text),
  };
  return toTurnStart(start, host.newId);
}

/** `?pending=decline`. @throws Problem when `pending` says anything else. */
function wantsDecline({ url }: Request): boolean {
  const pending = new URL(url).searchParams.get('pending');
  if (pending === null || pending === 'decline') return pending !== null;
  throw new Problem(400, 'invalid-query', 'pending can be decline, and nothing else.');
}
