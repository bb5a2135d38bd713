/**
 * Reads a session whose tables another version of the object created. See durable-objects/journal-schema.ts.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSite, type Site } from './site.ts';
import { addToAgenda, readStoredSessions, type StoredSession } from './stored.ts';
import { brokenMigration, currentBuild, laterMigration, tellingAlarms } from './versions.ts';
import type { VisitResponse } from './visit.ts';

let site: Site;
let before: StoredSession;
let shown: VisitResponse;
/** Long enough to be stored in parts. */
const longMessage = `Keep this: ${'kelp '.repeat(20_000)}`;

beforeAll(async () => {
  site = await openSite('journals.ts');
  site.world.plays('clerk', ['Kept.', [['send_order']], 'Sent.', 'Still here.']);
  await site.deploy(currentBuild);
  await site.visit('clerk').say(longMessage);
  await site.visit('clerk').say('Send it.');
  shown = await site.visit('clerk').get();
  await site.kill();
  before = readStored();
});
afterAll(() => site.close());

function readStored(): StoredSession {
  const [one] = readStoredSessions(site.storage).values();
  if (!one) throw new Error('The storage contains no session.');
  return one;
}

describe('a build with the next version of the tables', () => {
  it('makes no changes if its upgrade fails midway', async () => {
    await site.deploy(brokenMigration);
    expect((await site.visit('clerk').say('Hello?')).status).toBeGreaterThanOrEqual(500);
    await site.kill();
    expect(readStored()).toEqual(before);
  });

  it('keeps all data of an object of this version', async () => {
    await site.deploy(laterMigration);
    expect(await site.visit('clerk').get()).toEqual(shown);
  });

  it('continues the session and accepts the decision about a waiting call', async () => {
    const [pending] = await site.visit('clerk').pending();
    const heard = await site.visit('clerk').post(`/approvals/${pending?.call}`, { decision: 'approve' });
    expect(heard).toMatchObject({ status: 200, body: { text: 'Sent.' } });
    expect(site.world.done('clerk')).toHaveLength(1);
    await site.kill();
    expect(readStored().version).toBe(before.version + 1);
    expect(readStored().events.slice(0, before.events.length)).toEqual(before.events);
  });

  it('can be rolled back without losing pending work or retrying an alarm', async () => {
    addToAgenda(site.storage, 'audit');
    await site.deploy(tellingAlarms);
    expect(await site.visit('clerk').say('And you?')).toMatchObject({ body: { text: 'Still here.' } });
    await delay(500); // leaves time for a change, since a test cannot await its absence
    expect(site.logs().filter((line) => line === 'alarm').length).toBeLessThan(3);
    await site.kill();
    expect(readStored()).toMatchObject({ version: before.version + 1, agenda: ['audit'] });
  });
});
