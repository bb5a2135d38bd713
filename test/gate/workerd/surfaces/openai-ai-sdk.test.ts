/** The AI SDK's OpenAI provider, which sends stored items by their ids only. */
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, type ModelMessage, stepCountIs, streamText, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { listPaymentsTo } from '../../../fixtures/clerk-agent.ts';
import { registerScript } from '../../../fixtures/scripts.ts';
import { openAiApp } from './openai-app.ts';

const provider = createOpenAI({
  baseURL: 'http://localhost/v1',
  apiKey: 'none',
  fetch: (input, init) => openAiApp(String(input), init),
});
const model = provider.responses('clerk');
/** With this label, the SDK accepts approval requests. */
const holdfast = provider.tools.mcp({ serverLabel: 'holdfast', serverUrl: 'http://localhost' });
const withoutRetries = { maxRetries: 0 };

const createThinkingReply = (text: string, ...calls: { name: string; input: object }[]) => ({
  parts: [
    { type: 'reasoning' as const, text: 'Hm.' },
    { type: 'text' as const, text },
    ...calls.map(({ name, input }, id) => ({
      type: 'tool-call' as const,
      id: String(id),
      name,
      input: JSON.stringify(input),
    })),
  ],
});

describe.each([
  ['stores responses', true],
  ['stores no responses', false],
] as const)('an AI SDK client that %s', (_, store) => {
  const providerOptions = { openai: { store } };

  it('runs the tools that the agent leaves to it, one step after another', async () => {
    const { message } = registerScript(
      createThinkingReply('Let me see.', { name: 'look_up', input: { id: '1' } }),
      { calls: ['2', '3'].map((id) => ({ name: 'look_up', input: { id } })) },
      'All found.',
    );
    const asked: string[] = [];
    const look_up = tool({
      inputSchema: jsonSchema<{ id: string }>({ type: 'object' }),
      execute: ({ id }) => {
        asked.push(id);
        return `The one of ${id}.`;
      },
    });
    const { text } = await generateText({
      model,
      prompt: message(),
      tools: { look_up },
      stopWhen: stepCountIs(5),
      providerOptions,
      ...withoutRetries,
    });
    expect([text, asked]).toEqual(['All found.', ['1', '2', '3']]);
  });

  it('answers the questions, and continues', async () => {
    const to = crypto.randomUUID();
    const calls = [1, 2].map((amount) => ({ name: 'pay', input: { to, amount } }));
    const { message, model: asked } = registerScript(
      createThinkingReply('I pay.', ...calls),
      'Paid.',
      'Welcome.',
    );
    const messages: ModelMessage[] = [{ role: 'user', content: message() }];
    const say = async () => {
      const result = streamText({ model, messages, tools: { holdfast }, providerOptions, ...withoutRetries });
      messages.push(...(await result.response).messages);
      return { text: await result.text, content: await result.content };
    };
    const { content } = await say();
    const approvals = content.flatMap((part) =>
      part.type === 'tool-approval-request' ? [part.approvalId] : [],
    );
    messages.push({
      role: 'tool',
      content: approvals.map((approvalId, place) => ({
        type: 'tool-approval-response',
        approvalId,
        approved: place === 1,
        providerExecuted: true,
      })),
    });
    expect((await say()).text).toBe('Paid.');
    expect(listPaymentsTo(to)).toEqual([2]);
    messages.push({ role: 'user', content: 'Thanks.' });
    expect((await say()).text).toBe('Welcome.');
    expect(asked.requests).toHaveLength(3);
  });

  it('gets the reason if a turn failed', async () => {
    const { message } = registerScript({ text: '' }, { text: '' });
    const failed = generateText({ model, prompt: message(), providerOptions, ...withoutRetries });
    await expect(failed).rejects.toMatchObject({
      message: 'The model returned an empty reply, even after it was asked once more.',
      isRetryable: false,
    });
  });
});
