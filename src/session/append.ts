import type { KeptBlob } from '../journal/blob.ts';
import { openBatch, waitId } from '../journal/conversation.ts';
import type { NewRow } from '../journal/event-page.ts';
import { toScheduledTurn } from '../journal/event-rows.ts';
import { ROOT, type SessionEvent, type StoredEvent } from '../journal/events.ts';
import type {
  Appended,
  Change,
  Fenced,
  ScheduledTurn,
  SessionFull,
  SessionPort,
} from '../journal/session-port.ts';
import type { TurnState } from '../journal/state.ts';
import type { Clock } from './read-platform.ts';

/** An event, as it is stored and as it was folded. */
export interface Emitted extends DueLater {
  readonly row: NewRow;
  readonly event: StoredEvent;
  /** Stored with it in the same commit; absent if there is none. */
  readonly blobs: readonly KeptBlob[] | undefined;
  /** It is a reply, or the result of a call. */
  readonly progress: boolean;
}

/** What the object is to do later because of an event: end a wait, or start turns. */
interface DueLater {
  readonly expiry: NonNullable<Change['expiries']>[number] | undefined;
  readonly scheduled: readonly ScheduledTurn[];
}

const NOTHING_LATER: DueLater = { expiry: undefined, scheduled: [] };

/** Answers what follows later from an event that was just folded into its turn: the end of a call's wait, or scheduled turns. */
export function dueOf(turn: TurnState | undefined, event: SessionEvent): DueLater {
  if (event.type === 'tool-call-suspended' && typeof event.wait.expires === 'number') {
    const call = openBatch(turn?.frames.get(event.frame ?? ROOT)).find(({ id }) => id === event.call);
    const wait = waitId(event.call, (call?.waits?.length ?? 1) - 1);
    return { ...NOTHING_LATER, expiry: { wait, after: event.wait.expires } };
  }
  if (turn && event.type === 'tool-call-ended' && event.changes?.scheduled)
    return { ...NOTHING_LATER, scheduled: event.changes.scheduled.map((one) => toScheduledTurn(one, turn)) };
  return NOTHING_LATER;
}

/** Of bodies, a character of which has two bytes at the most, and of blobs: an RPC message weighs at most 32 MiB. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Takes from the pending events what fits into one message to the object, and at least one if there is one. */
export function takeFitting(pending: Emitted[]): Emitted[] {
  let size = 0;
  let taken = 0;
  for (const { row, blobs } of pending) {
    size += 2 * row.body.length;
    for (const blob of blobs ?? []) size += blob.size;
    if (taken > 0 && size > MAX_BYTES) break;
    taken += 1;
  }
  return pending.splice(0, taken);
}

/** The append of these events, which also deletes the inbox rows that they took in, and tells which others are known. */
export function toChange(
  sent: readonly Emitted[],
  inboxRead: readonly number[],
  inboxHeld: readonly number[],
): Change {
  const events: NewRow[] = [];
  const blobs: KeptBlob[] = [];
  const expiries: NonNullable<DueLater['expiry']>[] = [];
  const scheduled: ScheduledTurn[] = [];
  let progress = false;
  for (const one of sent) {
    events.push(one.row);
    if (one.blobs) blobs.push(...one.blobs);
    if (one.expiry) expiries.push(one.expiry);
    scheduled.push(...one.scheduled);
    progress ||= one.progress;
  }
  return {
    events,
    ...(blobs.length > 0 && { blobs }),
    ...(inboxRead.length > 0 && { inboxRead }),
    ...(inboxHeld.length > 0 && { inboxHeld }),
    ...(progress && { progress }),
    ...(expiries.length > 0 && { expiries }),
    ...(scheduled.length > 0 && { scheduled }),
  };
}

export interface Sending {
  readonly port: Pick<SessionPort, 'append'>;
  readonly epoch: number;
  readonly after: Clock['after'];
  /** Whether the lease still lasts, by this invocation's own deadline. */
  readonly isHeld: () => boolean;
  /** Resolves when nobody waits for the answer any more. */
  readonly givenUp: Promise<'given-up'>;
}

/** Between an append that failed and the next try, in ms. */
const FIRST_WAIT = 50;
const LONGEST_WAIT = 1_000;

/**
 * An append is idempotent: one that failed is sent again while the lease lasts. A refusal is for good.
 *
 * @throws what the last try did, once the lease has run out.
 */
export async function appendUntilAnswered(
  { port, epoch, after, isHeld, givenUp }: Sending,
  from: number,
  change: Change,
): Promise<Appended | Fenced | SessionFull | 'given-up'> {
  for (let wait = FIRST_WAIT; ; wait = Math.min(2 * wait, LONGEST_WAIT)) {
    try {
      return await Promise.race([port.append(epoch, from, change), givenUp]);
    } catch (failure) {
      if (!isHeld()) throw failure;
      const pause = Promise.withResolvers<'waited'>();
      const cancel = after(wait, () => pause.resolve('waited'));
      if ((await Promise.race([pause.promise, givenUp])) === 'waited') continue;
      cancel();
      return 'given-up';
    }
  }
}
