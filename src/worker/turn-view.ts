import type { Asking } from '../journal/asking.ts';
import type { Deferred } from '../journal/event-page.ts';
import type { StoredEvent } from '../journal/events.ts';
import { PENDING_CALL, type PendingCall } from '../journal/wait.ts';
import { STOPPED_TURN, stoppedTurn, type TurnAnswer } from '../session/watching/turn-outcome.ts';
import { type Infer, type Shape, TEXT } from '../tool/shape.ts';

/** A call that waits, with the address at which it is answered. */
export interface PendingView extends Infer<typeof PENDING_VIEW> {}
export const PENDING_VIEW = {
  object: {
    links: { anyOf: [{ object: { approvals: TEXT } }, { object: { results: TEXT } }] },
  },
  and: PENDING_CALL,
} as const satisfies Shape;

/** Shows a call of the session at `path`, with the address at which it is answered. */
export const toPendingView =
  (path: string) =>
  (pending: PendingCall): PendingView => ({
    ...pending,
    links:
      pending.for === 'decision'
        ? { approvals: answerPath(path, pending) }
        : { results: answerPath(path, pending) },
  });

/**
 * Returns where a question is answered. A call may ask more than once: its later questions have addresses of their own, so that
 * an answer which is sent twice is never taken for the next question.
 */
export function answerPath(
  path: string,
  { call, question, for: kind }: Pick<PendingCall, 'call' | 'question' | 'for'>,
): string {
  const which = question === 1 ? '' : `?question=${question}`;
  return `${path}/${kind === 'decision' ? 'approvals' : 'results'}/${encodeURIComponent(call)}${which}`;
}

/** What a turn waits for, by its events. */
export type ShowsPending = Pick<Asking, 'pending'>;

/** The session of a turn, as links name it. */
interface TurnPlace {
  readonly agent: { readonly name: string };
  readonly session: string;
  /** Of the session. */
  readonly path: string;
}

/** A session, and what its app shows of calls that wait. */
interface ShownSession<Place> {
  readonly host: { readonly answers?: ShowsPending | undefined };
  readonly target: Place;
}

/** A turn that has no events of its own: it waits, or its message went into another one. */
export type QueuedMessage =
  | Deferred
  | { readonly status: 'steered'; readonly turn: string; readonly into: string };

/** What a client is told of a message that was taken, and whose answer is not here, or never will be under its own turn. */
export interface LaterView extends Infer<typeof LATER_VIEW> {}
export const LATER_VIEW = {
  object: {
    turn: TEXT,
    session: TEXT,
    agent: TEXT,
    /**
     * `accepted`: it runs in the background. `queued`: it waits for the turns before it. `steering`: it is on its way into the open turn.
     * `steered`: that has taken it in. `scheduled`: it waits for its time. `running`: its turn goes on.
     */
    status: { oneOf: ['accepted', 'queued', 'steering', 'steered', 'scheduled', 'running'] },
    /** Of `steering` and `steered`: the turn whose answer is its answer. */
    into: { optional: { type: 'string', says: 'The turn whose answer is its answer.' } },
    /** Of `scheduled`: when, as ISO 8601. */
    startsAt: { optional: { type: 'string', also: { format: 'date-time' } } },
    /** What the turn waits for behind which it is `queued`, if that waits for somebody. */
    pending: { optional: { listOf: PENDING_VIEW } },
  },
} as const satisfies Shape;

/** What a client is told of a turn that waits for somebody outside: what there is so far, and where each call is answered. */
export interface SuspendedView extends Infer<typeof SUSPENDED_VIEW> {}
export const SUSPENDED_VIEW = {
  object: {
    outcome: { only: 'suspended' },
    status: { only: 'suspended' },
    pending: { listOf: PENDING_VIEW },
  },
  and: STOPPED_TURN,
} as const satisfies Shape;

/** How a turn stands, as a client is told: its answer, or that it waits, or that the answer is not here. */
export type TurnView = TurnAnswer | SuspendedView | LaterView;

/** Answers how a message stands that has no turn yet, or never will; its times are ISO 8601. */
export function queuedView({ session, agent }: TurnPlace, message: QueuedMessage): LaterView {
  const { turn, status } = message;
  const told = { turn, session, agent: agent.name, status };
  if ('into' in message) return { ...told, into: message.into };
  return 'at' in message ? { ...told, startsAt: new Date(message.at).toISOString() } : told;
}

/** Answers what there is so far of a turn that waits, and where it is answered. */
export const suspendedView = (
  at: ShownSession<TurnPlace>,
  events: readonly StoredEvent[],
): SuspendedView => ({
  ...stoppedTurn(at.target.session, at.target.agent.name, events),
  outcome: 'suspended',
  pending: pendingViews(at, events),
  status: 'suspended',
});

/** The answer of a turn, folded from its own events; `undefined` while it is open. @throws UnreadableError when it cannot be folded. */
export function answerOfTurn(
  session: string,
  agent: string,
  events: readonly StoredEvent[],
): TurnAnswer | undefined {
  if (!events.some(({ type }) => type === 'turn-ended')) return undefined;
  const answer = stoppedTurn(session, agent, events);
  return answer.outcome === 'suspended' ? undefined : answer;
}

/** Answers where a stream goes on that its invocation had to end. */
export const continuesView = ({ path }: TurnPlace, after: number): { after: number; events: string } => ({
  after,
  events: `${path}/events?after=${after}`,
});

/** Tells that a turn was taken, and that its answer is not here. */
export const acceptedView = ({ session, agent }: TurnPlace, turn: string): LaterView => ({
  turn,
  session,
  agent: agent.name,
  status: 'accepted',
});

/** Returns what a turn waits for, by its events. */
export const pendingViews = (
  { host, target }: ShownSession<Pick<TurnPlace, 'path'>>,
  events: readonly StoredEvent[],
): readonly PendingView[] => host.answers?.pending(events).map(toPendingView(target.path)) ?? [];
