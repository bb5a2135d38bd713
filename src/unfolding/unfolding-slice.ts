import type { SessionEvent } from '../journal/events.ts';
import type { SessionState, StateSlice } from '../journal/state.ts';
import { OPENINGS, type OpeningFact, type Openings } from '../tools/facades/openings.ts';

/** The facades that are open. What was opened for a loop is forgotten with it. */
export const UNFOLDING: StateSlice<Openings, OpeningFact> = { ...OPENINGS, reduce: forget };

function forget(openings: Openings, _: SessionState, event: SessionEvent): Openings {
  if (openings.length === 0) return openings;
  switch (event.type) {
    case 'turn-ended':
      return kept(openings, ({ frame }) => frame === undefined);
    case 'tool-call-ended':
      return kept(openings, ({ frame }) => frame !== event.call);
    default:
      return openings;
  }
}

/** The same list when nothing goes: what was made of it is still good. */
function kept(openings: Openings, stays: (opening: Openings[number]) => boolean): Openings {
  return openings.every(stays) ? openings : openings.filter(stays);
}
