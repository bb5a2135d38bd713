/** The strict servers of chat completions, asked by the AI SDK's own loop through the packages that people use. */
import { createDeepSeek } from '@ai-sdk/deepseek';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { describe, expect, it } from 'vitest';
import {
  type ChatCompletionsWireOptions,
  createChatCompletionsWire,
} from '../../../wires/chat-completions.ts';
import { fetchOf, type Script, type Wire } from '../../../wires/wire.ts';
import { answers, askTwice, longScript, thoughtlessAt } from './ask.ts';

const deepSeek = (wire: Wire, model = 'deepseek-v4-pro') =>
  createDeepSeek({ apiKey: 'sk-1', fetch: fetchOf(wire) })(model);
const reasoner = (wire: Wire) => deepSeek(wire, 'deepseek-reasoner');
const compatible = (wire: Wire) =>
  createOpenAICompatible({ name: 'server', baseURL: 'https://server.example/v1', fetch: fetchOf(wire) })(
    'model',
  );
const openRouter = (wire: Wire) => createOpenRouter({ apiKey: 'sk-1', fetch: fetchOf(wire) })('some/model');

type Options = Omit<ChatCompletionsWireOptions, 'script'> & { readonly script?: Script };
const wireOf = ({ script = longScript, ...options }: Options) =>
  createChatCompletionsWire({ script, ...options });

/** The model thinks the same before each reply of this script. */
const samely: Script = {
  turns: longScript.turns.map((turn) => ({
    ...turn,
    steps: turn.steps.map((step) => ({ ...step, thinking: 'As always.' })),
  })),
};

describe.each([
  ['whole', false],
  ['in pieces', true],
])('chat completions, answered %s', (_, stream) => {
  it.each<[string, (wire: Wire) => ReturnType<typeof deepSeek>, Options]>([
    ['DeepSeek from its package', deepSeek, { dialect: 'deepseek' }],
    [
      'DeepSeek from its package, where nothing was thought',
      deepSeek,
      { dialect: 'deepseek', script: thoughtlessAt(0, 1, 4) },
    ],
    ['DeepSeek from the package for compatible servers', compatible, { dialect: 'deepseek' }],
    ['Kimi from the package for compatible servers', compatible, { dialect: 'kimi' }],
    ['OpenRouter from its package', openRouter, { dialect: 'openrouter' }],
    ['Gemini from the package for compatible servers', compatible, { dialect: 'gemini' }],
  ])('%s gets all of it back', async (_name, modelOf, options) => {
    const wire = wireOf(options);
    expect(await askTwice({ model: modelOf(wire), stream })).toEqual(answers);
    expect(wire.refused).toEqual([]);
    expect(wire.requests).toHaveLength(22);
  });

  const missing = 'The `reasoning_content` in the thinking mode must be passed back to the API.';
  const first = answers.slice(0, 1);
  it.each<[string, (wire: Wire) => ReturnType<typeof deepSeek>, Options, readonly string[]]>([
    [
      'earlier turns, with names of older models of DeepSeek',
      reasoner,
      { dialect: 'deepseek' },
      [...first, missing],
    ],
    [
      'thoughts of nothing, by the package for compatible servers',
      compatible,
      { dialect: 'deepseek', script: thoughtlessAt(0) },
      [missing],
    ],
    [
      'thoughts of nothing, by the package for compatible servers',
      compatible,
      { dialect: 'kimi', script: thoughtlessAt(1) },
      ['thinking is enabled but reasoning_content is missing in assistant tool call message at index 3'],
    ],
    [
      'the name of `reasoning`, by the package for compatible servers',
      compatible,
      { dialect: 'reasoning' },
      ['wire: the `reasoning` of messages[1] stands in `reasoning_content`'],
    ],
    [
      '`reasoning_details`, by the package for compatible servers',
      compatible,
      { dialect: 'openrouter' },
      ['x'],
    ],
    [
      '`reasoning_details` of nothing, by the package of OpenRouter',
      openRouter,
      { dialect: 'openrouter', script: thoughtlessAt(0) },
      ['x'],
    ],
    [
      'encrypted reasoning without a call, by the package of OpenRouter',
      openRouter,
      { dialect: 'openrouter', details: () => ['encrypted'] },
      ['x'],
    ],
    [
      'two thoughts of a reply, by the package of OpenRouter',
      openRouter,
      { dialect: 'openrouter', details: () => ['text', 'text'] },
      ['x'],
    ],
    [
      'a thought that was thought before, by the package of OpenRouter',
      openRouter,
      { dialect: 'openrouter', script: samely, details: () => ['text'] },
      ['x'],
    ],
    [
      'the signature of an answer in words, by the package for compatible servers',
      compatible,
      { dialect: 'gemini', signedAnswers: true },
      ['x'],
    ],
  ])('loses %s', async (_name, modelOf, options, said) => {
    expect(await askTwice({ model: modelOf(wireOf(options)), stream })).toEqual(said);
  });
});
