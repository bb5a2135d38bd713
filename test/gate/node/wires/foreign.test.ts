/**
 * Another model's calls in the open turn, which strict servers accept only in the form that the adapter
 * sends.
 */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { expect, it } from 'vitest';
import type { ChatModel } from '../../../../src/index.ts';
import { type FromAiSdkOptions, fromAiSdk } from '../../../../src/model/ai-sdk/entry.ts';
import type { ModelMessage } from '../../../../src/model/entry.ts';
import { openaiCompatible } from '../../../../src/model/openai-compatible/entry.ts';
import { createServer, type WireName } from '../../../wires/session/servers.ts';
import { createFetch } from '../../../wires/wire.ts';

const script = { turns: [{ steps: [{ calls: [{ name: 'look', input: {} }] }], answer: 'Done.' }] };
const look = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } };
const messages: readonly ModelMessage[] = [
  { role: 'user', text: 'Go.' },
  { role: 'assistant', text: '', toolCalls: [{ id: 'theirs', name: 'look', input: '{}' }] },
  { role: 'tool', id: 'theirs', name: 'look', text: 'seen' },
];

type ModelFactory = (fetch: typeof globalThis.fetch, more: FromAiSdkOptions) => ChatModel;

const createClaude: ModelFactory = (fetch, more) =>
  fromAiSdk(createAnthropic({ apiKey: 'key', fetch })('claude-sonnet-4-5'), {
    settings: { providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 2000 } } } },
    ...more,
  });
const createCompatible =
  (name: string): ModelFactory =>
  (fetch, more) =>
    fromAiSdk(createOpenAICompatible({ name: 'x', baseURL: 'https://x.test/v1', fetch })(name), more);

async function askThrough(wire: WireName, make: (fetch: typeof globalThis.fetch) => ChatModel) {
  const server = createServer(wire, { script, seed: wire });
  const model = make(createFetch(server));
  // A loop would merge the settings.
  const { settings } = model;
  const reply = await model
    .ask({ messages, tools: [look], settings }, { signal: new AbortController().signal })
    .catch(() => undefined);
  return { text: reply?.text, refused: server.refused.map(({ message }) => message) };
}

it.each<[WireName, ModelFactory, RegExp]>([
  [
    'anthropic-budget',
    createClaude,
    /^messages\.1\.content\.0\.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`\./,
  ],
  [
    'kimi-sdk',
    createCompatible('kimi-k2.6'),
    /^thinking is enabled but reasoning_content is missing in assistant tool call message at index 1$/,
  ],
  [
    'extra-content-sdk',
    createCompatible('gemini-3-pro'),
    /^Function call is missing a thought_signature in functionCall parts\./,
  ],
])(
  '%s refuses foreign calls in raw form, and accepts them as its adapter sends them',
  async (wire, make, words) => {
    const { refused } = await askThrough(wire, (fetch) => make(fetch, { wantsThoughts: false, retries: 0 }));
    expect(refused).toEqual([expect.stringMatching(words)]);
    expect(await askThrough(wire, (fetch) => make(fetch, {}))).toEqual({ text: 'Done.', refused: [] });
  },
);

it.each(['kimi', 'deepseek'] as const)(
  '%s refuses one request with foreign calls if the adapter is not configured for them',
  async (wire) => {
    const at = { baseURL: 'https://x.test/v1', model: 'm', apiKey: 'key' };
    const plain = await askThrough(wire, (fetch) => openaiCompatible({ ...at, fetch }));
    expect([plain.text, plain.refused.length]).toEqual(['Done.', 1]);
    const told = await askThrough(wire, (fetch) =>
      openaiCompatible({ ...at, fetch, wantsThoughts: 'field' }),
    );
    expect(told).toEqual({ text: 'Done.', refused: [] });
  },
);
