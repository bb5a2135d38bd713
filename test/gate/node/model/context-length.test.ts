/**
 * Tests each adapter with errors recorded from servers: a conversation that is too long, and similar errors.
 */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { describe, expect, it } from 'vitest';
import { fromAiSdk } from '../../../../src/model/ai-sdk/entry.ts';
import type { RequestLength } from '../../../../src/model/entry.ts';
import { readRequestLength } from '../../../doors/model.ts';
import { ask as askSdk } from './ai-sdk/fake-model.ts';
import {
  ask,
  createChoiceDelta,
  createStreamResponse,
  hello,
  toSseText,
} from './openai-compatible/fake-server.ts';
import { settle } from './settle.ts';
import { ask as askWorkersAi } from './workers-ai/fake-binding.ts';

type RefusalCase = readonly [who: string, status: number, body: unknown, length: RequestLength];

const openAI = (message: string, more: object = {}) => ({
  error: {
    message,
    type: 'invalid_request_error',
    param: 'messages',
    code: 'context_length_exceeded',
    ...more,
  },
});
/** Returns an error from a server without a code for this case. */
const createPlainError = (message: string, type = 'BadRequestError') => ({
  object: 'error',
  message,
  type,
  param: null,
  code: 400,
});

const REFUSALS: readonly RefusalCase[] = [
  [
    'OpenAI',
    400,
    openAI(
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 8227 tokens. Please reduce the length of the messages.",
    ),
    { sent: 8_227, most: 8_192 },
  ],
  [
    'OpenAI, with room reserved for a reply',
    400,
    openAI(
      "This model's maximum context length is 4096 tokens. However, you requested 4118 tokens (3118 in the messages, 1000 in the completion). Please reduce the length of the messages or completion.",
    ),
    { sent: 3_118, most: 3_096 },
  ],
  [
    'OpenAI, with a newer model',
    400,
    openAI(
      'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 289650 tokens. Please reduce the length of the messages.',
    ),
    { sent: 289_650, most: 272_000 },
  ],
  ['OpenAI, with an unknown text', 400, openAI('This is more than we can read.'), {}],
  [
    'vLLM',
    400,
    createPlainError(
      "This model's maximum context length is 131072 tokens. However, you requested 156632 tokens (152536 in the messages, 4096 in the completion). Please reduce the length of the messages or completion.",
    ),
    { sent: 152_536, most: 126_976 },
  ],
  [
    'vLLM, which stopped counting',
    400,
    createPlainError(
      "This model's maximum context length is 262144 tokens. However, you requested 128000 output tokens and your prompt contains at least 134145 input tokens, for a total of at least 262145 tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=134145)",
    ),
    { sent: undefined, most: 134_144 },
  ],
  [
    'vLLM, with an older text',
    400,
    createPlainError(
      "'max_tokens' or 'max_completion_tokens' is too large: 1000. This model's maximum context length is 4096 tokens and your request has 3500 input tokens (1000 > 4096 - 3500).",
    ),
    { sent: 3_500, most: 3_096 },
  ],
  [
    'vLLM, with a prompt that alone fills the window',
    400,
    createPlainError(
      "This model's maximum context length is 65536 tokens. However, your request has 93196 input tokens. Please reduce the length of the input messages. (parameter=input_tokens, value=93196)",
    ),
    { sent: 93_196, most: 65_536 },
  ],
  [
    'vLLM, with a rendered prompt',
    400,
    createPlainError(
      'The decoder prompt (length 40000) is longer than the maximum model length of 32768. Make sure that `max_model_len` is no smaller than the number of text tokens.',
    ),
    { sent: 40_000, most: 32_768 },
  ],
  [
    'OpenRouter',
    400,
    {
      error: {
        message:
          'This endpoint\'s maximum context length is 32768 tokens. However, you requested about 42832 tokens (40784 of text input, 2048 in the output). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
        code: 400,
        metadata: { provider_name: null },
      },
    },
    { sent: 40_784, most: 30_720 },
  ],
  [
    'OpenRouter, with the text of the provider behind it',
    400,
    {
      error: {
        message: 'Provider returned error',
        code: 400,
        metadata: {
          raw: JSON.stringify({
            type: 'error',
            error: {
              type: 'invalid_request_error',
              message: 'prompt is too long: 207791 tokens > 200000 maximum',
            },
          }),
          provider_name: 'Anthropic',
        },
      },
    },
    { sent: 207_791, most: 200_000 },
  ],
  [
    'Groq',
    400,
    openAI('Please reduce the length of the messages or completion.'),
    { sent: undefined, most: undefined },
  ],
  [
    'llama.cpp',
    400,
    {
      error: {
        code: 400,
        message:
          'request (124071 tokens) exceeds the available context size (123904 tokens), try increasing it',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 124071,
        n_ctx: 123904,
      },
    },
    { sent: 124_071, most: 123_904 },
  ],
  [
    'an older llama.cpp, with a status of 500',
    500,
    {
      error: {
        code: 500,
        message: 'the request exceeds the available context size, try increasing it',
        type: 'server_error',
      },
    },
    { sent: undefined, most: undefined },
  ],
  [
    'Ollama',
    400,
    {
      error: {
        message: 'prompt too long; exceeded max context length by 4096 tokens',
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
    },
    { sent: undefined, most: undefined },
  ],
  [
    'LM Studio',
    400,
    {
      error:
        'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 10978 >= n_ctx: 8192). Try to load the model with a larger context length, or provide a shorter input.',
    },
    { sent: 10_978, most: 8_192 },
  ],
  [
    'an older LM Studio',
    400,
    {
      error:
        'Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context length of only 32768 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input',
    },
    { sent: 111_490, most: 32_768 },
  ],
  [
    'llama-cpp-python',
    400,
    {
      error: {
        message: 'Requested tokens (6988) exceed context window of 4096',
        type: 'invalid_request_error',
      },
    },
    { sent: 6_988, most: 4_096 },
  ],
  [
    'SGLang',
    400,
    createPlainError("The input (40,000 tokens) is longer than the model's context length (32,768 tokens)."),
    { sent: 40_000, most: 32_768 },
  ],
  [
    'Mistral',
    400,
    {
      object: 'error',
      message:
        'Prompt contains 40966 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      type: 'invalid_request_error',
      code: '3051',
    },
    { sent: 40_966, most: 32_768 },
  ],
  [
    'xAI',
    400,
    {
      code: 'Client specified an invalid argument',
      error: "This model's maximum prompt length is 500000 but the request contains 907154 tokens.",
    },
    { sent: 907_154, most: 500_000 },
  ],
  [
    'Cerebras',
    400,
    {
      message:
        'Please reduce the length of the messages or completion. Current length is 42328 while limit is 40000',
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    },
    { sent: 42_328, most: 40_000 },
  ],
  [
    'Moonshot',
    400,
    {
      error: {
        message: 'Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)',
        type: 'invalid_request_error',
      },
    },
    { sent: 291_351, most: 262_144 },
  ],
  [
    'Alibaba',
    400,
    {
      error: {
        message: '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]',
        type: 'invalid_request_error',
        code: 'invalid_parameter_error',
      },
    },
    { sent: undefined, most: 129_024 },
  ],
  [
    'text-generation-inference',
    422,
    {
      error:
        'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 65537. Given: 79993 `inputs` tokens and 1024 `max_new_tokens`',
      error_type: 'validation',
    },
    { sent: 79_993, most: 64_513 },
  ],
  [
    'Workers AI, through its compatible server',
    400,
    {
      error: {
        message:
          "Requested token count exceeds the model's maximum context length of 256000 tokens. You requested a total of 256878 tokens: 231216 tokens from the input messages and 25662 tokens for the completion.",
        type: 'BadRequestError',
        code: 400,
      },
    },
    { sent: 231_216, most: 230_338 },
  ],
];

/** The shortest texts that identify this error regardless of a server's wording. */
const SHORT_REFUSALS: readonly (readonly [words: string, length: RequestLength])[] = [
  ['The request exceeds the context window.', {}],
  ['The input token count of the request exceeds the maximum.', {}],
  ['This is too large for model with 32768 maximum context length.', { most: 32_768 }],
  ["This model's maximum context length is 65536 tokens.", { most: 65_536 }],
  ["This model's maximum prompt length is 131072.", { most: 131_072 }],
  ['The messages do not fit the available context size.', {}],
  ['Your request exceeded model token limit.', {}],
  ['context window exceeds limit (2013)', {}],
];

describe('a conversation that is too long', () => {
  it.each(SHORT_REFUSALS)(
    'is reported as context-length if a server answers: %s',
    async (message, length) => {
      for (const status of [400, 413, 422]) {
        const { requests, ...outcome } = await ask(() => Response.json({ error: { message } }, { status }));
        expect(outcome).toMatchObject({ error: { failure: 'context-length', length } });
        expect(requests).toHaveLength(1);
      }
      const limited = await ask(() => Response.json({ error: { message } }, { status: 429 }), { retries: 0 });
      expect(limited).toMatchObject({ error: { failure: 'rate-limited' } });
    },
  );

  it.each(REFUSALS)(
    'is reported as context-length if it is refused by %s, and is not sent again',
    async (_, status, body, length) => {
      const { requests, ...outcome } = await ask(() => Response.json(body, { status }));
      expect(outcome).toMatchObject({ error: { failure: 'context-length', status, outputBegan: false } });
      expect('error' in outcome && outcome.error.length).toEqual(length);
      expect(requests).toHaveLength(1);
    },
  );

  it('is reported as context-length if the server reports it inside a stream', async () => {
    const report = { error: { message: 'Context size has been exceeded.', type: 'server_error' } };
    for (const before of [[], [createChoiceDelta({ content: 'Well' })]]) {
      const { requests, ...outcome } = await ask(() => createStreamResponse(toSseText(...before, report)), {
        stream: true,
      });
      expect(outcome).toMatchObject({
        error: {
          failure: 'context-length',
          message: "The model's server reported an error: Context size has been exceeded.",
          outputBegan: before.length > 0,
        },
      });
      expect(requests).toHaveLength(1);
    }
  });
});

const OTHER_FAILURES: readonly (readonly [string, number, unknown, string])[] = [
  [
    'a limit of tokens per minute',
    429,
    {
      error: {
        message:
          'Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 40000. The input or output tokens must be reduced in order to run successfully.',
        type: 'tokens',
        param: null,
        code: 'rate_limit_exceeded',
      },
    },
    'rate-limited',
  ],
  [
    'a limit of tokens per minute with a size in the text',
    413,
    {
      error: {
        message:
          'Request too large for model `llama-3.1-8b-instant` in organization `org_1` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 8000, please reduce your message size and try again.',
        type: 'tokens',
        code: 'rate_limit_exceeded',
      },
    },
    'bad-request',
  ],
  [
    'a quota of tokens',
    429,
    {
      error: {
        code: 429,
        message:
          'You exceeded your current quota. Quota exceeded for metric: generate_content_free_tier_input_token_count, limit: 250000',
        status: 'RESOURCE_EXHAUSTED',
      },
    },
    'rate-limited',
  ],
  [
    'tokens that arrive too fast',
    400,
    { message: 'Too many tokens, please wait before trying again.' },
    'bad-request',
  ],
  [
    'a reply limit that is too high for the model',
    400,
    openAI(
      'max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.',
      { param: 'max_tokens', code: 'invalid_value' },
    ),
    'bad-request',
  ],
  [
    'a reply limit that fills the whole window',
    400,
    {
      error: {
        message:
          'This endpoint\'s maximum context length is 131072 tokens. However, you requested about 141607 tokens (10535 of text input, 131072 in the output). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
        code: 400,
      },
    },
    'bad-request',
  ],
  [
    'a field that is too long',
    400,
    openAI(
      "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 61 instead.",
      { code: 'string_above_max_length' },
    ),
    'bad-request',
  ],
  [
    'too many tools',
    400,
    openAI(
      "Invalid 'tools': array too long. Expected an array with maximum length 128, but got 200 instead.",
      {
        code: 'array_above_max_length',
      },
    ),
    'bad-request',
  ],
  [
    'a tool whose name contains the error code',
    400,
    openAI("Invalid schema for function 'context_length_exceeded': schema must be of type 'object'.", {
      code: 'invalid_function_parameters',
    }),
    'bad-request',
  ],
  [
    'an unknown model',
    404,
    openAI('The model `long-context-8k` does not exist.', { code: 'model_not_found' }),
    'bad-request',
  ],
  [
    'a wrong API key',
    401,
    openAI('The prompt is too long for this key.', { code: 'invalid_api_key' }),
    'unauthorized',
  ],
];

describe('a request that is refused for another reason', () => {
  it.each(OTHER_FAILURES)('is not reported as context-length: %s', async (_, status, body, failure) => {
    const { requests: __, ...outcome } = await ask(() => Response.json(body, { status }), { retries: 0 });
    expect(outcome).toMatchObject({ error: { failure, status, length: undefined } });
  });
});

it.each([
  'max_tokens (9000) exceeds the configured limit of 4096 tokens for this deployment',
  "max_tokens is too large: 9000. It must not be more than the model's context length (8192)",
  'Invalid max_new_tokens: `max_new_tokens` must be <= 512. Given: 1024',
])('a refused reply limit is not reported as context-length: %s', (words) => {
  expect(readRequestLength('bad-request', words)).toBeUndefined();
});

it('the length of a request is found quickly in an error that repeats the request', () => {
  const words = `${'maximum context length is 1 tokens '.repeat(20)}${'requested 1 tokens '.repeat(66)}`;
  const began = performance.now();
  expect(readRequestLength('bad-request', words, '1'.repeat(2_000))).toEqual({ sent: 1, most: 1 });
  // This would take seconds if every possible end of the digits were tried.
  expect(performance.now() - began).toBeLessThan(1_000);
});

describe('a model of the AI SDK', () => {
  const createAnsweringFetch =
    (status: number, body: unknown): typeof fetch =>
    async () =>
      Response.json(body, { status });
  const createAnthropicModel = (status: number, error: object) =>
    fromAiSdk(
      createAnthropic({ apiKey: 'k', fetch: createAnsweringFetch(status, { type: 'error', error }) })(
        'claude-sonnet-5',
      ),
    );
  const createInvalidRequest = (message: string) => ({ type: 'invalid_request_error', message });

  it.each<[string, ReturnType<typeof fromAiSdk>, RequestLength]>([
    [
      'Anthropic',
      createAnthropicModel(400, createInvalidRequest('prompt is too long: 207791 tokens > 200000 maximum')),
      { sent: 207_791, most: 200_000 },
    ],
    [
      'Anthropic, with room reserved for a reply',
      createAnthropicModel(
        400,
        createInvalidRequest(
          'input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length or `max_tokens` and try again',
        ),
      ),
      { sent: 178_959, most: 136_000 },
    ],
    [
      'Anthropic, with a limit in bytes',
      createAnthropicModel(413, { type: 'request_too_large', message: 'Request exceeds the maximum size' }),
      {},
    ],
    [
      'OpenAI',
      fromAiSdk(
        createOpenAI({
          apiKey: 'k',
          fetch: createAnsweringFetch(
            400,
            openAI(
              "This model's maximum context length is 8192 tokens. However, your messages resulted in 8227 tokens. Please reduce the length of the messages.",
            ),
          ),
        }).chat('gpt-4'),
      ),
      { sent: 8_227, most: 8_192 },
    ],
    [
      'OpenAI, in the responses API',
      fromAiSdk(
        createOpenAI({
          apiKey: 'k',
          fetch: createAnsweringFetch(
            400,
            openAI(
              'Your input exceeds the context window of this model. Please adjust your input and try again.',
              { param: 'input' },
            ),
          ),
        }).responses('gpt-5'),
      ),
      { sent: undefined, most: undefined },
    ],
  ])('reports context-length if the conversation is too long for %s', async (_, model, length) => {
    for (const stream of [false, true]) {
      const outcome = await settle(model, { request: hello, stream });
      expect(outcome).toMatchObject({ error: { failure: 'context-length', outputBegan: false } });
      expect('error' in outcome && outcome.error.length).toEqual(length);
    }
  });

  const createThrownError = (fields: object): Error =>
    Object.assign(new Error('Bad Request'), { name: 'AI_APICallError', isRetryable: false, ...fields });

  it.each<[string, object, RequestLength]>([
    [
      'Gemini',
      {
        statusCode: 400,
        message: 'The input token count (3475108) exceeds the maximum number of tokens allowed (1048576).',
      },
      { sent: 3_475_108, most: 1_048_576 },
    ],
    [
      'Vertex, whose text is only in the body',
      {
        statusCode: 400,
        responseBody: JSON.stringify({
          error: {
            code: 400,
            message:
              'Unable to submit request because the input token count is 40000 but model only supports up to 32768. Reduce the input token count and try again.',
            status: 'INVALID_ARGUMENT',
          },
        }),
      },
      { sent: 40_000, most: 32_768 },
    ],
    [
      'Bedrock',
      { statusCode: 400, message: 'Input is too long for requested model.' },
      { sent: undefined, most: undefined },
    ],
    [
      'Llama on Bedrock',
      {
        statusCode: 400,
        message:
          "This model's maximum context length is 8192 tokens. Please reduce the length of the prompt.",
      },
      { sent: undefined, most: 8_192 },
    ],
  ])('reports context-length for the error of %s', async (_, fields, length) => {
    const { calls, ...outcome } = await askSdk(() => Promise.reject(createThrownError(fields)));
    expect(outcome).toMatchObject({ error: { failure: 'context-length', status: 400 } });
    expect('error' in outcome && outcome.error.length).toEqual(length);
    expect(calls).toHaveLength(1);
  });

  it('does not report context-length for a rate limit', async () => {
    const fields = {
      statusCode: 429,
      isRetryable: true,
      message: 'This request would exceed the rate limit of 30,000 input tokens per minute.',
    };
    const { calls: _, ...outcome } = await askSdk(() => Promise.reject(createThrownError(fields)));
    expect(outcome).toMatchObject({ error: { failure: 'rate-limited', length: undefined } });
  });
});

describe('Workers AI', () => {
  it.each<[string, RequestLength]>([
    [
      '5021: The estimated number of input and maximum output tokens (8810) exceeded this model context window limit (8192)',
      { sent: 8_810, most: 8_192 },
    ],
    [
      '3010: AiError: The estimated number of input and maximum output tokens (35000) exceeded this model context window limit (24000)',
      { sent: 35_000, most: 24_000 },
    ],
    [
      "AiError: This model's maximum context length is 131072 tokens. However, you requested 16000 output tokens and your prompt contains at least 115073 input tokens, for a total of at least 131073 tokens. Please reduce the length of the input prompt or reduce max_tokens.",
      { sent: undefined, most: 115_072 },
    ],
  ])('reports context-length for the error %s', async (message, length) => {
    const { runs, ...outcome } = await askWorkersAi(() => Promise.reject(new Error(message)));
    expect(outcome).toMatchObject({ error: { failure: 'context-length', outputBegan: false } });
    expect('error' in outcome && outcome.error.length).toEqual(length);
    expect(runs).toHaveLength(1);
  });

  it.each([
    ['3040: Capacity temporarily exceeded, please try again.', 'rate-limited'],
    ['AiError: 4006: you have used up your daily free allocation of 10,000 neurons', 'rate-limited'],
    ['3006: Request is too large', 'bad-request'],
    [
      "AiError: 5006: Error: oneOf at '/' not met, 0 matches: required properties at '/' are 'prompt'",
      'bad-request',
    ],
  ])('does not report context-length for the error %s', async (message, failure) => {
    const { runs: _, ...outcome } = await askWorkersAi(() => Promise.reject(new Error(message)), {
      retries: 0,
    });
    expect(outcome).toMatchObject({ error: { failure, length: undefined } });
  });
});
