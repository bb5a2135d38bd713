/**
 * Decides where a session is killed. The position is determined by appends, not by time. A life lasts from a
 * start to the next kill, and a kill happens before or after an append is stored.
 */

/** An append that is about to be stored or was just stored. */
export interface Moment {
  readonly side: 'before' | 'after';
  /** The sequence number of its first event. */
  readonly seq: number;
  /** The types of all its events. */
  readonly types: readonly string[];
}

/** Decides where the lives of one session end. */
export interface Stops {
  /** Returns `true` if the life ends here. It must be called with all moments, in order. */
  endsAt(moment: Moment): boolean;
}

/** Never ends a life early. */
export const noStops: Stops = { endsAt: () => false };

/**
 * The types of events that count as progress. After eight take-overs without progress, a turn is abandoned.
 * Pauses between take-overs start after the second one.
 */
const PROGRESS_TYPES: ReadonlySet<string> = new Set(['model-replied', 'tool-call-ended', 'turn-ended']);

/** The maximum number of consecutive lives without progress, so that no turn is abandoned. */
const MAX_IDLE = 2;

/**
 * Returns `true` if an append belongs to the turn. A take-over's append does not, because a kill cannot
 * separate it from another event.
 */
const isOfTurn = ({ types }: Moment): boolean => types.some((type) => type !== 'turn-resumed');

const isProgress = ({ types }: Moment): boolean => types.some((type) => PROGRESS_TYPES.has(type));

/**
 * Ends lives at every append. `after` ends a life after its first append. `before` lets a life store one
 * append, do the work for the next, and end before that is stored. Together they separate every two events,
 * with and without the work between them.
 */
export function createEveryStop(side: Moment['side']): Stops {
  let idle = 0;
  let stored = 0;
  return {
    endsAt(moment) {
      if (!isOfTurn(moment)) return false;
      if (moment.side === 'after') {
        stored += 1;
        if (isProgress(moment)) idle = 0;
      }
      const ends = moment.side === side && (side === 'after' || stored > 0) && idle < MAX_IDLE;
      if (ends) [idle, stored] = [idle + 1, 0];
      return ends;
    },
  };
}

const getLastSeq = ({ seq, types }: Moment): number => seq + types.length - 1;

/** Ends a life once at each of these positions, or at the first later append on that side. */
export function createDrawnStops(places: readonly Pick<Moment, 'side' | 'seq'>[]): Stops {
  const left = places.toSorted((a, b) => a.seq - b.seq || (a.side === 'before' ? -1 : 1));
  let idle = 0;
  return {
    endsAt(moment) {
      if (!isOfTurn(moment)) return false;
      if (moment.side === 'after' && isProgress(moment)) idle = 0;
      const [next] = left;
      if (!next || getLastSeq(moment) < next.seq || moment.side !== next.side || idle >= MAX_IDLE)
        return false;
      left.shift();
      idle += 1;
      return true;
    },
  };
}

/** Ends the first life at this position, and all later lives as `then` decides. */
export function createFirstStop(place: Pick<Moment, 'side' | 'seq'>, then: Stops): Stops {
  const first = createDrawnStops([place]);
  let isOver = false;
  return {
    endsAt(moment) {
      if (isOver) return then.endsAt(moment);
      isOver = first.endsAt(moment);
      return isOver;
    },
  };
}
