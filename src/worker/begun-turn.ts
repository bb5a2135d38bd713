/** The outcome of a turn that this invocation has started or resumed, over HTTP or from code. */
import type { LeaseGrant, ResumeRefusal } from '../journal/session-port.ts';
import { toReader } from '../session/fold-session.ts';
import type { FeedItem } from '../session/live-feed.ts';
import { readTurn } from '../session/read-session.ts';
import { runTurn, type TurnEnd } from '../session/run-turn.ts';
import type { TurnHost } from '../session/turn-host.ts';
import { followSession } from '../session/watching/follow-session.ts';
import {
  type AwaitedTurn,
  awaitOutcome,
  type TurnOutcome,
  toKeptOrThrow,
  waitForOwnOutcome,
} from '../session/watching/turn-outcome.ts';
import { createTurnServices, type SessionAccess } from './target.ts';
import {
  createAcceptedView,
  createQueuedView,
  createSuspendedView,
  type LaterView,
  listPendingViews,
  type TurnView,
} from './turn-view.ts';

/**
 * Runs the turn: `show` receives its items for the client, and `leave` aborts when the client disconnects.
 */
export type TurnRun = (more: Pick<TurnHost, 'show' | 'leave'>) => Promise<TurnEnd>;

/** The result of an accepted message or answer. */
export type AcceptedRequest =
  /** The answer comes later, and this invocation does not wait for it. */
  { readonly later: LaterView; readonly turn?: undefined } | WaitedTurn;

/** A turn whose answer is awaited. Without `run`, it waits, or runs or ran elsewhere. */
interface WaitedTurn {
  readonly turn: string;
  readonly run?: TurnRun;
  /** If it runs here: distinguishes its session from others of the same name. */
  readonly incarnation?: string | undefined;
  /** For answers: the event with the last answered question. The sender has not seen later events. */
  readonly askedAt?: number;
  readonly later?: undefined;
}

/** A turn whose lease this invocation holds. */
interface LeasedTurn {
  readonly turn: string;
  /** The services of this deployment for it. */
  readonly services: TurnHost;
  readonly lease: LeaseGrant;
  /** The time when the lease was requested. */
  readonly sentAt: number;
}

/** Returns the result for a turn that runs here. */
export const toRunHere = ({ turn, services, lease, sentAt }: LeasedTurn): WaitedTurn => ({
  turn,
  run: (more) => runTurn({ ...services, ...more }, lease, sentAt),
  incarnation: lease.page.incarnation,
});

/** Returns the result for a turn that continues elsewhere, or in the background. */
export const toRunElsewhere = ({ target }: SessionAccess, turn: string): AcceptedRequest => ({
  later: createAcceptedView(target, turn),
});

/**
 * Resumes a turn here whose lease holder no longer responds. Does not use the request, which may be another
 * principal's. If another invocation has taken the turn over, waits for its answer.
 */
export async function takeOver(at: SessionAccess, turn: string): Promise<AcceptedRequest> {
  const { port, owner, agent, session } = at.target;
  const services = createTurnServices(at, { port, owner, agent: agent.name, session });
  const sentAt = at.host.clock.now();
  const lease = await requestLease(at, turn);
  return lease.status === 'leased' ? toRunHere({ turn, services, lease, sentAt }) : { turn };
}

/** Requests the lease of the open turn. */
export const requestLease = (
  { host, target }: SessionAccess,
  turn: string,
): Promise<LeaseGrant | ResumeRefusal> =>
  target.port.resume({ nonce: host.newId(), turn, reader: toReader(host.modules) });

/** Shows a running turn to a client, whether it runs here or elsewhere. */
interface Follower {
  /** Runs the turn here. */
  run(awaited: AwaitedTurn, run: TurnRun): Promise<TurnEnd>;
  /** Resolves when the turn has stopped elsewhere. */
  watch(awaited: AwaitedTurn): Promise<unknown>;
}

/**
 * Runs the turn if it has `run`, waits for its end, and returns its view.
 *
 * @throws the errors of `waitForOwnOutcome`: SessionErasedError if the turn no longer exists, and the reason of the
 * signal.
 */
export async function awaitView(
  at: SessionAccess,
  begun: AcceptedRequest,
  follower?: Follower,
): Promise<TurnView> {
  if (begun.later) return begun.later;
  const { turn, run } = begun;
  const awaited: AwaitedTurn = {
    port: at.target.port,
    clock: at.host.clock,
    meter: at.host.meter,
    liveText: at.host.liveText,
    signal: at.signal,
    session: at.target.session,
    agent: at.target.agent.name,
    turn,
  };
  if (run) {
    const running = follower ? follower.run(awaited, run) : run({ leave: at.signal });
    return toView(at, await waitForOwnOutcome(awaited, running));
  }
  await follower?.watch(awaited);
  return toView(at, await awaitOutcome(awaited));
}

/** Shows the events of a turn until the signal aborts. */
export const createFollower = (leave: AbortSignal, show: (item: FeedItem) => void): Follower => ({
  run: (awaited, run) => runAndFollow(awaited, { leave, show }, run),
  watch: (awaited) => followSession({ ...awaited, from: 1 }, show).catch(toKeptOrThrow),
});

/** Runs a turn. If another invocation continues it, follows it, so that `show` receives those events too. */
export async function runAndFollow(
  awaited: AwaitedTurn,
  { leave, show }: Pick<TurnHost, 'show' | 'leave'>,
  run: TurnRun,
): Promise<TurnEnd> {
  const end = await run({ leave, show });
  if (show && (end.status === 'handed-over' || end.status === 'lost')) {
    await followSession({ ...awaited, from: end.seq + 1 }, show);
  }
  return end;
}

async function toView(at: SessionAccess, outcome: TurnOutcome): Promise<TurnView> {
  const { target } = at;
  switch (outcome.status) {
    case 'ended':
      return outcome.answer;
    case 'suspended':
      return createSuspendedView(at, outcome.events);
    case 'queued': {
      // The caller may be the person who must answer the open turn. So return its questions now instead of
      // waiting.
      const pending = listPendingViews(at, await readTurn(target.port, outcome.behind));
      return { ...createQueuedView(target, { status: 'queued', turn: outcome.turn }), pending };
    }
    case 'kept':
      return createAcceptedView(target, outcome.turn);
  }
}
