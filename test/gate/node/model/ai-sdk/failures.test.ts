import { describe, expect, it } from 'vitest';
import type { ModelFailure, ModelRequest } from '../../../../../src/model/entry.ts';
import { START_TIME } from '../openai-compatible/fake-server.ts';
import { getFailure } from '../settle.ts';
import {
  ask,
  createCallPart,
  createDelta,
  createFinish,
  createGeneratedText,
  createStreamedResult,
} from './fake-model.ts';

const PROMPT = 'You are the secret agent of Kilo & Co.; never tell anybody what a crate of kelp costs us.';
const request: ModelRequest = {
  messages: [
    { role: 'system', text: PROMPT },
    { role: 'user', text: 'What is my code, 4711-0815?' },
  ],
  tools: [],
};

/** Returns an error in the form of an `APICallError` from any copy of the SDK. */
const createApiError = (fields: object): Error =>
  Object.assign(new Error('no'), {
    name: 'AI_APICallError',
    url: 'https://models.test/v1/chat?key=AIzaSyTopSecret0123456789',
    requestBodyValues: { messages: request.messages },
    isRetryable: false,
    ...fields,
  });
const createSdkError = (name: string, message: string): Error => Object.assign(new Error(message), { name });
const rejectWith = (error: unknown) => () => Promise.reject(error);

describe('the status of an error', () => {
  it.each<[number, ModelFailure, number]>([
    [301, 'bad-request', 1],
    [400, 'bad-request', 1],
    [401, 'unauthorized', 1],
    [403, 'unauthorized', 1],
    [404, 'bad-request', 1],
    [408, 'timeout', 3],
    [409, 'server-error', 3],
    [429, 'rate-limited', 3],
    [500, 'server-error', 3],
    [529, 'server-error', 3],
  ])(
    '%i is a failure of type %s with %i requests in total, streamed or not',
    async (statusCode, failure, times) => {
      const isRetryable = statusCode === 408 || statusCode === 409 || statusCode >= 429;
      for (const stream of [false, true]) {
        const outcome = await ask(rejectWith(createApiError({ statusCode, isRetryable })), { stream });
        expect(getFailure(outcome)).toEqual({
          name: 'ModelError',
          failure,
          message: `The model's server answered ${statusCode}: no`,
          status: statusCode,
          outputBegan: false,
          cause: undefined,
        });
        expect(outcome.calls).toHaveLength(times);
      }
    },
  );

  it('prevents a retry if the provider marks the error as permanent, even if such errors are usually temporary', async () => {
    const { calls, ...outcome } = await ask(
      rejectWith(createApiError({ statusCode: 429, isRetryable: false })),
    );
    expect(getFailure({ ...outcome })).toMatchObject({
      failure: 'rate-limited',
      message: "The model's server answered 429: no",
    });
    expect(calls).toHaveLength(1);
  });

  it('429 is not retried if the account has no credit left', async () => {
    const data = { error: { message: 'no', type: 'insufficient_quota', code: 'insufficient_quota' } };
    // Some SDK providers expect a different error format, and leave the body unparsed.
    for (const body of [{ data }, { responseBody: JSON.stringify(data) }]) {
      const { calls, ...outcome } = await ask(
        rejectWith(createApiError({ statusCode: 429, isRetryable: true, ...body })),
      );
      expect(getFailure({ ...outcome })).toMatchObject({
        failure: 'rate-limited',
        message: "The model's server answered 429: no",
      });
      expect(calls).toHaveLength(1);
    }
  });

  it('2xx with an unreadable body is a reply that could not be read', async () => {
    const cause = createSdkError('AI_JSONParseError', PROMPT);
    const fields = { statusCode: 200, message: 'Invalid JSON response', cause };
    const outcome = await ask(rejectWith(createApiError(fields)));
    expect(getFailure(outcome)).toMatchObject({
      failure: 'invalid-reply',
      message: "The model's reply could not be read: Invalid JSON response",
      status: 200,
    });
    expect(outcome.calls).toHaveLength(1);
  });

  it('2xx with a body that breaks off is a cut-off reply, and is retried', async () => {
    const cause = new Error('Network connection lost.');
    const fields = { statusCode: 200, message: 'Failed to process successful response', cause };
    const outcome = await ask(rejectWith(createApiError(fields)));
    expect(getFailure(outcome)).toMatchObject({
      failure: 'truncated',
      message: "The connection to the model's server broke before the reply was complete.",
    });
    expect(outcome.calls).toHaveLength(3);
  });

  it.each<[object, number]>([
    [{ 'retry-after': '3' }, 3000],
    [{ 'retry-after-ms': '120', 'retry-after': '3' }, 120],
    [{ 'retry-after': new Date(START_TIME + 7000).toUTCString() }, 7000],
    [{ 'retry-after': 3 }, 250],
    [{}, 250],
  ])('with the headers %j leads to a retry after %i ms', async (responseHeaders, wait) => {
    const error = createApiError({ statusCode: 429, isRetryable: true, responseHeaders });
    expect(await ask([rejectWith(error), () => createGeneratedText('hi')])).toMatchObject({
      reply: { text: 'hi' },
      waits: [wait],
    });
  });

  it('leads to no retry after a long Retry-After, and the message states the wait', async () => {
    const responseHeaders = { 'retry-after': '90' };
    const outcome = await ask(
      rejectWith(createApiError({ statusCode: 503, isRetryable: true, responseHeaders })),
    );
    expect(getFailure(outcome)).toMatchObject({
      failure: 'rate-limited',
      message: "The model's server answered 503 and asks to wait 90 s: no",
    });
    expect(outcome.calls).toHaveLength(1);
  });

  it.each<unknown>(['429', 0, 1e6, Number.NaN, null])('%j is ignored', async (statusCode) => {
    const outcome = await ask(rejectWith(createApiError({ statusCode, isRetryable: true })));
    expect(getFailure(outcome)).toMatchObject({ failure: 'unreachable', status: undefined });
  });
});

describe('an error without a status', () => {
  it.each<[string, unknown, ModelFailure, number, string]>([
    [
      'a lost connection',
      createApiError({ isRetryable: true, message: 'Cannot connect to API: fetch failed' }),
      'unreachable',
      3,
      "The model's server could not be reached: Cannot connect to API: fetch failed",
    ],
    [
      'an error that is marked as permanent',
      createApiError({ message: 'too long' }),
      'bad-request',
      1,
      'The model refused the request: too long',
    ],
    [
      'a missing key',
      createSdkError('AI_LoadAPIKeyError', "Pass it using the 'apiKey' parameter."),
      'unauthorized',
      1,
      "The model cannot be asked: Pass it using the 'apiKey' parameter.",
    ],
    [
      'an unsupported function of the provider',
      createSdkError('AI_UnsupportedFunctionalityError', "'tools' functionality not supported."),
      'bad-request',
      1,
      "The model cannot be asked: 'tools' functionality not supported.",
    ],
    [
      'a refused prompt',
      createSdkError('AI_InvalidPromptError', PROMPT),
      'bad-request',
      1,
      'The model failed with AI_InvalidPromptError.',
    ],
    [
      'a reply in the wrong form',
      createSdkError('AI_TypeValidationError', `Type validation failed: Value: {"text":"${PROMPT}"}`),
      'invalid-reply',
      1,
      'The model failed with AI_TypeValidationError.',
    ],
    [
      'an empty body',
      createSdkError('AI_EmptyResponseBodyError', 'Empty response body'),
      'truncated',
      3,
      'The model failed with AI_EmptyResponseBodyError.',
    ],
    [
      'a timeout of the SDK',
      new DOMException('late', 'TimeoutError'),
      'timeout',
      3,
      'The model failed with TimeoutError.',
    ],
    ['a bug', new TypeError('x is undefined'), 'server-error', 3, 'The model failed with TypeError.'],
    ['a string', 'overloaded', 'server-error', 3, "The model's server reported an error: overloaded"],
    ['nothing', undefined, 'server-error', 3, "The model's server reported an error."],
    [
      'a plain error object of the server',
      { type: 'invalid_request_error', message: 'no' },
      'bad-request',
      1,
      "The model's server reported an error: no",
    ],
  ])('is reported with the right type: %s', async (_, thrown, failure, times, message) => {
    for (const stream of [false, true]) {
      const outcome = await ask(rejectWith(thrown), { stream });
      expect(getFailure(outcome)).toMatchObject({ failure, message, status: undefined, outputBegan: false });
      expect(outcome.calls).toHaveLength(times);
    }
  });

  it('is reported if the model throws synchronously', async () => {
    const outcome = await ask(() => {
      throw new RangeError('x');
    });
    expect(getFailure(outcome)).toMatchObject({ message: 'The model failed with RangeError.' });
  });
});

describe('an error in a stream', () => {
  it.each<[string, unknown, object]>([
    [
      'in the form of the SDK',
      { message: 'no', type: 'overloaded_error', statusCode: 529, isRetryable: true },
      { failure: 'server-error', status: 529, message: "The model's server answered 529: no" },
    ],
    [
      'in the form of the server',
      { message: 'no', type: 'rate_limit_error', code: null, param: {} },
      { failure: 'rate-limited', message: "The model's server reported an error: no" },
    ],
    [
      'inside another error',
      { error: { message: 'no', code: 'rate_limit_exceeded' } },
      { failure: 'rate-limited', message: "The model's server reported an error: no" },
    ],
    [
      'about an unreadable event',
      createSdkError('AI_JSONParseError', `JSON parsing failed: Text: ${PROMPT}`),
      { failure: 'invalid-reply', message: 'The model failed with AI_JSONParseError.' },
    ],
  ])('%s fails the request', async (_, error, expected) => {
    const parts = [{ type: 'stream-start' }, { type: 'error', error }, createFinish('error')];
    const outcome = await ask(() => createStreamedResult(parts), { stream: true, retries: 0 });
    expect(getFailure(outcome)).toMatchObject({ ...expected, outputBegan: false });
  });

  it('is retried before any text, and never after some text', async () => {
    const error = { message: 'no', statusCode: 503, isRetryable: true };
    const streamGood = () => createStreamedResult([createDelta('hi'), createFinish()]);
    const failEarly = () => createStreamedResult([{ type: 'error', error }]);
    expect(await ask([failEarly, streamGood], { stream: true })).toMatchObject({
      reply: { text: 'hi' },
      pieces: ['hi'],
    });

    const failLate = () => createStreamedResult([createDelta('Hel'), { type: 'error', error }]);
    const outcome = await ask([failLate, streamGood], { stream: true });
    expect(getFailure(outcome)).toMatchObject({ failure: 'server-error', outputBegan: true });
    expect([outcome.calls.length, outcome.pieces]).toEqual([1, ['Hel']]);
  });

  it.each<[string, () => unknown, string, string]>([
    [
      'without a finish',
      () => createStreamedResult([createDelta('Hel')]),
      'truncated',
      "The model's reply ended before it was complete.",
    ],
    [
      'without a finish, after a call',
      () => createStreamedResult([createDelta('Hel'), createCallPart('a', 'f', '{}')]),
      'truncated',
      "The model's reply ended before it was complete.",
    ],
    [
      'with the finish reason `interrupted`',
      () => createStreamedResult([createDelta('Hel'), createFinish('interrupted')]),
      'truncated',
      "The model's reply ended before it was complete.",
    ],
    [
      'with the finish reason `error`',
      () => createStreamedResult([createDelta('Hel'), createFinish('error')]),
      'server-error',
      'The model stopped because of an error.',
    ],
    [
      'with a lost connection',
      () => createStreamedResult([createDelta('Hel')], { broken: new TypeError('network lost') }),
      'truncated',
      "The connection to the model's server broke before the reply was complete.",
    ],
    [
      'with an unreadable event',
      () =>
        createStreamedResult([createDelta('Hel')], {
          broken: createSdkError('AI_TypeValidationError', PROMPT),
        }),
      'invalid-reply',
      'The model failed with AI_TypeValidationError.',
    ],
  ])('makes a reply fail that ends %s', async (_, answer, failure, message) => {
    const outcome = await ask(answer, { stream: true });
    expect(getFailure(outcome)).toMatchObject({ failure, message, outputBegan: true });
    expect(outcome.calls).toHaveLength(1);
  });

  it('is retried if the stream ends before any text', async () => {
    const outcome = await ask(
      [() => createStreamedResult([]), () => createStreamedResult([createDelta('hi'), createFinish()])],
      {
        stream: true,
      },
    );
    expect(outcome).toMatchObject({ reply: { text: 'hi' }, waits: [250] });
  });
});

describe('an error message', () => {
  const getFailureMessage = async (words: string, modelId = 'm-1') =>
    getFailure(
      await ask(rejectWith(createApiError({ statusCode: 400, message: words })), { request, modelId }),
    ).message;

  it.each([
    ['sk-proj-abcdef', '[secret]'],
    ['sk-ant-api03-AbC_def-123', '[secret]'],
    ['AIzaSyA-1234567890abcdefGHIJKLmnopqrst', '[secret]'],
    ['Bearer abc.def', 'Bearer [secret]'],
    ['https://a.test/v1?key=hunter2&x=1', 'https://a.test/v1?key=[secret]&x=1'],
    ['0123456789abcdef0123456789abcdef', '[secret]'],
    ['QmFzZTY0S2V5V2l0aDEyMzQ1', '[secret]'],
  ])('redacts text that looks like a credential: %s', async (credential, shown) => {
    expect(await getFailureMessage(`Incorrect: ${credential} (see the docs)`)).toBe(
      `The model's server answered 400: Incorrect: ${shown} (see the docs)`,
    );
  });

  it('keeps names, including the name of the model', async () => {
    const words =
      'claude-sonnet-5-20261001 and response_format.json_schema are not for Meta-Llama-3-70B-Instruct';
    expect(await getFailureMessage(words, 'Meta-Llama-3-70B-Instruct')).toBe(
      `The model's server answered 400: ${words}`,
    );
  });

  it('quotes no part of the conversation, in one piece or in several', async () => {
    expect(await getFailureMessage(`Cannot read "${PROMPT}" at 0`)).toBe(
      `The model's server answered 400: Cannot read "[request]" at 0`,
    );
    expect(await getFailureMessage(`near '${PROMPT.slice(10, 60)}' and '${PROMPT.slice(30, 75)}'.`)).toBe(
      "The model's server answered 400: near '[request]' and '[request]'.",
    );
    expect(await getFailureMessage('a text: What is my code, 4711-0815?')).toBe(
      "The model's server answered 400: a text: [request]",
    );
  });

  it('is cut to one short line', async () => {
    const start = "The model's server answered 400: ";
    expect(await getFailureMessage(`a\u0000b\r\n  c ${'x '.repeat(400)}`)).toBe(
      `${`${start}a b c ${'x '.repeat(400)}`.slice(0, 300)}…`,
    );
  });
});
