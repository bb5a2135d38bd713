import { expect, it } from 'vitest';
import { type AiBinding, workersAi } from '../../../../../src/model/workers-ai/entry.ts';
import { hello } from '../openai-compatible/fake-server.ts';

it('requests with the same cache key have the same session affinity', async () => {
  const seen: Parameters<AiBinding['run']>[] = [];
  const run: AiBinding['run'] = async (...given) => {
    seen.push(given);
    return { response: 'hi' };
  };
  const model = workersAi({ run }, { model: '@cf/m-1' });
  const options = { signal: new AbortController().signal };
  const cache = { key: 'ab'.repeat(32), tools: true, system: true, messages: [-1] };
  await model.ask({ ...hello, cache }, options);
  await model.ask({ ...hello, cache: { ...cache, key: undefined } }, options);
  await model.ask(hello, options);
  expect(model.caches).toBe(true);
  expect(seen.map(([, inputs]) => inputs)).toEqual([seen[2]?.[1], seen[2]?.[1], seen[2]?.[1]]);
  const signal = expect.any(AbortSignal);
  expect(seen.map(([, , given]) => given)).toEqual([
    { signal, extraHeaders: { 'x-session-affinity': cache.key } },
    { signal },
    { signal },
  ]);
});
