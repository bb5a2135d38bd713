/** Requests that a browser sends for a page on another site, some without a preflight. */
import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../../../src/create-holdfast.ts';
import { cors } from '../../../../src/modules/http/entry.ts';
import { githubWebhook } from '../../../../src/modules/webhooks/entry.ts';
import { registerScript } from '../../../fixtures/scripts.ts';
import { createTestApp } from './app.ts';
import { createSessionPath, post, readJson } from './client.ts';
import { createProblem } from './waiting.ts';

const refusedProblem = createProblem(
  'cross-site',
  403,
  "A page on another site sent this request. If it is yours, add cors({ origins }) from 'holdfast/http' to `use`.",
);

const HOSTILE_HEADERS = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };

/** A scheduled message, which a cancel would end. */
async function planTurn(app: ReturnType<typeof createTestApp>): Promise<string> {
  const session = createSessionPath();
  const { turn } = await readJson(
    await post(session, { message: registerScript('Done.').message(), delaySeconds: 1_000 }, { via: app }),
  );
  return `${session}/cancel?turn=${turn}`;
}

describe('a request from a page on another site', () => {
  it.each([
    ['POST', '/messages'],
    ['POST', '/cancel'],
    ['POST', '/approvals/c1'],
    ['POST', '/results/c1'],
    ['DELETE', ''],
  ])('is refused: %s %s', async (method, path) => {
    const response = await createTestApp({})(`${createSessionPath()}${path}`, {
      method,
      headers: HOSTILE_HEADERS,
    });
    expect([response.status, await readJson(response)]).toEqual([403, refusedProblem]);
  });

  it.each<Record<string, string>>([
    { origin: 'https://evil.example' },
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'null' },
    { origin: 'nonsense' },
    { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' },
    { origin: 'http://localhost', 'sec-fetch-site': 'cross-site' },
  ])('is recognized by its headers, and has no effect: %j', async (headers) => {
    const app = createTestApp({});
    const path = await planTurn(app);
    expect((await app(path, { method: 'POST', headers })).status).toBe(403);
    expect((await app(path, { method: 'POST' })).status).toBe(202);
  });

  it('is refused before a token is required', async () => {
    const response = await createTestApp({}, { HOLDFAST_TOKEN: 'secret' })(createSessionPath(), {
      method: 'DELETE',
      headers: HOSTILE_HEADERS,
    });
    expect(await readJson(response)).toEqual(refusedProblem);
  });

  it('can read, and webhook deliveries are accepted from any origin', async () => {
    const app = createTestApp({ use: [githubWebhook({ agent: 'scripted', secret: 'SECRET' })] });
    expect((await app('/agents', { headers: HOSTILE_HEADERS })).status).toBe(200);
    const delivery = await app('/hooks/none', { method: 'POST', headers: HOSTILE_HEADERS });
    expect(await readJson(delivery)).toMatchObject({ title: 'unknown webhook' });
  });
});

describe('a request that is not from another site’s page', () => {
  it.each<Record<string, string>>([
    {},
    { origin: 'http://localhost', 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
  ])('is accepted: %j', async (headers) => {
    const app = createTestApp({});
    expect((await app(await planTurn(app), { method: 'POST', headers })).status).toBe(202);
  });

  it('is accepted from an origin that the app lists, and from no other', async () => {
    const app = createTestApp({ use: [cors({ origins: ['https://app.example', 'http://localhost:3000'] })] });
    const postFrom = async (origin: string): Promise<number> => {
      const headers = { origin, 'sec-fetch-site': 'cross-site' };
      return (await app(await planTurn(app), { method: 'POST', headers })).status;
    };
    expect(await postFrom('https://app.example')).toBe(202);
    expect(await postFrom('http://localhost:3000')).toBe(202);
    expect(await postFrom('http://app.example')).toBe(403);
    expect(await postFrom('https://app.example.evil.example')).toBe(403);
  });
});

describe('the origins of an app', () => {
  const FORM = 'a scheme and a host, such as https://app.example';
  it.each([
    ['*', FORM],
    ['null', FORM],
    ['app.example', FORM],
    ['localhost:5173', FORM],
    ['http://localhost:*', FORM],
    ['https://*.app.example', FORM],
    ['ftp://app.example', FORM],
    ['wss://app.example', FORM],
    ['file:///index.html', FORM],
    ['', FORM],
    ['https://app.example/', "'https://app.example'"],
    ['https://app.example/chat?a=b#c', "'https://app.example'"],
    ['https://APP.example', "'https://app.example'"],
    ['https://app.example:443', "'https://app.example'"],
    ['https://bücher.example', "'https://xn--bcher-kva.example'"],
    ['capacitor://localhost/', "'capacitor://localhost'"],
  ])('must have the form that browsers send, and cannot be %j', (origin, use) => {
    const text = `cors: \`origins\` has '${origin}', which is not an origin. Use ${use}.`;
    expect(() => cors({ origins: [origin] })).toThrow(new ConfigurationError(text));
  });

  it.each([
    'capacitor://localhost',
    'wsclient://localhost',
    'chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai',
  ])('can be those of apps and extensions: %s', async (origin) => {
    const app = createTestApp({ use: [cors({ origins: [origin] })] });
    const response = await app(await planTurn(app), { method: 'POST', headers: { origin } });
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([202, origin]);
  });
});
