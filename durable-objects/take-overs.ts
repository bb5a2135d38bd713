import type { AppendData } from '../src/journal/session-port.ts';
import type { Lease, LeaseTimes, SessionStorage } from './session-storage.ts';

/** The counts of take-overs of the open turn without progress. */
export type TakeOvers = Pick<Lease, 'expired' | 'strikes' | 'stoppedAt' | 'unread'>;

/** The counts of a turn that has just begun or made progress. */
export const NO_TAKE_OVERS: TakeOvers = { expired: 0, strikes: 0, stoppedAt: '', unread: 0 };

/**
 * Counts a holder that fell silent `lived` ms after it got the lease. A holder that lived for half a term was
 * working, so the cause may be external. Other holders are counted together if they stopped at the same
 * event. If the clock was set back, `lived` is negative and does not count against the holder.
 */
export function countSilentHolder(
  storage: SessionStorage,
  { lived, ms: term }: Pick<LeaseTimes, 'lived' | 'ms'>,
): SilenceCounts {
  const lease = storage.lease();
  return lived >= 0 && lived < term / 2
    ? countStrike(storage, lease)
    : { expired: lease.expired + 1, strikes: 0, stoppedAt: '' };
}

type SilenceCounts = Omit<TakeOvers, 'unread'>;

/** Returns the turn's counts that change with an append. Progress resets all of them. */
export function countAppend(
  storage: SessionStorage,
  { progress, unread, events }: Pick<AppendData, 'progress' | 'unread' | 'events'>,
): Partial<TakeOvers> {
  if (progress === true) return NO_TAKE_OVERS;
  const lease = storage.lease();
  const counted = unread === 'failed' ? countStrike(storage, lease) : {};
  if (unread !== undefined) return { ...counted, unread: lease.unread + 1 };
  return events.length > 0 ? { ...counted, unread: 0 } : counted;
}

/** Returns whether two counts are equal, so that they need not be stored. */
export const isSameCount = (a: TakeOvers, b: TakeOvers): boolean =>
  a.expired === b.expired && a.strikes === b.strikes && a.stoppedAt === b.stoppedAt && a.unread === b.unread;

/** The maximum pause before a turn is offered again, in ms. */
export const MAX_PAUSE_MS = 5 * 60_000;
/** The first pause in ms. Each further pause is twice as long. */
const FIRST_PAUSE_MS = 1_000;
/** The maximum number of holders that are replaced without a pause if they stop early at the same event. */
const MAX_STRIKES_WITHOUT_PAUSE = 1;
/** The maximum number of silent holders that are replaced without a pause, whatever the cause. */
const MAX_SILENCES_WITHOUT_PAUSE = 3;

/** Returns how long after the end of the term the turn of a silent holder is offered again, in ms. */
export function pauseAfterSilence(storage: SessionStorage, times: Pick<LeaseTimes, 'lived' | 'ms'>): number {
  const { strikes, expired } = countSilentHolder(storage, times);
  return Math.max(
    computePause(strikes - MAX_STRIKES_WITHOUT_PAUSE),
    computePause(expired - MAX_SILENCES_WITHOUT_PAUSE),
  );
}

const computePause = (n: number): number =>
  n < 1 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (n - 1), MAX_PAUSE_MS);

/**
 * Returns the pause of a turn that was released, in ms: `resumeAfter`, doubled each time that a holder could
 * not read it.
 */
export const pauseWhenYielded = ({ unread }: TakeOvers, resumeAfter: number): number =>
  unread === 0 ? resumeAfter : Math.min(resumeAfter * 2 ** (unread - 1), MAX_PAUSE_MS);

function countStrike(storage: SessionStorage, lease: Lease): SilenceCounts {
  const stoppedAt = getLastEventType(storage);
  const strikes = lease.stoppedAt === stoppedAt ? lease.strikes + 1 : 1;
  return { expired: lease.expired + 1, strikes, stoppedAt };
}

/** Returns the type of the last event other than `turn-resumed`, which each take-over appends. */
function getLastEventType(storage: SessionStorage): string {
  for (let seq = storage.head(); seq > 0; seq -= 1) {
    const [row] = storage.events({ from: seq, limit: 1 });
    if (row !== undefined && row.type !== 'turn-resumed') return row.type;
  }
  return '';
}
