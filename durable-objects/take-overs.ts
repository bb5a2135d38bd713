import type { Change } from '../src/journal/session-port.ts';
import type { Lease, SessionStorage } from './session-storage.ts';

/** How often the open turn was taken over without coming further. */
export type TakeOvers = Pick<Lease, 'expired' | 'strikes' | 'stoppedAt' | 'unread'>;

/** Those of a turn that has just begun, or has just come further. */
export const NO_TAKE_OVERS: TakeOvers = { expired: 0, strikes: 0, stoppedAt: '', unread: 0 };

/**
 * Counts a holder that fell silent `lived` ms after it was given the lease. One that lived for half a term was at work: what
 * silenced it may have been anything around it. Of the others those are counted together that stopped at the same event.
 */
export function countSilent(
  storage: SessionStorage,
  { lived, term }: { readonly lived: number; readonly term: number },
): TakeOvers {
  const lease = storage.lease();
  return lived < term / 2
    ? strike(storage, lease)
    : { ...takeOversOf(lease), expired: lease.expired + 1, strikes: 0, stoppedAt: '' };
}

/** How the turn's counts are after a change: one that brings it further has them begin anew. */
export function countChange(
  storage: SessionStorage,
  { progress, unread, events }: Pick<Change, 'progress' | 'unread' | 'events'>,
): TakeOvers {
  if (progress === true) return NO_TAKE_OVERS;
  const lease = storage.lease();
  const counted = unread === 'failed' ? strike(storage, lease) : takeOversOf(lease);
  if (unread !== undefined) return { ...counted, unread: lease.unread + 1 };
  return events.length > 0 ? { ...counted, unread: 0 } : counted;
}

/** Whether two of them are alike, so that nothing has to be stored. */
export const isSameCount = (a: TakeOvers, b: TakeOvers): boolean =>
  a.expired === b.expired && a.strikes === b.strikes && a.stoppedAt === b.stoppedAt && a.unread === b.unread;

/** The longest pause before a turn is offered again, in ms. */
const LONGEST_PAUSE = 5 * 60_000;
/** So many silent holders are followed at once; the pause after the next one, in ms, is doubled by each that follows. */
const AT_ONCE = 3;
const FIRST_PAUSE = 1_000;

/** How long after the end of the term a turn is offered again, whose holder has fallen silent; in ms. */
export function pauseAfterSilence({ expired }: TakeOvers): number {
  const later = expired - AT_ONCE;
  return later < 0 ? 0 : Math.min(FIRST_PAUSE * 2 ** later, LONGEST_PAUSE);
}

/** How long a turn is left alone that was given back `resumeAfter` ms before it is wanted; each time that nobody could read it doubles that. */
export const pauseWhenYielded = ({ unread }: TakeOvers, resumeAfter: number): number =>
  unread === 0 ? resumeAfter : Math.min(resumeAfter * 2 ** (unread - 1), LONGEST_PAUSE);

function strike(storage: SessionStorage, lease: Lease): TakeOvers {
  const stoppedAt = lastStep(storage);
  const strikes = lease.stoppedAt === stoppedAt ? lease.strikes + 1 : 1;
  return { ...takeOversOf(lease), expired: lease.expired + 1, strikes, stoppedAt };
}

const takeOversOf = ({ expired, strikes, stoppedAt, unread }: Lease): TakeOvers => ({
  expired,
  strikes,
  stoppedAt,
  unread,
});

/** The type of the last event that is more than that a holder came: some are journaled again by whoever takes over. */
function lastStep(storage: SessionStorage): string {
  for (let seq = storage.head(); seq > 0; seq -= 1) {
    const [row] = storage.events({ from: seq, limit: 1 });
    if (row !== undefined && row.type !== 'turn-resumed') return row.type;
  }
  return '';
}
