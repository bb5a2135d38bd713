/** The part of a loop's requests that the provider of the model should cache. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { defineTool, fallback, ModelError } from '../../../../../src/index.ts';
import { defineSubagent } from '../../../../../src/kinds/entry.ts';
import type { CacheMarks, ModelRequest } from '../../../../../src/model/entry.ts';
import {
  type CacheableRequest,
  type CacheSetting,
  promptCache,
} from '../../../../../src/modules/prompt-cache/entry.ts';
import {
  createManualClock,
  createTestSession,
  type ScriptedReply,
  scriptedModel,
} from '../../../../../src/testing/entry.ts';
import { createMemoryLoop, runForOutput } from '../../../../doors/loop.ts';
import { askAgents, callTools, createAgent, defineAgentic } from '../../agentic/scenes.ts';
import { callEvents, LEASE_MS, leaveHolderSilent, takeOver } from '../../session/former-holder.ts';
import { createMemoryApp } from '../../session/memory-app.ts';

const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen' });
const createCachingModel = (replies: readonly ScriptedReply[]) => scriptedModel(replies, { caches: true });

async function collectRequests(
  replies: readonly ScriptedReply[],
  tools: Parameters<typeof createAgent>[1] = [look],
  cache?: CacheSetting,
): Promise<readonly ModelRequest[]> {
  const session = createTestSession(createAgent('clerk', tools, { use: cache ? [promptCache(cache)] : [] }), {
    model: createCachingModel(replies),
  });
  await session.send('Go.');
  return session.requests;
}

const getMarks = (requests: readonly ModelRequest[]): (CacheMarks | undefined)[] =>
  requests.map(({ cache }) => cache);
const CACHE_KEY = /^[0-9a-f]{64}$/;

afterEach(() => {
  vi.restoreAllMocks();
});

describe('the cached part of a loop’s requests', () => {
  it('ends at the last message and at the end of the previous request, under one key', async () => {
    const session = createTestSession(createAgent('clerk', [look]), {
      model: createCachingModel([callTools('look'), callTools('look', 'look'), 'Done.', 'Again.']),
    });
    await session.send('Go.');
    await session.send('Go on.');
    const [key, ...others] = new Set(session.requests.map(({ cache }) => cache?.key));
    expect(key).toMatch(CACHE_KEY);
    expect(others).toEqual([]);
    expect(session.requests.map(({ messages, cache }) => [messages.length, cache])).toEqual([
      [2, { key, tools: true, system: true, messages: [-1] }],
      [4, { key, tools: true, system: true, messages: [-1, 1] }],
      [7, { key, tools: true, system: true, messages: [-1, 3] }],
      [9, { key, tools: true, system: true, messages: [-1, 6] }],
    ]);
  });

  it('has another key in each loop, and the same key for each request of a loop', async () => {
    const replies = [callTools(['ask', { task: 'A' }], ['ask', { task: 'B' }]), 'A.', 'B.', 'Done.'];
    const requests = await collectRequests(replies, [defineAgentic('ask', [look])]);
    const [own, inner, ...more] = requests.map(({ cache }) => cache?.key);
    expect(more).toEqual([inner, own]);
    expect(inner).toMatch(CACHE_KEY);
    expect(inner).not.toBe(own);
  });

  it('has a key that every invocation derives from the session, and that does not identify a person', async () => {
    const clock = createManualClock(1_000_000);
    const modelOptions = { caches: true } as const;
    const app = createMemoryApp({
      tools: [look],
      replies: ['Done.'],
      clock,
      leaseMs: LEASE_MS,
      modelOptions,
    });
    const left = await leaveHolderSilent(app, callEvents(['look']));
    await takeOver(app, clock, left);
    const { incarnation } = await app.state();
    const name = '["owner","tester","s1"]';
    const hashed = new TextEncoder().encode(JSON.stringify([name, incarnation, 'cache of tester']));
    const bytes = [...new Uint8Array(await crypto.subtle.digest('SHA-256', hashed))];
    const key = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
    expect(getMarks(app.model.requests)).toEqual([expect.objectContaining({ key })]);
  });

  it('has one key for all requests of a loop', async () => {
    const model = createCachingModel([callTools('look'), callTools('look'), 'Done.']);
    const { loop } = createMemoryLoop({
      tools: [look],
      model,
      holder: { digest: async (id) => `digest of ${id}` },
    });
    await runForOutput(loop);
    expect(model.requests.map(({ cache }) => cache?.key)).toEqual(Array(3).fill('digest of cache of memory'));
  });

  it('is not marked for a model without cache support', async () => {
    const model = scriptedModel([callTools('look'), 'Done.']);
    const session = createTestSession(createAgent('clerk', [look], { use: [promptCache('auto')] }), {
      model,
    });
    await session.send('Go.');
    expect(session.requests.map((request) => 'cache' in request)).toEqual([false, false]);
  });

  it('is not marked if caching is off', async () => {
    const requests = await collectRequests([callTools('look'), 'Done.'], [look], 'off');
    expect(requests.map((request) => 'cache' in request)).toEqual([false, false]);
  });

  it('is marked for the models of a fallback that support it', async () => {
    const deaf = scriptedModel([new ModelError('server-error', 'Down.')], { name: 'deaf' });
    const told = createCachingModel(['Yes.']);
    vi.spyOn(console, 'warn').mockReturnValue();
    await createTestSession(createAgent('clerk'), { model: fallback([deaf, told]) }).send('Go.');
    expect('cache' in (deaf.requests[0] ?? {})).toBe(false);
    expect(told.requests[0]?.cache).toMatchObject({ tools: true });
    expect(fallback([deaf, deaf]).caches).toBeUndefined();
  });
});

describe('a function that chooses the cached part', () => {
  it('receives the request and the key, and returns the cached part', async () => {
    const seen: CacheableRequest[] = [];
    const requests = await collectRequests([callTools('look'), 'Done.'], [look], (request) => {
      seen.push(request);
      return request.messages.length > 2
        ? { key: request.key, system: true, messages: [0], ttl: '1h' }
        : undefined;
    });
    const [first, second] = seen;
    expect(requests.map((request) => 'cache' in request)).toEqual([false, true]);
    expect(requests[1]?.cache).toEqual({ key: second?.key, system: true, messages: [0], ttl: '1h' });
    const { cache: _, ...sent } = requests[1] ?? { cache: undefined };
    expect(second).toEqual({ ...sent, key: first?.key });
  });

  it.each<[string, () => unknown, string]>([
    [
      'throws',
      () => {
        throw new Error('The server refused s3cret-value.');
      },
      'threw: The server refused [secret token].',
    ],
    [
      'returns a promise',
      () => Promise.reject(new Error('late')),
      'returned a promise, but must be synchronous',
    ],
    [
      'returns a string',
      () => 'all',
      'returned a value of the type string, but must return an object with marks or undefined',
    ],
    [
      'returns a key with spaces',
      () => ({ key: 'a b' }),
      "returned an invalid key. Use 1 to 64 letters, digits, '-' and '_'",
    ],
    [
      'returns a fraction as a message',
      () => ({ messages: [0.5] }),
      'returned messages that are not a list of whole numbers',
    ],
    ['returns an unsupported ttl', () => ({ ttl: '1d' }), "returned an invalid ttl. Use '5m' or '1h'"],
  ])('is logged, and caching is skipped, if it %s', async (_, choose, why) => {
    const told = vi.spyOn(console, 'error').mockReturnValue();
    const session = createTestSession(
      createAgent('clerk', [look], { use: [promptCache(choose as () => undefined)] }),
      {
        model: createCachingModel(['Done.']),
        secrets: () => ({ token: 's3cret-value' }),
      },
    );
    await session.send('Go.');
    expect(session.requests.map((request) => 'cache' in request)).toEqual([false]);
    expect(told.mock.calls).toEqual([
      [`holdfast: a request has no cache marks, because the promptCache function for 'clerk' ${why}`],
    ]);
  });
});

it.each(['on', true, { ttl: '1h' }])('promptCache refuses %j', (setting) => {
  expect(() => promptCache(setting as never)).toThrow(
    new TypeError("promptCache must receive 'auto', 'off' or a function."),
  );
});

describe('the caching of a nested loop', () => {
  const createScript = () => [askAgents('helper'), 'Helped.', 'Done.'];
  const runInner = async (own: CacheSetting | undefined, around: CacheSetting) => {
    const helper = createAgent('helper', [look], { use: own ? [promptCache(own)] : [] });
    const [, one] = getMarks(
      await collectRequests(createScript(), [defineSubagent({ agent: helper })], around),
    );
    return one;
  };

  it('is set by its agent, or otherwise by the outer loop', async () => {
    expect(await runInner(undefined, 'off')).toBeUndefined();
    expect(await runInner('off', 'auto')).toBeUndefined();
    expect(await runInner('auto', 'off')).toMatchObject({ tools: true, messages: [-1] });
    expect(await runInner(undefined, () => ({ system: true }))).toEqual({ system: true });
  });
});
