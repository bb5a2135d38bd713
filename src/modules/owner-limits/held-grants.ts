/**
 * The allowances of the turns that this isolate runs. The port of a session draws them, and they limit the
 * loops of the turns.
 */

import { ROOT } from '../../journal/events.ts';
import { ModelRefusalError } from '../../loop/ask-reply.ts';
import { InterruptionError } from '../../loop/holder.ts';
import type { Loop } from '../../loop/loop.ts';
import { type Budget, getSpending } from '../limits/reserve.ts';
import type { DrawResult } from './account.ts';

/** The allowance of a turn for the duration of a lease. */
interface HeldGrant {
  readonly epoch: number;
  /**
   * Returns `undefined` if the turn is unlimited, and `unavailable` if the limits are unknown and the turn
   * must not run yet.
   */
  grant(): Promise<DrawResult | 'unavailable' | undefined>;
}

/** The allowances by turn id, which is unique across sessions. */
const GRANT_BY_TURN = new Map<string, HeldGrant>();

/** Stores a turn's allowance, which is drawn once, before the first model call. */
export function holdGrant(turn: string, { epoch, grant }: HeldGrant): void {
  let drawn: ReturnType<HeldGrant['grant']> | undefined;
  GRANT_BY_TURN.set(turn, {
    epoch,
    grant() {
      drawn ??= grant();
      return drawn;
    },
  });
}

/** Removes the allowance when the lease of a turn ends. */
export function dropGrant(turn: string, epoch: number): void {
  if (GRANT_BY_TURN.get(turn)?.epoch === epoch) GRANT_BY_TURN.delete(turn);
}

/**
 * Returns the budgets of a loop from the allowance of its turn.
 *
 * @throws ModelRefusalError if the turn has no allowance.
 * @throws InterruptionError if the limits cannot be read now.
 */
export async function readTurnBudgets(loop: Loop): Promise<readonly Budget[]> {
  const grant = await GRANT_BY_TURN.get(loop.turn)?.grant();
  if (grant === 'unavailable')
    throw new InterruptionError('handed-over', 'the limits of its owner cannot be read now');
  if (!grant) return [];
  if (grant.status === 'over')
    throw new ModelRefusalError({
      limit: grant.limit === 'cost' ? 'cost' : 'tokens',
      most: 0,
      used: 0,
      needed: 1,
    });
  const { before } = getSpending(loop);
  return (['tokens', 'cost'] as const).flatMap((limit) => {
    const most = grant[limit];
    return most === null ? [] : [{ frame: ROOT, limit, most: most + before[limit] }];
  });
}
