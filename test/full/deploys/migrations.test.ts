/** The tables of a session that another version of the object has made (durable-objects/journal-schema.ts). */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { downgrade } from './downgrade.ts';
import { openSite, type Site } from './site.ts';
import { addToAgenda, type Stored, storedIn } from './stored.ts';
import { brokenMigration, current, laterMigration, tellingAlarms } from './versions.ts';
import type { Heard } from './visit.ts';

let site: Site;
let version: number;
let before: Stored | undefined;
let shown: Heard;
/** Kept in parts of its own. */
const long = `Keep this: ${'kelp '.repeat(20_000)}`;

beforeAll(async () => {
  site = await openSite('journals.ts');
  site.world.plays('clerk', ['Kept.', [['send_order']], 'Sent.', 'Still here.', 'Here too.']);
  await site.deploy(current);
  await site.visit('clerk').say(long);
  await site.visit('clerk').say('Send it.');
  shown = await site.visit('clerk').get();
  await site.kill();
  before = stored();
  version = before?.version ?? 0;
});
afterAll(() => site.close());

const stored = (): Stored | undefined => [...storedIn(site.storage).values()][0];

describe('an object whose tables are those of the first version', () => {
  beforeAll(async () => {
    downgrade(site.storage);
    expect(stored()?.version).toBe(1);
    await site.deploy(current);
  });

  it('has everything that it had', async () => {
    expect(await site.visit('clerk').get()).toEqual(shown);
  });

  it('goes on: what waited is decided', async () => {
    const [pending] = await site.visit('clerk').pending();
    const heard = await site.visit('clerk').post(`/approvals/${pending?.call}`, { decision: 'approve' });
    expect(heard).toMatchObject({ status: 200, body: { text: 'Sent.' } });
    expect(site.world.done('clerk')).toHaveLength(1);
    await site.kill();
    expect(stored()?.version).toBe(version);
    expect(stored()?.events.slice(0, before?.events.length)).toEqual(before?.events);
  });
});

describe('a version that is to come', () => {
  it('whose migration breaks off changes nothing', async () => {
    await site.deploy(brokenMigration);
    expect((await site.visit('clerk').say('Hello?')).status).toBeGreaterThanOrEqual(500);
    await site.kill();
    expect(stored()?.version).toBe(version);
  });

  it('migrates an object of this one, and loses nothing', async () => {
    const { events } = stored() ?? {};
    await site.deploy(laterMigration);
    expect(await site.visit('clerk').say('Are you there?')).toMatchObject({ body: { text: 'Still here.' } });
    await site.kill();
    expect(stored()).toMatchObject({ version: version + 1 });
    expect(stored()?.events.slice(0, events?.length)).toEqual(events);
  });

  it('can be taken back: what it has to do is left to it, and no alarm is repeated for that', async () => {
    addToAgenda(site.storage, 'audit');
    await site.deploy(tellingAlarms);
    expect(await site.visit('clerk').say('And you?')).toMatchObject({ body: { text: 'Here too.' } });
    await delay(500); // that nothing happens cannot be awaited
    expect(site.logs().filter((line) => line === 'alarm').length).toBeLessThan(3);
    await site.kill();
    expect(stored()).toMatchObject({ version: version + 1, agenda: ['audit'] });
  });
});
