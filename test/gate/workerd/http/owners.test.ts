/** Whose a session is: a caller's, by its id, or a tenant's. The two never meet, also when they are called alike. */
import { describe, expect, it } from 'vitest';
import { type Caller, ConfigurationError, createHoldfast } from '../../../../src/create-holdfast.ts';
import { defineSchedule } from '../../../../src/modules/schedules/entry.ts';
import { toSessionName } from '../../../doors/session.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { script } from '../../../fixtures/scripts.ts';
import { appWith } from './app.ts';
import { journal, json, newSession, post, type Send, sessionId } from './client.ts';

/** An app that believes whoever says who they are. */
const appOf = (legacyTenants?: boolean): ((caller: Caller) => Send) => {
  const auth = (request: Request): Caller => JSON.parse(request.headers.get('x-caller') ?? '');
  const app = appWith({ auth, legacyTenants });
  return (caller) => (path, init) =>
    app(path, { ...init, headers: { ...Object(init?.headers), 'x-caller': JSON.stringify(caller) } });
};

const as = appOf();
const acme = { id: 'ann', tenant: 'acme' };

/** Has a turn in the session, which says this. */
const say = (session: string, via: Send, text: string): Promise<Response> =>
  post(session, { message: script(text).message() }, { via });

describe('a session of a tenant', () => {
  it('is not that of a caller whose id is the name of the tenant, nor the other way round', async () => {
    const session = newSession();
    await say(session, as(acme), 'Of the tenant.');
    expect((await as({ id: 'acme' })(session)).status).toBe(404);
    const others = newSession();
    await say(others, as({ id: 'acme' }), 'Of the id.');
    expect((await as(acme)(others)).status).toBe(404);
  });

  it.each(['{"tenant":"acme"}', '[object Object]', '"acme"'])(
    'is not that of a caller whose id is written like its name: %s',
    async (id) => {
      const session = newSession();
      await say(session, as(acme), 'Of the tenant.');
      expect((await as({ id })(session)).status).toBe(404);
    },
  );

  it('has a name that says so, and that of an id is as it was', () => {
    const place = { agent: 'scripted', session: 's1' };
    expect(toSessionName({ ...place, owner: { tenant: 'acme' } })).toBe(
      '[{"tenant":"acme"},"scripted","s1"]',
    );
    expect(toSessionName({ ...place, owner: { id: 'acme' } })).toBe('["acme","scripted","s1"]');
  });
});

describe('with legacyTenants', () => {
  const legacy = appOf(true);

  it('a tenant finds its session of before, goes on with it, and erases it', async () => {
    const session = newSession();
    // An older version named the session of a tenant as if it were of an id.
    await say(session, as({ id: 'acme' }), 'Before.');
    await say(session, legacy(acme), 'After.');
    expect((await journal(session, legacy(acme))).filter(({ type }) => type === 'turn-ended')).toHaveLength(
      2,
    );
    expect((await as(acme)(session)).status).toBe(404);
    expect((await legacy(acme)(session, { method: 'DELETE' })).status).toBe(204);
    expect((await legacy(acme)(session)).status).toBe(404);
  });

  it('a session that is new has its new name, also when it is asked for without the setting', async () => {
    const session = newSession();
    await say(session, legacy(acme), 'New.');
    expect((await journal(session, as(acme))).length).toBe(4);
    expect((await as({ id: 'acme' })(session)).status).toBe(404);
  });

  it('a session of the new name is found before one of the old', async () => {
    const session = newSession();
    await say(session, as({ id: 'acme' }), 'Old.');
    await say(session, as(acme), 'New.');
    expect((await json(await legacy(acme)(session))).turn).toMatchObject({ text: 'New.' });
  });

  it('a caller without a tenant is refused everywhere, who could meet the sessions of a tenant', async () => {
    const session = newSession();
    await say(session, as({ id: 'acme' }), 'Before.');
    for (const path of ['/agents', session, `${session}/events`, '/nothing']) {
      const response = await legacy({ id: 'acme' })(path);
      expect(await json(response)).toEqual({
        type: 'urn:holdfast:problem:tenant-required',
        title: 'tenant required',
        status: 403,
        detail:
          'Only callers of a tenant are answered while createHoldfast({ legacyTenants: true }) looks for sessions of tenants ' +
          'under their old names: an id that is called like a tenant would meet them.',
      });
    }
  });

  it('nothing that starts turns may be for an id', () => {
    const schedule = defineSchedule({
      name: 'nightly',
      cron: '0 6 * * *',
      agent: 'scripted',
      owner: { id: 'acme' },
      session: sessionId(newSession()),
      message: 'Report.',
    });
    expect(() => createHoldfast({ agents: [scripted], use: [schedule], legacyTenants: true })).toThrow(
      new ConfigurationError(
        "'nightly' has an owner { id }, which may be called like a tenant: with legacyTenants use { tenant }.",
      ),
    );
  });
});
