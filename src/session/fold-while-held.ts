import { NewerEventError, toRow } from '../journal/parse-event.ts';
import type { Leased, SessionPort } from '../journal/session-port.ts';
import type { StateSlice } from '../journal/state.ts';
import type { Clock } from './clock.ts';
import { type FoldedSession, foldLeased } from './fold-session.ts';
import type { Meter } from './meter.ts';

interface Folding {
  readonly port: SessionPort;
  readonly clock: Clock;
  readonly meter: Meter;
  readonly slices: readonly StateSlice[];
}

/** When a turn that this code cannot read is offered to a holder again, in ms. */
const NEWER_DEPLOYMENT = 5_000;

/**
 * Folds a leased session, and keeps its lease while that takes its pages; `heard`: when it was last
 * renewed. A session that this code is too old for is given back, for a newer deployment. `too-long`: this
 * invocation cannot read it. It was given back, or, when no other could either, its turn was ended as
 * failed.
 *
 * @throws NewerEventError when it was given back.
 */
export async function foldWhileHeld(
  { port, clock, meter, slices }: Folding,
  leased: Leased,
  sentAt: number,
): Promise<{ folded: FoldedSession; heard: number } | 'too-long'> {
  let heard = sentAt;
  const { isFresh } = meter;
  const keep = async (): Promise<void> => {
    if (meter.outOfRequests) throw new TooLong(meter.outOfRequests);
    const now = clock.now();
    if (now - heard < leased.leaseMs / 3) return;
    const answer = await port.renew(leased.epoch);
    if (answer.status === 'renewed') heard = now;
  };
  try {
    const folded = await foldLeased(port, leased, slices, keep);
    meter.fold(folded.tailBytes);
    return { folded, heard };
  } catch (failure) {
    const from = leased.page.head + 1;
    if (failure instanceof NewerEventError) {
      const change = { events: [], release: 'yielded', resumeAfter: NEWER_DEPLOYMENT } as const;
      await port.append(leased.epoch, from, change);
    }
    if (!(failure instanceof TooLong)) throw failure;
    await port.append(
      leased.epoch,
      from,
      isFresh ? { events: [endOf(leased, failure)], release: 'ended' } : { events: [], release: 'yielded' },
    );
    return 'too-long';
  }
}

/** The invocation meets its limit before it has read the session; the next one would, at the same page. */
class TooLong extends Error {
  override readonly name = 'TooLong';

  constructor(limit: string) {
    super(
      `The session is too long to be read within one invocation of this deployment, which has ${limit}. ` +
        'Raise SUBREQUESTS if the plan allows more, or go on in a new session.',
    );
  }
}

const endOf = ({ page }: Leased, { message }: TooLong) =>
  toRow({
    type: 'turn-ended',
    turn: page.openTurn?.id ?? '',
    outcome: 'failed',
    error: { type: 'misconfigured', message },
  });
