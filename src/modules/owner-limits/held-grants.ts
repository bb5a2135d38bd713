/**
 * The allowances of the turns that this isolate runs. The port of a session draws them, and the loops of the
 * turns are limited by them.
 */

import { ROOT } from '../../journal/events.ts';
import { ModelCallRefused } from '../../loop/ask-reply.ts';
import { Interrupted } from '../../loop/holder.ts';
import type { Loop } from '../../loop/loop.ts';
import { type Budget, spendingOf } from '../limits/reserve.ts';
import type { Drawn } from './account.ts';

/** The allowance of a turn for the duration of a lease. */
interface Held {
  readonly epoch: number;
  /**
   * `undefined`: the turn is unlimited. `unavailable`: the limits are unknown, and the turn must not run yet.
   */
  grant(): Promise<Drawn | 'unavailable' | undefined>;
}

/** Keyed by the id of the turn, which is unique across sessions. */
const HELD = new Map<string, Held>();

/** Stores the allowance of a turn. It is drawn once, before the first model call. */
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

/** Removes the allowance when the lease of a turn ends. */
export function drop(turn: string, epoch: number): void {
  if (HELD.get(turn)?.epoch === epoch) HELD.delete(turn);
}

/**
 * Returns the budgets of a loop from the allowance of its turn.
 *
 * @throws ModelCallRefused if the turn has no allowance; Interrupted if the limits cannot be read now.
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
