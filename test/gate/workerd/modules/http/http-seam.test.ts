/** A module's hooks around the routes: `http`, `caller` and `admit`. */
import { describe, expect, it } from 'vitest';
import { ConfigurationError, type LogEntry, SessionError } from '../../../../../src/create-holdfast.ts';
import { defineAgent } from '../../../../../src/index.ts';
import { defineModule, type ModuleParts } from '../../../../../src/module.ts';
import { onBehalfOf, rateLimit } from '../../../../../src/modules/http/entry.ts';
import { modelBySession, registerScript } from '../../../../fixtures/scripts.ts';
import { createTestApp } from '../../http/app.ts';
import { createSessionPath, post, readJson } from '../../http/client.ts';

const edgeModule = defineModule({ name: 'edge' });
const inner = defineModule({ name: 'inner' });
const createScriptMessage = () => ({ message: registerScript('Done.').message() });

describe('the `http` hook of a module', () => {
  it('wraps every route, with the first module outermost, and receives failures as responses', async () => {
    const seen: string[] = [];
    const createLayer = (name: string): ModuleParts => ({
      async http(asked, next) {
        seen.push(`${name} ${asked.request.method} ${new URL(asked.request.url).pathname}`);
        const response = await next(asked);
        seen.push(`${name} ${response.status}`);
        return response;
      },
    });
    const via = createTestApp({
      auth: () => null,
      use: [edgeModule.use(createLayer('outer')), inner.use(createLayer('inner'))],
    });
    for (const path of ['/agents', '/health', '/nothing']) await (await via(path)).body?.cancel();
    expect(seen).toEqual(
      [
        ['/agents', 401],
        ['/health', 200],
        ['/nothing', 401],
      ].flatMap(([path, status]) => [
        `outer GET ${path}`,
        `inner GET ${path}`,
        `inner ${status}`,
        `outer ${status}`,
      ]),
    );
  });

  it('returns a custom response, with the headers of the app', async () => {
    const use = [edgeModule.use({ http: async () => new Response('Closed.', { status: 418 }) })];
    const response = await createTestApp({ use })('/closed');
    expect([response.status, await response.text()]).toEqual([418, 'Closed.']);
    const { headers } = response;
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f]{16}$/);
    expect([headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual([
      'no-store',
      'nosniff',
    ]);
  });

  it('can return an immutable response', async () => {
    const use = [edgeModule.use({ http: async () => Response.redirect('https://login.example/') })];
    const response = await createTestApp({ use })('/closed', { redirect: 'manual' });
    expect([response.status, response.headers.get('cache-control')]).toEqual([302, 'no-store']);
  });

  it.each<[string, ModuleParts, string]>([
    ['rejects', { http: () => Promise.reject(new Error('broken')) }, 'Error: broken'],
    [
      'throws synchronously',
      {
        http() {
          throw new Error('broken');
        },
      },
      'Error: broken',
    ],
    [
      'returns no response',
      { http: async () => ({ status: 200 }) as Response }, // plain JavaScript can do this
      'TypeError: `http` of a module must return a Response.',
    ],
  ])('causes a logged internal failure if it %s', async (_, parts, thrown) => {
    const lines: LogEntry[] = [];
    const via = createTestApp({ use: [edgeModule.use(parts)], log: (line) => void lines.push(line) });
    const response = await via('/agents');
    expect([response.status, (await readJson(response)).type]).toEqual([
      500,
      'urn:holdfast:problem:internal-error',
    ]);
    expect(lines).toMatchObject([{ level: 'error', event: 'request-failed' }]);
    expect(String(Object(lines[0]).thrown)).toBe(thrown);
  });

  it('can mark requests of pages as trusted, and affects no other request', async () => {
    const trusted = edgeModule.use({
      http: (asked, next) =>
        next(asked.request.headers.get('x-trusted') ? { ...asked, isOwnPage: true } : asked),
    });
    const via = createTestApp({ use: [trusted] });
    const from = { origin: 'https://any.example', 'sec-fetch-site': 'cross-site' };
    const send = (headers: Readonly<Record<string, string>>) =>
      post(createSessionPath(), createScriptMessage(), { via, headers });
    expect((await send(from)).status).toBe(403);
    expect((await send({ ...from, 'x-trusted': 'yes' })).status).toBe(200);
  });
});

describe('the `caller` hook of a module', () => {
  it('sets the caller for the later modules, and receives the caller of the earlier ones', async () => {
    const owners: unknown[] = [];
    const via = createTestApp({
      auth: () => ({ id: 'app', delegates: true }),
      use: [
        inner.use({ caller: ({ id, ...more }) => ({ ...more, id: `${id}+` }) }),
        onBehalfOf(({ headers }) => headers.get('x-user-id')),
        edgeModule.use({ admit: async (owner) => void owners.push(owner) }),
      ],
    });
    expect(
      (await post(createSessionPath(), createScriptMessage(), { via, headers: { 'x-user-id': 'ann' } }))
        .status,
    ).toBe(200);
    expect(owners).toEqual([{ id: 'app+/ann' }]);
  });

  it('must return a caller', async () => {
    const lines: LogEntry[] = [];
    const use = [edgeModule.use({ caller: () => ({ id: '' }) })];
    const via = createTestApp({ auth: () => ({ id: 'me' }), use, log: (line) => void lines.push(line) });
    expect((await via('/agents')).status).toBe(500);
    expect(String(Object(lines[0]).thrown)).toContain('A module returned a caller whose id or tenant');
  });

  it('refuses a request with the error of a session', async () => {
    const use = [
      edgeModule.use({
        caller() {
          throw new SessionError('unknown-session', 'Not yours.');
        },
      }),
    ];
    const response = await createTestApp({ auth: () => ({ id: 'me' }), use })(createSessionPath());
    expect([response.status, (await readJson(response)).detail]).toEqual([404, 'Not yours.']);
  });
});

describe('the `admit` hook of a module', () => {
  it('refuses only requests that can start a turn', async () => {
    const use = [
      edgeModule.use({
        async admit({ id }, { now, env }) {
          expect([now(), typeof env]).toEqual([expect.any(Number), 'object']);
          throw new SessionError('rate-limited', `No more for ${id}.`, { retryAfter: 60 });
        },
      }),
    ];
    const via = createTestApp({ auth: () => ({ id: 'me' }), use });
    const response = await post(createSessionPath(), createScriptMessage(), { via });
    expect([response.status, response.headers.get('retry-after'), (await readJson(response)).detail]).toEqual(
      [429, '60', 'No more for me.'],
    );
    expect((await via('/agents')).status).toBe(200);
  });
});

it('a module with a hook for requests is refused in an agent, because the hook applies to the whole app', () => {
  const agent = defineAgent({
    name: 'a',
    description: 'Answers.',
    instructions: 'Answer.',
    model: modelBySession,
    use: [rateLimit()],
  });
  expect(() => createTestApp({ agents: [agent] })).toThrow(
    new ConfigurationError(
      "The module 'rate-limit' is for the whole app. Add it to `use` of createHoldfast.",
    ),
  );
  expect(() => createTestApp({ agents: [agent], use: [rateLimit()] })).not.toThrow();
});
