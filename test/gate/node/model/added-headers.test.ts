/** Tests that adapters send the headers of a request, such as a trace context. */
import { expect, it } from 'vitest';
import { fromAiSdk } from '../../../../src/model/ai-sdk/entry.ts';
import { type AiBinding, workersAi } from '../../../../src/model/workers-ai/entry.ts';
import { createDelta, createFakeModel, createFinish, createStreamedResult } from './ai-sdk/fake-model.ts';
import { ask, createCompletion, hello } from './openai-compatible/fake-server.ts';

const headers = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', 'x-own': 'theirs' };
const request = { ...hello, headers };

it('the headers of a request are sent to a server compatible with OpenAI, but its own headers take precedence', async () => {
  const respondOk = () => Response.json(createCompletion({ content: 'hi' }));
  const { requests } = await ask(respondOk, { request, apiKey: 'k', headers: { 'x-own': 'ours' } });
  expect(requests[0]?.headers).toMatchObject({
    authorization: 'Bearer k',
    traceparent: headers.traceparent,
    'x-own': 'ours',
  });
});

it('the headers of a request are passed to a model of the AI SDK and to Workers AI', async () => {
  const sdk = createFakeModel([() => createStreamedResult([createDelta('hi'), createFinish()])]);
  const options = { signal: new AbortController().signal };
  await fromAiSdk(sdk.model).ask(request, options);
  expect(sdk.calls[0]?.headers).toEqual(headers);
  const seen: unknown[] = [];
  const run: AiBinding['run'] = async (_, __, given) => {
    seen.push(given?.extraHeaders);
    return { response: 'hi' };
  };
  await workersAi({ run }, { model: '@cf/m-1' }).ask({ ...request, cache: { key: 'k1' } }, options);
  expect(seen).toEqual([{ ...headers, 'x-session-affinity': 'k1' }]);
});
