import type { EventPage, ReadQuery } from '../journal/event-page.ts';
import { NewerEventError, parseEvent, toRow } from '../journal/event-rows.ts';
import type { StoredEvent, TurnError } from '../journal/events.ts';
import type { AppendData, LeaseGrant, SessionPort } from '../journal/session-port.ts';
import type { TurnState } from '../journal/state.ts';
import { createErrorEntry } from '../tool/log.ts';
import type { ToolMemory } from '../tool/tool-memory.ts';
import {
  type FoldedSession,
  foldLeased,
  MAX_PAGE_BYTES,
  readPages,
  TooLongError,
  toReader,
} from './fold-session.ts';
import type { Clock } from './read-platform.ts';
import { SessionUnavailableError } from './send-again.ts';
import { collectStopData, SessionFullError, type StoppingInvocation, toTurnStop } from './turn-end.ts';

/**
 * Folds the whole journal of a session without a lease, and returns its state and the events of its last
 * turn. Returns `null` if there is no such session.
 */
export async function foldAll(
  port: Pick<SessionPort, 'read'>,
  memories: readonly ToolMemory[],
): Promise<(FoldedSession & { readonly page: EventPage }) | null> {
  const page = await port.read({ from: 1, maxBytes: MAX_PAGE_BYTES });
  if (!page) return null;
  const folded = await foldLeased(port, { snapshot: null, covered: [], page }, { memories });
  return { ...folded, page };
}

/**
 * Folds a session without a lease from its snapshot, so that only later events are read one by one.
 * `turnEvents` are those of the last turn, unless the snapshot covers it, in which case the turn has ended.
 * Returns `null` if there is no such session.
 *
 * @throws NewerEventError if a newer version of this code wrote to the journal.
 * @throws UnreadableError if it cannot be folded.
 */
export async function foldFromSnapshot(
  port: Pick<SessionPort, 'read'>,
  { memories, reducer }: { readonly memories: readonly ToolMemory[]; readonly reducer: number },
): Promise<(FoldedSession & { readonly page: EventPage }) | null> {
  const { maxBytes, ...folded } = toReader({ reducer });
  const page = await port.read({ from: 1, folded, maxBytes });
  if (!page) return null;
  const { snapshot, covered } = page.foldStart ?? { snapshot: null, covered: [] };
  try {
    return { ...(await foldLeased(port, { snapshot, covered, page }, { memories })), page };
  } catch (failure) {
    throw toUnreadable(failure, page);
  }
}

/**
 * Reads all events of a session in order, or those of one turn. Returns an empty array if there is no such
 * session.
 */
export async function readJournal(
  port: Pick<SessionPort, 'read'>,
  of: Pick<ReadQuery, 'turn'> = {},
): Promise<StoredEvent[]> {
  return readFromPage(port, await port.read({ ...of, from: 1, maxBytes: MAX_PAGE_BYTES }), of);
}

/** Reads the events of a page and of all later pages. `of` is the query that returned the page. */
export async function readFromPage(
  port: Pick<SessionPort, 'read'>,
  page: EventPage | null,
  of: Pick<ReadQuery, 'turn'>,
): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const { rows } of readPages(port, page, of)) events.push(...rows.map(parseEvent));
  return events;
}

/** Reads the events of one turn, in order. */
export const readTurn = (port: Pick<SessionPort, 'read'>, turn: string): Promise<StoredEvent[]> =>
  readJournal(port, { turn });

/**
 * The number of holders in a row that fell silent early, at the same event, after which a turn is abandoned.
 */
export const MAX_STRIKES = 8;
/**
 * The number of take-overs in a row without progress after which a turn is abandoned, regardless of the
 * cause.
 */
export const MAX_EXPIRATIONS = 20;

/** Ms after which an unreadable turn is tried again. Doubles with each failure. */
const RETRY_READ_MS = 1_000;

/** The number of invocations in a row without room for any work after which a turn is abandoned. */
const MAX_IDLE_RESUMES = 20;

/** Returns whether a turn is abandoned. `turn` is needed only for the rule about idle invocations. */
export function isAbandoned(
  { expirations, strikes }: LeaseGrant,
  turn?: Pick<TurnState, 'resumedIdly'>,
): boolean {
  const isIdle = turn !== undefined && turn.resumedIdly >= MAX_IDLE_RESUMES;
  return isIdle || strikes >= MAX_STRIKES || expirations >= MAX_EXPIRATIONS;
}

/**
 * Returns whether the session did not cause the failure, so that a retry or another deployment can read it.
 */
const isExternalFailure = (failure: unknown): boolean =>
  failure instanceof NewerEventError || failure instanceof SessionUnavailableError;

/**
 * Thrown if this code cannot fold a session or a turn. The stored data is kept for code that can. `cause` is
 * the reason.
 */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
  /** The state that the object knows without a fold, if it was read. */
  readonly page: Pick<EventPage, 'head' | 'openTurn' | 'waiting'> | undefined;

  constructor(cause: unknown, page?: EventPage) {
    super(
      'This deployment cannot read the session. GET .../events shows its events, POST .../cancel ends its open turn.',
      { cause },
    );
    this.page = page;
  }
}

/** Returns the failure to read a session as an `UnreadableError`, unless the session did not cause it. */
export const toUnreadable = (failure: unknown, page?: EventPage): unknown =>
  isExternalFailure(failure) ? failure : new UnreadableError(failure, page);

/** A leased turn that its holder cannot end by itself. */
export interface UnfinishedTurn extends StoppingInvocation {
  readonly port: Pick<SessionPort, 'append'>;
  readonly clock: Clock;
  readonly leased: LeaseGrant;
  /** The last stored event. */
  readonly head: number;
}

/**
 * Ms after which a turn that needs newer code is offered to a holder again. Doubles each time, up to minutes.
 */
const NEWER_CODE_RETRY_MS = 5_000;

/**
 * Handles a turn that a holder could not read or store. The turn ends at once if its session is full, if no
 * invocation could read it, if it was cancelled, or if it was already abandoned. Otherwise it is released.
 * That counts as a take-over without progress, unless this code is too old for it or this invocation had too
 * little left. Resolves when the turn has ended or is released without an error.
 *
 * @throws `failure` if the session did not cause it.
 * @throws UnreadableError if the turn is released for another reason.
 */
export async function handleUnreadable(unread: UnfinishedTurn, failure: unknown): Promise<void> {
  const { leased, log } = unread;
  const giveBack = { events: [], release: 'yielded' } as const;
  if (failure instanceof NewerEventError) {
    // A cancel does not wait for a deployment that can read the turn.
    if (isCancelRequested(leased)) return endWithoutReading(unread);
    await appendInTime(unread, { ...giveBack, resumeAfter: NEWER_CODE_RETRY_MS, unread: 'newer' });
  }
  if (isExternalFailure(failure)) throw failure;
  if (failure instanceof SessionFullError)
    return endWithoutReading(unread, { type: 'session-full', message: failure.message });
  if (failure instanceof TooLongError) {
    if (failure.isForGood)
      return endWithoutReading(unread, { type: 'misconfigured', message: failure.message });
    return void (await appendInTime(unread, giveBack));
  }
  const isOver = isCancelRequested(leased) || isAbandoned(leased);
  const message = `a turn that cannot be read ${isOver ? 'has ended' : 'is tried again'}`;
  log(createErrorEntry(message, failure));
  if (isOver) return endWithoutReading(unread);
  await appendInTime(unread, { ...giveBack, resumeAfter: RETRY_READ_MS, unread: 'failed' });
  throw new UnreadableError(failure);
}

/** Ends a turn without reading it: as cancelled if that was requested, and otherwise as failed. */
export async function endWithoutReading(
  unread: UnfinishedTurn,
  error: TurnError = createStuckError(unread.leased),
): Promise<void> {
  const { leased } = unread;
  const turn = leased.page.openTurn?.id ?? '';
  const end = isCancelRequested(leased)
    ? ({ outcome: 'cancelled' } as const)
    : ({ outcome: 'failed', error } as const);
  const change: AppendData = {
    events: [toRow({ type: 'turn-ended', turn, ...end })],
    release: 'ended',
    ...collectStopData(unread, { stop: toTurnStop(end.outcome), seq: unread.head + 1 }),
  };
  const answer = await appendInTime(unread, change);
  if (answer?.status === 'session-full') {
    unread.log(createErrorEntry(`turn ${turn} cannot end: its session is completely full`));
  } else if (end.outcome === 'failed') {
    unread.log(toFailureLogLine(error));
  }
}

/** Resolves with `undefined` if the object does not reply within the term of the lease. */
async function appendInTime({ port, clock, leased, head }: UnfinishedTurn, change: AppendData) {
  const late = Promise.withResolvers<void>();
  const cancel = clock.after(leased.leaseMs, late.resolve);
  return Promise.race([port.append(leased.epoch, head + 1, change), late.promise]).finally(cancel);
}

const isCancelRequested = ({ inbox, page }: LeaseGrant): boolean =>
  inbox.some(({ kind, turn }) => kind === 'cancel' && turn === page.openTurn?.id);

const createStuckError = ({ expirations }: LeaseGrant): TurnError => ({
  type: 'stuck',
  message:
    `The turn was taken over ${expirations} times without progress, and could not be read. Deploy code that can read it, or ` +
    'begin another session.',
});

export const toFailureLogLine = ({ type, message }: TurnError, thrown?: unknown) => ({
  level: 'error' as const,
  event: type === 'stuck' ? ('turn-stuck' as const) : ('turn-failed' as const),
  message: `a turn failed (${type}): ${message}`,
  ...(thrown !== undefined && { thrown }),
});
