/** Tests errors that servers send inside a stream with status 200, as reported by each AI SDK provider. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createDeepSeek } from '@ai-sdk/deepseek';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { expect, it } from 'vitest';
import { getFailure, settle } from '../settle.ts';
import { ask, createStreamedResult } from './fake-model.ts';
import { createWire, type WireEvents } from './wire.ts';

type ModelFactory = (fetch: typeof globalThis.fetch) => LanguageModelV4;

const tooLongText =
  "This model's maximum context length is 8192 tokens. However, your messages resulted in 8227 tokens.";
const openAI = {
  message: tooLongText,
  type: 'invalid_request_error',
  param: 'input',
  code: 'context_length_exceeded',
};
const plain = { message: tooLongText, type: 'BadRequestError', param: null, code: 400 };
const delta = {
  id: 'c',
  model: 'm',
  choices: [{ index: 0, delta: { content: 'Hel' }, finish_reason: null }],
};

const createAnthropicModel: ModelFactory = (fetch) =>
  createAnthropic({ apiKey: 'k', fetch })('claude-sonnet-4-5');
const createGoogleModel: ModelFactory = (fetch) =>
  createGoogle({ apiKey: 'k', fetch })('gemini-3-pro-preview');
const createResponsesModel: ModelFactory = (fetch) =>
  createOpenAI({ apiKey: 'k', fetch }).responses('gpt-5.5');
const createChatModel: ModelFactory = (fetch) => createOpenAI({ apiKey: 'k', fetch }).chat('gpt-5.5');
const createCompatible: ModelFactory = (fetch) =>
  createOpenAICompatible({ name: 'own', baseURL: 'http://own.test/v1', fetch })('m');
const createDeepSeekModel: ModelFactory = (fetch) => createDeepSeek({ apiKey: 'k', fetch })('deepseek-v4');
const openRouter: ModelFactory = (fetch) => createOpenRouter({ apiKey: 'k', fetch })('m');

const start = {
  type: 'message_start',
  message: { id: 'm', model: 'c', usage: { input_tokens: 1, output_tokens: 1 } },
};
const createdEvent = { type: 'response.created', response: { id: 'r', created_at: 1, model: 'gpt-5.5' } };

it.each<[string, ModelFactory, WireEvents, boolean]>([
  [
    'Anthropic',
    createAnthropicModel,
    [
      {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'prompt is too long: 9 tokens > 8 maximum' },
      },
    ],
    false,
  ],
  [
    'Anthropic, after the start of its message',
    createAnthropicModel,
    [
      start,
      {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'prompt is too long: 9 tokens > 8 maximum' },
      },
    ],
    false,
  ],
  ["OpenAI's responses", createResponsesModel, [{ ...openAI, type: 'error', sequence_number: 0 }], false],
  [
    "OpenAI's responses, in the new form",
    createResponsesModel,
    [createdEvent, { type: 'error', sequence_number: 1, error: openAI }],
    false,
  ],
  ["OpenAI's chat completions", createChatModel, [{ error: openAI }], false],
  [
    'Gemini',
    createGoogleModel,
    [
      {
        error: {
          code: 400,
          status: 'INVALID_ARGUMENT',
          message: 'The input token count (9) exceeds the maximum number of tokens allowed (8).',
        },
      },
    ],
    false,
  ],
  ['a server compatible with OpenAI', createCompatible, [{ error: plain }, '[DONE]'], false],
  [
    'a server compatible with OpenAI, after some text',
    createCompatible,
    [delta, { error: plain }, '[DONE]'],
    true,
  ],
  ['DeepSeek', createDeepSeekModel, [{ error: openAI }, '[DONE]'], false],
  ['OpenRouter', openRouter, [{ error: plain }, '[DONE]'], false],
])(
  'a stream error of %s can report a conversation that is too long',
  async (_, make, events, outputBegan) => {
    const { model, sent } = createWire(make, [events], { retries: 2 });
    expect(getFailure(await settle(model, { stream: true }))).toMatchObject({
      failure: 'context-length',
      outputBegan,
    });
    expect(sent).toHaveLength(1);
  },
);

it.each<[string, ModelFactory, WireEvents]>([
  ['Anthropic', createAnthropicModel, [start]],
  ["OpenAI's responses", createResponsesModel, [createdEvent]],
  [
    'Gemini',
    createGoogleModel,
    [{ candidates: [{ content: { role: 'model', parts: [{ text: 'Hel' }] }, index: 0 }] }],
  ],
])('a stream that %s cuts off is reported as truncated', async (_, make, events) => {
  const { model } = createWire(make, [events]);
  expect(getFailure(await settle(model))).toMatchObject({ failure: 'truncated' });
});

it('a stream error of Mistral is read, although its provider reports an invalid reply', async () => {
  const value = {
    object: 'error',
    message: 'Prompt contains 9 tokens and 0 draft tokens, too large for model with 8 maximum context length',
    type: 'invalid_request_invalid_args',
    code: '3051',
  };
  const error = Object.assign(new Error(`Type validation failed: Value: ${JSON.stringify(value)}.`), {
    name: 'AI_TypeValidationError',
    value,
  });
  expect(
    getFailure(await ask(() => createStreamedResult([{ type: 'error', error }]), { stream: true })),
  ).toMatchObject({
    failure: 'context-length',
    message: `The model's server reported an error: ${value.message}`,
  });
  // The message of a malformed event does not quote the event.
  const malformed = Object.assign(new Error('secret'), {
    name: 'AI_TypeValidationError',
    value: { text: 'secret' },
  });
  expect(
    getFailure(
      await ask(() => createStreamedResult([{ type: 'error', error: malformed }]), { stream: true }),
    ),
  ).toMatchObject({ failure: 'invalid-reply', message: 'The model failed with AI_TypeValidationError.' });
});
