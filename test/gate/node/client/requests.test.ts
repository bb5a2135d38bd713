import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type ClientOptions,
  type ClientSession,
  createClient,
  type FetchInit,
  HoldfastError,
} from '../../../../src/client/entry.ts';
import {
  ANSWER,
  collect,
  createFakeSession,
  createFrame,
  createJsonResponse,
  createProblemResponse,
  createStreamResponse,
  LOST_ERROR,
  withoutWaiting,
} from './fake-server.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) });
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const SESSION_VIEW = { session: 's1', agent: 'clerk', seq: 4, messages: [] };

describe('a request', () => {
  it('is retried at most five times after a lost connection, with growing delays', async () => {
    const times: number[] = [];
    const { session } = createFakeSession(
      ...Array.from({ length: 6 }, () => () => {
        times.push(Date.now() - Date.UTC(2026, 0, 1));
        throw LOST_ERROR;
      }),
    );
    await expect(withoutWaiting(session.state())).rejects.toMatchObject({
      name: 'HoldfastError',
      type: 'connection-lost',
      status: 0,
      message: 'The connection to the server was lost in GET /agents/clerk/sessions/s1: fetch failed.',
      cause: LOST_ERROR,
      more: {},
    });
    expect(times).toEqual([0, 500, 1500, 3500, 7500, 15_500]);
  });

  const refused = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:1') });
  const nameless = new TypeError('fetch failed', {
    cause: Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }),
  });
  it.each<[string, Error, (session: ClientSession) => Promise<unknown>, string, object]>([
    [
      'a message',
      refused,
      (session) => session.send('Pay.', { idempotencyKey: 'k1' }),
      'POST /agents/clerk/sessions/s1/messages: fetch failed (connect ECONNREFUSED 127.0.0.1:1). The request may have run. Send it again with the `idempotencyKey` in `more`, and it runs once.',
      { idempotencyKey: 'k1' },
    ],
    [
      'a decision',
      nameless,
      (session) => session.decide('c1', 'approve', { idempotencyKey: 'k2' }),
      'POST /agents/clerk/sessions/s1/answers: fetch failed (ECONNREFUSED). The request may have run. Send it again with the `idempotencyKey` in `more`, and it runs once.',
      { idempotencyKey: 'k2' },
    ],
    [
      'a cancel',
      new Error('Network connection lost.'),
      (session) => session.cancel('t1'),
      'POST /agents/clerk/sessions/s1/cancel: Network connection lost. The request may have run.',
      {},
    ],
    [
      'a state',
      refused,
      (session) => session.state(),
      'GET /agents/clerk/sessions/s1: fetch failed (connect ECONNREFUSED 127.0.0.1:1).',
      {},
    ],
  ])(
    'reports a lost connection and whether the request may have run: %s',
    async (_, thrown, ask, message, more) => {
      const { session } = createFakeSession(...Array.from({ length: 6 }, () => thrown));
      await expect(withoutWaiting(ask(session))).rejects.toMatchObject({
        type: 'connection-lost',
        message: `The connection to the server was lost in ${message}`,
        more,
        cause: thrown,
      });
    },
  );

  it('explains an error whose cause the browser hides', async () => {
    vi.stubGlobal('location', { origin: 'https://shop.example' });
    const { session } = createFakeSession(
      ...Array.from({ length: 6 }, () => new TypeError('Failed to fetch')),
    );
    await expect(withoutWaiting(session.state())).rejects.toThrow(
      'The connection to the server was lost in GET /agents/clerk/sessions/s1: Failed to fetch. In a page, check that `cors({ origins })` lists its origin.',
    );
  });

  it('is retried if it receives no response for 50 s, and the first attempt is aborted', async () => {
    const { session, got } = createFakeSession(
      () => new Promise<Response>(() => {}),
      createJsonResponse(SESSION_VIEW),
    );
    const answered = session.state();
    await vi.advanceTimersByTimeAsync(49_999);
    expect([got.length, got[0]?.signal?.aborted]).toEqual([1, false]);
    expect(await withoutWaiting(answered)).toEqual(SESSION_VIEW);
    expect([got.length, got[0]?.signal?.aborted, got[1]?.signal?.aborted]).toEqual([2, true, false]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('has no timeout while it sends files', async () => {
    let answer = (_: Response): void => {};
    const { session, got } = createFakeSession(
      () =>
        new Promise<Response>((resolve) => {
          answer = resolve;
        }),
    );
    const sent = session.send('Look.', { files: [new Blob(['x'], { type: 'image/png' })] });
    await vi.advanceTimersByTimeAsync(600_000);
    answer(createStreamResponse([createFrame('answer', ANSWER)]));
    expect(await sent).toEqual(ANSWER);
    expect(got).toHaveLength(1);
  });

  it('is retried after a random delay, so that clients do not retry together', async () => {
    vi.mocked(Math.random).mockReturnValue(0.5);
    const { session } = createFakeSession(LOST_ERROR, createJsonResponse(SESSION_VIEW));
    const answered = session.state();
    await vi.advanceTimersByTimeAsync(624);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await answered).toEqual(SESSION_VIEW);
  });

  it('is retried if its response breaks off', async () => {
    const createBrokenStream = () => createStreamResponse(['{"a'], 'broken');
    const { session } = createFakeSession(createBrokenStream, createJsonResponse(SESSION_VIEW));
    expect(await withoutWaiting(session.state())).toEqual(SESSION_VIEW);
  });

  it.each([
    [
      'with a Retry-After in seconds',
      () => createProblemResponse('rate-limited', 429, {}, { 'retry-after': '7' }),
      7_000,
    ],
    [
      'with a Retry-After date',
      () =>
        createProblemResponse(
          'session-unavailable',
          503,
          {},
          { 'retry-after': 'Thu, 01 Jan 2026 00:00:09 GMT' },
        ),
      9_000,
    ],
    [
      'with a Retry-After date, measured by the clock of the server',
      () =>
        createProblemResponse(
          'session-unavailable',
          503,
          {},
          {
            date: 'Thu, 01 Jan 2026 07:00:00 GMT',
            'retry-after': 'Thu, 01 Jan 2026 07:00:09 GMT',
          },
        ),
      9_000,
    ],
    ['of a proxy', () => new Response('<h1>Bad gateway</h1>', { status: 502 }), 500],
    ['of the edge', () => new Response('<h1>Connection timed out</h1>', { status: 522 }), 500],
  ])('is retried after an error %s', async (_, refusal, ms) => {
    const { session } = createFakeSession(refusal(), createJsonResponse(SESSION_VIEW));
    const answered = session.state();
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await answered).toEqual(SESSION_VIEW);
  });

  it.each([
    ['a busy session', 'session-busy', 409, { 'retry-after': '1' }],
    ['an error that needs another deployment', 'session-unreadable', 503, {}],
    ['a rate limit of an hour', 'rate-limited', 429, { 'retry-after': '3600' }],
    ['a failed model', 'model-failure', 502, { 'retry-after': '1' }],
    ['an invalid body', 'invalid-body', 422, {}],
  ])('is rejected without a retry for %s', async (_, type, status, headers) => {
    const { session, got } = createFakeSession(
      createProblemResponse(type, status, { turn: 't0' }, { ...headers }),
    );
    const { 'retry-after': retryAfter } = { 'retry-after': undefined, ...headers };
    await expect(session.send('Pay.')).rejects.toMatchObject({
      name: 'HoldfastError',
      type,
      status,
      message: `It is ${type}.`,
      detail: `It is ${type}.`,
      retryAfter: retryAfter === undefined ? undefined : Number(retryAfter),
      more: { turn: 't0' },
    });
    expect(got).toHaveLength(1);
  });

  it.each([
    ['not a problem', new Response('<h1>Not found</h1>', { status: 404 }), 404],
    ['not valid JSON', new Response('{"a', { headers: { 'content-type': 'application/json' } }), 200],
    [
      'not a valid problem',
      new Response('oops', { status: 400, headers: { 'content-type': 'application/problem+json' } }),
      400,
    ],
  ])('rejects with bad-response if the response is %s', async (_, response, status) => {
    const { session } = createFakeSession(response);
    const failure = await session.state().catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(HoldfastError);
    expect(failure).toMatchObject({ type: 'bad-response', status });
    expect(String(failure)).toContain(
      `The server returned ${status} without a Holdfast response. Check the url. The body begins: `,
    );
  });

  it('rejects with the reason of an aborted signal', async () => {
    const { session, got } = createFakeSession();
    await expect(session.state({ signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
    expect(got).toEqual([]);
  });

  it('requests a token for each attempt, and rejects if the token function rejects', async () => {
    const token = vi
      .fn<() => Promise<string>>()
      .mockResolvedValueOnce('old')
      .mockResolvedValueOnce('new')
      .mockRejectedValueOnce(new Error('logged out'));
    const tokens: (string | undefined)[] = [];
    const client = createClient({
      url: 'https://agents.test/ai/',
      agent: 'clerk',
      token,
      fetch: async (url, { headers }) => {
        tokens.push(`${url} ${headers.authorization}`);
        if (tokens.length === 1) throw LOST_ERROR;
        return createJsonResponse(SESSION_VIEW);
      },
    });
    await withoutWaiting(client.session('s1').state());
    expect(tokens).toEqual(
      ['old', 'new'].map((one) => `https://agents.test/ai/agents/clerk/sessions/s1 Bearer ${one}`),
    );
    await expect(client.session('s1').state()).rejects.toThrow('logged out');
  });
});

describe('a token function that uses the network', () => {
  it('is called again after a network failure', async () => {
    const token = vi
      .fn<() => Promise<string>>()
      .mockRejectedValueOnce(new TypeError('Failed to fetch'))
      .mockResolvedValue('new');
    const client = createClient({
      url: 'https://agents.test',
      agent: 'clerk',
      token,
      fetch: async () => createJsonResponse(SESSION_VIEW),
    });
    expect(await withoutWaiting(client.session('s1').state())).toEqual(SESSION_VIEW);
    expect(token).toHaveBeenCalledTimes(2);
  });

  it('makes the request reject if it fails each time', async () => {
    const failure = new TypeError('Failed to fetch');
    const client = createClient({
      url: 'https://agents.test',
      agent: 'clerk',
      token: () => Promise.reject(failure),
    });
    await expect(withoutWaiting(client.session('s1').state())).rejects.toMatchObject({
      type: 'connection-lost',
      message: 'The token function failed: Failed to fetch.',
      cause: failure,
    });
  });
});

describe('a request with invalid data', () => {
  const createTestClient = (options: Partial<ClientOptions>) =>
    createClient({ url: 'https://agents.test', agent: 'clerk', ...options }).session('s1');

  it.each([
    ['a\u200bb', 'The token contains a character that is not allowed in a header.'],
    ['secret\u0000', 'The token contains a character that is not allowed in a header.'],
    ['one\ntwo', 'The token contains a character that is not allowed in a header.'],
  ])('throws for the token %j, without repeating the token', async (token, message) => {
    await expect(createTestClient({ token }).state()).rejects.toThrow(new TypeError(message));
  });

  it('throws for an invalid idempotency key', async () => {
    await expect(createTestClient({}).send('Pay.', { idempotencyKey: 'für €' })).rejects.toThrow(
      new TypeError("'idempotency-key' contains a character that is not allowed in a header."),
    );
  });

  it('does not throw for a line break at the end of a token, which fetch removes', async () => {
    const seen: string[] = [];
    const fetch = async (_: string, { headers }: FetchInit) => {
      seen.push(new Headers(headers).get('authorization') ?? '');
      return createJsonResponse(SESSION_VIEW);
    };
    await createTestClient({ token: 'of-a-file\n', fetch }).state();
    expect(seen).toEqual(['Bearer of-a-file']);
  });

  it('throws for a relative URL outside of a page', async () => {
    await expect(createTestClient({ url: '/ai' }).state()).rejects.toThrow(
      new TypeError("createClient: 'url' is '/ai'. Relative URLs only work in a page. Use an absolute URL."),
    );
  });

  it.each(['https://me:secret@agents.test', 'https://agents test', 'agents.test', 'https://agents.test?a=b'])(
    'throws for the URL %s and hides its password',
    (url) => {
      expect(() => createTestClient({ url })).toThrow(
        new TypeError(
          `createClient: 'url' is '${url.replace('me:secret@', '***@')}'. Use a URL such as https://agents.example.com.`,
        ),
      );
    },
  );
});

describe('a session', () => {
  it('has a generated id by default', () => {
    const client = createClient({ url: '', agent: 'clerk' });
    expect(client.session('s:1@b').id).toBe('s:1@b');
    expect(client.session().id).toMatch(/^[0-9a-f]{32}$/);
    expect(client.session().id).not.toBe(client.session().id);
  });

  it('revalidates its state, and reuses the earlier state if it is unchanged', async () => {
    const { session, got } = createFakeSession(
      createJsonResponse(SESSION_VIEW, 200, { etag: '"4"' }),
      new Response(null, { status: 304 }),
      createJsonResponse({ ...SESSION_VIEW, seq: 5 }, 200, { etag: '"5"' }),
    );
    const [first, second, third] = [await session.state(), await session.state(), await session.state()];
    expect(second).toBe(first);
    expect(third.seq).toBe(5);
    expect(got.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"4"', '"4"']);
  });

  it('returns the status of a turn, even if the turn has failed', async () => {
    const failed = { ...ANSWER, outcome: 'failed', error: { type: 'stuck', message: 'It is stuck.' } };
    const { session, got } = createFakeSession(
      createJsonResponse({ turn: 't1', status: 'running' }, 202),
      createProblemResponse('turn-failed', 500, failed),
      createStreamResponse([createFrame('answer', ANSWER)]),
    );
    expect(await session.turn('t1')).toEqual({ turn: 't1', status: 'running' });
    expect(await session.turn('t1')).toEqual(failed);
    expect(await session.turn('t1', { wait: true })).toEqual(ANSWER);
    expect(got.map(({ path }) => path)).toEqual(['/turns/t1', '/turns/t1', '/turns/t1']);
  });

  it('rejects a message with session-erased if the session is erased meanwhile', async () => {
    const { session } = createFakeSession(createStreamResponse([createFrame('erased', {})]));
    await expect(session.send('Pay.')).rejects.toMatchObject({ type: 'session-erased', status: 410 });
  });

  it('reads the journal page by page', async () => {
    const { session, got } = createFakeSession(
      createJsonResponse({ events: [{ seq: 1 }, { seq: 2 }], next: '/x' }),
      createJsonResponse({ events: [{ seq: 3 }], next: null }),
    );
    expect(await collect(session.events())).toEqual([{ seq: 1 }, { seq: 2 }, { seq: 3 }]);
    expect(got.map(({ path }) => path)).toEqual(['/events?after=0', '/events?after=2']);
  });

  it('sends files after the text, and can read them again', async () => {
    const { session, got } = createFakeSession(
      createStreamResponse([createFrame('answer', ANSWER)]),
      () => new Response('PNG', { headers: { 'content-type': 'image/png' } }),
    );
    const files = [
      new File(['a'], 'a.png', { type: 'image/png' }),
      new Blob(['b'], { type: 'image/gif' }),
      { bytes: new TextEncoder().encode('c'), mediaType: 'text/plain', name: 'c.txt' },
    ];
    await session.send('What is this?', { files, context: { customer: 'ada' }, delaySeconds: 2 });
    const form = got[0]?.body;
    if (!(form instanceof FormData)) throw new Error('The body is not a form.');
    expect(got[0]?.headers).not.toHaveProperty('content-type');
    const told = [...form].map(([name, value]) => [
      name,
      typeof value === 'string' ? value : [value.name, value.type, value.size],
    ]);
    expect(told).toEqual([
      ['message', 'What is this?'],
      ['context', '{"customer":"ada"}'],
      ['delaySeconds', '2'],
      ['file0', ['a.png', 'image/png', 1]],
      ['file1', ['file', 'image/gif', 1]],
      ['file2', ['c.txt', 'text/plain', 1]],
    ]);
    const blob = await session.file({ id: 'ab' });
    expect([got[1]?.path, blob.type, await blob.text()]).toEqual(['/files/ab', 'image/png', 'PNG']);
  });

  it('deletes files by their ids', async () => {
    const createEmptyResponse = () => new Response(null, { status: 204 });
    const { session, got } = createFakeSession(createEmptyResponse(), createEmptyResponse());
    expect(await session.deleteFile('ab')).toBeUndefined();
    await session.deleteFile({ id: 'cd' });
    expect(got.map(({ method, path }) => [method, path])).toEqual([
      ['DELETE', '/files/ab'],
      ['DELETE', '/files/cd'],
    ]);
  });

  it('can be cancelled and erased', async () => {
    const stopping = { turn: 't1', status: 'cancel-requested' };
    const { session, got } = createFakeSession(
      createJsonResponse(stopping, 202),
      createJsonResponse(stopping, 202),
      new Response(null, { status: 204 }),
    );
    expect(await session.cancel()).toEqual(stopping);
    await session.cancel('t 1');
    expect(await session.erase()).toBeUndefined();
    expect(got.map(({ method, path }) => [method, path])).toEqual([
      ['POST', '/cancel'],
      ['POST', '/cancel?turn=t%201'],
      ['DELETE', ''],
    ]);
  });

  it('does not retry a cancellation without a turn id, because a new turn may have started', async () => {
    const loseConnection = (): never => {
      throw LOST_ERROR;
    };
    const { session, got } = createFakeSession(
      loseConnection,
      loseConnection,
      loseConnection,
      createJsonResponse({ turn: 't1', status: 'cancel-requested' }, 202),
    );
    const createLostError = (request: string) => ({
      type: 'connection-lost',
      message: `The connection to the server was lost in ${request}: fetch failed. The request may have run.`,
    });
    await expect(session.cancel()).rejects.toMatchObject(
      createLostError('POST /agents/clerk/sessions/s1/cancel'),
    );
    await expect(session.erase()).rejects.toMatchObject(createLostError('DELETE /agents/clerk/sessions/s1'));
    expect(await withoutWaiting(session.cancel('t1'))).toMatchObject({ turn: 't1' });
    expect(got.map(({ method, path }) => [method, path])).toEqual([
      ['POST', '/cancel'],
      ['DELETE', ''],
      ['POST', '/cancel?turn=t1'],
      ['POST', '/cancel?turn=t1'],
    ]);
  });
});

describe('an invalid request', () => {
  const createClientAt = (url: string) => () => createClient({ url, agent: 'clerk' });

  it.each(['agents.test', 'ftp://agents.test', 'https://agents.test?a=1', 'https://agents.test/#a'])(
    'throws for the URL %s',
    (url) => {
      expect(createClientAt(url)).toThrow(
        new TypeError(
          `createClient: 'url' is '${url.replace('me:secret@', '***@')}'. Use a URL such as https://agents.example.com.`,
        ),
      );
    },
  );

  it('may go to the origin of the page', () => {
    expect(createClientAt('')).not.toThrow();
    expect(createClientAt('/ai')).not.toThrow();
  });

  it.each(['', '.', '..'])('throws for the name %j, which would lead to another path', async (name) => {
    const { session } = createFakeSession();
    expect(() => createClient({ url: '', agent: name })).toThrow(
      new TypeError(`'${name}' is not a valid agent name. Use a string other than '', '.' and '..'.`),
    );
    expect(() => createClient({ url: '', agent: 'clerk' }).session(name)).toThrow(
      new TypeError(`'${name}' is not a valid session name. Use a string other than '', '.' and '..'.`),
    );
    await expect(session.turn(name)).rejects.toThrow(
      new TypeError(`'${name}' is not a valid turn name. Use a string other than '', '.' and '..'.`),
    );
  });

  it('throws for files in addition to a message of parts', async () => {
    const { session } = createFakeSession();
    const parts = [{ type: 'text', text: 'a' }] as const;
    await expect(session.send(parts, { files: [new Blob(['b'])] })).rejects.toThrow(
      '`files` needs a text message. Put the files in the message parts.',
    );
  });
});
