import type { Change } from '../src/journal/session-port.ts';
import type { Lease, LeaseTimes, SessionStorage } from './session-storage.ts';

/** How often the open turn was taken over without coming further. */
export type TakeOvers = Pick<Lease, 'expired' | 'strikes' | 'stoppedAt' | 'unread'>;

/** Those of a turn that has just begun, or has just come further. */
export const NO_TAKE_OVERS: TakeOvers = { expired: 0, strikes: 0, stoppedAt: '', unread: 0 };

/**
 * Counts a holder that fell silent `lived` ms after it was given the lease. One that lived for half a term was at work: what
 * silenced it may have been anything around it. Of the others those are counted together that stopped at the same event.
 * A clock that was set back meanwhile makes `lived` negative, and proves nothing against the holder.
 */
export function countSilent(
  storage: SessionStorage,
  { lived, ms: term }: Pick<LeaseTimes, 'lived' | 'ms'>,
): Silenced {
  const lease = storage.lease();
  return lived >= 0 && lived < term / 2
    ? strike(storage, lease)
    : { expired: lease.expired + 1, strikes: 0, stoppedAt: '' };
}

type Silenced = Omit<TakeOvers, 'unread'>;

/** Returns the turn's counts that differ after a change. Progress resets all of them. */
export function countChange(
  storage: SessionStorage,
  { progress, unread, events }: Pick<Change, 'progress' | 'unread' | 'events'>,
): Partial<TakeOvers> {
  if (progress === true) return NO_TAKE_OVERS;
  const lease = storage.lease();
  const counted = unread === 'failed' ? strike(storage, lease) : {};
  if (unread !== undefined) return { ...counted, unread: lease.unread + 1 };
  return events.length > 0 ? { ...counted, unread: 0 } : counted;
}

/** Whether two of them are alike, so that nothing has to be stored. */
export const isSameCount = (a: TakeOvers, b: TakeOvers): boolean =>
  a.expired === b.expired && a.strikes === b.strikes && a.stoppedAt === b.stoppedAt && a.unread === b.unread;

/** The longest pause before a turn is offered again, in ms. */
export const LONGEST_PAUSE = 5 * 60_000;
/** The first pause, in ms; each further one is twice as long. */
const FIRST_PAUSE = 1_000;
/** So many holders are replaced without a pause if they stop at the same event, soon after they took the turn. */
const STRIKES_AT_ONCE = 1;
/** So many are if anything else silences them. */
const SILENCES_AT_ONCE = 3;

/** Returns how long after the end of the term the turn of a silent holder is offered again, in ms. */
export function pauseAfterSilence(storage: SessionStorage, times: Pick<LeaseTimes, 'lived' | 'ms'>): number {
  const { strikes, expired } = countSilent(storage, times);
  return Math.max(nthPause(strikes - STRIKES_AT_ONCE), nthPause(expired - SILENCES_AT_ONCE));
}

const nthPause = (n: number): number => (n < 1 ? 0 : Math.min(FIRST_PAUSE * 2 ** (n - 1), LONGEST_PAUSE));

/** How long a turn is left alone that was given back `resumeAfter` ms before it is wanted; each time that nobody could read it doubles that. */
export const pauseWhenYielded = ({ unread }: TakeOvers, resumeAfter: number): number =>
  unread === 0 ? resumeAfter : Math.min(resumeAfter * 2 ** (unread - 1), LONGEST_PAUSE);

function strike(storage: SessionStorage, lease: Lease): Silenced {
  const stoppedAt = lastStep(storage);
  const strikes = lease.stoppedAt === stoppedAt ? lease.strikes + 1 : 1;
  return { expired: lease.expired + 1, strikes, stoppedAt };
}

/** The type of the last event that is more than that a holder came: some are journaled again by whoever takes over. */
function lastStep(storage: SessionStorage): string {
  for (let seq = storage.head(); seq > 0; seq -= 1) {
    const [row] = storage.events({ from: seq, limit: 1 });
    if (row !== undefined && row.type !== 'turn-resumed') return row.type;
  }
  return '';
}
