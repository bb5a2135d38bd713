import type { Deferred } from '../../journal/event-page.ts';
import { toTurnStart } from '../../journal/event-rows.ts';
import type { Accepted, Leased, NotStarted, TurnStart } from '../../journal/session-port.ts';
import { readerOf } from '../../session/fold-session.ts';
import { storeMessage, toNewMessage } from '../../session/new-message.ts';
import type { TurnHost } from '../../session/turn-host.ts';
import { modelOfAgent } from '../agent-model.ts';
import { filesTaken } from '../files-taken.ts';
import { MESSAGE, readMessage } from '../message-body.ts';
import { Problem } from '../problem.ts';
import { mayBeTaken, refusal } from '../refusal.ts';
import { contextOfHeaders, idempotencyKey, prefersAsync } from '../request-headers.ts';
import { defineRoute, SESSION, type SessionRequest, TURN_ANSWERS, TURN_HEADERS } from '../route.ts';
import { storedFiles } from '../stored-files.ts';
import { turnServices } from '../target.ts';
import { accepted, answeredLater, joined, runHere, settled } from '../turn-response.ts';
import { type QueuedMessage, queuedView } from '../turn-view.ts';
import { declinePending, MESSAGE_QUERY, messageQuery } from './busy-session.ts';

/** Runs a turn here, or stores it for the background, or joins the one that a retry names. */
export const postMessage = defineRoute({
  method: 'POST',
  path: `${SESSION}/messages`,
  access: 'session',
  isCounted: true,
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
  const own = { turn: start.turn, caller: target.caller, request };
  const { port, agent, session } = target;
  const services = { ...turnServices(asked, { port, agent: agent.name, session }, own) };
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
      // Whoever steers does not wait for an answer, whatever becomes of the message.
      return prefersAsync(request) || whenBusy === 'steer'
        ? waiting(asked, answer)
        : joined(asked, answer.turn);
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
  const { port, caller } = target;
  let sentAt = host.clock.now();
  const takeAs = (one: TurnStart): Promise<Taken['answer']> =>
    mayBeTaken<Taken['answer']>({ target, start: one, log: host.log }, () => {
      sentAt = host.clock.now();
      return prefersAsync(request)
        ? port.accept(one)
        : port.begin({ nonce: host.newId(), start: one, reader: readerOf(host.kinds) });
    });
  const { steering } = host;
  const answer = await storeMessage({ port, steering, from: caller, start, take: takeAs });
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
 * The turn that a message asks for. Files that a store outside keeps are there when this answers.
 *
 * @throws Problem when it is not a message, or holds files that the agent does not take.
 */
async function readStart(asked: SessionRequest): Promise<TurnStart> {
  const { host, target, request } = asked;
  const taken = filesTaken(target.agent, modelOfAgent(asked, target.agent));
  const { maxBodyBytes, bodyContext } = host;
  const received = await readMessage(request, { maxBodyBytes, bodyContext, taken });
  const { said, context, loopId, delaySeconds, text } = received;
  const { message, parts, files } = await toNewMessage(said);
  const delayMs = delaySeconds === undefined ? undefined : Math.round(delaySeconds * 1000);
  const sent = text ?? JSON.stringify([message, parts, context, loopId, delaySeconds]);
  const start = {
    agent: target.agent.name,
    message,
    parts,
    // What whoever stands before the Worker writes into a header goes before what the client writes into the body.
    context: context.merge(contextOfHeaders(request.headers, host.contextHeaders)),
    loopId,
    from: target.caller,
    request: await idempotencyKey(request.headers, sent),
    files: files && (await storedFiles(asked, files)),
  };
  return { ...toTurnStart(start, host.newId), delayMs };
}
