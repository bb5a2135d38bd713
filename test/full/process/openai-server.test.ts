/** Uses the Worker of this repository with a third-party model server that only the settings select. */
import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningWorker, startWorker } from './start-worker.ts';
import { parseAnswer, say } from './talk.ts';

const mock = new LLMock({ port: 0, host: '127.0.0.1', chunkSize: 3 });
const answer = 'Your order 1002 is on its way: „Grüße“, says the carrier. 🌊';
let worker: RunningWorker;

beforeAll(async () => {
  mock
    .onToolResult('call_b', { content: answer })
    .onToolResult('call_a', {
      toolCalls: [{ id: 'call_b', name: 'track_shipment', arguments: '{"trackingCode":"KC-7002"}' }],
    })
    .onMessage('Where is order 1002?', {
      toolCalls: [{ id: 'call_a', name: 'find_order', arguments: '{"orderId":1002}' }],
    });
  await mock.start();
  const vars = { OPENAI_BASE_URL: `${mock.url}/v1`, OPENAI_API_KEY: 'sk-loopback', MODEL: 'gpt-5-mini' };
  worker = await startWorker('src/worker.ts', { vars });
});
afterAll(async () => {
  await worker.stop();
  await mock.stop();
});

it.each(['json', 'events'] as const)(
  'the OpenAI server calls the model, runs tools and answers over HTTP, as %s',
  async (as) => {
    mock.clearRequests();
    const session = new URL(`/agents/support/sessions/${as}`, worker.url);
    const heard = await say(session, { message: 'Where is order 1002?' }, as);

    expect(parseAnswer(heard)).toMatchObject({
      outcome: 'completed',
      text: answer,
      iterations: 3,
      toolCalls: 2,
      model: 'gpt-5-mini',
    });
    expect(heard.streamed).toEqual(as === 'events' ? [answer] : []);
    expect(mock.getRequests().map(({ path, response }) => [path, response.status])).toEqual(
      Array.from({ length: 3 }, () => ['/v1/chat/completions', 200]),
    );
    expect(mock.getLastRequest()?.body).toMatchObject({
      model: 'gpt-5-mini',
      messages: [
        { role: 'system' },
        { role: 'user', content: 'Where is order 1002?' },
        { role: 'assistant', tool_calls: [{ id: 'call_a' }] },
        { role: 'tool', tool_call_id: 'call_a', content: expect.stringContaining('KC-7002') },
        { role: 'assistant', tool_calls: [{ id: 'call_b' }] },
        { role: 'tool', tool_call_id: 'call_b', content: expect.stringContaining('KC-7002') },
      ],
    });
  },
);
