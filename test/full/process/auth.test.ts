/**
 * The examples of docs/auth.md, each in its own Worker, with a local issuer, a KV namespace and a D1 database.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningWorker, startWorker } from './start-worker.ts';

const root = resolve(import.meta.dirname, '../../..');

/** The members of bindings that the test uses. Node programs do not have the types of Workers. */
interface SeenBindings {
  readonly DB: {
    prepare(sql: string): { run(): Promise<unknown>; all(): Promise<{ readonly results: unknown }> };
  };
}

type TokenIssuer = (...[one, other]: readonly [object, object]) => Promise<string>;
/** Imports a function of an example. The path is computed, so that its Worker types are not checked here. */
const importExample = async (file: string, name: string): Promise<TokenIssuer> =>
  ((await import(resolve(root, 'src/examples/auth', file))) as Record<string, TokenIssuer>)[
    name
  ] as TokenIssuer; // a function of the example
const createApiKey = await importExample('by-api-key.ts', 'createApiKey');
const logIn = await importExample('by-cookie.ts', 'logIn');

const keys = await generateKeyPair('RS256');
const otherKeys = await generateKeyPair('RS256');
const issuer = createServer(async (_, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'k1', alg: 'RS256' }] }));
});

let worker: RunningWorker;
let bindings: SeenBindings;
let address: string;

beforeAll(async () => {
  await new Promise<void>((listening) => issuer.listen(0, '127.0.0.1', listening));
  address = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`; // the server is listening
  worker = await startWorker('src/examples/auth/worker.ts', {
    vars: {
      MODEL: 'offline',
      JWT_ISSUER: 'https://login.example/',
      JWT_AUDIENCE: 'agents',
      JWKS_URL: `${address}/jwks.json`,
      ACCESS_TEAM: address,
      ACCESS_AUD: 'aud-of-the-app',
      MANAGERS: 'mia@acme.example,max@acme.example',
    },
    deployedAs: { bindings: { DB: { type: 'd1', id: 'db' }, LOGINS: { type: 'kv', id: 'logins' } } },
  });
  bindings = await worker.bindings<SeenBindings>();
  const table = readFileSync(resolve(root, 'src/examples/auth/api-keys.sql'), 'utf8');
  await bindings.DB.prepare(table.replaceAll(/--.*\n/g, '\n').replace(';', '')).run();
});
afterAll(async () => {
  await worker?.stop();
  issuer.close();
});

/**
 * Sends a message with these credentials. Returns the status, and the owner of the session if the message was
 * accepted.
 */
async function send(headers: Readonly<Record<string, string>>): Promise<unknown> {
  const session = new URL(`/agents/clerk/sessions/${crypto.randomUUID()}/messages`, worker.url);
  const response = await fetch(session, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ message: 'Please pay invoice INV-17.' }),
  });
  if (response.status !== 200) return { status: response.status };
  const events = await fetch(new URL(session.href.replace('/messages', '/events')), { headers });
  const text = await events.text();
  const [, principal = '{}'] = /"principal":(\{[^}]*\})/.exec(text) ?? [];
  return { status: 200, principal: JSON.parse(principal) };
}

interface TokenOptions {
  readonly claims: Record<string, unknown>;
  readonly issuer: string;
  readonly audience: string;
  readonly expires?: string;
  readonly key?: typeof keys.privateKey;
}

const signToken = ({
  claims,
  issuer,
  audience,
  expires = '5m',
  key = keys.privateKey,
}: TokenOptions): Promise<string> =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setExpirationTime(expires)
    .sign(key);

describe('byJwt', () => {
  const ann = {
    claims: { sub: 'ann', tenant: 'acme', roles: ['manager'] },
    issuer: 'https://login.example/',
    audience: 'agents',
  };
  const createBearerHeader = (token: string) => ({ authorization: `Bearer ${token}` });

  it('accepts a valid token as a member of its tenant with its roles', async () => {
    expect(await send(createBearerHeader(await signToken(ann)))).toEqual({
      status: 200,
      principal: { id: 'ann', tenant: 'acme', roles: ['manager'] },
    });
  });

  it.each([
    ['that has expired', { expires: '-1m' }],
    ['of another issuer', { issuer: 'https://evil.example/' }],
    ['for another application', { audience: 'shop' }],
    ['with the signature of another key', { key: otherKeys.privateKey }],
    ['without a tenant', { claims: { sub: 'ann' } }],
    ['without a subject', { claims: { tenant: 'acme' } }],
  ])('returns 401 for a token %s', async (_, change) => {
    expect(await send(createBearerHeader(await signToken({ ...ann, ...change })))).toEqual({ status: 401 });
  });

  it.each(['x.y.z', `${btoa('{"alg":"none"}')}.${btoa('{"sub":"ann","tenant":"acme"}')}.`])(
    'returns 401 for the unsigned token %s',
    async (token) => {
      expect(await send(createBearerHeader(token))).toEqual({ status: 401 });
    },
  );
});

describe('byAccess', () => {
  const assert = async (claims: Record<string, unknown>, audience = 'aud-of-the-app') => ({
    'cf-access-jwt-assertion': await signToken({ claims, issuer: address, audience }),
  });

  it.each([
    ['mia@acme.example', ['manager']],
    ['ann@acme.example', []],
  ])('accepts %s with the roles %j', async (email, roles) => {
    const { principal } = Object(await send(await assert({ sub: 'u1', email })));
    expect({ roles: [], ...principal }).toEqual({ id: email, tenant: 'acme', roles });
  });

  it('accepts a service token by its client id', async () => {
    const service = await assert({ sub: '', common_name: 'ci.access' });
    expect(await send(service)).toEqual({
      status: 200,
      principal: { id: 'service:ci.access', tenant: 'acme' },
    });
  });

  it('returns 401 for the token of another application', async () => {
    expect(await send(await assert({ sub: 'u1', email: 'mia@acme.example' }, 'aud-of-another'))).toEqual({
      status: 401,
    });
  });
});

describe('byCookie', () => {
  it('accepts the cookie of a login', async () => {
    const cookie = await logIn({ id: 'ann', tenant: 'acme' }, bindings);
    expect(cookie).toMatch(/^__Host-login=[\w-]+; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=86400$/);
    expect(await send({ cookie: cookie.split(';')[0] ?? '' })).toEqual({
      status: 200,
      principal: { id: 'ann', tenant: 'acme' },
    });
  });

  it('returns 401 for a cookie without a login', async () => {
    expect(await send({ cookie: `__Host-login=${crypto.randomUUID()}` })).toEqual({ status: 401 });
  });

  it('returns 403 if a page on another site sends the request with the cookie', async () => {
    const [cookie = ''] = (await logIn({ id: 'ann', tenant: 'acme' }, bindings)).split(';');
    expect(await send({ cookie, origin: 'https://evil.example' })).toEqual({ status: 403 });
  });
});

describe('byApiKey', () => {
  it('accepts a key, and returns 401 once the key is revoked', async () => {
    const key = await createApiKey(bindings, { id: 'ci', tenant: 'acme', roles: ['manager'] });
    const headers = { authorization: `Bearer ${key}` };
    expect(await send(headers)).toEqual({
      status: 200,
      principal: { id: 'ci', tenant: 'acme', roles: ['manager'] },
    });
    await bindings.DB.prepare("UPDATE api_keys SET revoked_at = datetime('now')").run();
    expect(await send(headers)).toEqual({ status: 401 });
  });

  it('stores the hash of a key, and not the key', async () => {
    const key = await createApiKey(bindings, { id: 'ci', tenant: 'acme' });
    const { results } = await bindings.DB.prepare('SELECT * FROM api_keys').all();
    expect(JSON.stringify(results)).not.toContain(key.slice(4));
  });
});

it('a request without credentials returns 401', async () => {
  expect(await send({})).toEqual({ status: 401 });
});
