/** Takes a message for a session, whichever way it comes. */
import type { Deferred } from '../journal/event-page.ts';
import { toTurnStart } from '../journal/event-rows.ts';
import type { Accepted, Leased, NotStarted, TurnStart } from '../journal/session-port.ts';
import { readerOf } from '../session/fold-session.ts';
import type { CancelMessage } from '../session/inbox.ts';
import { storeMessage, toNewMessage } from '../session/new-message.ts';
import { runTurn } from '../session/run-turn.ts';
import type { TurnHost } from '../session/turn-host.ts';
import { turnStopped } from '../session/watching/turn-outcome.ts';
import type { WhenBusy } from '../tool/call.ts';
import type { ContentPart } from '../tool/content.ts';
import type { ToolCallContext } from '../tool/tool-call-context.ts';
import { mustHaveRole } from './auth.ts';
import { accepted, type BegunTurn, resume, takeOver, toRunHere } from './begun-turn.ts';
import { openWaits } from './end-turn.ts';
import { SessionError } from './problem.ts';
import { orMayBeTaken, refusal } from './refusal.ts';
import { requestKey } from './request-headers.ts';
import { type SessionAccess, turnServices } from './target.ts';
import { queuedView } from './turn-view.ts';

/** A message as it is sent, checked. */
export interface SentMessage {
  readonly said: string | readonly ContentPart[];
  readonly context: ToolCallContext;
  /** Stands over `context`. A key is not bound to it. */
  readonly contextOfHeaders?: ToolCallContext | undefined;
  readonly loopId?: string | undefined;
  /** The turn is to start so much later. */
  readonly delaySeconds?: number | undefined;
  /** However often it is sent under this within a day, it starts one turn. */
  readonly idempotencyKey?: string | undefined;
  /** What the key is bound to, where that is something else than what is said here. */
  readonly text?: string | undefined;
  /** While a turn is open: wait for its end, or be shown to its model. Refused unless given. */
  readonly whenBusy?: WhenBusy | undefined;
  /** What the open turn waits for is declined first. */
  readonly declines: boolean;
  /** The turn runs in the background, and nobody waits for its answer. */
  readonly inBackground: boolean;
}

/**
 * Leases the session for the turn of a message, or stores it for the background, or finds the turn that a retry names.
 *
 * @throws SessionError when the message is not taken, or nobody knows whether it was; ConfigurationError for what the deployment lacks.
 */
export async function sendMessage(at: SessionAccess, sent: SentMessage): Promise<BegunTurn> {
  const { target, request } = at;
  const start = await turnStartOf(at, sent);
  if (start.whenBusy === 'steer' && start.delayMs !== undefined) throw steersLater();
  // Copied, so that what this deployment lacks is found out before the message is taken.
  const own = { turn: start.turn, caller: target.caller, request };
  const { port, owner, agent, session } = target;
  const services = { ...turnServices(at, { port, owner, agent: agent.name, session }, own) };
  const taking = (placed: TurnStart): Promise<Taken> => {
    const sending = { start: placed, inBackground: sent.inBackground };
    return sent.declines ? takeDeclining(at, services, sending) : take(at, sending);
  };
  const placing = start.blobs && at.host.files?.take;
  const { answer, sentAt } = await (placing ? placing(at, start, taking) : taking(start));
  switch (answer.status) {
    case 'accepted':
      return accepted(at, answer.turn);
    case 'known': {
      const { turn, into, expired } = answer;
      if (into !== undefined) return { later: queuedView(target, { status: 'steered', turn, into }) };
      if (sent.inBackground) return accepted(at, turn);
      return expired ? takeOver(at, turn) : { turn };
    }
    case 'leased':
      return toRunHere({ turn: start.turn, services, lease: answer, sentAt });
    case 'queued':
      // Whoever steers does not wait for an answer, whatever becomes of the message.
      return sent.inBackground || start.whenBusy === 'steer'
        ? { later: queuedView(target, answer) }
        : { turn: answer.turn };
    case 'steering':
    case 'scheduled':
      return { later: queuedView(target, answer) };
    default:
      throw await refusal(answer, at);
  }
}

/** The turn that a message asks for. */
async function turnStartOf(at: SessionAccess, sent: SentMessage): Promise<TurnStart> {
  const { host, target } = at;
  const { said, context, loopId, delaySeconds, whenBusy } = sent;
  const named = await toNewMessage(said, host.modules.files);
  const { message, parts } = named;
  const delayMs = delaySeconds === undefined ? undefined : Math.round(delaySeconds * 1000);
  const text = sent.text ?? JSON.stringify([message, parts, context, loopId, delaySeconds]);
  const start = {
    ...named,
    agent: target.agent.name,
    context: sent.contextOfHeaders ? context.merge(sent.contextOfHeaders) : context,
    loopId,
    from: target.caller,
    request: sent.idempotencyKey === undefined ? undefined : await requestKey(sent.idempotencyKey, text),
    place: at.origin?.send(),
    base: at.base,
  };
  return { ...toTurnStart(start, host.newId), delayMs, whenBusy };
}

const steersLater = (): SessionError =>
  new SessionError('invalid-query', 'A message with delaySeconds cannot steer.');

interface Sending {
  readonly start: TurnStart;
  readonly inBackground: boolean;
}

/** What the session says to a turn that is sent to it, and when it was asked. */
interface Taken {
  readonly answer: Accepted | Deferred | Leased | NotStarted;
  readonly sentAt: number;
}

/** Stores the turn for the background, or leases the session for it. */
async function take({ host, target }: SessionAccess, { start, inBackground }: Sending): Promise<Taken> {
  const { port, caller } = target;
  let sentAt = host.clock.now();
  const takeAs = async (one: TurnStart): Promise<Taken['answer']> => {
    sentAt = host.clock.now();
    try {
      return inBackground
        ? await port.accept(one)
        : await port.begin({ nonce: host.newId(), start: one, reader: readerOf(host.modules) });
    } catch (failure) {
      throw orMayBeTaken(failure, { target, start: one, log: host.log });
    }
  };
  const { steering } = target.agent.policies;
  const answer = await storeMessage({ port, steering, from: caller, start, take: takeAs });
  return { answer, sentAt };
}

/**
 * Declines what the open turn waits for, if it does, before the message may wait behind it: whoever may not decline is told so,
 * and has sent nothing.
 */
async function takeDeclining(at: SessionAccess, services: TurnHost, sending: Sending): Promise<Taken> {
  const { start } = sending;
  const first = await take(at, { ...sending, start: { ...start, whenBusy: undefined } });
  const { answer } = first;
  if (answer.status === 'suspended') await declinePending(at, services, answer.turn);
  else if (answer.status !== 'busy' || start.whenBusy === undefined) return first;
  return take(at, sending);
}

/**
 * Declines everything that a turn waits for, and ends the turn as cancelled, without another model call; resolves when
 * it has ended. One message to the turn's holder does both, so that nothing lies between: a client that is lost on the way
 * sends its message again, and finds the turn as it was, or over.
 *
 * @throws SessionError when the caller lacks a role that one of the calls asks for; then nothing was declined.
 */
async function declinePending(at: SessionAccess, services: TurnHost, turn: string): Promise<void> {
  const { host, target, signal } = at;
  const { port, caller } = target;
  const waits = await openWaits(port, turn);
  for (const wait of waits) mustHaveRole(caller, wait);
  const cancel: CancelMessage = { declinedBy: caller.id, waits: waits.map(({ id }) => id) };
  await port.post({ kind: 'cancel', turn, body: JSON.stringify(cancel) });
  const sentAt = host.clock.now();
  const resumed = await resume(at, turn);
  if (resumed.status === 'leased') await runTurn(services, resumed, sentAt);
  else await turnStopped({ port, clock: host.clock, meter: host.meter, turn, signal });
}
