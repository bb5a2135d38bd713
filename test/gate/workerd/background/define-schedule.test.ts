import { describe, expect, it } from 'vitest';
import { ConfigurationError, createHoldfast } from '../../../../src/create-holdfast.ts';
import { defineSchedule } from '../../../../src/modules/schedules/entry.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';

const dailyConfig = {
  name: 'daily',
  cron: '0 6 * * *',
  agent: 'scripted',
  owner: { tenant: 'acme' },
  session: 's1',
  message: 'Report.',
} as const;

describe('defineSchedule', () => {
  it.each(['0 6 * * *', '*/5 0-12 1,15 JAN-MAR MON#2', '59 23 LW * 6L', '  0   6 * * *  '])(
    'accepts the cron expression %j',
    (cron) => {
      expect(() => defineSchedule({ ...dailyConfig, cron })).not.toThrow();
    },
  );

  it.each([
    [
      { name: 'a b' },
      '"a b" is not a valid name for a schedule. Use 1 to 64 of the characters A-Z a-z 0-9 _ . -',
    ],
    [{ name: '' }, '"" is not a valid name for a schedule. Use 1 to 64 of the characters A-Z a-z 0-9 _ . -'],
    [{ cron: 'daily' }, "Schedule 'daily': 'daily' is not a cron expression of five fields."],
    [{ cron: '0 6 * *' }, "Schedule 'daily': '0 6 * *' is not a cron expression of five fields."],
    [{ cron: '0 0 6 * * *' }, "Schedule 'daily': '0 0 6 * * *' is not a cron expression of five fields."],
    [
      { owner: 'acme' as never },
      "Schedule 'daily': its owner is a string, which could be an id or a tenant. Use { tenant } for the sessions of all callers of " +
        'a tenant, or { id } for those of one caller.',
    ],
    [
      { owner: { id: ' ' } },
      "Schedule 'daily': its owner is blank. Use { tenant } for the sessions of all callers of a tenant, or { id } for those of " +
        'one caller.',
    ],
    [
      { owner: { id: 'ann', tenant: 'acme' } as never },
      "Schedule 'daily': its owner has an id and a tenant. Use { tenant } for the sessions of all callers of a tenant, or { id } " +
        'for those of one caller.',
    ],
    [
      { session: 'a/b' },
      "Schedule 'daily': its session must be 1 to 128 of the characters A-Z a-z 0-9 _ . : @ -",
    ],
    [{ message: '\n' }, "Schedule 'daily': its message is blank."],
  ])('refuses the schedule %j', (change, message) => {
    expect(() => defineSchedule({ ...dailyConfig, ...change })).toThrow(message);
  });
});

describe('an app with schedules', () => {
  it('accepts a schedule without an owner if the built-in authentication or `auth` provides one', () => {
    const use = [defineSchedule({ ...dailyConfig, owner: undefined })];
    const auth = Object.assign(() => ({ id: 'ann' }), { owner: () => ({ id: 'ann' }) });
    expect(() => createHoldfast({ agents: [scripted], use })).not.toThrow();
    expect(() => createHoldfast({ agents: [scripted], use, auth })).not.toThrow();
  });

  it('is refused if a schedule has no owner and `auth` cannot provide one', () => {
    const use = [
      defineSchedule(dailyConfig),
      defineSchedule({ ...dailyConfig, name: 'nightly', owner: undefined }),
    ];
    expect(() => createHoldfast({ agents: [scripted], use, auth: () => ({ id: 'ann' }) })).toThrow(
      new ConfigurationError(
        "Schedule 'nightly' has no owner, but the app has its own `auth`. Give the schedule `owner`: { tenant } or { id } of " +
          'the callers who may read its sessions.',
      ),
    );
  });

  it('is refused if a schedule starts an unknown agent', () => {
    const use = [defineSchedule({ ...dailyConfig, agent: 'clerk' })];
    expect(() => createHoldfast({ agents: [scripted], use })).toThrow(
      new ConfigurationError("Schedule 'daily' starts the agent 'clerk', which is not among the agents."),
    );
  });

  it('is refused if two schedules have the same name', () => {
    const use = [defineSchedule(dailyConfig), defineSchedule({ ...dailyConfig, cron: '0 7 * * *' })];
    expect(() => createHoldfast({ agents: [scripted], use })).toThrow(
      new ConfigurationError(
        "The module 'schedules' is used twice under the key 'daily'. Give one of them another key.",
      ),
    );
  });
});
