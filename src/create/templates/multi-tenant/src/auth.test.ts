import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterEach, expect, it, vi } from 'vitest';
import { authenticate } from './auth.ts';

const env: Cloudflare.Env = {
  JWT_ISSUER: 'https://login.example/',
  JWT_AUDIENCE: 'my-agent',
  JWT_SECRET: 'a secret of this test, long enough for HS256',
};
const secret = new TextEncoder().encode(env.JWT_SECRET);
const claims = { sub: 'ann', tenant: 'acme', roles: ['manager'] };

const signToken = (
  payload: Record<string, unknown> = claims,
  header: { alg: string; kid?: string } = { alg: 'HS256' },
) =>
  new SignJWT(payload)
    .setProtectedHeader(header)
    .setIssuer(env.JWT_ISSUER)
    .setAudience(env.JWT_AUDIENCE)
    .setExpirationTime('5m');

const authenticateToken = (token: string, of = env) =>
  authenticate(new Request('https://agent.example/', { headers: { authorization: `Bearer ${token}` } }), of);

afterEach(() => vi.unstubAllGlobals());

it('reads the tenant, the roles and the operator from a valid token', async () => {
  const ann = { id: 'ann', tenant: 'acme', roles: ['manager'] };
  expect(await authenticateToken(await signToken().sign(secret))).toEqual({ ...ann, operator: false });
  const token = await signToken({ ...claims, operator: true }).sign(secret);
  expect(await authenticateToken(token)).toEqual({ ...ann, operator: true });
});

it.each([
  ['no token', async () => ''],
  ['a text that is not a token', async () => 'x.y.z'],
  [
    'a token of another secret',
    () => signToken().sign(new TextEncoder().encode('another secret, which is as long as it')),
  ],
  ['a token that has expired', () => signToken().setExpirationTime('-1m').sign(secret)],
  ['a token of another issuer', () => signToken().setIssuer('https://evil.example/').sign(secret)],
  ['a token for others', () => signToken().setAudience('another-app').sign(secret)],
  ['a token without a tenant', () => signToken({ sub: 'ann' }).sign(secret)],
  ['a token without a signature', async () => `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify(claims))}.`],
])('refuses %s', async (_, token) => {
  expect(await authenticateToken(await token())).toBeNull();
});

it('verifies tokens with the keys of the issuer instead of the secret if both are set', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' }];
  vi.stubGlobal('fetch', async () => Response.json({ keys }));
  const deployed = { ...env, JWKS_URL: 'https://login.example/jwks.json' };
  const token = await signToken(claims, { alg: 'ES256', kid: 'k1' }).sign(privateKey);
  expect(await authenticateToken(token, deployed)).toMatchObject({ id: 'ann', tenant: 'acme' });
  expect(await authenticateToken(await signToken().sign(secret), deployed)).toBeNull();
});

it.each([
  ['JWT_ISSUER', 'JWT_ISSUER or JWT_AUDIENCE is missing. Set both.'],
  ['JWT_AUDIENCE', 'JWT_ISSUER or JWT_AUDIENCE is missing. Set both.'],
  ['JWT_SECRET', 'JWKS_URL is missing'],
])('reports a missing setting of the Worker, not an invalid token: %s', async (name, problem) => {
  const unset = { ...env, [name]: '' };
  await expect(authenticateToken(await signToken().sign(secret), unset)).rejects.toThrow(problem);
});
