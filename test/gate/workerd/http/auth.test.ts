import { describe, expect, it, vi } from 'vitest';
import {
  bearerToken,
  type Caller,
  ConfigurationError,
  createHoldfast,
  type LogEntry,
  openOnLocalhost,
  type SecretSource,
} from '../../../../src/create-holdfast.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { registerScript } from '../../../fixtures/scripts.ts';
import { type AppConfig, createTestApp } from './app.ts';
import { createSessionPath, post, readJournal, readJson, type Send } from './client.ts';

const createBearerHeader = (token: string) => ({ authorization: `Bearer ${token}` });

const notConfiguredProblem = {
  type: 'urn:holdfast:problem:not-configured',
  title: 'not configured',
  status: 401,
  detail:
    'This Worker has no authentication yet. Set the secret HOLDFAST_TOKEN and send' +
    ' it as a bearer token, or pass `auth` to createHoldfast. On your own machine, HOLDFAST_AUTH=localhost in .dev.vars lets' +
    ' you in without a token.',
};

const createLocalhostProblem = (sign: string) => ({
  type: 'urn:holdfast:problem:only-localhost',
  title: 'only localhost',
  status: 403,
  detail:
    `This Worker only accepts requests from its own machine, but this one ${sign}. Set the secret HOLDFAST_TOKEN and send` +
    ' it as a bearer token, or pass `auth` to createHoldfast.',
});

const unauthorizedProblem = {
  type: 'urn:holdfast:problem:unauthorized',
  title: 'unauthorized',
  status: 401,
  detail: 'Send a valid token as "Authorization: Bearer ...".',
};

const NO_AUTH = { HOLDFAST_AUTH: undefined };
const LOCALHOST_AUTH = { HOLDFAST_AUTH: 'localhost' };

/** A binding of the Secrets Store. */
const createStoredSecret = (text: string) => ({ get: async () => text });

describe('an app without authentication', () => {
  const paths = ['/', '/agents', '/openapi.json', '/nothing', '/agents/scripted/sessions/s1'];

  it.each([
    ['nothing is set', NO_AUTH],
    ['the token is empty', { ...NO_AUTH, HOLDFAST_TOKEN: '' }],
    ['HOLDFAST_AUTH has another value', { HOLDFAST_AUTH: 'open' }],
  ])('refuses a stranger at localhost unless the environment declares it open: %s', async (_, vars) => {
    const app = createTestApp({}, vars);
    for (const origin of ['http://localhost', 'http://127.0.0.1:8787', 'https://h.example']) {
      for (const path of paths) {
        const response = await app(`${origin}${path}`);
        expect([response.status, await readJson(response)]).toEqual([401, notConfiguredProblem]);
      }
    }
    const health = await app('/health');
    expect([health.status, (await readJson(health)).detail]).toEqual([500, notConfiguredProblem.detail]);
  });

  it('refuses every caller if the token is blank, including this machine', async () => {
    const response = await createTestApp(
      {},
      { ...LOCALHOST_AUTH, HOLDFAST_TOKEN: ' \n' },
    )('http://localhost/agents');
    expect(response.status).toBe(401);
  });
});

describe.each<[string, AppConfig, Readonly<Record<string, unknown>>]>([
  ['the var HOLDFAST_AUTH', {}, LOCALHOST_AUTH],
  ['openOnLocalhost()', { auth: openOnLocalhost() }, NO_AUTH],
])('an app opened on localhost by %s', (_, config, vars) => {
  const app = createTestApp(config, vars);

  it('admits requests from this machine', async () => {
    const addresses = ['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1'];
    for (const host of ['localhost', '127.0.0.1', '[::1]', 'localhost:8787']) {
      expect((await app(`http://${host}/agents`)).status).toBe(200);
    }
    for (const address of addresses) {
      expect((await app('/agents', { headers: { 'cf-connecting-ip': address } })).status).toBe(200);
    }
  });

  it.each([
    'https://holdfast.example',
    'http://localhost.evil.example',
    'http://127.0.0.1.nip.io',
    'http://10.0.0.1',
  ])('refuses a request with another host name, as after DNS rebinding: %s', async (origin) => {
    const response = await app(`${origin}/agents`);
    expect(await readJson(response)).toEqual(
      createLocalhostProblem(`was sent to '${new URL(origin).hostname}'`),
    );
  });

  it.each([
    ['Forwarded', 'for=203.0.113.7'],
    ['X-Forwarded-For', '203.0.113.7'],
    ['X-Forwarded-For', '127.0.0.1'],
    ['X-Forwarded-Host', 'x.ngrok.example'],
    ['X-Forwarded-Anything', ''],
    ['X-Real-IP', '203.0.113.7'],
    ['Via', '1.1 vegur'],
    ['MF-Original-URL', 'http://localhost/agents'],
    ['MF-Original-Hostname', 'localhost'],
  ])('refuses a request through a tunnel or a proxy: %s: %s', async (name, value) => {
    const response = await app('http://localhost/agents', { headers: { [name]: value } });
    expect(response.status).toBe(403);
    const sign = `was forwarded, as its header ${name.toLowerCase()} shows`;
    expect(await readJson(response)).toEqual(createLocalhostProblem(sign));
  });

  it.each(['203.0.113.7', '10.0.0.4', '::2', '127.0.0.1.evil', 'fe80::1'])(
    'refuses a connection from another machine: %s',
    async (address) => {
      const response = await app('/agents', { headers: { 'cf-connecting-ip': address } });
      expect(await readJson(response)).toEqual(createLocalhostProblem(`comes from ${address}`));
    },
  );
});

describe('the log line about local mode', () => {
  const connected = { headers: { 'cf-connecting-ip': '127.0.0.1' } };
  const createLoggedApp = (config: AppConfig, vars: Readonly<Record<string, unknown>>) => {
    const lines: LogEntry[] = [];
    return { via: createTestApp({ log: (line) => void lines.push(line), ...config }, vars), lines };
  };

  it.each<[string, AppConfig, Readonly<Record<string, unknown>>]>([
    ['the var HOLDFAST_AUTH', {}, LOCALHOST_AUTH],
    ['openOnLocalhost()', { auth: openOnLocalhost() }, NO_AUTH],
  ])('is written once, when %s admits the first connection', async (_, config, vars) => {
    const { via, lines } = createLoggedApp(config, vars);
    await via('/agents', { headers: { 'cf-connecting-ip': '10.0.0.4' } });
    expect(lines).toEqual([]);
    await via('/agents', connected);
    await via('/agents', connected);
    expect(lines).toEqual([
      {
        level: 'warn',
        event: 'other',
        message:
          'This machine needs no token. With wrangler dev --ip, set one: two headers make any request look local.',
      },
    ]);
  });

  it('is not written if a token is required', async () => {
    const { via, lines } = createLoggedApp({}, { ...LOCALHOST_AUTH, HOLDFAST_TOKEN: 'right-token' });
    const headers = { ...connected.headers, ...createBearerHeader('right-token') };
    expect((await via('/agents', { headers })).status).toBe(200);
    expect(lines).toEqual([]);
  });
});

describe('an app with HOLDFAST_TOKEN', () => {
  const app = createTestApp({}, { HOLDFAST_TOKEN: 'right-token\n' });

  it.each([
    ['a request without a token', {}],
    ['another token', createBearerHeader('wrong-token')],
    ['a part of the token', createBearerHeader('right')],
    ['an empty token', createBearerHeader('')],
    ['another scheme', { authorization: 'Basic right-token' }],
    ['a token without a scheme', { authorization: 'right-token' }],
    ['two tokens', { authorization: 'Bearer right-token, Bearer right-token' }],
  ])('refuses %s', async (_, headers) => {
    const response = await app('http://localhost/agents', { headers });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(await readJson(response)).toEqual(unauthorizedProblem);
  });

  it.each(['Bearer right-token', 'bearer right-token', 'BEARER  right-token'])(
    'admits %s',
    async (authorization) => {
      expect((await app('https://h.example/agents', { headers: { authorization } })).status).toBe(200);
    },
  );

  it('requires the token on every route except /health, known or unknown', async () => {
    for (const path of ['/', '/agents', '/openapi.json', '/nothing', '/agents/scripted/sessions/s1']) {
      expect((await app(path)).status).toBe(401);
    }
    const response = await app('/health');
    expect([response.status, await readJson(response)]).toEqual([200, { status: 'ok' }]);
  });

  it('checks the token before it parses the body', async () => {
    const session = createSessionPath();
    expect((await post(session, '{"message":', { via: app })).status).toBe(401);
  });
});

describe('an app with HOLDFAST_TOKEN in the Secrets Store', () => {
  it('admits only callers who send the token', async () => {
    const app = createTestApp({}, { ...NO_AUTH, HOLDFAST_TOKEN: createStoredSecret('right-token\n') });
    expect(
      (await app('https://h.example/agents', { headers: createBearerHeader('right-token') })).status,
    ).toBe(200);
    for (const headers of [{}, createBearerHeader('[object Object]')]) {
      const response = await app('http://localhost/agents', { headers });
      expect([response.status, await readJson(response)]).toEqual([401, unauthorizedProblem]);
    }
  });

  it('refuses every caller while the store does not return the token', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const broken = { get: () => Promise.reject(new Error('Secret "x" not found')) };
    const response = await createTestApp({}, { HOLDFAST_TOKEN: broken })('/agents', {
      headers: createBearerHeader('x'),
    });
    expect([response.status, (await readJson(response)).detail]).toEqual([
      500,
      'The Secrets Store did not return HOLDFAST_TOKEN.',
    ]);
    log.mockRestore();
  });
});

describe('an app with a token under another name', () => {
  const auth = bearerToken('MY_TOKEN');

  it('admits callers who send the token, and returns a Bearer challenge to others', async () => {
    const app = createTestApp({ auth }, { MY_TOKEN: 'right-token', HOLDFAST_TOKEN: 'other-token' });
    expect((await app('/agents', { headers: createBearerHeader('right-token') })).status).toBe(200);
    const response = await app('/agents', { headers: createBearerHeader('other-token') });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(await readJson(response)).toEqual(unauthorizedProblem);
  });

  it('refuses every caller if the token is not set, including this machine', async () => {
    for (const origin of ['http://localhost', 'https://h.example']) {
      const response = await createTestApp({ auth })(`${origin}/agents`);
      expect(response.status).toBe(401);
      expect(await readJson(response)).toEqual({
        ...notConfiguredProblem,
        detail: 'This Worker has no token yet. Set the secret that its bearerToken reads.',
      });
    }
  });

  it('admits callers who send the token that a function returns, or one of several', async () => {
    const vars = { MY_TOKEN: 'right-token', OLD_TOKEN: 'old-token' };
    const collectStatuses = (source: SecretSource) =>
      Promise.all(
        ['right-token', 'old-token', 'other-token'].map(
          async (token) =>
            (
              await createTestApp({ auth: bearerToken(source) }, vars)('/agents', {
                headers: createBearerHeader(token),
              })
            ).status,
        ),
      );
    expect(await collectStatuses((env) => env.MY_TOKEN)).toEqual([200, 401, 401]);
    expect(await collectStatuses(({ MY_TOKEN, OLD_TOKEN }) => [MY_TOKEN, OLD_TOKEN])).toEqual([
      200, 200, 401,
    ]);
    expect(await collectStatuses(() => undefined)).toEqual([401, 401, 401]);
  });

  it.each(['hunter 2', 'sk_live_51H8xYzAbCdEfGh', ''])(
    'refuses the text %j, without repeating it',
    (token) => {
      expect(() => bearerToken(token)).toThrow(
        new TypeError(
          "bearerToken needs its secret as '(env) => env.NAME', or the name of the var that holds it. Do not put the secret itself in code.",
        ),
      );
    },
  );

  it('does not show strangers the given var name, which could be the token itself', async () => {
    const response = await createTestApp({ auth: bearerToken('hunter2') })('/agents');
    expect(await response.text()).not.toContain('hunter2');
  });
});

describe('an app with a custom `auth`', () => {
  const callers: Readonly<Record<string, Caller>> = {
    ann: { id: 'ann', roles: ['approver'] },
    bob: { id: 'bob' },
    'ann@acme': { id: 'ann', tenant: 'acme', roles: ['approver'] },
    'bob@acme': { id: 'bob', tenant: 'acme' },
  };
  const app = createTestApp({
    auth: async (request) => callers[request.headers.get('x-user') ?? ''] ?? null,
  });
  const as =
    (user: string): Send =>
    (path, init) =>
      app(path, { ...init, headers: { ...Object(init?.headers), 'x-user': user } });

  it('decides which callers are admitted', async () => {
    expect((await as('ann')('/agents')).status).toBe(200);
    const refused = await as('eve')('/agents');
    expect([refused.status, refused.headers.has('www-authenticate')]).toEqual([401, false]);
    expect(await readJson(refused)).toEqual({
      ...unauthorizedProblem,
      detail: 'Send valid credentials.',
    });
  });

  it('separates sessions of the same name by owner, and shares them within a tenant', async () => {
    const session = createSessionPath();
    const key = { headers: { 'idempotency-key': 'k1' } };
    const texts = [];
    for (const user of ['ann', 'bob', 'ann@acme']) {
      const { message } = registerScript(`For ${user}.`);
      texts.push(
        (await readJson(await post(session, { message: message() }, { ...key, via: as(user) }))).text,
      );
    }
    expect(texts).toEqual(['For ann.', 'For bob.', 'For ann@acme.']);
    for (const user of ['ann', 'bob', 'ann@acme'])
      expect((await readJournal(session, as(user))).length).toBe(4);
    expect(await readJournal(session, as('bob@acme'))).toEqual(await readJournal(session, as('ann@acme')));
  });

  it('journals the caller, the tenant and the roles', async () => {
    const session = createSessionPath();
    await post(session, { message: registerScript('Done.').message() }, { via: as('ann@acme') });
    const events = await readJournal(session, as('ann@acme'));
    expect(events[1]).toMatchObject({ principal: { id: 'ann', tenant: 'acme', roles: ['approver'] } });
  });

  const ID = '`auth` returned a caller whose id or tenant is empty or not a string.';
  const ROLES = '`auth` returned a caller whose roles are not a list of strings.';
  const formatReservedId = (id: string): string =>
    `\`auth\` returned a caller with the id '${id}', which is reserved.`;

  it.each<[string, unknown, string]>([
    ['without an id', {}, ID],
    ['with an empty id', { id: '' }, ID],
    ['with an empty tenant', { id: 'ann', tenant: '' }, ID],
    ['whose id is a number', { id: 7 }, ID],
    ['whose roles are one text', { id: 'ann', roles: 'user, approver' }, ROLES],
    ['whose roles are not only texts', { id: 'ann', roles: ['approver', 7] }, ROLES],
    ['with the id of a webhook', { id: 'webhook:github' }, formatReservedId('webhook:github')],
    [
      'with the id of a schedule',
      { id: 'schedule:nightly', tenant: 'acme' },
      formatReservedId('schedule:nightly'),
    ],
    ['with the id of code', { id: 'code' }, formatReservedId('code')],
  ])('treats a caller %s as an error, and does not admit everyone', async (_, caller, problem) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const response = await createTestApp({ auth: () => caller as Caller })('/agents');
    expect(response.status).toBe(500);
    expect(log.mock.calls.map(([, thrown]) => String(thrown))).toEqual([`Error: ${problem}`]);
    log.mockRestore();
  });

  it('returns a 500 without internals if `auth` throws', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const response = await createTestApp({
      auth: () => {
        throw new Error('the key is abc');
      },
    })('/agents');
    expect(await readJson(response)).toEqual({
      type: 'urn:holdfast:problem:internal-error',
      title: 'internal error',
      status: 500,
      detail: 'The request failed. The log of the Worker shows why. Accepted messages are kept.',
    });
    expect(log.mock.calls[0]?.[0]).toBe(`holdfast: request ${response.headers.get('x-request-id')} failed`);
    log.mockRestore();
  });
});

describe('a misconfigured Worker', () => {
  it.each(['Authorization', 'cookie', 'Set-Cookie', 'Proxy-Authorization', 'proxy-x'])(
    'is refused if it maps the header %s into the context',
    (header) => {
      expect(() => createHoldfast({ agents: [], http: { contextHeaders: { [header]: 'x' } } })).toThrow(
        `The header '${header.toLowerCase()}' carries credentials. Remove it from contextHeaders.`,
      );
    },
  );

  it('is refused if it maps an invalid header', () => {
    expect(() => createHoldfast({ agents: [], http: { contextHeaders: { 'a b': 'x' } } })).toThrow(
      new ConfigurationError(
        `createHoldfast has {"a b":"x"} as its 'http.contextHeaders'. Use header names, each with a context key other than ` +
          'that of the loop, which a client sends as `loopId` of the body.',
      ),
    );
  });

  it('is refused if two agents have the same name', () => {
    expect(() => createHoldfast({ agents: [scripted, scripted] })).toThrow(
      new ConfigurationError("Two agents are named 'scripted'."),
    );
  });
});
