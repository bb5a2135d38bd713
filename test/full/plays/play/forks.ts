import type { ClientAnswer } from '../machine/platform.ts';
import type { ForkErrand } from './draw-forks.ts';
import { parseBody, parseProblem, type Reply, toReply } from './reply.ts';
import { hasPatience, type Place, POLL_DELAY_MS, RETRY_DELAY_MS, toSessionPath } from './user.ts';

/** The reply to one request for a fork, as its sender receives it. */
export type ForkReply =
  | { readonly came: 'forked'; readonly session: string; readonly at: number }
  /** Refused because of these calls. */
  | { readonly came: 'would-repeat'; readonly calls: readonly string[] }
  | Exclude<Reply, { readonly turn: string }>;

/** A request for a fork, its time in simulated ms, and its reply. */
export type ForkAttempt = ForkReply & {
  readonly askedAt: number | undefined;
  readonly repeatEffects: boolean;
  readonly sentAt: number;
  readonly cameAt: number;
};

/** A requested fork. */
export interface SentFork {
  /** The id of the source. */
  readonly session: string;
  readonly errand: ForkErrand;
  readonly replies: ForkAttempt[];
}

/** Requests a fork until it exists or is finally refused. `begin` is called once with its id. */
export async function makeFork(
  place: Place,
  sent: SentFork,
  begin: (session: string) => Promise<void>,
): Promise<void> {
  const { copies, startAfter } = sent.errand;
  await place.simulation.pause(startAfter);
  const at = await chooseCut(place, sent);
  if (at === 'nowhere') return;
  const all = await Promise.all(Array.from({ length: copies }, () => waitForFork(place, sent, at)));
  const [fork] = all.flatMap((one) => one ?? []);
  if (fork !== undefined) await begin(fork);
}

async function waitForFork(
  place: Place,
  { session, errand, replies }: SentFork,
  at: number | undefined,
): Promise<string | undefined> {
  const { repeats, isNamed, inside } = errand;
  let { hangUpAfter } = errand;
  let repeatEffects = repeats === 'at-once';
  while (hasPatience(place)) {
    const sentAt = place.simulation.now;
    const answer = await place.platform.request({
      method: 'POST',
      path: `${toSessionPath(session)}/fork`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ...(at !== undefined && { at }),
        ...(isNamed && { name: inside.name }),
        ...(repeatEffects && { repeatEffects }),
      }),
      hangUpAfter,
    });
    hangUpAfter = undefined;
    const reply = toForkReply(answer);
    replies.push({ ...reply, askedAt: at, repeatEffects, sentAt, cameAt: place.simulation.now });
    const isInDoubt =
      reply.came === 'broken' || (reply.came === 'refused' && reply.why === 'session-unavailable');
    if (reply.came === 'forked') return reply.session;
    if (reply.came === 'would-repeat' && repeats === 'if-refused' && !repeatEffects) repeatEffects = true;
    else if (reply.came === 'refused' || reply.came === 'broken') {
      // A fork without a name can already exist, but its name is unknown.
      if (isInDoubt && !isNamed) return undefined;
      await place.simulation.pause(RETRY_DELAY_MS);
    } else return undefined;
  }
  return undefined;
}

function toForkReply(answer: ClientAnswer | undefined): ForkReply {
  if (answer?.status === 201) {
    const { session = '', at = 0 } = parseBody(answer.text);
    return { came: 'forked', session, at };
  }
  if (answer && parseProblem(answer.text) === 'would-repeat-effects')
    return { came: 'would-repeat', calls: (parseBody(answer.text).calls ?? []).map(({ call }) => call) };
  const reply = toReply(answer);
  return 'turn' in reply
    ? { came: 'unexpected', status: answer?.status ?? 0, body: answer?.text ?? '' }
    : reply;
}

/** A fork in the list of its source. */
export interface ListedFork {
  readonly session: string;
  readonly at: number;
}

/** Reads the fork lists of sessions. */
export async function listForks(
  { simulation, platform }: Place,
  sessions: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly ListedFork[] | undefined>> {
  const listed = new Map<string, readonly ListedFork[] | undefined>();
  for (const session of sessions) {
    platform.request({ method: 'GET', path: `${toSessionPath(session)}/forks` }).then((answer) => {
      const { forks } = JSON.parse(answer?.text ?? '{}') as { forks?: readonly ListedFork[] }; // documented in docs/branches.md
      listed.set(session, forks);
    });
  }
  await simulation.run(() => listed.size === sessions.size, simulation.now + MINUTE);
  return listed;
}

const MINUTE = 60_000;

/** The maximum number of polls while waiting for a position to fork at. */
const MAX_POLLS = 40;
/** The time between polls in ms. It is short enough to observe a call before it ends. */
const POLL_INTERVAL_MS = 300;

/**
 * Returns the event after which the session is cut, `undefined` for no position, or `nowhere` if there is no
 * such event.
 */
async function chooseCut(
  place: Place,
  { session, errand }: SentFork,
): Promise<number | undefined | 'nowhere'> {
  const { cut, place: fraction } = errand;
  for (let look = 0; look < MAX_POLLS && hasPatience(place); look += 1) {
    const events = await fetchEvents(place, session);
    const last = events.at(-1);
    const inside = events.filter(isInCall);
    if (last && cut === 'head') return undefined;
    if (last && cut === 'anywhere') return 1 + Math.floor(fraction * last.seq);
    if (last && cut === 'live' && isInCall(last)) return last.seq;
    if (cut === 'in-call' && inside.length > 0) return inside[Math.floor(fraction * inside.length)]?.seq;
    await place.simulation.pause(cut === 'live' && last ? POLL_INTERVAL_MS : POLL_DELAY_MS);
  }
  return 'nowhere';
}

interface SeenEvent {
  readonly seq: number;
  readonly type: string;
}

const isInCall = ({ type }: SeenEvent): boolean =>
  type === 'tool-call-started' || type === 'tool-call-suspended';

/** Reads the journal to its end, or until a request fails. */
async function fetchEvents({ platform }: Place, session: string): Promise<readonly SeenEvent[]> {
  const events: SeenEvent[] = [];
  for (let path: string | null = `${toSessionPath(session)}/events`; path !== null; ) {
    const answer = await platform.request({ method: 'GET', path });
    if (answer?.status !== 200) return events;
    const page = JSON.parse(answer.text) as { events: SeenEvent[]; next: string | null }; // documented in docs/http.md
    events.push(...page.events);
    path = page.next;
  }
  return events;
}
