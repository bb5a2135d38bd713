/** The strict servers of chat completions, called by the AI SDK's own loop through popular packages. */
import { createDeepSeek } from '@ai-sdk/deepseek';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import type { LanguageModel } from 'ai';
import { describe, expect, it } from 'vitest';
import {
  type ChatCompletionsWireOptions,
  createChatCompletionsWire,
} from '../../../wires/chat-completions.ts';
import { createFetch, type Script, type Wire } from '../../../wires/wire.ts';
import { answers, askTwice, longScript, withoutThinkingAt } from './ask.ts';

const createDeepSeekModel = (wire: Wire, model = 'deepseek-v4-pro') =>
  createDeepSeek({ apiKey: 'sk-1', fetch: createFetch(wire) })(model);
const createReasoner = (wire: Wire) => createDeepSeekModel(wire, 'deepseek-reasoner');
const createCompatible = (wire: Wire) =>
  createOpenAICompatible({ name: 'server', baseURL: 'https://server.example/v1', fetch: createFetch(wire) })(
    'model',
  );
const openRouter = (wire: Wire) =>
  createOpenRouter({ apiKey: 'sk-1', fetch: createFetch(wire) })('some/model');

type WireOptions = Omit<ChatCompletionsWireOptions, 'script'> & { readonly script?: Script };
const createWire = ({ script = longScript, ...options }: WireOptions) =>
  createChatCompletionsWire({ script, ...options });

/** A script whose model has the same thought before each reply. */
const sameThinkingScript: Script = {
  turns: longScript.turns.map((turn) => ({
    ...turn,
    steps: turn.steps.map((step) => ({ ...step, thinking: 'As always.' })),
  })),
};

type ClientFactory = (wire: Wire) => LanguageModel;

const unsaidMessage = 'The `reasoning_content` in the thinking mode must be passed back to the API.';
const formatChangedThinking = (index: number) =>
  `messages.${index}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified.`;
const formatUnverifiedMessage = (index: number) =>
  `The encrypted content of messages[${index}] could not be verified.`;
/** The position of the first turn's answer: after a question, ten replies and eighteen results. */
const answerIndex = 29;

describe.each([
  ['complete', false],
  ['streamed', true],
])('chat completions with %s responses', (_, stream) => {
  it.each<[string, ClientFactory, WireOptions]>([
    ['the DeepSeek package', createDeepSeekModel, { dialect: 'deepseek' }],
    [
      'the DeepSeek package, with some empty thoughts',
      createDeepSeekModel,
      { dialect: 'deepseek', script: withoutThinkingAt(0, 1) },
    ],
    ['the package for compatible servers, for DeepSeek', createCompatible, { dialect: 'deepseek' }],
    ['the package for compatible servers, for Kimi', createCompatible, { dialect: 'kimi' }],
    ['the OpenRouter package', openRouter, { dialect: 'openrouter' }],
    ['the package for compatible servers, for Gemini', createCompatible, { dialect: 'gemini' }],
  ])('receive everything back in the next request from %s', async (_name, modelOf, options) => {
    const wire = createWire(options);
    expect(await askTwice({ model: modelOf(wire), stream })).toEqual(answers);
    expect(wire.refused).toEqual([]);
    expect(wire.requests).toHaveLength(22);
  });

  const elsewhere = 'wire: the `reasoning` of messages[1] stands in `reasoning_content`';
  const noKimi =
    'thinking is enabled but reasoning_content is missing in assistant tool call message at index 3';
  it.each<[string, ClientFactory, WireOptions, string]>([
    [
      'empty thoughts of DeepSeek',
      createCompatible,
      { dialect: 'deepseek', script: withoutThinkingAt(0) },
      unsaidMessage,
    ],
    ['empty thoughts of Kimi', createCompatible, { dialect: 'kimi', script: withoutThinkingAt(1) }, noKimi],
    ['the field name `reasoning`', createCompatible, { dialect: 'reasoning' }, elsewhere],
    ['`reasoning_details`', createCompatible, { dialect: 'openrouter' }, formatChangedThinking(1)],
  ])('detect that the package for compatible servers loses %s', async (_name, modelOf, options, words) => {
    const wire = createWire(options);
    await askTwice({ model: modelOf(wire), stream });
    expect(wire.refused).toEqual([{ request: wire.requests.length - 1, status: 400, message: words }]);
    expect(wire.requests.length).toBeLessThan(4);
  });

  it.each<[string, ClientFactory, WireOptions, string]>([
    [
      'the reasoning of earlier turns, for a model that it treats as old',
      createReasoner,
      { dialect: 'deepseek' },
      unsaidMessage,
    ],
    [
      'the signature of a text answer',
      createCompatible,
      { dialect: 'gemini', signedAnswers: true },
      `wire: the extra_content of messages[${answerIndex}] is missing`,
    ],
    [
      'encrypted reasoning without a call',
      openRouter,
      { dialect: 'openrouter', details: () => ['encrypted'] },
      formatUnverifiedMessage(answerIndex),
    ],
  ])('detect that a package loses %s', async (_name, modelOf, options, words) => {
    const wire = createWire(options);
    expect((await askTwice({ model: modelOf(wire), stream }))[0]).toBe(answers[0]);
    expect(wire.refused).toEqual([{ request: 11, status: 400, message: words }]);
  });

  it.each<[string, WireOptions, number, string]>([
    [
      '`reasoning_details` of an empty thought',
      { dialect: 'openrouter', script: withoutThinkingAt(0) },
      1,
      unsaidMessage,
    ],
    [
      'a thought that repeats an earlier one',
      { dialect: 'openrouter', script: sameThinkingScript, details: () => ['text'] },
      2,
      formatChangedThinking(3),
    ],
    // The package joins streamed thoughts. It keeps complete ones separate, but without a call it sends back
    // only the first.
    [
      'one of two thoughts in a reply',
      { dialect: 'openrouter', details: () => ['text', 'text'] },
      stream ? 1 : 11,
      formatChangedThinking(stream ? 1 : answerIndex),
    ],
  ])('detect that the OpenRouter package loses %s', async (_name, options, request, message) => {
    const wire = createWire(options);
    await askTwice({ model: openRouter(wire), stream });
    expect(wire.refused).toEqual([{ request, status: 400, message }]);
  });
});
