import type { AskingSeam } from '../journal/asking.ts';
import type { DeferredTurn } from '../journal/event-page.ts';
import type { StoredEvent } from '../journal/events.ts';
import { PENDING_CALL, type PendingCall } from '../journal/wait.ts';
import { foldStoppedTurn, STOPPED_TURN_SHAPE, type TurnAnswer } from '../session/watching/turn-outcome.ts';
import { type Infer, type Shape, TEXT } from '../tool/shape.ts';

/** A call that waits, with the URL for its answer. */
export interface PendingView extends Infer<typeof PENDING_VIEW> {}
export const PENDING_VIEW = {
  object: {
    links: { anyOf: [{ object: { approvals: TEXT } }, { object: { results: TEXT } }] },
  },
  and: PENDING_CALL,
} as const satisfies Shape;

/** Returns the view of a call of the session at `path`, with the URL for its answer. */
export const toPendingView =
  (path: string) =>
  (pending: PendingCall): PendingView => ({
    ...pending,
    links:
      pending.for === 'decision'
        ? { approvals: getCallAnswerPath(path, pending) }
        : { results: getCallAnswerPath(path, pending) },
  });

/**
 * Returns the path for the answer to a question. A call can ask several times. Its later questions have
 * separate paths, so that a repeated answer never counts for the next question.
 */
export function getCallAnswerPath(
  path: string,
  { call, question, for: kind }: Pick<PendingCall, 'call' | 'question' | 'for'>,
): string {
  const which = question === 1 ? '' : `?question=${question}`;
  return `${path}/${kind === 'decision' ? 'approvals' : 'results'}/${encodeURIComponent(call)}${which}`;
}

/** Returns the calls that a turn waits for, from its events. */
export type PendingLister = Pick<AskingSeam, 'pending'>;

/** The session of a turn, for links. */
interface TurnAddress {
  readonly agent: { readonly name: string };
  readonly session: string;
  /** The path of the session. */
  readonly path: string;
}

/** A session, with the app's function that lists waiting calls. */
interface PendingSession<Place> {
  readonly host: { readonly answers?: PendingLister | undefined };
  readonly target: Place;
}

/** A turn without events of its own: it waits, or another turn received its message. */
export type QueuedMessage =
  | DeferredTurn
  | { readonly status: 'steered'; readonly turn: string; readonly into: string };

/** An accepted message whose answer is not available yet, or belongs to another turn. */
export interface LaterView extends Infer<typeof LATER_VIEW> {}
export const LATER_VIEW = {
  object: {
    turn: TEXT,
    session: TEXT,
    agent: TEXT,
    /**
     * `accepted`: it runs in the background. `queued`: it waits for earlier turns. `steering`: it is being
     * delivered to the open turn. `steered`: the open turn has received it. `scheduled`: it waits for its
     * time. `running`: its turn is running.
     */
    status: { oneOf: ['accepted', 'queued', 'steering', 'steered', 'scheduled', 'running'] },
    /** For `steering` and `steered`: the turn whose answer is its answer. */
    into: { optional: { type: 'string', says: 'The turn whose answer is its answer.' } },
    /** For `scheduled`: the start time in ISO 8601. */
    startsAt: { optional: { type: 'string', also: { format: 'date-time' } } },
    /** For `queued`: the pending calls of the preceding turn, if that turn waits for a person. */
    pending: { optional: { listOf: PENDING_VIEW } },
  },
} as const satisfies Shape;

/** A turn that waits for a person: its output so far, and the URL for the answer of each call. */
export interface SuspendedView extends Infer<typeof SUSPENDED_VIEW> {}
export const SUSPENDED_VIEW = {
  object: {
    outcome: { only: 'suspended' },
    status: { only: 'suspended' },
    pending: { listOf: PENDING_VIEW },
  },
  and: STOPPED_TURN_SHAPE,
} as const satisfies Shape;

/** The view of a turn for a client: its answer, or the view of a turn that waits or answers later. */
export type TurnView = TurnAnswer | SuspendedView | LaterView;

/** Returns the view of a message without its own turn. Its times are in ISO 8601. */
export function createQueuedView({ session, agent }: TurnAddress, message: QueuedMessage): LaterView {
  const { turn, status } = message;
  const told = { turn, session, agent: agent.name, status };
  if ('into' in message) return { ...told, into: message.into };
  return 'at' in message ? { ...told, startsAt: new Date(message.at).toISOString() } : told;
}

/** Returns the output so far of a waiting turn, with the URLs for answers. */
export const createSuspendedView = (
  at: PendingSession<TurnAddress>,
  events: readonly StoredEvent[],
): SuspendedView => ({
  ...foldStoppedTurn(at.target.session, at.target.agent.name, events),
  outcome: 'suspended',
  pending: listPendingViews(at, events),
  status: 'suspended',
});

/**
 * Folds the answer of a turn from its own events. Returns `undefined` while it is open. @throws
 * UnreadableError if it cannot be folded.
 */
export function answerOfTurn(
  session: string,
  agent: string,
  events: readonly StoredEvent[],
): TurnAnswer | undefined {
  if (!events.some(({ type }) => type === 'turn-ended')) return undefined;
  const answer = foldStoppedTurn(session, agent, events);
  return answer.outcome === 'suspended' ? undefined : answer;
}

/** Returns the position at which to resume a stream that ended with its invocation. */
export const createContinuationView = (
  { path }: TurnAddress,
  after: number,
): { after: number; events: string } => ({
  after,
  events: `${path}/events?after=${after}`,
});

/** Returns the view of an accepted turn whose answer comes later. */
export const createAcceptedView = ({ session, agent }: TurnAddress, turn: string): LaterView => ({
  turn,
  session,
  agent: agent.name,
  status: 'accepted',
});

/** Returns the calls that a turn waits for, from its events. */
export const listPendingViews = (
  { host, target }: PendingSession<Pick<TurnAddress, 'path'>>,
  events: readonly StoredEvent[],
): readonly PendingView[] => host.answers?.pending(events).map(toPendingView(target.path)) ?? [];
