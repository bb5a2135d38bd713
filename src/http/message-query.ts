import type { WhenBusy } from '../tools/when-busy.ts';
import { Problem } from './problem.ts';

/** What the query of a message says of a session that is not free. */
export interface MessageQuery {
  /** While a turn is open: wait for its end, or be shown to its model. Refused unless given. */
  readonly whenBusy?: WhenBusy | undefined;
  /** What the open turn waits for is declined first. */
  readonly declines: boolean;
}

/** Reads `?whenBusy=` and `?pending=`. @throws Problem when one says anything else. */
export function messageQuery({ url }: Request): MessageQuery {
  const { searchParams } = new URL(url);
  const pending = searchParams.get('pending');
  if (pending !== null && pending !== 'decline') {
    throw new Problem(400, 'invalid-query', 'pending can be decline, and nothing else.');
  }
  return { whenBusy: whenBusyOf(searchParams.get('whenBusy')), declines: pending !== null };
}

function whenBusyOf(value: string | null): MessageQuery['whenBusy'] {
  switch (value) {
    case null:
    case 'reject':
      return undefined;
    case 'queue':
    case 'steer':
      return value;
    default:
      throw new Problem(400, 'invalid-query', 'whenBusy can be reject, queue or steer, and nothing else.');
  }
}
