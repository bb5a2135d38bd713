/** Tests the cache key that identifies a conversation for a server compatible with OpenAI. */
import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../../../../src/model/entry.ts';
import { openaiCompatible } from '../../../../../src/model/openai-compatible/entry.ts';
import { ask, createCompletion, hello } from './fake-server.ts';

const respondOk = () => Response.json(createCompletion({ content: 'hi' }));
const CACHE_KEY = 'ab'.repeat(32);
const keyedRequest = { ...hello, cache: { key: CACHE_KEY, tools: true, system: true, messages: [-1] } };

/** Returns the body fields and headers that the cache key changes. */
async function getSentKey(options: object, request: ModelRequest = keyedRequest) {
  const [with_, without] = await Promise.all(
    [request, hello].map(async (one) => (await ask(respondOk, { ...options, request: one })).requests[0]),
  );
  const getDifferences = (one: unknown, other: unknown): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(Object(one)).filter(([name, value]) => {
        const { [name]: there }: Record<string, unknown> = Object(other);
        return JSON.stringify(there) !== JSON.stringify(value);
      }),
    );
  return {
    body: getDifferences(with_?.body, without?.body),
    headers: getDifferences(with_?.headers, without?.headers),
  };
}

describe('the cache key of a conversation', () => {
  it.each<[object, object, object]>([
    [{ server: 'openai' }, { prompt_cache_key: CACHE_KEY }, {}],
    [{ server: 'azure' }, { prompt_cache_key: CACHE_KEY }, {}],
    [{ server: 'xai' }, {}, { 'x-grok-conv-id': CACHE_KEY }],
    [{ server: 'workers-ai' }, {}, { 'x-session-affinity': CACHE_KEY }],
    [{ server: 'deepseek' }, {}, {}],
    [{}, {}, {}],
    // The URL does not identify the server behind it.
    [{ baseURL: 'https://api.openai.com/v1' }, {}, {}],
    [{ baseURL: 'https://api.x.ai/v1' }, {}, {}],
    [{ cacheKeyIn: 'prompt_cache_key' }, { prompt_cache_key: CACHE_KEY }, {}],
    [{ cacheKeyIn: 'x-session-affinity' }, {}, { 'x-session-affinity': CACHE_KEY }],
    [{ server: 'xai', cacheKeyIn: 'prompt_cache_key' }, { prompt_cache_key: CACHE_KEY }, {}],
    [{ server: 'openai', extraBody: { prompt_cache_key: 'mine' } }, {}, {}],
    [{ server: 'xai', headers: { 'X-Grok-Conv-Id': 'mine' } }, {}, {}],
  ])('is sent with %j as the fields %j and the headers %j', async (options, body, headers) => {
    expect(await getSentKey(options)).toEqual({ body, headers });
  });

  it('is not sent if the request has no cache key', async () => {
    const request = { ...keyedRequest, cache: { ...keyedRequest.cache, key: undefined } };
    expect(await getSentKey({ server: 'openai' }, request)).toEqual({ body: {}, headers: {} });
  });

  it.each([
    [{ server: 'openai' }, true],
    [{}, undefined],
    [{ cacheKeyIn: 'prompt_cache_key' }, true],
  ] as const)('is requested by a model with %j: %s', (options, caches) => {
    expect(openaiCompatible({ baseURL: 'https://some.test/v1', model: 'm-1', ...options }).caches).toBe(
      caches,
    );
  });

  it.each(['messages', 'tool_choice', '', 'a b', 'x-'.padEnd(70, 'y')])(
    'cannot be in the field or header %j',
    (cacheKeyIn) => {
      const make = () => openaiCompatible({ baseURL: 'https://some.test/v1', model: 'm-1', cacheKeyIn });
      expect(make).toThrow(
        new TypeError("'cacheKeyIn' must name a header or a body field that the adapter does not use."),
      );
    },
  );
});
