import { expectTypeOf } from 'vitest';
import { createHoldfast } from '../../src/create-holdfast.ts';
import type { ModuleUse } from '../../src/index.ts';
import { defineSchedule } from '../../src/modules/schedules/entry.ts';

const base = {
  cron: '0 6 * * *',
  agent: 'clerk',
  owner: { tenant: 'acme' },
  session: 's1',
  message: 'Report.',
} as const;

const daily = defineSchedule({ name: 'daily', ...base });
expectTypeOf(daily).toEqualTypeOf<ModuleUse>();

// The session and the message can depend on the time.
defineSchedule({
  ...base,
  name: 'daily',
  session(at) {
    expectTypeOf(at).toEqualTypeOf<Date>();
    return at.toISOString();
  },
  async message(at) {
    expectTypeOf(at).toEqualTypeOf<Date>();
    return 'Report.';
  },
  context: { locale: 'de' },
});
defineSchedule({ ...base, name: 'daily', context: undefined });

createHoldfast({ agents: [], use: [daily] });

// The app's `auth` can determine the owner of its sessions.
defineSchedule({ name: 'daily', cron: '* * * * *', agent: 'clerk', session: 's1', message: 'Report.' });

// @ts-expect-error a string could be an id or a tenant
defineSchedule({ ...base, name: 'daily', owner: 'acme' });

// @ts-expect-error an owner is an id or a tenant
defineSchedule({ ...base, name: 'daily', owner: { id: 'ann', tenant: 'acme' } });

// @ts-expect-error the session cannot be a promise
defineSchedule({ ...base, name: 'daily', session: async () => 's1' });

// @ts-expect-error the context is JSON
defineSchedule({ ...base, name: 'daily', context: { since: new Date() } });

// @ts-expect-error a schedule is made by defineSchedule
createHoldfast({ agents: [], use: [base] });

// @ts-expect-error a schedule has a name
defineSchedule(base);
