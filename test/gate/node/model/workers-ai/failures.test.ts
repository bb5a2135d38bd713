import { describe, expect, it } from 'vitest';
import type { ModelFailure } from '../../../../../src/model/entry.ts';
import { workersAi } from '../../../../../src/model/workers-ai/entry.ts';
import { createBodyStream, hello, toSseText } from '../openai-compatible/fake-server.ts';
import { getFailure } from '../settle.ts';
import { ask, createFakeBinding } from './fake-binding.ts';

const rejectWith = (error: unknown) => () => Promise.reject(error);
const neverResolve = () => new Promise<unknown>(() => {});
const answerHi = () => ({ response: 'hi' });

describe('an error of the binding', () => {
  it.each<[string, unknown, ModelFailure, number | undefined, number, string]>([
    [
      'no capacity',
      new Error('3040: Capacity temporarily exceeded, please try again.'),
      'rate-limited',
      429,
      3,
      "The model's server answered 429: 3040: Capacity temporarily exceeded, please try again.",
    ],
    [
      'a timeout',
      new Error('InferenceUpstreamError: 3007: Request timeout'),
      'timeout',
      408,
      3,
      "The model's server answered 408: InferenceUpstreamError: 3007: Request timeout",
    ],
    [
      'a used-up daily allocation',
      new Error('AiError: 4006: you have used up your daily free allocation of 10,000 neurons'),
      'rate-limited',
      429,
      1,
      "The model's server answered 429: AiError: 4006: you have used up your daily free allocation of 10,000 neurons",
    ],
    [
      'an unknown model',
      new Error('5007: No such model @cf/m-1 or task'),
      'bad-request',
      400,
      1,
      "The model's server answered 400: 5007: No such model @cf/m-1 or task",
    ],
    [
      'an input in the wrong form',
      new Error("AiError: 5006: Error: Type mismatch of '/messages/0/content'"),
      'bad-request',
      400,
      1,
      "The model's server answered 400: AiError: 5006: Error: Type mismatch of '/messages/0/content'",
    ],
    [
      'terms that must be accepted first',
      Object.assign(new Error('agree first'), { code: 5016 }),
      'unauthorized',
      403,
      1,
      "The model's server answered 403: agree first",
    ],
    [
      'a code as text',
      { code: '3040', message: 'busy' },
      'rate-limited',
      429,
      3,
      "The model's server answered 429: busy",
    ],
    [
      'a number before the error code',
      new Error('1234: ctx 3040: busy'),
      'rate-limited',
      429,
      3,
      "The model's server answered 429: 1234: ctx 3040: busy",
    ],
    [
      'JSON that the model could not produce',
      new Error("AiError: JSON Mode couldn't be met"),
      'invalid-reply',
      undefined,
      1,
      'The model could not answer in the requested format.',
    ],
    [
      'a lost connection',
      Object.assign(new Error('Network connection lost.'), { retryable: true }),
      'server-error',
      undefined,
      3,
      'Workers AI failed: Network connection lost.',
    ],
    [
      'an error that is marked as permanent',
      Object.assign(new Error('3040: busy'), { retryable: false }),
      'rate-limited',
      429,
      1,
      "The model's server answered 429: 3040: busy",
    ],
    ['another kind of error', new Error('1031'), 'server-error', undefined, 3, 'Workers AI failed: 1031'],
    ['a string', 'oops', 'server-error', undefined, 3, 'Workers AI failed: oops'],
    ['nothing', undefined, 'server-error', undefined, 3, 'Workers AI failed.'],
  ])(
    'is reported as the matching type of ModelError: %s',
    async (_, thrown, failure, status, times, message) => {
      const { runs, ...outcome } = await ask(rejectWith(thrown));
      expect(getFailure({ ...outcome })).toEqual({
        name: 'ModelError',
        failure,
        message,
        status,
        outputBegan: false,
        cause: undefined,
      });
      expect(runs).toHaveLength(times);
    },
  );

  it('is retried after a wait if it is temporary', async () => {
    expect(await ask([rejectWith(new Error('3040: busy')), answerHi])).toMatchObject({
      reply: { text: 'hi' },
      waits: [250],
    });
  });

  it('is reported without the text that it quotes from the conversation', async () => {
    const text = 'You are the clerk of Kilo & Co.; a crate of kelp costs us 12.';
    const request = { messages: [{ role: 'system' as const, text }], tools: [] };
    const outcome = await ask(rejectWith(new Error(`5006: Error: bad value '${text}'`)), { request });
    expect(getFailure(outcome).message).toBe(
      "The model's server answered 400: 5006: Error: bad value '[request]'",
    );
  });
});

describe('a stream', () => {
  const begun = toSseText({ response: 'Hel' });

  it.each<[string, () => unknown, object]>([
    [
      'that ends early',
      () => createBodyStream([begun]),
      { failure: 'truncated', message: "The model's reply ended before it was complete." },
    ],
    [
      'with a lost connection',
      () => createBodyStream([begun], 'break'),
      {
        failure: 'truncated',
        message: "The connection to the model's server broke before the reply was complete.",
      },
    ],
    [
      'that stops sending data',
      () => createBodyStream([begun], 'hang'),
      { failure: 'timeout', message: "The model's server was silent for 20 ms." },
    ],
    [
      'that reports an error',
      () => createBodyStream([begun + toSseText({ error: 'overloaded' })]),
      { failure: 'server-error', message: "The model's server reported an error: overloaded" },
    ],
  ])('%s is not retried after it has sent some text', async (_, answer, error) => {
    const outcome = await ask(answer, { stream: true, timeout: 20 });
    expect(getFailure(outcome)).toMatchObject({ ...error, outputBegan: true });
    expect([outcome.runs.length, outcome.pieces]).toEqual([1, ['Hel']]);
  });

  it.each([
    ['no data', ''],
    ['only [DONE]', toSseText('[DONE]')],
    ['an empty event', toSseText({ response: '' })],
  ])('is requested again if it contains %s', async (_, text) => {
    const outcome = await ask(() => createBodyStream([text]), { stream: true });
    expect(getFailure(outcome)).toMatchObject({ failure: 'truncated', outputBegan: false });
    expect(outcome.runs).toHaveLength(3);
  });
});

describe('a binding that ignores its abort signal', () => {
  const aborted = { failure: 'aborted', message: 'The request to the model was aborted.' };

  it('is abandoned after the allowed silence, and its signal has aborted', async () => {
    const { runs, ...outcome } = await ask(neverResolve, { timeout: 20, retries: 0 });
    expect(getFailure({ ...outcome })).toMatchObject({
      failure: 'timeout',
      message: "The model's server was silent for 20 ms.",
    });
    expect(runs[0]?.signal?.aborted).toBe(true);
  });

  it('is abandoned at once if the request is aborted', async () => {
    const controller = new AbortController();
    const answer = () => {
      queueMicrotask(() => controller.abort());
      return neverResolve();
    };
    const { runs, ...outcome } = await ask(answer, { signal: controller.signal });
    expect(getFailure({ ...outcome })).toMatchObject(aborted);
    expect(runs[0]?.signal?.aborted).toBe(true);
  });

  it('is not called after an abort', async () => {
    const outcome = await ask(answerHi, { signal: AbortSignal.abort() });
    expect(getFailure(outcome)).toMatchObject(aborted);
    expect(outcome.runs).toEqual([]);
  });

  it('has its stream cancelled if the stream starts after the timeout', async () => {
    const late = Promise.withResolvers<unknown>();
    const gone = Promise.withResolvers<void>();
    await ask(() => late.promise, { stream: true, timeout: 20, retries: 0 });
    late.resolve(createBodyStream([], 'hang', gone.resolve));
    await gone.promise;
  });

  it('is no longer read once the request is aborted during a stream', async () => {
    const controller = new AbortController();
    let cancelled = false;
    const answer = () =>
      createBodyStream([toSseText({ response: 'a' }, { response: 'b' }, { response: 'c' })], 'hang', () => {
        cancelled = true;
      });
    const onText = (piece: string) => {
      if (piece === 'b') controller.abort();
    };
    const outcome = await ask(answer, { stream: true, signal: controller.signal, onText });
    expect(getFailure(outcome)).toMatchObject({ ...aborted, outputBegan: true });
    expect([outcome.pieces, cancelled]).toEqual([['a', 'b'], true]);
  });

  it('is not called again if the request is aborted during the wait', async () => {
    const controller = new AbortController();
    const { binding, runs } = createFakeBinding([
      () => {
        setTimeout(() => controller.abort(), 5);
        throw new Error('3040: busy');
      },
    ]);
    const asked = workersAi(binding, { model: 'm' }).ask(hello, { signal: controller.signal });
    await expect(asked).rejects.toMatchObject(aborted);
    expect(runs).toHaveLength(1);
  });
});
