/** Tests servers that answer a streaming request with a whole reply. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createDeepSeek } from '@ai-sdk/deepseek';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { describe, expect, it, vi } from 'vitest';
import { fromAiSdk } from '../../../../../src/model/ai-sdk/entry.ts';
import { createServer, type WireName } from '../../../../wires/session/servers.ts';

const script = { turns: [{ steps: [], answer: 'Said whole.' }] };

/** Returns a `fetch` to a strict server that cannot stream, and the number of requests. */
function createWholeOnly(wire: WireName) {
  const server = createServer(wire, { script, seed: wire });
  const asked = { times: 0 };
  const fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    asked.times += 1;
    const sent = new Request(input, init);
    const { stream: _, stream_options: __, ...body } = JSON.parse(await sent.text());
    const url = sent.url.replace(/:streamGenerateContent.*/, ':generateContent');
    return server.handle(
      new Request(url, { method: 'POST', headers: sent.headers, body: JSON.stringify(body) }),
    );
  };
  return { fetch, asked };
}

type ModelFactory = (fetch: typeof globalThis.fetch) => Parameters<typeof fromAiSdk>[0];

const PACKAGES: readonly (readonly [WireName, ModelFactory])[] = [
  ['anthropic-budget', (fetch) => createAnthropic({ apiKey: 'k', fetch })('claude-sonnet-4-5')],
  ['gemini', (fetch) => createGoogle({ apiKey: 'k', fetch })('gemini-3-pro-preview')],
  ['responses-unstored', (fetch) => createOpenAI({ apiKey: 'k', fetch }).responses('gpt-5.4')],
  ['deepseek-sdk', (fetch) => createDeepSeek({ apiKey: 'k', fetch })('deepseek-v4')],
  [
    'kimi-sdk',
    (fetch) => createOpenAICompatible({ name: 'kimi', baseURL: 'https://kimi.test/v1', fetch })('kimi-k2'),
  ],
  ['openrouter-sdk', (fetch) => createOpenRouter({ apiKey: 'k', fetch })('anthropic/claude-sonnet-4.5')],
];

describe('a JSON answer to a request for a stream', () => {
  it.each(PACKAGES)(
    'is followed by a request for JSON with the %s package, and later requests ask for JSON at once',
    async (wire, make) => {
      const { fetch, asked } = createWholeOnly(wire);
      const model = fromAiSdk(make(fetch), { retries: 0 });
      const again = vi.fn(async () => {});
      const { signal } = new AbortController();
      const request = { messages: [{ role: 'user', text: 'Go.' } as const], tools: [] };
      const first = await model.ask(request, { signal, again });
      // `again` reports the second request.
      expect([first.text, asked.times, again.mock.calls.length]).toEqual(['Said whole.', 2, 1]);
      const second = await model.ask(request, { signal, again });
      expect([second.text, asked.times, again.mock.calls.length]).toEqual(['Said whole.', 3, 1]);
    },
  );
});
