import { describe, expect, it, vi } from 'vitest';
import { fromAiSdk } from '../../../../../src/model/ai-sdk/entry.ts';
import { hello } from '../openai-compatible/fake-server.ts';
import { getFailure } from '../settle.ts';
import {
  ask,
  createDelta,
  createFakeModel,
  createFinish,
  createGeneratedText,
  createStreamedResult,
} from './fake-model.ts';

const neverResolve = () => new Promise<unknown>(() => {});
const silent = {
  name: 'ModelError',
  failure: 'timeout',
  message: "The model's server was silent for 20 ms.",
  status: undefined,
  outputBegan: false,
  cause: undefined,
};

describe('a silent model', () => {
  it.each([false, true])(
    'causes a timeout before its result, and the request is aborted (streaming: %s)',
    async (stream) => {
      const { calls, ...outcome } = await ask(neverResolve, { stream, timeout: 20, retries: 0 });
      expect(getFailure({ ...outcome })).toEqual(silent);
      expect(calls.map(({ abortSignal }) => abortSignal?.aborted)).toEqual([true]);
    },
  );

  it('causes a timeout between two parts, and the stream is cancelled', async () => {
    let cancelled = false;
    const answer = () =>
      createStreamedResult([createDelta('a')], 'hang', () => {
        cancelled = true;
      });
    const outcome = await ask(answer, { stream: true, timeout: 20 });
    expect(getFailure(outcome)).toEqual({ ...silent, outputBegan: true });
    expect([cancelled, outcome.calls.length]).toEqual([true, 1]);
  });

  it('is called again after the timeout', async () => {
    expect(await ask([neverResolve, () => createGeneratedText('hi')], { timeout: 20 })).toMatchObject({
      reply: { text: 'hi' },
    });
  });

  it('has its stream cancelled if it starts too late', async () => {
    const late = Promise.withResolvers<unknown>();
    const letGo = vi.fn();
    const outcome = await ask(() => late.promise, { stream: true, timeout: 20, retries: 0 });
    expect(getFailure(outcome)).toEqual(silent);
    late.resolve(createStreamedResult([], 'hang', letGo));
    await expect.poll(() => letGo.mock.calls.length).toBe(1);
  });
});

describe('an abort', () => {
  const aborted = { failure: 'aborted', message: 'The request to the model was aborted.' };

  it('before the request prevents the request', async () => {
    const outcome = await ask(() => createGeneratedText('hi'), { signal: AbortSignal.abort() });
    expect(getFailure(outcome)).toMatchObject({ ...aborted, outputBegan: false });
    expect(outcome.calls).toEqual([]);
  });

  it.each([false, true])('during silence ends the request at once (streaming: %s)', async (stream) => {
    const controller = new AbortController();
    const answer = () => {
      queueMicrotask(() => controller.abort(new Error('secret reason')));
      return neverResolve();
    };
    const outcome = await ask(answer, { stream, signal: controller.signal });
    expect(getFailure(outcome)).toMatchObject(aborted);
    expect(outcome.calls.map(({ abortSignal }) => abortSignal?.aborted)).toEqual([true]);
  });

  it('is reported as an abort, even if the model fails with its own error', async () => {
    const controller = new AbortController();
    const answer = async () => {
      controller.abort();
      throw new DOMException('This operation was aborted', 'AbortError');
    };
    expect(getFailure(await ask(answer, { signal: controller.signal }))).toMatchObject(aborted);
  });

  it('during a stream stops the reading at once and cancels the stream', async () => {
    const controller = new AbortController();
    let cancelled = false;
    const answer = () =>
      createStreamedResult(
        [createDelta('a'), createDelta('b'), createDelta('c'), createFinish()],
        'hang',
        () => {
          cancelled = true;
        },
      );
    const onText = (piece: string) => {
      if (piece === 'b') controller.abort();
    };
    const outcome = await ask(answer, { stream: true, signal: controller.signal, onText });
    expect(getFailure(outcome)).toMatchObject({ ...aborted, outputBegan: true });
    expect([outcome.pieces, cancelled]).toEqual([['a', 'b'], true]);
  });

  it('removes its listeners from a signal that outlives the request', async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...given: Parameters<typeof add>) => {
      listeners += 1;
      add(...given);
    };
    signal.removeEventListener = (...given: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...given);
    };
    const limited = { message: 'no', statusCode: 429, responseHeaders: { 'retry-after-ms': '1' } };
    const { model } = createFakeModel([
      () => Promise.reject(limited),
      () => createStreamedResult([createDelta('hi'), createFinish()]),
      () => createStreamedResult([createDelta('ho'), createFinish()]),
    ]);
    expect((await fromAiSdk(model).ask(hello, { signal })).text).toBe('hi');
    expect((await fromAiSdk(model).ask(hello, { signal, onText: () => {} })).text).toBe('ho');
    expect(listeners).toBe(0);
  });
});

it('an error that `onText` throws is thrown unchanged, and the stream is cancelled', async () => {
  const bug = new RangeError('the client disconnected');
  let cancelled = false;
  const answer = () =>
    createStreamedResult([createDelta('a')], 'hang', () => {
      cancelled = true;
    });
  const onText = () => {
    throw bug;
  };
  const { calls, ...outcome } = await ask(answer, { stream: true, onText });
  expect(outcome).toMatchObject({ error: bug });
  expect([calls.length, cancelled]).toEqual([1, true]);
});
