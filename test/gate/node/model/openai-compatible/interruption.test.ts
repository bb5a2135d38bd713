import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openaiCompatible } from '../../../../../src/model/openai-compatible/entry.ts';
import {
  ask,
  askForFailure,
  askForReply,
  createChoiceDelta,
  createCompletion,
  createFakeServer,
  createStreamResponse,
  hello,
  toSseText,
} from './fake-server.ts';

const respondOk = () => Response.json(createCompletion({ content: 'hi' }));
const respondWith =
  (code: number, headers: Record<string, string> = {}, body: unknown = { error: { message: 'no' } }) =>
  () =>
    Response.json(body, { status: code, headers });
const neverRespond = () => new Promise<Response>(() => {});

describe('a silent server', () => {
  it('causes a timeout before the headers', async () => {
    expect(await askForFailure(neverRespond, { timeout: 20, retries: 0 })).toEqual({
      name: 'ModelError',
      failure: 'timeout',
      message: "The model's server was silent for 20 ms.",
      status: undefined,
      outputBegan: false,
    });
  });

  it('causes a timeout between chunks, but a slow stream does not', async () => {
    let cancelled = false;
    const hangInStream = () =>
      createStreamResponse(toSseText(createChoiceDelta({ role: 'assistant' })), 'hang', () => {
        cancelled = true;
      });
    expect(await askForFailure(hangInStream, { stream: true, timeout: 20, retries: 0 })).toMatchObject({
      failure: 'timeout',
    });
    expect(cancelled).toBe(true);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const events = [
      createChoiceDelta({ content: 'a' }),
      createChoiceDelta({ content: 'b' }),
      createChoiceDelta({ content: 'c' }, 'stop'),
    ];
    const streamSlowly = () => {
      const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
        const event = events.shift();
        vi.advanceTimersByTime(100);
        if (event) controller.enqueue(new TextEncoder().encode(toSseText(event)));
        else controller.close();
      };
      // Each piece is created only when it is read.
      const body = new ReadableStream({ pull }, { highWaterMark: 0 });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    };
    expect((await askForReply(streamSlowly, { stream: true, timeout: 150 })).text).toBe('abc');
  });

  it('has its response cancelled if the response starts too late', async () => {
    const late = Promise.withResolvers<Response>();
    const gone = Promise.withResolvers<void>();
    await askForFailure(() => late.promise, { timeout: 20, retries: 0 });
    late.resolve(createStreamResponse('', 'hang', gone.resolve));
    await gone.promise;
  });
});

describe('an abort', () => {
  const aborted = { failure: 'aborted', message: 'The request to the model was aborted.' };

  it('before the request prevents the request', async () => {
    const { requests, ...outcome } = await ask(respondOk, { signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({ error: { ...aborted, outputBegan: false } });
    expect(requests).toEqual([]);
  });

  it('while the server is silent aborts the fetch at once', async () => {
    const controller = new AbortController();
    let passed: AbortSignal | null | undefined;
    const hangUntilAbort = (request: RequestInit) => {
      passed = request.signal;
      queueMicrotask(() => controller.abort(new Error('secret reason')));
      return neverRespond();
    };
    const { requests, ...outcome } = await ask(hangUntilAbort, { signal: controller.signal });
    expect(outcome).toMatchObject({ error: aborted });
    expect([requests.length, passed?.aborted]).toEqual([1, true]);
  });

  it('during a stream stops the reading at once and cancels the body', async () => {
    const controller = new AbortController();
    let cancelled = false;
    const events = toSseText(
      createChoiceDelta({ content: 'a' }),
      createChoiceDelta({ content: 'b' }),
      createChoiceDelta({ content: 'c' }, 'stop'),
      '[DONE]',
    );
    const answer = () =>
      createStreamResponse(events, 'hang', () => {
        cancelled = true;
      });
    const { pieces, ...outcome } = await ask(answer, {
      stream: true,
      signal: controller.signal,
      onText: (piece) => {
        if (piece === 'b') controller.abort();
      },
    });
    expect(outcome).toMatchObject({ error: { ...aborted, outputBegan: true } });
    expect(pieces).toEqual(['a', 'b']);
    expect(cancelled).toBe(true);
  });

  it('after the last chunk does not wait for the timeout', async () => {
    const controller = new AbortController();
    const answer = () => createStreamResponse(toSseText(createChoiceDelta({ content: 'a' })), 'hang');
    const onText = () => controller.abort();
    expect(await askForFailure(answer, { stream: true, signal: controller.signal, onText })).toMatchObject(
      aborted,
    );
  });

  it('while an error is read is reported instead of the status', async () => {
    const controller = new AbortController();
    const pull = (): Promise<void> => {
      controller.abort();
      return new Promise(() => {});
    };
    const answer = () => new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), { status: 500 });
    expect(await askForFailure(answer, { signal: controller.signal, retries: 0 })).toMatchObject(aborted);
  });

  it('ends the wait between two attempts', async () => {
    const controller = new AbortController();
    const timers = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => timers.mockRestore());
    const { fetch, requests } = createFakeServer(respondWith(429, { 'retry-after': '29' }));
    // This uses the real clock. Without the signal, it would wait for half a minute.
    const model = openaiCompatible({ baseURL: 'https://model.test/v1', model: 'm-1', fetch });
    const asked = model.ask(hello, { signal: controller.signal });
    const outcome = expect(asked).rejects.toMatchObject(aborted);
    await vi.waitFor(() => expect(timers).toHaveBeenCalledWith(expect.any(Function), 29_000), 20_000);
    controller.abort();
    await outcome;
    expect(requests).toHaveLength(1);
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
    const { fetch } = createFakeServer(respondWith(500, { 'retry-after-ms': '1' }), respondOk);
    const model = openaiCompatible({ baseURL: 'https://model.test/v1', model: 'm-1', fetch });
    expect((await model.ask(hello, { signal })).text).toBe('hi');
    await ask(() => createStreamResponse(toSseText(createChoiceDelta({ content: 'a' }, 'stop'))), {
      signal,
      stream: true,
    });
    expect(listeners).toBe(0);
  });
});
