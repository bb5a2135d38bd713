import type { EventPage, ReadQuery } from '../journal/event-page.ts';
import { NewerEventError, parseEvent, toRow } from '../journal/event-rows.ts';
import type { StoredEvent, TurnError } from '../journal/events.ts';
import type { Change, Leased, SessionPort } from '../journal/session-port.ts';
import type { TurnState } from '../journal/state.ts';
import { mistake } from '../tool/log.ts';
import type { ToolMemory } from '../tool/tool-memory.ts';
import {
  type FoldedSession,
  foldLeased,
  PAGE_BYTES,
  pagesFrom,
  readerOf,
  TooLongError,
} from './fold-session.ts';
import type { Clock } from './read-platform.ts';
import { SessionUnavailableError } from './send-again.ts';
import { SessionFullError, type Stopping, stopOfEnd, storedWithStop } from './turn-end.ts';

/**
 * The state of a session by its whole journal, without a lease, and what happened in its last turn; `null` when there is
 * no such session.
 */
export async function foldAll(
  port: Pick<SessionPort, 'read'>,
  memories: readonly ToolMemory[],
): Promise<(FoldedSession & { readonly page: EventPage }) | null> {
  const page = await port.read({ from: 1, maxBytes: PAGE_BYTES });
  if (!page) return null;
  const folded = await foldLeased(port, { snapshot: null, covered: [], page }, { memories });
  return { ...folded, page };
}

/**
 * The state of a session without a lease, as `foldLeased` has it: by its snapshot, so that only what came after is read event by
 * event. `turnEvents` are those of the last turn unless a snapshot covers it, which is one that has ended; `null` when there is
 * no such session.
 *
 * @throws NewerEventError as `foldLeased` does, UnreadableError when it cannot be folded.
 */
export async function foldShown(
  port: Pick<SessionPort, 'read'>,
  { memories, reducer }: { readonly memories: readonly ToolMemory[]; readonly reducer: number },
): Promise<(FoldedSession & { readonly page: EventPage }) | null> {
  const { maxBytes, ...folded } = readerOf({ reducer });
  const page = await port.read({ from: 1, folded, maxBytes });
  if (!page) return null;
  const { snapshot, covered } = page.foldStart ?? { snapshot: null, covered: [] };
  try {
    return { ...(await foldLeased(port, { snapshot, covered, page }, { memories })), page };
  } catch (failure) {
    throw toUnreadable(failure, page);
  }
}

/** Reads all events of a session in order, or those of one turn; none when there is no such session. */
export async function readJournal(
  port: Pick<SessionPort, 'read'>,
  of: Pick<ReadQuery, 'turn'> = {},
): Promise<StoredEvent[]> {
  return readOn(port, await port.read({ ...of, from: 1, maxBytes: PAGE_BYTES }), of);
}

/** Reads the events of a page, and those of the pages after it, of one turn if the page is of one. */
export async function readOn(
  port: Pick<SessionPort, 'read'>,
  page: EventPage | null,
  of: Pick<ReadQuery, 'turn'>,
): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const { rows } of pagesFrom(port, page, of)) events.push(...rows.map(parseEvent));
  return events;
}

/** The events of one turn, in order. */
export const readTurn = (port: Pick<SessionPort, 'read'>, turn: string): Promise<StoredEvent[]> =>
  readJournal(port, { turn });

/** Holders in a row that fell silent soon, and at the same event, after whom a turn is given up. */
export const MAX_STRIKES = 8;
/** Take-overs in a row without progress after which a turn is given up, whatever silences its holders. */
export const MAX_EXPIRATIONS = 20;

/** After so many ms a turn that could not be read is tried again; each further failure doubles that. */
const READ_AGAIN_AFTER = 1_000;

/** Invocations in a row that had room for nothing, after which none ever will. */
const MAX_IDLE = 20;

/** Returns whether a turn is abandoned, by the rule for a turn that was read. */
export function isGivenUp({ expirations, strikes }: Leased, turn?: Pick<TurnState, 'resumedIdly'>): boolean {
  const isIdle = turn !== undefined && turn.resumedIdly >= MAX_IDLE;
  return isIdle || strikes >= MAX_STRIKES || expirations >= MAX_EXPIRATIONS;
}

/** Whether reading another time, or elsewhere, would help: nothing is wrong with the session itself. */
const isNoFault = (failure: unknown): boolean =>
  failure instanceof NewerEventError || failure instanceof SessionUnavailableError;

/** This code cannot fold a session, or a turn of it. What is stored is kept, for code that can; `cause` says why. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
  /** What the object knows of the session without a fold, where it was asked. */
  readonly page: Pick<EventPage, 'head' | 'openTurn' | 'waiting'> | undefined;

  constructor(cause: unknown, page?: EventPage) {
    super(
      'This deployment cannot read the session. GET .../events shows its events, POST .../cancel ends its open turn.',
      { cause },
    );
    this.page = page;
  }
}

/** What kept a session from being read: an `UnreadableError`, unless nothing is wrong with the session itself. */
export const toUnreadable = (failure: unknown, page?: EventPage): unknown =>
  isNoFault(failure) ? failure : new UnreadableError(failure, page);

/** A leased turn that its holder cannot bring to an end by itself. */
export interface UnreadTurn extends Stopping {
  readonly port: Pick<SessionPort, 'append'>;
  readonly clock: Clock;
  readonly leased: Leased;
  /** The last event that is stored. */
  readonly head: number;
}

/** When a turn that this code is too old for is offered to a holder again, in ms; each time it is twice as long, up to minutes. */
const NEWER_DEPLOYMENT = 5_000;

/**
 * A holder could not read the turn, or store what it does. The turn ends at once if its session is full, if no invocation could read it,
 * if it was cancelled, or if it was given up already; else it is given back, and that counts as a take-over without progress, unless
 * this code is too old for it, or this invocation had too little left. Resolves then, and when the turn has ended.
 *
 * @throws `failure` when nothing is wrong with the session; UnreadableError when the turn was given back for another reason.
 */
export async function leaveUnread(unread: UnreadTurn, failure: unknown): Promise<void> {
  const { leased, log } = unread;
  const giveBack = { events: [], release: 'yielded' } as const;
  if (failure instanceof NewerEventError) {
    // A cancel need not wait for the deployment that can read the turn.
    if (isCancelled(leased)) return endUnread(unread);
    await appendInTime(unread, { ...giveBack, resumeAfter: NEWER_DEPLOYMENT, unread: 'newer' });
  }
  if (isNoFault(failure)) throw failure;
  if (failure instanceof SessionFullError)
    return endUnread(unread, { type: 'session-full', message: failure.message });
  if (failure instanceof TooLongError) {
    if (failure.isForGood) return endUnread(unread, { type: 'misconfigured', message: failure.message });
    return void (await appendInTime(unread, giveBack));
  }
  const isOver = isCancelled(leased) || isGivenUp(leased);
  const message = `a turn that cannot be read ${isOver ? 'has ended' : 'is tried again'}`;
  log(mistake(message, failure));
  if (isOver) return endUnread(unread);
  await appendInTime(unread, { ...giveBack, resumeAfter: READ_AGAIN_AFTER, unread: 'failed' });
  throw new UnreadableError(failure);
}

/** Ends a turn by what the object knows of it: as cancelled if somebody has asked for that, else as failed. */
export async function endUnread(
  unread: UnreadTurn,
  error: TurnError = stuckUnread(unread.leased),
): Promise<void> {
  const { leased } = unread;
  const turn = leased.page.openTurn?.id ?? '';
  const end = isCancelled(leased)
    ? ({ outcome: 'cancelled' } as const)
    : ({ outcome: 'failed', error } as const);
  const change: Change = {
    events: [toRow({ type: 'turn-ended', turn, ...end })],
    release: 'ended',
    ...storedWithStop(unread, { stop: stopOfEnd(end.outcome), seq: unread.head + 1 }),
  };
  const answer = await appendInTime(unread, change);
  if (answer?.status === 'session-full') {
    unread.log(mistake(`turn ${turn} cannot end: its session takes nothing at all`));
  } else if (end.outcome === 'failed') {
    unread.log(failureOf(error));
  }
}

/** Answers nothing when the term is over before the object has answered: nobody waits for ever. */
async function appendInTime({ port, clock, leased, head }: UnreadTurn, change: Change) {
  const late = Promise.withResolvers<void>();
  const cancel = clock.after(leased.leaseMs, late.resolve);
  return Promise.race([port.append(leased.epoch, head + 1, change), late.promise]).finally(cancel);
}

const isCancelled = ({ inbox, page }: Leased): boolean =>
  inbox.some(({ kind, turn }) => kind === 'cancel' && turn === page.openTurn?.id);

const stuckUnread = ({ expirations }: Leased): TurnError => ({
  type: 'stuck',
  message:
    `The turn was taken over ${expirations} times without progress, and could not be read. Deploy code that can read it, or ` +
    'begin another session.',
});

/** The line of a turn that failed. */
export const failureOf = ({ type, message }: TurnError, thrown?: unknown) => ({
  level: 'error' as const,
  event: type === 'stuck' ? ('turn-stuck' as const) : ('turn-failed' as const),
  message: `a turn failed (${type}): ${message}`,
  ...(thrown !== undefined && { thrown }),
});
