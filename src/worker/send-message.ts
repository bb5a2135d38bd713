/** Sends a message to a session, from any source. */
import type { DeferredTurn } from '../journal/event-page.ts';
import { toTurnStart } from '../journal/event-rows.ts';
import type { AcceptedTurn, LeaseGrant, StartRefusal, TurnStart } from '../journal/session-port.ts';
import { toReader } from '../session/fold-session.ts';
import type { CancelMessage } from '../session/inbox.ts';
import { storeMessage, toNewMessage } from '../session/new-message.ts';
import { runTurn } from '../session/run-turn.ts';
import type { TurnHost } from '../session/turn-host.ts';
import { waitForStop } from '../session/watching/turn-outcome.ts';
import type { WhenBusy } from '../tool/call.ts';
import type { ContentPart } from '../tool/content.ts';
import type { ToolCallContext } from '../tool/tool-call-context.ts';
import { assertRole } from './auth.ts';
import { type AcceptedRequest, requestLease, takeOver, toRunElsewhere, toRunHere } from './begun-turn.ts';
import { openWaits } from './end-turn.ts';
import { SessionError } from './problem.ts';
import { toRefusal, toUnansweredError } from './refusal.ts';
import { toRequestKey } from './request-headers.ts';
import { createTurnServices, type SessionAccess } from './target.ts';
import { createQueuedView } from './turn-view.ts';

export interface SentMessage {
  readonly said: string | readonly ContentPart[];
  readonly context: ToolCallContext;
  /** Overrides `context`. The idempotency key is not bound to it. */
  readonly contextOfHeaders?: ToolCallContext | undefined;
  readonly loopId?: string | undefined;
  /** Seconds until the turn starts. */
  readonly delaySeconds?: number | undefined;
  /** Messages with the same key within a day start one turn. */
  readonly idempotencyKey?: string | undefined;
  /** The text to which the key is bound. Defaults to the content of the message. */
  readonly text?: string | undefined;
  /**
   * Whether to wait for the end of an open turn, or to show the message to its model. By default, the message
   * is refused.
   */
  readonly whenBusy?: WhenBusy | undefined;
  /** `true` to decline the questions of the open turn first. */
  readonly declines: boolean;
  /** `true` if the turn runs in the background and the sender does not wait for its answer. */
  readonly inBackground: boolean;
}

/**
 * Leases the session for the turn of a message, stores it for the background, or finds the turn that a retry
 * refers to.
 *
 * @throws SessionError if the message is refused, or may not have arrived; ConfigurationError for problems of
 * the deployment.
 */
export async function sendMessage(at: SessionAccess, sent: SentMessage): Promise<AcceptedRequest> {
  const { target, request } = at;
  const start = await createTurnStart(at, sent);
  if (start.whenBusy === 'steer' && start.delayMs !== undefined) throw createDelayedSteerError();
  // Copied to detect missing parts of this deployment before the message is stored.
  const own = { turn: start.turn, caller: target.caller, request };
  const { port, owner, agent, session } = target;
  const services = { ...createTurnServices(at, { port, owner, agent: agent.name, session }, own) };
  const sendPlaced = (placed: TurnStart): Promise<SendReceipt> => {
    const sending = { start: placed, inBackground: sent.inBackground };
    return sent.declines ? declineAndSend(at, services, sending) : sendStart(at, sending);
  };
  const placing = start.blobs && at.host.files?.take;
  const { answer, sentAt } = await (placing ? placing(at, start, sendPlaced) : sendPlaced(start));
  switch (answer.status) {
    case 'accepted':
      return toRunElsewhere(at, answer.turn);
    case 'known': {
      const { turn, into, expired } = answer;
      if (into !== undefined) return { later: createQueuedView(target, { status: 'steered', turn, into }) };
      if (sent.inBackground) return toRunElsewhere(at, turn);
      return expired ? takeOver(at, turn) : { turn };
    }
    case 'leased':
      return toRunHere({ turn: start.turn, services, lease: answer, sentAt });
    case 'queued':
      // A sender that steers does not wait for an answer.
      return sent.inBackground || start.whenBusy === 'steer'
        ? { later: createQueuedView(target, answer) }
        : { turn: answer.turn };
    case 'steering':
    case 'scheduled':
      return { later: createQueuedView(target, answer) };
    default:
      throw await toRefusal(answer, at);
  }
}

async function createTurnStart(at: SessionAccess, sent: SentMessage): Promise<TurnStart> {
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
    request: sent.idempotencyKey === undefined ? undefined : await toRequestKey(sent.idempotencyKey, text),
    place: at.origin?.send(),
    base: at.base,
  };
  return { ...toTurnStart(start, host.newId), delayMs, whenBusy };
}

const createDelayedSteerError = (): SessionError =>
  new SessionError('invalid-query', 'A message with delaySeconds cannot steer.');

interface SendRequest {
  readonly start: TurnStart;
  readonly inBackground: boolean;
}

/** The session's response to a turn, and the time of the request. */
interface SendReceipt {
  readonly answer: AcceptedTurn | DeferredTurn | LeaseGrant | StartRefusal;
  readonly sentAt: number;
}

/** Stores the turn for the background, or leases the session for it. */
async function sendStart(
  { host, target }: SessionAccess,
  { start, inBackground }: SendRequest,
): Promise<SendReceipt> {
  const { port, caller } = target;
  let sentAt = host.clock.now();
  const takeAs = async (one: TurnStart): Promise<SendReceipt['answer']> => {
    sentAt = host.clock.now();
    try {
      return inBackground
        ? await port.accept(one)
        : await port.begin({ nonce: host.newId(), start: one, reader: toReader(host.modules) });
    } catch (failure) {
      throw toUnansweredError(failure, { target, start: one, log: host.log });
    }
  };
  const { steering } = target.agent.policies;
  const answer = await storeMessage({ port, steering, from: caller, start, take: takeAs });
  return { answer, sentAt };
}

/**
 * Declines the questions of the open turn, if it waits, so that the message is not queued behind it. If the
 * caller may not decline, throws and does not send the message.
 */
async function declineAndSend(
  at: SessionAccess,
  services: TurnHost,
  sending: SendRequest,
): Promise<SendReceipt> {
  const { whenBusy } = sending.start;
  const sendAs = (next: TurnStart['whenBusy']): Promise<SendReceipt> =>
    sendStart(at, { ...sending, start: { ...sending.start, whenBusy: next } });
  const first = await sendAs(undefined);
  const { answer } = first;
  if (answer.status === 'suspended') await declinePending(at, services, answer.turn);
  else if (answer.status !== 'busy' || whenBusy === undefined) return first;
  // Queued if another message is next, since the questions are already declined.
  return sendAs(whenBusy ?? 'queue');
}

/**
 * Declines all questions of a turn, and ends it as cancelled, without another model call. Resolves when it
 * has ended. One message to the lease holder does both, atomically: a client that loses its connection and
 * resends its message finds the turn unchanged or ended.
 *
 * @throws SessionError if the caller lacks the role for one of the calls; all questions then stay open.
 */
async function declinePending(at: SessionAccess, services: TurnHost, turn: string): Promise<void> {
  const { host, target, signal } = at;
  const { port, caller } = target;
  const waits = await openWaits(port, turn);
  for (const wait of waits) assertRole(caller, wait);
  const cancel: CancelMessage = { declinedBy: caller.id, waits: waits.map(({ id }) => id) };
  await port.post({ kind: 'cancel', turn, body: JSON.stringify(cancel) });
  const sentAt = host.clock.now();
  const resumed = await requestLease(at, turn);
  if (resumed.status === 'leased') await runTurn(services, resumed, sentAt);
  else await waitForStop({ port, clock: host.clock, meter: host.meter, turn, signal });
}
