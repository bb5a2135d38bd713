import type { EventPage, ReadQuery } from '../journal/event-page.ts';
import { MESSAGE_TYPES, parseBodies, parseEvent } from '../journal/event-rows.ts';
import type { StoredEvent } from '../journal/events.ts';
import { foldCoveredEvent } from '../journal/fold-loop.ts';
import { REDUCER_VERSION, reduce } from '../journal/reduce.ts';
import type { LeaseGrant, ReaderCapabilities, SessionPort } from '../journal/session-port.ts';
import { parseSnapshot } from '../journal/snapshot.ts';
import { createEmptyState, type SessionState } from '../journal/state.ts';
import type { ToolMemory } from '../tool/tool-memory.ts';
import type { Meter } from './meter.ts';
import type { Clock } from './read-platform.ts';

/**
 * The maximum size of one reply of the Durable Object. The platform's own limit for an RPC reply is 32 MiB.
 */
export const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/** Describes the data that an app's code can read with its modules. Defaults to no modules. */
export const toReader = (
  modules: { readonly reducer: number } = { reducer: REDUCER_VERSION },
): ReaderCapabilities => ({
  reducer: modules.reducer,
  messageTypes: MESSAGE_TYPES,
  maxBytes: MAX_PAGE_BYTES,
});

/**
 * Folds the state of a leased session from its snapshot, the conversation covered by it, and all later
 * events. Awaits `keep` before each further page, so that a long fold can renew its lease.
 *
 * @throws NewerEventError if a newer version of this code wrote to the journal.
 */
export async function foldLeased(
  port: Pick<SessionPort, 'read'>,
  { snapshot, covered: texts, page }: Pick<LeaseGrant, 'snapshot' | 'covered' | 'page'>,
  { memories, keep }: FoldOptions,
): Promise<FoldedSession> {
  const state = snapshot ? parseSnapshot(snapshot.body) : createEmptyState();
  const covered = snapshot?.seq ?? 0;
  const types = { names: MESSAGE_TYPES, until: covered, textsFrom: snapshot?.messagesFrom ?? 1 };
  let tailBytes = 0;
  let turnEvents: StoredEvent[] = [];
  const first = { ...page, covered: [...texts, ...(page.covered ?? [])] };
  for await (const { covered: bodies = [], rows } of readPages(port, first, { types, keep })) {
    for (const text of bodies) for (const event of parseBodies(text)) foldCoveredEvent(state, event);
    for (const row of rows) {
      const stored = parseEvent(row);
      if (row.seq <= covered) {
        foldCoveredEvent(state, stored);
        continue;
      }
      reduce(state, stored, memories);
      tailBytes += row.body.length;
      if (row.type === 'turn-started') turnEvents = [];
      turnEvents.push(stored);
    }
  }
  return { state, tailBytes, turnEvents };
}

interface FoldOptions {
  readonly memories: readonly ToolMemory[];
  readonly keep?: (() => Promise<void>) | undefined;
}

/** A session, as folded by a new lease holder. */
export interface FoldedSession {
  readonly state: SessionState;
  /** The size of the events after the snapshot, in characters. */
  readonly tailBytes: number;
  /** The events of the last turn so far. */
  readonly turnEvents: readonly StoredEvent[];
}

/** Yields this page of the journal and all later pages. Awaits `keep` before it reads each further page. */
export async function* readPages(
  port: Pick<SessionPort, 'read'>,
  first: EventPage | null,
  { keep, ...query }: Omit<ReadQuery, 'from'> & Pick<FoldOptions, 'keep'>,
): AsyncGenerator<EventPage> {
  let page = first;
  while (page) {
    yield page;
    if (page.next === null) return;
    await keep?.();
    page = await port.read({ ...query, from: page.next, maxBytes: MAX_PAGE_BYTES });
  }
}

interface FoldRequest {
  readonly port: SessionPort;
  readonly leased: LeaseGrant;
  /** The time at which the lease was requested. */
  readonly sentAt: number;
  readonly clock: Clock;
  readonly meter: Meter;
  readonly memories: readonly ToolMemory[];
}

/**
 * Folds a leased session and renews its lease while it reads further pages. `heard` is the time of the last
 * renewal.
 *
 * @throws NewerEventError if this code is too old for the session.
 * @throws TooLongError if this invocation cannot read all of it.
 */
export async function foldAndRenew(folding: FoldRequest): Promise<{ folded: FoldedSession; heard: number }> {
  const { port, clock, meter, memories, leased } = folding;
  let heard = folding.sentAt;
  let isFresh: boolean | undefined;
  const keep = async (): Promise<void> => {
    isFresh ??= meter.isFresh;
    if (meter.outOfRequests) throw new TooLongError(meter.outOfRequests, isFresh);
    const now = clock.now();
    if (now - heard < leased.leaseMs / 3) return;
    const known = leased.inbox.map(({ id }) => id);
    const answer = await port.renew(leased.epoch, known);
    if (answer.status === 'renewed') heard = now;
  };
  const folded = await foldLeased(port, leased, { memories, keep });
  // The reply with the lease may have taken a long time to arrive.
  if (clock.now() - heard >= leased.leaseMs / 3) await keep();
  return { folded, heard };
}

/** Thrown if an invocation reaches its limit before it has read the whole session. */
export class TooLongError extends Error {
  override readonly name = 'TooLongError';
  /**
   * `true` if the invocation did no other work before. The next one would then reach the limit at the same
   * page.
   */
  readonly isForGood: boolean;

  constructor(limit: string, isForGood: boolean) {
    super(
      `The session is too long to be read by one invocation, which has ${limit}. ` +
        'Raise INTERNAL_SUBREQUESTS if the plan allows more, or begin another session.',
    );
    this.isForGood = isForGood;
  }
}
