import type { PendingCall } from '../../../src/examples/demo/client.ts';
import { ask, type ShownEvent } from './ask.ts';
import type { PlannedMessage } from './draw.ts';
import { lookUp } from './look-up.ts';
import type { Reply } from './reply.ts';
import { pause } from './worker/pause.ts';
import { planText } from './worker/plan.ts';

/** The outcome of a request, and when it was sent, in milliseconds since the epoch. */
export type SentReply = Reply & {
  readonly sentAt: number;
  /** The purpose of the request: to send the message, to read its turn, or to decide about a call. */
  readonly to: 'message' | 'look' | 'decision';
};

/** A message, and the data that its sender has received so far. */
export interface SentMessage {
  readonly errand: PlannedMessage;
  /** The replies to every request that may have arrived, in order. */
  readonly replies: SentReply[];
  /** The events of its streams. */
  readonly shown: ShownEvent[];
}

/** The URL of the sessions, and the signals that stop the senders. */
export interface Place {
  readonly url: string;
  /** Aborts when no new work may start. */
  readonly closing: AbortSignal;
  /** Aborts when all waits must end. */
  readonly over: AbortSignal;
}

/** The time between requests, in ms. */
const RETRY_MS = 300;
const POLL_MS = 1_000;

/** Sends a message until it is answered, or until it is unknown whether it arrived. Does not reject. */
export async function deliver(place: Place, sent: SentMessage): Promise<void> {
  const { errand } = sent;
  await pause(errand.startAfter, place.closing);
  const copies = Array.from({ length: errand.copies }, () => waitUntilAnswered(place, sent));
  await Promise.all([...copies, cancelLater(place, errand)]);
}

async function waitUntilAnswered(place: Place, sent: SentMessage): Promise<void> {
  const { errand } = sent;
  let { way, hangUpAfter } = errand;
  let declines = false;
  while (!place.over.aborted && !(place.closing.aborted && cannotBeStored(sent))) {
    const reply = await sendRequest(place, sent, { way, hangUpAfter, declines });
    // The sender disconnects only on the first attempt.
    hangUpAfter = undefined;
    // The waiting call belongs to an earlier message whose sender does not decide.
    declines = reply.came === 'refused' && reply.why === 'turn-suspended';
    if (reply.came === 'answer' || reply.came === 'unexpected') return;
    if (reply.came === 'suspended') return followTurn(place, sent, reply);
    if (reply.came === 'accepted' && !(errand.rejoins && isJoinable(reply)))
      return followTurn(place, sent, reply);
    if (reply.came === 'accepted') way = 'json';
    if (isInDoubt(reply) && !errand.keyed) return;
    await pause(reply.came === 'refused' ? Math.min(reply.retryAfter, 1_000) : RETRY_MS, place.over);
  }
}

/** Returns `true` if every request was refused, so that the message cannot be stored. */
export const cannotBeStored = ({ replies }: Pick<SentMessage, 'replies'>): boolean =>
  replies.every((reply) => reply.came === 'refused' && !isInDoubt(reply));

/**
 * Returns `true` if a repeat of the message can wait for its answer. A message that steers a running turn has
 * no answer of its own.
 */
const isJoinable = (reply: Reply & { readonly came: 'accepted' }): boolean =>
  reply.status !== 'steering' && reply.status !== 'steered';

const isInDoubt = (reply: Reply): boolean =>
  reply.came === 'broken' || (reply.came === 'refused' && reply.why === 'session-unavailable');

/** How one request with the message is sent. */
interface SendMode extends Pick<PlannedMessage, 'way' | 'hangUpAfter'> {
  readonly declines: boolean;
}

async function sendRequest(
  { url, over }: Place,
  { errand, replies, shown }: SentMessage,
  { way, hangUpAfter, declines }: SendMode,
): Promise<Reply> {
  const { session, plan, keyed, whenBusy } = errand;
  const query = new URLSearchParams({
    ...(whenBusy !== 'reject' && { whenBusy }),
    ...(declines && { pending: 'decline' }),
  });
  const sentAt = Date.now();
  const reply = await ask({
    url: `${getPath(url, session)}/messages?${query}`,
    headers: { ...(keyed && { 'idempotency-key': plan.message }), ...HEADERS[way] },
    body: { message: planText(plan) },
    signal: hangUpAfter === undefined ? over : AbortSignal.any([over, AbortSignal.timeout(hangUpAfter)]),
    shown: (event) => shown.push(event),
  });
  if (reply.came !== 'down') replies.push({ ...reply, sentAt, to: 'message' });
  return reply;
}

const HEADERS: Readonly<Record<PlannedMessage['way'], Readonly<Record<string, string>>>> = {
  json: {},
  stream: { accept: 'text/event-stream' },
  background: { prefer: 'respond-async' },
};

const getPath = (url: string, session: string): string => `${url}/agents/chaos/sessions/${session}`;

/** Polls a turn until it has ended. Decides about its calls unless the verdict is `leave`. */
async function followTurn(
  place: Place,
  sent: SentMessage,
  first: Reply & { readonly turn: string },
): Promise<void> {
  const { errand, replies } = sent;
  let reply: Reply = first;
  while (!place.over.aborted) {
    if (reply.came === 'answer' || reply.came === 'unexpected') return;
    if (reply.came === 'suspended' && errand.verdict === 'leave') return;
    if (reply.came === 'suspended') await decide(place, sent, reply.pending);
    else await pause(POLL_MS, place.over);
    const sentAt = Date.now();
    reply = await lookUp(getPath(place.url, errand.session), first.turn, place.over);
    if ('turn' in reply || reply.came === 'unexpected') replies.push({ ...reply, sentAt, to: 'look' });
  }
}

/**
 * Decides about each waiting call. A repeat after a broken connection can report that the call is already
 * decided.
 */
async function decide(
  place: Place,
  { errand, replies }: SentMessage,
  pending: readonly PendingCall[],
): Promise<void> {
  for (const { links } of pending) {
    const sentAt = Date.now();
    const reply = await askStubbornly(place, place.url + links.approvals, { decision: errand.verdict });
    const isFault = reply.came === 'unexpected' && reply.status !== 409;
    if (isFault || 'turn' in reply) replies.push({ ...reply, sentAt, to: 'decision' });
  }
}

/** Cancels the turn that the session is running at that time. */
async function cancelLater(place: Place, { session, cancelAfter }: PlannedMessage): Promise<void> {
  if (cancelAfter === undefined) return;
  await pause(cancelAfter, place.over);
  await askStubbornly(place, `${getPath(place.url, session)}/cancel`, {});
}

/** Repeats a request until it is answered, or until the run ends. */
async function askStubbornly({ over }: Place, url: string, body: object): Promise<Reply> {
  let reply: Reply;
  do {
    reply = await ask({ url, body, signal: over });
    const isLost = reply.came === 'down' || reply.came === 'broken';
    if (!isLost) return reply;
    await pause(RETRY_MS, over);
  } while (!over.aborted);
  return reply;
}
