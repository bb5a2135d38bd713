import { planText } from '../app/plan.ts';
import type { ClientAnswer, ClientRequest, SimulatedPlatform } from '../machine/platform.ts';
import type { Simulation } from '../machine/simulation.ts';
import type { PlannedMessage, SessionScript } from './draw.ts';
import type { RetryErrand } from './draw-forks.ts';
import { type PendingCall, Reception, type Reply, readStream, type ShownEvent, toReply } from './reply.ts';

/** The reply to a request, and when it was sent, in simulated ms. */
export type SentReply = Reply & {
  readonly sentAt: number;
  readonly cameAt: number;
  readonly to: 'message' | 'look' | 'decision' | 'cancel';
};

/** A message or a retry, and the data that its sender has received so far. */
export interface SentMessage {
  readonly session: string;
  readonly errand: PlannedMessage | RetryErrand;
  readonly replies: SentReply[];
  /** Its streams, each with the shown events and its end. */
  readonly streams: { readonly shown: readonly ShownEvent[]; readonly end: Reply }[];
}

/** The erasure of a session. */
export interface Erasure {
  readonly session: string;
  readonly sentAt: number;
  doneAt: number | undefined;
}

/** The environment of users. */
export interface Place {
  readonly simulation: Simulation;
  readonly platform: SimulatedPlatform;
  /**
   * The number of requests that may still be started. It turns a user who never stops into a finding instead of
   * an endless run.
   */
  readonly patience: { left: number };
  /** Returns the durable head of a session, or `Infinity` if the session is erased during the play. */
  durableHead(session: string): number;
}

export const RETRY_DELAY_MS = 700;
export const POLL_DELAY_MS = 3_000;

/** The maximum number of attempts if the session refuses a retry as busy. */
const MAX_RETRIES = 6;

export const toSessionPath = (session: string): string => `/agents/player/sessions/${session}`;

const HEADERS_BY_WAY: Readonly<Record<PlannedMessage['way'], Readonly<Record<string, string>>>> = {
  json: {},
  stream: { accept: 'text/event-stream' },
  background: { prefer: 'respond-async' },
};

/** The outcomes of turns without an answer. */
const FAILED_OUTCOMES = ['failed', 'cancelled', 'limit-reached'];

/**
 * Sends a message until it is answered, or until it is unknown whether it arrived. Returns the sender's next
 * retry if the turn has no answer.
 */
export async function deliver(place: Place, sent: SentMessage): Promise<RetryErrand | undefined> {
  const { errand } = sent;
  await place.simulation.pause(errand.startAfter);
  const copies = Array.from({ length: errand.copies }, () => waitForAnswer(place, sent));
  await Promise.all([...copies, cancelLater(place, sent)]);
  const isUnanswered = sent.replies.some(
    (reply) => reply.came === 'answer' && reply.to !== 'cancel' && FAILED_OUTCOMES.includes(reply.outcome),
  );
  return isUnanswered && 'plan' in errand ? errand.retry : undefined;
}

async function waitForAnswer(place: Place, sent: SentMessage): Promise<void> {
  const { errand, replies } = sent;
  let { hangUpAfter } = errand;
  let declines = false;
  let left = 'plan' in errand ? Infinity : MAX_RETRIES;
  while (hasPatience(place)) {
    const reply = await sendOnce(place, sent, { hangUpAfter, declines });
    hangUpAfter = undefined;
    declines = reply.came === 'refused' && reply.why === 'turn-suspended';
    if (reply.came === 'answer' || reply.came === 'unexpected') return;
    if (reply.came === 'suspended' || reply.came === 'accepted') {
      const turn = await followTurn(place, sent, reply);
      // Either another turn accepted the message, or the session was erased.
      if (turn === 'over') return;
    }
    if (reply.came === 'gone') return;
    if (reply.came === 'refused') left -= 1;
    if (left === 0) return;
    const isInDoubt =
      reply.came === 'broken' || (reply.came === 'refused' && reply.why === 'session-unavailable');
    if (isInDoubt && !errand.keyed) return;
    await place.simulation.pause(
      reply.came === 'refused' ? Math.min(reply.retryAfter, 5_000) : RETRY_DELAY_MS,
    );
  }
  replies.push({
    came: 'unexpected',
    status: 0,
    body: 'The sender has lost patience.',
    ...toStamps(place),
    to: 'message',
  });
}

export const hasPatience = ({ patience }: Place): boolean => {
  patience.left -= 1;
  return patience.left > 0;
};

const toStamps = ({ simulation }: Place) => ({ sentAt: simulation.now, cameAt: simulation.now });

async function sendOnce(
  place: Place,
  sent: SentMessage,
  { hangUpAfter, declines }: { readonly hangUpAfter: number | undefined; readonly declines: boolean },
): Promise<Reply> {
  const { session, errand } = sent;
  if (!('plan' in errand)) return retryOnce(place, sent, errand, hangUpAfter);
  const { plan, keyed, whenBusy, delaySeconds, way } = errand;
  const query = new URLSearchParams({
    ...(whenBusy !== 'reject' && !(whenBusy === 'steer' && delaySeconds !== undefined) && { whenBusy }),
    ...(declines && { pending: 'decline' }),
  });
  return askFor(place, sent, {
    method: 'POST',
    path: `${toSessionPath(session)}/messages?${query}`,
    headers: {
      'content-type': 'application/json',
      ...(keyed && { 'idempotency-key': plan.message }),
      ...HEADERS_BY_WAY[way],
    },
    body: JSON.stringify({ message: planText(plan), ...(delaySeconds !== undefined && { delaySeconds }) }),
    hangUpAfter,
  });
}

const retryOnce = (
  place: Place,
  sent: SentMessage,
  { name, keyed, way }: RetryErrand,
  hangUpAfter: number | undefined,
): Promise<Reply> =>
  askFor(place, sent, {
    method: 'POST',
    path: `${toSessionPath(sent.session)}/retry`,
    headers: { ...(keyed && { 'idempotency-key': name }), ...HEADERS_BY_WAY[way] },
    hangUpAfter,
  });

/** Sends a request that can start a turn, and records the reply. */
async function askFor(
  place: Place,
  sent: SentMessage,
  asked: ClientRequest,
  to: SentReply['to'] = 'message',
): Promise<Reply> {
  const sentAt = place.simulation.now;
  const reception = new Reception(() => place.durableHead(sent.session));
  const answer = await place.platform.request({ ...asked, onText: reception.take });
  const reply = take(sent, answer, asked.headers?.accept === undefined ? undefined : reception);
  sent.replies.push({ ...reply, sentAt, cameAt: place.simulation.now, to });
  return reply;
}

function take(sent: SentMessage, answer: ClientAnswer | undefined, reception: Reception | undefined): Reply {
  if (!reception) return toReply(answer);
  const { reply, shown } = readStream(answer, reception);
  if (shown.length > 0) sent.streams.push({ shown, end: reply });
  return reply;
}

type AcceptedTurn = Reply & { readonly came: 'accepted' | 'suspended' };

/** Polls a turn until it has ended, and decides about its pending calls. */
async function followTurn(place: Place, sent: SentMessage, first: AcceptedTurn): Promise<'over' | 'again'> {
  const { errand, session } = sent;
  let reply: Reply = first;
  const { turn } = first;
  while (hasPatience(place)) {
    if (reply.came === 'answer' || reply.came === 'unexpected' || reply.came === 'gone') return 'over';
    if (reply.came === 'accepted' && reply.status === 'steered') return 'over';
    if (reply.came === 'suspended' && errand.verdict !== 'leave') await decide(place, sent, reply.pending);
    await place.simulation.pause(POLL_DELAY_MS);
    const path = `${toSessionPath(session)}/turns/${encodeURIComponent(turn)}`;
    reply = await askFor(place, sent, { method: 'GET', path }, 'look');
  }
  return 'again';
}

async function decide(place: Place, sent: SentMessage, pending: readonly PendingCall[]): Promise<void> {
  const { verdict } = sent.errand;
  for (const { links } of pending) {
    const { approvals, results } = links;
    const body = approvals === undefined ? { result: { given: 1 } } : { decision: verdict };
    await askStubbornly(place, sent, { path: approvals ?? results ?? '', body, to: 'decision' });
  }
}

async function cancelLater(place: Place, sent: SentMessage): Promise<void> {
  const cancelAfter = 'plan' in sent.errand ? sent.errand.cancelAfter : undefined;
  if (cancelAfter === undefined) return;
  await place.simulation.pause(cancelAfter);
  await askStubbornly(place, sent, { path: `${toSessionPath(sent.session)}/cancel`, body: {}, to: 'cancel' });
}

/** Repeats a request until it is answered. */
async function askStubbornly(
  place: Place,
  sent: SentMessage,
  { path, body, to }: { readonly path: string; readonly body: object; readonly to: SentReply['to'] },
): Promise<void> {
  const asked: ClientRequest = {
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', prefer: 'respond-async' },
    body: JSON.stringify(body),
  };
  while (hasPatience(place)) {
    const sentAt = place.simulation.now;
    const reply = toReply(await place.platform.request(asked));
    sent.replies.push({ ...reply, sentAt, cameAt: place.simulation.now, to });
    const isLost =
      reply.came === 'broken' || (reply.came === 'refused' && reply.why === 'session-unavailable');
    if (!isLost) return;
    await place.simulation.pause(RETRY_DELAY_MS);
  }
}

/** Repeats an erasure until it is confirmed. */
export async function erase(place: Place, erasure: Erasure, after: number): Promise<void> {
  await place.simulation.pause(after);
  while (hasPatience(place)) {
    const answer = await place.platform.request({ method: 'DELETE', path: toSessionPath(erasure.session) });
    if (answer?.status === 204) {
      erasure.doneAt = place.simulation.now;
      return;
    }
    await place.simulation.pause(RETRY_DELAY_MS);
  }
}

/** Reads a session's event stream like a browser, which reconnects after its last event. */
export async function readEvents(
  place: Place,
  session: string,
  reader: SessionScript['readers'][number],
): Promise<readonly ShownEvent[]> {
  const { simulation, platform } = place;
  await simulation.pause(reader.from);
  const end = simulation.now + reader.to - reader.from;
  const all: ShownEvent[] = [];
  while (simulation.now < end && hasPatience(place)) {
    const reception = new Reception(() => place.durableHead(session));
    const last = all.at(-1);
    const answer = await platform.request({
      method: 'GET',
      path: `${toSessionPath(session)}/events`,
      headers: {
        accept: 'text/event-stream',
        ...(last && { 'last-event-id': `${last.seq}-${last.incarnation}` }),
      },
      hangUpAfter: end - simulation.now,
      onText: reception.take,
    });
    all.push(...readStream(answer, reception).shown);
    await simulation.pause(1_000);
  }
  return all;
}
