/** What the turns may use that this isolate runs: the port of a session draws it, and the loop of the turn is held to it. */

import { ROOT } from '../../journal/events.ts';
import { ModelCallRefused } from '../../loop/ask-reply.ts';
import { Interrupted } from '../../loop/holder.ts';
import type { Loop } from '../../loop/loop.ts';
import { type Budget, spendingOf } from '../limits/reserve.ts';
import type { Drawn } from './account.ts';

/** The allowance of a turn, while a lease lasts. */
interface Held {
  readonly epoch: number;
  /** `undefined`: the turn is not bounded. `unavailable`: it may not run before that is known. */
  grant(): Promise<Drawn | 'unavailable' | undefined>;
}

/** By the ids of turns, which no two sessions share. */
const HELD = new Map<string, Held>();

/** Remembers the allowance of a turn. It is drawn once, when a model is to be asked first. */
export function hold(turn: string, { epoch, grant }: Held): void {
  let drawn: ReturnType<Held['grant']> | undefined;
  HELD.set(turn, {
    epoch,
    grant() {
      drawn ??= grant();
      return drawn;
    },
  });
}

/** The lease of a turn is over. */
export function drop(turn: string, epoch: number): void {
  if (HELD.get(turn)?.epoch === epoch) HELD.delete(turn);
}

/**
 * Returns the budgets of a loop by the allowance of its turn.
 *
 * @throws ModelCallRefused if the turn has none; Interrupted if that cannot be known now.
 */
export async function budgetsOfTurn(loop: Loop): Promise<readonly Budget[]> {
  const grant = await HELD.get(loop.turn)?.grant();
  if (grant === 'unavailable')
    throw new Interrupted('handed-over', 'the limits of its owner cannot be read now');
  if (!grant) return [];
  if (grant.status === 'over')
    throw new ModelCallRefused({
      limit: grant.limit === 'cost' ? 'cost' : 'tokens',
      most: 0,
      used: 0,
      needed: 1,
    });
  const { before } = spendingOf(loop);
  return (['tokens', 'cost'] as const).flatMap((limit) => {
    const most = grant[limit];
    return most === null ? [] : [{ frame: ROOT, limit, most: most + before[limit] }];
  });
}
