/**
 * A client that sends back everything unchanged is never refused, even by the strictest server of each kind.
 */
import { expect, it } from 'vitest';
import { type ChatDialectName, createChatCompletionsWire } from '../../../wires/chat-completions.ts';
import { createResponsesWire } from '../../../wires/responses.ts';
import { withoutThinkingAt } from './ask.ts';
import { echoChatMessages, echoResponses } from './echo.ts';

const script = withoutThinkingAt(0, 1, 5);
const strictOptions = { script, exactArguments: true };

it.each<ChatDialectName>(['deepseek', 'kimi', 'reasoning', 'openrouter', 'gemini'])(
  'chat completions in the dialect %s accept an unchanged history',
  async (dialect) => {
    const listDetails = () => ['text', 'text', 'summary', 'encrypted'] as const;
    const wire = createChatCompletionsWire({
      ...strictOptions,
      dialect,
      signedAnswers: true,
      details: listDetails,
    });
    await echoChatMessages(wire);
    expect(wire.refused).toEqual([]);
    expect(wire.requests).toHaveLength(22);
  },
);

const encryptedOptions = { store: false, include: ['reasoning.encrypted_content'] };
it.each([
  ['stores the items', {}],
  ['stores the items and returns summaries', { reasoning: { summary: 'auto' } }],
  ['encrypts the reasoning', encryptedOptions],
  ['encrypts the reasoning and returns summaries', { ...encryptedOptions, reasoning: { summary: 'auto' } }],
])('the Responses API accepts an unchanged history if it %s', async (_name, settings) => {
  const wire = createResponsesWire(strictOptions);
  await echoResponses(wire, settings);
  expect(wire.refused).toEqual([]);
  expect(wire.requests).toHaveLength(22);
});
