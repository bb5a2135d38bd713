import type { Change } from '../src/journal/session-port.ts';
import type { Lease, LeaseTimes, SessionStorage } from './session-storage.ts';

/** The counts of take-overs of the open turn without progress. */
export type TakeOvers = Pick<Lease, 'expired' | 'strikes' | 'stoppedAt' | 'unread'>;

/** The counts of a turn that has just begun or made progress. */
export const NO_TAKE_OVERS: TakeOvers = { expired: 0, strikes: 0, stoppedAt: '', unread: 0 };

/**
 * Counts a holder that fell silent `lived` ms after it got the lease. If it lived for half a term, it was
 * working, and anything around it may have silenced it. The others are counted together if they stopped at
 * the same event. A clock that was set back makes `lived` negative, which does not count against the holder.
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

/** Returns the turn's counts that change with an append. Progress resets all of them. */
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

/** Returns whether two counts are equal, so that they need not be stored. */
export const isSameCount = (a: TakeOvers, b: TakeOvers): boolean =>
  a.expired === b.expired && a.strikes === b.strikes && a.stoppedAt === b.stoppedAt && a.unread === b.unread;

/** The maximum pause before a turn is offered again, in ms. */
export const LONGEST_PAUSE = 5 * 60_000;
/** The first pause in ms. Each further one doubles. */
const FIRST_PAUSE = 1_000;
/**
 * The number of holders replaced without a pause if they stop at the same event, soon after they took the
 * turn.
 */
const STRIKES_AT_ONCE = 1;
/** The number of holders replaced without a pause if any other cause silences them. */
const SILENCES_AT_ONCE = 3;

/** Returns how long after the end of the term the turn of a silent holder is offered again, in ms. */
export function pauseAfterSilence(storage: SessionStorage, times: Pick<LeaseTimes, 'lived' | 'ms'>): number {
  const { strikes, expired } = countSilent(storage, times);
  return Math.max(nthPause(strikes - STRIKES_AT_ONCE), nthPause(expired - SILENCES_AT_ONCE));
}

const nthPause = (n: number): number => (n < 1 ? 0 : Math.min(FIRST_PAUSE * 2 ** (n - 1), LONGEST_PAUSE));

/**
 * Returns the pause of a turn that was given back, in ms: `resumeAfter`, doubled each time that a holder
 * could not read it.
 */
export const pauseWhenYielded = ({ unread }: TakeOvers, resumeAfter: number): number =>
  unread === 0 ? resumeAfter : Math.min(resumeAfter * 2 ** (unread - 1), LONGEST_PAUSE);

function strike(storage: SessionStorage, lease: Lease): Silenced {
  const stoppedAt = lastStep(storage);
  const strikes = lease.stoppedAt === stoppedAt ? lease.strikes + 1 : 1;
  return { expired: lease.expired + 1, strikes, stoppedAt };
}

/** Returns the type of the last event that is not a `turn-resumed`, since each take-over repeats that. */
function lastStep(storage: SessionStorage): string {
  for (let seq = storage.head(); seq > 0; seq -= 1) {
    const [row] = storage.events({ from: seq, limit: 1 });
    if (row !== undefined && row.type !== 'turn-resumed') return row.type;
  }
  return '';
}
