import { describe, expect, it, vi } from 'vitest';
import {
  bearerToken,
  type Caller,
  ConfigurationError,
  createHoldfast,
} from '../../../../src/create-holdfast.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { script } from '../../../fixtures/scripts.ts';
import { warnings } from '../../../fixtures/warnings.ts';
import { appWith } from './app.ts';
import { journal, json, newSession, post, type Send } from './client.ts';

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const notConfigured = {
  type: 'urn:holdfast:problem:not-configured',
  title: 'not configured',
  status: 403,
  detail:
    'This Worker answers only localhost until authentication is set up. Set the secret HOLDFAST_TOKEN ' +
    '(wrangler secret put HOLDFAST_TOKEN) and send it as a bearer token, or pass `auth` to createHoldfast.',
};

const unauthorized = {
  type: 'urn:holdfast:problem:unauthorized',
  title: 'unauthorized',
  status: 401,
  detail: 'Send a valid token as "Authorization: Bearer ...".',
};

describe('without any authentication', () => {
  it('only this machine is answered, with one warning', async () => {
    vi.resetModules(); // a Worker warns once in its life, and the one of other files may have done so
    const fresh = await import('./app.ts');
    const warned = warnings();
    const open = fresh.appWith({});
    for (const host of ['localhost', '127.0.0.1', '[::1]', 'localhost:8787']) {
      expect((await open(`http://${host}/agents`)).status).toBe(200);
    }
    expect(warned).toEqual([
      'holdfast: no authentication is configured; only localhost is answered. Set HOLDFAST_TOKEN.',
    ]);
  });

  it.each([
    'https://holdfast.example',
    'http://localhost.evil.example',
    'http://127.0.0.1.nip.io',
    'http://10.0.0.1',
  ])('another host is refused, naming the setting: %s', async (origin) => {
    const response = await appWith({})(`${origin}/agents`);
    expect(response.status).toBe(403);
    expect(await json(response)).toEqual(notConfigured);
  });

  it('an empty token lets nobody else in', async () => {
    expect((await appWith({}, { HOLDFAST_TOKEN: '' })('https://h.example/agents')).status).toBe(403);
    expect((await appWith({}, { HOLDFAST_TOKEN: ' \n' })('http://localhost/agents')).status).toBe(403);
  });
});

describe('with HOLDFAST_TOKEN', () => {
  const app = appWith({}, { HOLDFAST_TOKEN: 'right-token\n' });

  it.each([
    ['no header', {}],
    ['another token', bearer('wrong-token')],
    ['a part of it', bearer('right')],
    ['an empty token', bearer('')],
    ['another scheme', { authorization: 'Basic right-token' }],
    ['no scheme', { authorization: 'right-token' }],
    ['two of them', { authorization: 'Bearer right-token, Bearer right-token' }],
  ])('%s is refused', async (_, headers) => {
    const response = await app('http://localhost/agents', { headers });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(await json(response)).toEqual(unauthorized);
  });

  it.each(['Bearer right-token', 'bearer right-token', 'BEARER  right-token'])(
    '%s is let in',
    async (authorization) => {
      expect((await app('https://h.example/agents', { headers: { authorization } })).status).toBe(200);
    },
  );

  it('every route but /health asks for it, known or not', async () => {
    for (const path of ['/', '/agents', '/openapi.json', '/nothing', '/agents/scripted/sessions/s1']) {
      expect((await app(path)).status).toBe(401);
    }
    const response = await app('/health');
    expect([response.status, await json(response)]).toEqual([200, { status: 'ok' }]);
  });

  it('is taken from a body nobody has read yet', async () => {
    const session = newSession();
    expect((await post(session, '{"message":', { via: app })).status).toBe(401);
  });
});

describe('with a token under another name', () => {
  const auth = bearerToken('MY_TOKEN');

  it('lets in who sends it, and tells others what to send', async () => {
    const app = appWith({ auth }, { MY_TOKEN: 'right-token', HOLDFAST_TOKEN: 'other-token' });
    expect((await app('/agents', { headers: bearer('right-token') })).status).toBe(200);
    const response = await app('/agents', { headers: bearer('other-token') });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(await json(response)).toEqual(unauthorized);
  });

  it('that is not set lets nobody in, not even from this machine', async () => {
    for (const origin of ['http://localhost', 'https://h.example']) {
      const response = await appWith({ auth })(`${origin}/agents`);
      expect(response.status).toBe(403);
      expect(await json(response)).toEqual({
        ...notConfigured,
        detail:
          'This Worker has no token yet, so it answers nobody. Set the secret MY_TOKEN ' +
          '(wrangler secret put MY_TOKEN) and send it as a bearer token.',
      });
    }
  });
});

describe('with an `auth` of its own', () => {
  const callers: Readonly<Record<string, Caller>> = {
    ann: { id: 'ann', roles: ['approver'] },
    bob: { id: 'bob' },
    'ann@acme': { id: 'ann', tenant: 'acme', roles: ['approver'] },
    'bob@acme': { id: 'bob', tenant: 'acme' },
  };
  const app = appWith({
    auth: async (request) => callers[request.headers.get('x-user') ?? ''] ?? null,
  });
  const as =
    (user: string): Send =>
    (path, init) =>
      app(path, { ...init, headers: { ...Object(init?.headers), 'x-user': user } });

  it('an app decides who comes in', async () => {
    expect((await as('ann')('/agents')).status).toBe(200);
    const refused = await as('eve')('/agents');
    expect([refused.status, refused.headers.has('www-authenticate')]).toEqual([401, false]);
    expect(await json(refused)).toEqual({
      ...unauthorized,
      detail: 'Send valid credentials: it is not clear who this request is from.',
    });
  });

  it("two owners' sessions of one name never meet, and a tenant shares its own", async () => {
    const session = newSession();
    const key = { headers: { 'idempotency-key': 'k1' } };
    const texts = [];
    for (const user of ['ann', 'bob', 'ann@acme']) {
      const { message } = script(`For ${user}.`);
      texts.push((await json(await post(session, { message: message() }, { ...key, via: as(user) }))).text);
    }
    expect(texts).toEqual(['For ann.', 'For bob.', 'For ann@acme.']);
    for (const user of ['ann', 'bob', 'ann@acme']) expect((await journal(session, as(user))).length).toBe(4);
    expect(await journal(session, as('bob@acme'))).toEqual(await journal(session, as('ann@acme')));
  });

  it('the journal holds who asked and for which tenant, and no role', async () => {
    const session = newSession();
    await post(session, { message: script('Done.').message() }, { via: as('ann@acme') });
    const events = await journal(session, as('ann@acme'));
    expect(events[1]).toMatchObject({ principal: { id: 'ann', tenant: 'acme' } });
    expect(JSON.stringify(events)).not.toContain('approver');
  });

  it.each<[string, unknown]>([
    ['without an id', {}],
    ['with an empty id', { id: '' }],
    ['with an empty tenant', { id: 'ann', tenant: '' }],
    ['whose id is a number', { id: 7 }],
  ])('a caller %s is an error, not everybody', async (_, caller) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const response = await appWith({ auth: () => caller as Caller })('/agents');
    expect(response.status).toBe(500);
    expect(log).toHaveBeenCalledOnce();
    log.mockRestore();
  });

  it('that throws is a 500 that tells nothing of the inside', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const response = await appWith({
      auth: () => {
        throw new Error('the key is abc');
      },
    })('/agents');
    expect(await json(response)).toEqual({
      type: 'urn:holdfast:problem:internal-error',
      title: 'internal error',
      status: 500,
      detail: 'The request failed inside the Worker. What was accepted is kept.',
    });
    expect(log.mock.calls[0]?.[0]).toBe(`holdfast: request ${response.headers.get('x-request-id')} failed`);
    log.mockRestore();
  });
});

describe('a Worker that cannot be', () => {
  it.each(['Authorization', 'cookie', 'Set-Cookie', 'Proxy-Authorization', 'proxy-x'])(
    'maps the header %s into the context',
    (header) => {
      expect(() => createHoldfast({ agents: [], contextHeaders: { [header]: 'x' } })).toThrow(
        `The header '${header.toLowerCase()}' carries credentials; it is never journaled.`,
      );
    },
  );

  it('maps what is no header', () => {
    expect(() => createHoldfast({ agents: [], contextHeaders: { 'a b': 'x' } })).toThrow(
      "'a b' is not the name of a header.",
    );
  });

  it('has two agents of one name', () => {
    expect(() => createHoldfast({ agents: [scripted, scripted] })).toThrow(
      new ConfigurationError("Two agents are called 'scripted'."),
    );
  });
});
