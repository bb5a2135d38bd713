import { describe, expect, it } from 'vitest';
import type { Fetch } from '../../../../../../src/mcp/tools/entry.ts';
import { createGuardedFetch, type FetchRules, WireError } from '../../../../../doors/mcp.ts';
import { getRejection } from '../open.ts';

const SERVER = 'https://mcp.example.com/mcp';

const RULES = { allowPrivate: false, maxResponseBytes: 100, redact: (text: string) => text };

/** A guarded `fetch` around this one, and the requests that were sent. */
function createGuarded(answer: (url: URL, times: number) => Response, rules: Partial<FetchRules> = {}) {
  const asked: string[] = [];
  const inits: (RequestInit | undefined)[] = [];
  const fetch: Fetch = async (url, init) => {
    asked.push(`${init?.method ?? 'GET'} ${url}`);
    inits.push(init);
    return answer(new URL(url), asked.length);
  };
  const server = new URL(SERVER);
  return {
    asked,
    inits,
    fetch: createGuardedFetch({ ...RULES, fetch, server, ...rules }),
  };
}

const createRedirect = (location: string, status = 307) =>
  new Response(null, { status, headers: { location } });
const getPhrase = async (promise: Promise<unknown>) => {
  const error = await getRejection(promise);
  return error instanceof WireError ? error.phrase : error;
};

describe('a guarded request', () => {
  it('is sent unchanged, and the guard handles its redirects', async () => {
    const { fetch, inits } = createGuarded(() => new Response('ok'));
    const init = { method: 'POST', body: '{}', headers: { 'x-a': '1' } };
    expect(await (await fetch(SERVER, init)).text()).toBe('ok');
    expect(inits).toEqual([{ ...init, redirect: 'manual' }]);
  });

  it.each([
    ['http://mcp.example.com/', 'it names a URL that does not begin with https:'],
    ['https://169.254.169.254/latest/meta-data', 'it names a URL that points to a private network'],
    ['https://localhost/', 'it names a URL that points to a private network'],
  ])('is refused for another origin at %s', async (url, why) => {
    const { fetch, asked } = createGuarded(() => new Response('ok'));
    expect(await getPhrase(fetch(url))).toBe(why);
    expect(asked).toEqual([]);
  });

  it('is sent to another public origin', async () => {
    const { fetch, asked } = createGuarded(() => new Response('ok'));
    await fetch('https://auth.example.com/token');
    expect(asked).toEqual(['GET https://auth.example.com/token']);
  });

  it('can go to any origin if private addresses are allowed', async () => {
    const { fetch, asked } = createGuarded(() => new Response('ok'), { allowPrivate: true });
    await fetch('http://10.0.0.1/token');
    expect(asked).toEqual(['GET http://10.0.0.1/token']);
  });

  it('ends when its signal aborts, even if the inner `fetch` ignores it', async () => {
    const reason = new Error('over');
    const over = new AbortController();
    const server = new URL(SERVER);
    const neverRespond: Fetch = () => new Promise(() => undefined);
    const fetch = createGuardedFetch({ ...RULES, fetch: neverRespond, server });
    const answer = getRejection(fetch(SERVER, { signal: over.signal }));
    over.abort(reason);
    expect(await answer).toBe(reason);
  });

  it('ends when its signal aborts while the body is read', async () => {
    const reason = new Error('over');
    const over = new AbortController();
    const cancelled = Promise.withResolvers<unknown>();
    const body = new ReadableStream({ cancel: (why) => cancelled.resolve(why) });
    const { fetch } = createGuarded(() => new Response(body));
    const response = await fetch(SERVER, { signal: over.signal });
    const text = getRejection(response.text());
    over.abort(reason);
    expect(await text).toBe(reason);
    expect(await cancelled.promise).toBe(reason);
  });
});

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('is followed within the origin by a GET (%i)', async (status) => {
    const { fetch, asked } = createGuarded((_, times) =>
      times === 1 ? createRedirect('/new?a=1', status) : new Response('ok'),
    );
    expect(await (await fetch(SERVER)).text()).toBe('ok');
    expect(asked).toEqual([`GET ${SERVER}`, 'GET https://mcp.example.com/new?a=1']);
  });

  it.each([307, 308])('is followed within the origin by a POST with its body (%i)', async (status) => {
    const { fetch, inits } = createGuarded((_, times) =>
      times === 1 ? createRedirect('/new', status) : new Response('ok'),
    );
    await fetch(SERVER, { method: 'POST', body: '{}' });
    expect(inits.map((init) => [init?.method, init?.body])).toEqual([
      ['POST', '{}'],
      ['POST', '{}'],
    ]);
  });

  it.each([301, 302, 303])('is refused if it would turn a POST into a GET (%i)', async (status) => {
    const { fetch, asked } = createGuarded(() => createRedirect('/new', status));
    expect(await getPhrase(fetch(SERVER, { method: 'POST' }))).toBe(
      'it redirects to https://mcp.example.com',
    );
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['https://evil.example/mcp', 'https://evil.example'],
    ['//evil.example/mcp', 'https://evil.example'],
    ['http://mcp.example.com/mcp', 'http://mcp.example.com'],
    ['https://mcp.example.com:8443/', 'https://mcp.example.com:8443'],
    ['https://mcp.example.com.evil.example/', 'https://mcp.example.com.evil.example'],
    ['https://ada@mcp.example.com/', 'https://mcp.example.com'],
    ['https://:secret@mcp.example.com/', 'https://mcp.example.com'],
    ['https://169.254.169.254/', 'https://169.254.169.254'],
    ['data:,x', 'null'],
  ])('is refused if it leads to %s', async (location, origin) => {
    const { fetch, asked } = createGuarded(() => createRedirect(location), { allowPrivate: true });
    expect(await getPhrase(fetch(SERVER))).toBe(`it redirects to ${origin}`);
    expect(asked).toHaveLength(1);
  });

  it('is followed at most five times', async () => {
    const { fetch, asked } = createGuarded(() => createRedirect('/again'));
    expect(await getPhrase(fetch(SERVER))).toBe('it redirects too many times');
    expect(asked).toHaveLength(6);
  });

  it('is an ordinary response if it has no location', async () => {
    const { fetch } = createGuarded(() => new Response(null, { status: 304 }));
    expect((await fetch(SERVER)).status).toBe(304);
  });
});

describe('a response', () => {
  it('can have as many bytes as the client allows', async () => {
    const { fetch } = createGuarded(() => new Response('x'.repeat(100)));
    expect(await (await fetch(SERVER)).text()).toHaveLength(100);
  });

  it('is cut if it is larger, even if it declares a smaller length', async () => {
    const { fetch } = createGuarded(
      () => new Response(createChunkStream(60, 60), { headers: { 'content-length': '10' } }),
    );
    const response = await fetch(SERVER);
    expect(await getPhrase(response.text())).toBe('it answered with more than 100 bytes');
  });

  it('has a readable status even if it is too large', async () => {
    const headers = { 'content-length': '101' };
    const { fetch } = createGuarded(() => new Response('x'.repeat(101), { status: 502, headers }));
    const response = await fetch(SERVER);
    expect(response.status).toBe(502);
    expect(await getPhrase(response.text())).toBe('it answered with more than 100 bytes');
  });

  it('is streamed while it is read', async () => {
    const { fetch } = createGuarded(() => new Response(createChunkStream(60, 60)));
    const reader = (await fetch(SERVER)).body?.getReader();
    const sizes = [await reader?.read(), await reader?.read()].map((read) => read?.value?.byteLength);
    expect(sizes).toEqual([60, 40]);
    expect(reader && (await getPhrase(reader.read()))).toBe('it answered with more than 100 bytes');
  });

  it('releases its connection if it is cut', async () => {
    const cancelled = Promise.withResolvers<void>();
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(60)),
      cancel: () => cancelled.resolve(),
    });
    const { fetch } = createGuarded(() => new Response(body));
    await getPhrase((await fetch(SERVER)).arrayBuffer());
    await cancelled.promise;
  });

  it('keeps its status and its headers', async () => {
    const { fetch } = createGuarded(() => new Response('no', { status: 503, headers: { 'x-a': '1' } }));
    const response = await fetch(SERVER);
    expect([response.status, response.headers.get('x-a')]).toEqual([503, '1']);
  });
});

const createChunkStream = (...sizes: readonly number[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const size of sizes) controller.enqueue(new Uint8Array(size));
      controller.close();
    },
  });
