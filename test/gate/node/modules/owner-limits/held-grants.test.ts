import { expect, it } from 'vitest';
import { dropGrant, holdGrant, readTurnBudgets } from '../../../../doors/owner-limits.ts';

type TurnLoop = Parameters<typeof readTurnBudgets>[0];

/** The loop properties that identify its budgets. */
const createLoop = (turn: string) => ({ turn }) as TurnLoop;

it('a turn is handed over while the limits of its owner are unavailable', async () => {
  holdGrant('waits', { epoch: 1, grant: async () => 'unavailable' });
  await expect(readTurnBudgets(createLoop('waits'))).rejects.toMatchObject({
    name: 'InterruptionError',
    why: 'handed-over',
    message: 'the limits of its owner cannot be read now',
  });
});

it('a turn without an allowance makes no model call', async () => {
  const over = { status: 'over', limit: 'cost', most: 5, used: 5 } as const;
  holdGrant('over', { epoch: 1, grant: async () => over });
  await expect(readTurnBudgets(createLoop('over'))).rejects.toMatchObject({
    name: 'ModelRefusalError',
    refusal: { limit: 'cost' },
  });
});

it('an allowance is drawn once per lease, and is kept until that lease ends', async () => {
  let draws = 0;
  holdGrant('turn', {
    epoch: 7,
    async grant() {
      draws += 1;
      return undefined;
    },
  });
  await readTurnBudgets(createLoop('turn'));
  dropGrant('turn', 6);
  await readTurnBudgets(createLoop('turn'));
  expect(draws).toBe(1);
  dropGrant('turn', 7);
  expect(await readTurnBudgets(createLoop('turn'))).toEqual([]);
  expect(draws).toBe(1);
});
