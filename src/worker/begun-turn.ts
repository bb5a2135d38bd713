/** What becomes of a turn that somebody in this invocation has asked for, over HTTP or from code. */
import type { Leased, NotResumed } from '../journal/session-port.ts';
import { readerOf } from '../session/fold-session.ts';
import type { FeedItem } from '../session/live-feed.ts';
import { readTurn } from '../session/read-session.ts';
import { runTurn, type TurnEnd } from '../session/run-turn.ts';
import type { TurnHost } from '../session/turn-host.ts';
import { followSession } from '../session/watching/follow-session.ts';
import {
  type AwaitedTurn,
  keptFor,
  outcomeElsewhere,
  outcomeHere,
  type TurnOutcome,
} from '../session/watching/turn-outcome.ts';
import { type SessionAccess, turnServices } from './target.ts';
import {
  acceptedView,
  type LaterView,
  pendingViews,
  queuedView,
  suspendedView,
  type TurnView,
} from './turn-view.ts';

/** Runs the turn: `show` gets what its client sees, and `leave` aborts when the client has gone. */
export type Run = (more: Pick<TurnHost, 'show' | 'leave'>) => Promise<TurnEnd>;

/** A message, or the answer of a call, that a session has taken. */
export type BegunTurn =
  /** The answer of its turn comes later, and nobody waits for it here. */
  { readonly later: LaterView; readonly turn?: undefined } | WaitedTurn;

/** A turn whose answer is waited for. Without `run` it runs, or ran, elsewhere, or waits. */
interface WaitedTurn {
  readonly turn: string;
  readonly run?: Run;
  /** Of one that runs here: tells its session from others of its name. */
  readonly incarnation?: string | undefined;
  /** Of answers: the event that asked for the last of them, behind which whoever gave them has seen nothing. */
  readonly askedAt?: number;
  readonly later?: undefined;
}

/** A turn whose lease this invocation has. */
interface LeasedTurn {
  readonly turn: string;
  /** What this deployment brings to it. */
  readonly services: TurnHost;
  readonly lease: Leased;
  /** When the lease was asked for. */
  readonly sentAt: number;
}

/** The turn is to run here. */
export const toRunHere = ({ turn, services, lease, sentAt }: LeasedTurn): WaitedTurn => ({
  turn,
  run: (more) => runTurn({ ...services, ...more }, lease, sentAt),
  incarnation: lease.page.incarnation,
});

/** The turn goes on in the background, or with others. */
export const accepted = ({ target }: SessionAccess, turn: string): BegunTurn => ({
  later: acceptedView(target, turn),
});

/**
 * Resumes here a turn whose holder has fallen silent, with nothing of the request, which may be of another principal. If somebody
 * else has taken it over by now, its answer is waited for.
 */
export async function takeOver(at: SessionAccess, turn: string): Promise<BegunTurn> {
  const { port, owner, agent, session } = at.target;
  const services = turnServices(at, { port, owner, agent: agent.name, session });
  const sentAt = at.host.clock.now();
  const lease = await resume(at, turn);
  return lease.status === 'leased' ? toRunHere({ turn, services, lease, sentAt }) : { turn };
}

/** Asks for the lease of the open turn. */
export const resume = ({ host, target }: SessionAccess, turn: string): Promise<Leased | NotResumed> =>
  target.port.resume({ nonce: host.newId(), turn, reader: readerOf(host.modules) });

/** Shows a turn to somebody while it runs, here or elsewhere. */
interface Follower {
  /** Runs the turn here. */
  run(awaited: AwaitedTurn, run: Run): Promise<TurnEnd>;
  /** Resolves when the turn has stopped elsewhere. */
  watch(awaited: AwaitedTurn): Promise<unknown>;
}

/**
 * Runs the turn if that is to be done here, waits for its end, and returns how it stands then.
 *
 * @throws what `outcomeHere` does: SessionErasedError when there is no such turn any more, and the reason of the signal.
 */
export async function viewOf(at: SessionAccess, begun: BegunTurn, follower?: Follower): Promise<TurnView> {
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
    return toView(at, await outcomeHere(awaited, running));
  }
  await follower?.watch(awaited);
  return toView(at, await outcomeElsewhere(awaited));
}

/** Shows what happens in a turn until the signal aborts. */
export const followerOf = (leave: AbortSignal, show: (item: FeedItem) => void): Follower => ({
  run: (awaited, run) => followed(awaited, { leave, show }, run),
  watch: (awaited) => followSession({ ...awaited, from: 1 }, show).catch(keptFor),
});

/** Runs a turn, and follows one that another invocation goes on with: `show` gets that too. */
export async function followed(
  awaited: AwaitedTurn,
  { leave, show }: Pick<TurnHost, 'show' | 'leave'>,
  run: Run,
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
      return suspendedView(at, outcome.events);
    case 'queued': {
      // Whoever asks may be the one who answers the open turn: they are told what that waits for, and are not kept waiting.
      const pending = pendingViews(at, await readTurn(target.port, outcome.behind));
      return { ...queuedView(target, { status: 'queued', turn: outcome.turn }), pending };
    }
    case 'kept':
      return acceptedView(target, outcome.turn);
  }
}
