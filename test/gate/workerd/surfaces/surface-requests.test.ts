/** Requests to a surface, and how its responses and refusals leave the Worker. */
import { env } from 'cloudflare:workers';
import { Hono } from 'hono';
import { describe, expect, it, vi } from 'vitest';
import { createHoldfast } from '../../../../src/create-holdfast.ts';
import { defineModule, defineRoute, type ModuleRequest, type RouteProblem } from '../../../../src/module.ts';
import { files } from '../../../../src/modules/files/entry.ts';
import { rateLimit } from '../../../../src/modules/http/entry.ts';
import { openApi, type RouteDescriptions } from '../../../../src/modules/openapi/entry.ts';
import { createModule, createUse } from '../../../doors/openapi.ts';
import { STOP_SEAM } from '../../../doors/session.ts';
import { attempt } from '../../../doors/tools.ts';
import { clerk } from '../../../fixtures/clerk-agent.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { createHeldReply, registerScript } from '../../../fixtures/scripts.ts';
import { type AppConfig, createTestApp, wrapObjects } from '../http/app.ts';
import {
  createSessionPath,
  followToEnd,
  getSessionId,
  ORIGIN,
  readJson,
  type Send,
  send,
} from '../http/client.ts';
import { createFileAgent } from '../http/file-app.ts';

/** The handler of the only route. */
type RouteHandler = (
  asked: ModuleRequest,
  named: { readonly session: string },
) => Response | Promise<Response>;

/** A surface with one route for this handler, and its own format of problems. */
const createSurface = (handle: RouteHandler, name = 'echo') =>
  defineModule({ name }).use({
    routes: [
      defineRoute({
        method: 'POST',
        path: '/echo/{session}',
        isCounted: true,
        handle,
        refuse: ({ status, headers, ...told }) => Response.json({ oops: told }, { status, headers }),
      }),
    ],
  });

const createApp = (handle: RouteHandler, config: AppConfig = {}, vars = {}): Send =>
  createTestApp({ agents: [scripted, clerk], use: [createSurface(handle)], ...config }, vars);

const JSON_HEADERS = { 'content-type': 'application/json' };

const ask = (via: Send, body: unknown = {}, init: RequestInit = {}, path = '/echo/s1') =>
  via(path, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...init,
    headers: { ...JSON_HEADERS, ...init.headers },
  });

/** Returns the refusal in a response. */
const readRefusal = async (response: Response) => ({
  status: response.status,
  ...(await readJson(response)),
});

const echoRequest: RouteHandler = async (asked, named) => {
  const { agents, base, caller } = asked;
  return Response.json({ agents, base, caller, named, body: await asked.json() });
};

describe('a request to a surface', () => {
  it('contains its caller, the agents, its path parameters, and its body', async () => {
    const response = await ask(createApp(echoRequest), { a: 1 });
    expect(await readJson(response)).toEqual({
      agents: [scripted, clerk].map(({ name, description, tools }) => ({
        name,
        description,
        tools: tools.map((tool) => Object(tool).name),
        uses: expect.any(Array),
      })),
      base: '',
      caller: { id: 'local' },
      named: { session: 's1' },
      body: { a: 1 },
    });
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{16}$/);
  });

  it('has the same id in its response and in its handler', async () => {
    const response = await ask(createApp(({ requestId }) => new Response(requestId)));
    expect(await response.text()).toBe(response.headers.get('x-request-id'));
  });

  it('is served below the app’s mount path, and its links begin with that path', async () => {
    const holdfast = createHoldfast({ agents: [scripted], use: [createSurface(echoRequest)] });
    const app = new Hono();
    app.route('/ai', holdfast.routes);
    const request = new Request(`${ORIGIN}/ai/echo/s1`, {
      method: 'POST',
      headers: JSON_HEADERS,
      body: '{}',
    });
    const waits = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} };
    const body = await readJson(await app.fetch(request, env, waits));
    expect([body.base, body.named]).toEqual(['/ai', { session: 's1' }]);
  });

  it('is described in OpenAPI by its route’s description, or by its method and path', async () => {
    const post = async (descriptions?: readonly RouteDescriptions[]) => {
      const via = createApp(echoRequest, { use: [createSurface(echoRequest), openApi({ descriptions })] });
      return Object((await readJson(await via('/openapi.json'))).paths)['/echo/{session}'].post;
    };
    const described = { summary: 'Echoes', answers: { 200: { description: 'The echo' } } };
    expect(await post([{ 'POST /echo/{session}': described }])).toMatchObject({
      summary: 'Echoes',
      responses: { 200: { description: 'The echo' } },
    });
    expect(await post()).toMatchObject({
      operationId: 'postEchoSession',
      summary: 'POST /echo/{session}',
      responses: { default: { description: 'As the protocol has it', content: { '*/*': {} } } },
    });
  });

  it('has the app’s limit for its body, and the limit of a message with files if it has files', async () => {
    const createTooLarge = (detail: string) => ({
      status: 413,
      oops: { type: 'body-too-large', detail, more: {} },
    });
    const large = { text: 'x'.repeat(2_000_000) };
    expect(await readRefusal(await ask(createApp(echoRequest), large))).toEqual(
      createTooLarge('The body is larger than 1000000 bytes. Send less.'),
    );
    const withFiles = { agents: [scripted, createFileAgent()], use: [createSurface(echoRequest), files()] };
    expect((await ask(createApp(echoRequest, withFiles), large)).status).toBe(200);
    const larger = { text: 'x'.repeat(12 * 1024 * 1024) };
    expect(await readRefusal(await ask(createApp(echoRequest, withFiles), larger))).toEqual(
      createTooLarge('The body is larger than 12582912 bytes. Send less.'),
    );
    const many = { list: Array.from({ length: 600_000 }, () => 1) };
    expect(await readRefusal(await ask(createApp(echoRequest, withFiles), many))).toEqual(
      createTooLarge(
        'Without its files, the body is larger than 1000000 bytes. Send less, or send long text as a file.',
      ),
    );
  });
});

describe('a public route', () => {
  const card = defineRoute({
    method: 'POST',
    path: '/cards/{agent}',
    isPublic: true,
    async handle(asked, named) {
      const { caller, session } = Object(asked); // as plain JavaScript may
      const found = attempt(() => session({ agent: 'scripted', session: 's1' }));
      const sessions = found.ok ? 'a session' : String(found.thrown);
      return Response.json({ caller: String(caller), sessions, named, body: await asked.json() });
    },
    refuse: ({ status, type }) => Response.json({ oops: type }, { status }),
  });
  const via = createTestApp(
    { use: [defineModule({ name: 'cards' }).use({ routes: [card] }), createSurface(echoRequest), openApi()] },
    { HOLDFAST_TOKEN: 'secret' },
  );

  it('needs no token, is open to every page, and gets no caller and no sessions', async () => {
    const headers = { origin: 'https://any.example', 'sec-fetch-site': 'cross-site' };
    const response = await ask(via, { a: 1 }, { headers }, '/cards/scripted');
    expect(await readJson(response)).toEqual({
      caller: 'undefined',
      sessions:
        'ConfigurationError: sessionOf received a principal whose id or tenant is empty or not a string.',
      named: { agent: 'scripted' },
      body: { a: 1 },
    });
    // Other routes are unchanged.
    expect((await ask(via)).status).toBe(401);
  });

  it('also uses the surface’s format for problems', async () => {
    const response = await ask(via, '{', {}, '/cards/scripted');
    expect([response.status, await readJson(response)]).toEqual([400, { oops: 'bad-json' }]);
  });

  it('is described as a route without a token', async () => {
    const response = await via('/openapi.json', { headers: { authorization: 'Bearer secret' } });
    const { paths } = await readJson(response);
    expect(Object(paths)['/cards/{agent}'].post.security).toEqual([]);
    expect(Object(paths)['/echo/{session}'].post.security).toBeUndefined();
  });
});

const BUSY_REFUSAL = { status: 'busy', turn: 't1', retryAfter: 1 };

describe('the index of a surface', () => {
  /** Stores the texts of the body in the index, and returns the stored texts. */
  const keepTexts: RouteHandler = async (asked, { session: key }) => {
    const { texts = [] } = await asked.json();
    for (const text of Array.isArray(texts) ? texts : []) await asked.keep(key, String(text));
    return Response.json(await asked.kept(key));
  };
  const createPath = () => `/echo/${crypto.randomUUID()}`;
  const askKept = async (via: Send, path: string, texts: readonly string[] = []): Promise<string[]> =>
    (await ask(via, { texts }, {}, path)).json();

  it('finds texts by their key, with the latest first, and no texts under another key', async () => {
    const [via, path] = [createApp(keepTexts), createPath()];
    expect(await askKept(via, path, ['one', 'two'])).toEqual(['two', 'one']);
    expect(await askKept(via, path, ['three'])).toEqual(['three', 'two', 'one']);
    expect(await askKept(via, createPath())).toEqual([]);
  });

  it('returns up to the 20 latest texts', async () => {
    const texts = Array.from({ length: 25 }, (_, place) => `text ${place}`);
    const newest = texts.slice(5).toReversed();
    expect(await askKept(createApp(keepTexts), createPath(), texts)).toEqual(newest);
  });

  it('is complete after concurrent writes', async () => {
    const [via, path] = [createApp(keepTexts), createPath()];
    await Promise.all(['one', 'two', 'three'].map((text) => askKept(via, path, [text])));
    expect(new Set(await askKept(via, path))).toEqual(new Set(['one', 'two', 'three']));
  });

  it('belongs to its owner and its surface', async () => {
    const path = createPath();
    const createAppFor = (id: string, tenant?: string) =>
      createApp(keepTexts, { auth: () => ({ id, tenant }) });
    await askKept(createAppFor('ada'), path, ['hers']);
    await askKept(createAppFor('ada', 'acme'), path, ['ours']);
    expect(await askKept(createAppFor('ben'), path)).toEqual([]);
    expect(await askKept(createAppFor('ada'), path)).toEqual(['hers']);
    expect(await askKept(createAppFor('ben', 'acme'), path)).toEqual(['ours']);
    const other = createApp(keepTexts, {
      use: [createSurface(keepTexts, 'other')],
      auth: () => ({ id: 'ada' }),
    });
    expect(await askKept(other, path)).toEqual([]);
  });

  it('causes no model call, no log line and no notification', async () => {
    const lines: unknown[] = [];
    const told: string[] = [];
    const watching = createUse(createModule({ name: 'watching' }));
    STOP_SEAM.give(watching, ({ id }) => {
      told.push(id);
      return undefined;
    });
    const via = createApp(keepTexts, {
      log: (line) => lines.push(line),
      use: [createSurface(keepTexts), watching],
    });
    expect(await askKept(via, createPath(), ['one'])).toEqual(['one']);
    expect([lines, told]).toEqual([[], []]);
  });

  it.each([
    ['its object is always busy', { SESSIONS: wrapObjects(() => ({ begin: async () => BUSY_REFUSAL })) }],
    ['there is no binding', { SESSIONS: undefined }],
  ])('logs that it lost an entry if %s', async (_, vars) => {
    const lines: unknown[] = [];
    const keepOne: RouteHandler = async (asked) => {
      await asked.keep('key', 'one');
      return new Response('Done.');
    };
    const via = createApp(keepOne, { log: (line) => lines.push(line) }, vars);
    expect(await (await ask(via)).text()).toBe('Done.');
    expect(lines).toMatchObject([
      {
        level: 'warn',
        event: 'other',
        message: 'a surface could not store the session of a client, which must name it next time',
      },
    ]);
  });
});

describe('a surface formats', () => {
  const throwIfCalled: RouteHandler = () => {
    throw new Error('The handler was called.');
  };
  const createOops = (status: number, type: string, detail: string, more = {}) => ({
    status,
    oops: { type, detail, more },
  });

  it('the refusal of an unknown caller', async () => {
    const response = await ask(createApp(throwIfCalled, { auth: () => null }));
    const detail = 'Send valid credentials.';
    expect(await readRefusal(response)).toEqual(createOops(401, 'unauthorized', detail));
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{16}$/);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('the refusal without a token, with the headers of a 401', async () => {
    const response = await ask(createApp(throwIfCalled, {}, { HOLDFAST_TOKEN: 'secret' }));
    const detail = 'Send a valid token as "Authorization: Bearer ...".';
    expect(await readRefusal(response)).toEqual(createOops(401, 'unauthorized', detail));
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('the refusal of another site’s page', async () => {
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const response = await ask(createApp(throwIfCalled), {}, { headers });
    expect(await readRefusal(response)).toMatchObject({ status: 403, oops: { type: 'cross-site' } });
  });

  it('an invalid body', async () => {
    const via = createApp(echoRequest);
    expect(await readRefusal(await ask(via, '{'))).toEqual(
      createOops(400, 'bad-json', 'The body is not JSON.'),
    );
    const problems = ['it must be a JSON object'];
    const detail = `The body is not valid: ${problems}.`;
    expect(await readRefusal(await ask(via, '[]'))).toEqual(
      createOops(422, 'invalid-body', detail, { problems }),
    );
    const text = await ask(via, '{}', { headers: { 'content-type': 'text/plain' } });
    expect(await readRefusal(text)).toEqual(
      createOops(415, 'unsupported-media-type', 'Send the body as application/json.'),
    );
  });

  it('too many requests', async () => {
    const RATE_LIMIT = { limit: async () => ({ success: false }) };
    const response = await ask(
      createApp(throwIfCalled, { use: [createSurface(throwIfCalled), rateLimit()] }, { RATE_LIMIT }),
    );
    const detail = 'Too many messages were sent to sessions of this owner. Send the message again later.';
    expect(await readRefusal(response)).toEqual(createOops(429, 'rate-limited', detail));
    expect(response.headers.get('retry-after')).toBe('10');
  });

  it('the wrong method', async () => {
    const response = await createApp(throwIfCalled)('/echo/s1');
    expect(await readRefusal(response)).toEqual(createOops(405, 'method-not-allowed', 'Use POST.'));
    expect(response.headers.get('allow')).toBe('POST');
  });

  it('the refusal of a session', async () => {
    const unknown = createApp(async (asked, { session }) => {
      await asked.session({ agent: 'nobody', session }).send('Hello');
      return new Response();
    });
    expect(await readRefusal(await ask(unknown))).toMatchObject({
      status: 404,
      oops: { type: 'unknown-agent' },
    });
    const unreadable = createApp(async (asked, { session }) => {
      await asked.session({ agent: 'scripted', session }).state();
      return new Response();
    });
    const strange = await ask(unreadable, {}, {}, '/echo/%20');
    expect(await readRefusal(strange)).toMatchObject({ status: 400, oops: { type: 'invalid-session-id' } });
  });

  it('an internal failure without its details, which are logged', async () => {
    const log = vi.fn();
    const failure = new TypeError('an internal secret');
    const via = createApp(
      () => {
        throw failure;
      },
      { log },
    );
    const response = await ask(via);
    const detail = 'The request failed. The log of the Worker shows why. Accepted messages are kept.';
    expect(await readRefusal(response)).toEqual(createOops(500, 'internal-error', detail));
    const id = response.headers.get('x-request-id');
    expect(log.mock.calls).toEqual([
      [expect.objectContaining({ event: 'request-failed', message: `request ${id} failed` })],
    ]);
  });

  it('a handler without a response like a failure, and the log includes the route', async () => {
    const log = vi.fn();
    const response = await ask(createApp(() => undefined as never, { log }));
    expect(await readRefusal(response)).toMatchObject({ status: 500, oops: { type: 'internal-error' } });
    expect(JSON.stringify(log.mock.calls)).toContain(
      "POST /echo/{session} of module 'echo' returned undefined, but its `handle` must return a Response.",
    );
  });

  it('a failure after its response began, on request', async () => {
    const via = createApp(({ problem }) => Response.json(problem(new Error('an internal secret'))));
    expect(await readJson(await ask(via))).toEqual({
      type: 'internal-error',
      status: 500,
      detail: 'The request failed. The log of the Worker shows why. Accepted messages are kept.',
      headers: {},
      more: {},
    });
  });

  it('no problem without a formatter, so that the response is the standard problem', async () => {
    const plain = defineModule({ name: 'plain' }).use({
      routes: [{ method: 'GET', path: '/plain', handle: () => Promise.reject(new Error('x')) }],
    });
    const response = await createTestApp({ use: [plain], log: false })('/plain');
    expect(await readJson(response)).toMatchObject({
      type: 'urn:holdfast:problem:internal-error',
      status: 500,
    });
  });
});

describe('a problem that a surface formats', () => {
  const createRefusingApp = (refuse: (problem: RouteProblem) => Response, log = vi.fn()) => ({
    log,
    via: createTestApp({
      use: [
        defineModule({ name: 'plain' }).use({
          routes: [
            {
              method: 'GET',
              path: '/plain',
              handle: () => Promise.reject('a text'),
              refuse,
            },
          ],
        }),
      ],
      log,
    }),
  });

  it('can have immutable headers', async () => {
    const { via } = createRefusingApp(() => Response.redirect('https://elsewhere.example/', 303));
    const response = await via('/plain', { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([303, 'https://elsewhere.example/']);
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{16}$/);
  });

  it.each([
    ['returns no response', () => undefined as never, /its `refuse` must return a Response/],
    [
      'fails',
      () => {
        throw new Error('The refusal failed.');
      },
      /The refusal failed/,
    ],
  ])(
    'is replaced by the standard problem if the formatter %s, and both errors are logged',
    async (_, refuse, why) => {
      const { via, log } = createRefusingApp(refuse);
      const response = await via('/plain');
      expect(await readJson(response)).toEqual({
        type: 'urn:holdfast:problem:internal-error',
        title: 'internal error',
        status: 500,
        detail: 'The request failed. The log of the Worker shows why. Accepted messages are kept.',
      });
      expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{16}$/);
      const logged = log.mock.calls.map(([{ stack = '', thrown }]) => `${stack} ${String(thrown)}`);
      expect(logged).toEqual([expect.stringContaining('a text'), expect.stringMatching(why)]);
    },
  );
});

describe('a surface’s response', () => {
  it('can be a fetched one, whose headers are immutable', async () => {
    const via = createApp(() => Response.redirect('https://elsewhere.example/', 303));
    const response = await ask(via);
    expect([response.status, response.headers.get('location')]).toEqual([303, 'https://elsewhere.example/']);
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{16}$/);
  });

  it('can be a stream of raw frames, with custom headers', async () => {
    async function* yieldFrames() {
      yield 'data: 1\n\n';
      yield 'data: 2\n\n';
    }
    const response = await ask(createApp(({ stream }) => stream(yieldFrames, { 'x-protocol': 'v1' })));
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('cache-control')).toBe('no-store, no-transform');
    expect(response.headers.get('x-protocol')).toBe('v1');
    expect(await response.text()).toBe(':\n\ndata: 1\n\ndata: 2\n\n');
  });

  it('has no stream for HEAD, which would not be read', async () => {
    let asked = 0;
    async function* yieldFrames() {
      asked += 1;
      yield 'data: never\n\n';
    }
    const surface = defineModule({ name: 'tape' }).use({
      routes: [
        defineRoute({
          method: 'GET',
          path: '/tape',
          handle: ({ stream }) => stream(yieldFrames, { 'x-of': 'tape' }),
        }),
      ],
    });
    const via = createTestApp({ agents: [scripted], use: [surface] });
    const response = await via('/tape', { method: 'HEAD' });
    const told = ['content-type', 'x-of'].map((name) => response.headers.get(name));
    expect([response.status, told, await response.text()]).toEqual([200, ['text/event-stream', 'tape'], '']);
    expect(asked).toBe(0);
  });

  it('is not produced faster than its client reads', async () => {
    let made = 0;
    async function* yieldFrames() {
      for (; made < 100; made += 1) yield `data: ${'x'.repeat(10_000)}\n\n`;
    }
    const response = await ask(createApp(({ stream }) => stream(yieldFrames)));
    await expect.poll(() => made).toBeGreaterThanOrEqual(6);
    expect(made).toBeLessThan(10);
    expect((await response.text()).length).toBeGreaterThan(1_000_000);
  });

  it('is notified if its client has disconnected, and the turn continues', async () => {
    const path = createSessionPath();
    const slow = createHeldReply('Done.');
    const { message } = registerScript(slow.reply);
    const signals: AbortSignal[] = [];
    const via = createApp(async (asked, { session }) => {
      signals.push(asked.signal);
      const turn = await asked
        .session({ agent: 'scripted', session })
        .stream(message(), { signal: asked.signal });
      return asked.stream(async function* () {
        for await (const { type } of turn) yield `data: ${type}\n\n`;
      });
    });
    const response = await ask(via, {}, {}, `/echo/${getSessionId(path)}`);
    await slow.asked();
    await response.body?.cancel();
    await expect.poll(() => signals[0]?.aborted).toBe(true);
    slow.release();
    expect((await followToEnd(path)).at(-1)).toMatchObject({ type: 'turn-ended', outcome: 'completed' });
  });
});

describe('a surface’s session', () => {
  const createSendHandle =
    (context: unknown): RouteHandler =>
    async (asked, { session }) => {
      const chat = asked.session({ agent: 'scripted', session });
      const answer = await chat.send(registerScript('Done.').message(), { context: context as never });
      return Response.json(answer);
    };
  const readContext = async (path: string): Promise<unknown> =>
    Object((await followToEnd(path)).find(({ type }) => type === 'turn-started')).context;

  it('is the same as the caller’s over HTTP', async () => {
    const path = createSessionPath();
    const answer = await readJson(
      await ask(createApp(createSendHandle({})), {}, {}, `/echo/${getSessionId(path)}`),
    );
    expect(answer).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(await readJson(await send(`${path}/turns/${answer.turn}`))).toEqual(answer);
  });

  it('accepts only the context keys that a body can set', async () => {
    const path = createSessionPath();
    const via = createApp(createSendHandle({ tenant: 'mine', locale: 'de' }), {
      http: { bodyContext: ['locale'] },
    });
    const problem =
      "context: a body cannot set 'tenant'. Allow it in createHoldfast({ http: { bodyContext: [...] } })";
    expect(await readRefusal(await ask(via, {}, {}, `/echo/${getSessionId(path)}`))).toEqual({
      status: 422,
      oops: {
        type: 'invalid-body',
        detail: `The body is not valid: ${problem}.`,
        more: { problems: [problem] },
      },
    });
    const allowed = createApp(createSendHandle({ locale: 'de' }), { http: { bodyContext: ['locale'] } });
    expect((await ask(allowed, {}, {}, `/echo/${getSessionId(path)}`)).status).toBe(200);
    expect(await readContext(path)).toEqual({ locale: 'de' });
  });

  it('lets headers override the client’s context', async () => {
    const path = createSessionPath();
    const via = createApp(createSendHandle({ locale: 'de' }), {
      http: { bodyContext: ['locale'], contextHeaders: { 'x-locale': 'locale', 'x-tenant': 'tenant' } },
    });
    const headers = { 'x-locale': 'fr', 'x-tenant': 't1' };
    await ask(via, {}, { headers }, `/echo/${getSessionId(path)}`);
    expect(await readContext(path)).toEqual({ locale: 'fr', tenant: 't1' });
  });
});
