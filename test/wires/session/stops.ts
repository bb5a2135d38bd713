/**
 * Where a session is killed: by what it stores, never by time. A life is what happens between a start and the next kill; the
 * kill comes before or after an append is stored.
 */

/** An append that is about to be stored, or was stored just now. */
export interface Moment {
  readonly side: 'before' | 'after';
  /** The sequence of its first event. */
  readonly seq: number;
  /** Of all its events. */
  readonly types: readonly string[];
}

/** Decides for one session where its lives end. */
export interface Stops {
  /** Whether the life ends here. Is told all moments, in their order. */
  endsAt(moment: Moment): boolean;
}

/** No life ends before the session does. */
export const noStops: Stops = { endsAt: () => false };

/** What the loop counts as progress: a turn that is taken over eight times without it is given up, and after the second time only after a pause. */
const PROGRESS: ReadonlySet<string> = new Set(['model-replied', 'tool-call-ended', 'turn-ended']);

/** How many lives in a row may end without progress, so that the turn is not given up. */
const MOST_IDLE = 2;

/** An invocation that takes a turn over says so first: that is no event of the turn that a kill could part from another. */
const isOfTurn = ({ types }: Moment): boolean => types.some((type) => type !== 'turn-resumed');

const isProgress = ({ types }: Moment): boolean => types.some((type) => PROGRESS.has(type));

/**
 * `after`: each life ends behind the first append that it stores. `before`: each stores one, does all the work for the next,
 * and ends before that is stored. Together they part every two events, with the work between them done and not done.
 */
export function everyStop(side: Moment['side']): Stops {
  let idle = 0;
  let stored = 0;
  return {
    endsAt(moment) {
      if (!isOfTurn(moment)) return false;
      if (moment.side === 'after') {
        stored += 1;
        if (isProgress(moment)) idle = 0;
      }
      const ends = moment.side === side && (side === 'after' || stored > 0) && idle < MOST_IDLE;
      if (ends) [idle, stored] = [idle + 1, 0];
      return ends;
    },
  };
}

const lastSeq = ({ seq, types }: Moment): number => seq + types.length - 1;

/** Ends a life at each of these places, or at the first append on that side which reaches as far; each once. */
export function drawnStops(places: readonly Pick<Moment, 'side' | 'seq'>[]): Stops {
  const left = places.toSorted((a, b) => a.seq - b.seq || (a.side === 'before' ? -1 : 1));
  let idle = 0;
  return {
    endsAt(moment) {
      if (!isOfTurn(moment)) return false;
      if (moment.side === 'after' && isProgress(moment)) idle = 0;
      const [next] = left;
      if (!next || lastSeq(moment) < next.seq || moment.side !== next.side || idle >= MOST_IDLE) return false;
      left.shift();
      idle += 1;
      return true;
    },
  };
}

/** Ends the first life at this place, whatever comes before it, and the others as `then` says. */
export function firstAt(place: Pick<Moment, 'side' | 'seq'>, then: Stops): Stops {
  const first = drawnStops([place]);
  let isOver = false;
  return {
    endsAt(moment) {
      if (isOver) return then.endsAt(moment);
      isOver = first.endsAt(moment);
      return isOver;
    },
  };
}
