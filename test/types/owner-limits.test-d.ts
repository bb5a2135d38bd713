import { expectTypeOf } from 'vitest';
import { createHoldfast } from '../../src/create-holdfast.ts';
import type { ModuleUse } from '../../src/index.ts';
import {
  limitsOf,
  type OwnerLimitsReport,
  type OwnerPlan,
  ownerLimits,
} from '../../src/modules/owner-limits/entry.ts';

expectTypeOf(
  ownerLimits({ perDay: { turns: 40 }, running: 4, onUnavailable: 'allow' }),
).toEqualTypeOf<ModuleUse>();
ownerLimits((owner, env) => {
  expectTypeOf(owner.tenant).toEqualTypeOf<string | undefined>();
  expectTypeOf(env).toEqualTypeOf<Readonly<Record<string, unknown>>>();
  return { openSessions: 10 };
});
ownerLimits(async (): Promise<OwnerPlan> => ({ perDay: { cost: 0.5 }, allowance: { cost: 0.1 } }), {
  onUnavailable: 'refuse',
});

// @ts-expect-error: there is no limit per hour.
ownerLimits({ perHour: { turns: 1 } });

// @ts-expect-error: a limit is a number.
ownerLimits({ running: 'unlimited' });

// @ts-expect-error: a turn is refused or allowed.
ownerLimits({ running: 1, onUnavailable: 'queue' });

const holdfast = createHoldfast({ agents: [] });
expectTypeOf(limitsOf(holdfast, {}).read({ tenant: 'acme' })).resolves.toEqualTypeOf<OwnerLimitsReport>();
