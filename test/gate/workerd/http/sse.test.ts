import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type EventStream, eventStream } from '../../../doors/http.ts';
import { promisesSettled } from '../../../doors/testing.ts';
import { toLog } from '../../../doors/tools.ts';

/** Opens a stream that `work` writes. */
function open(work: (stream: EventStream, leave: AbortSignal) => Promise<void>, signal?: AbortSignal) {
  const execution = createExecutionContext();
  const request = new Request('http://localhost/', { ...(signal && { signal }) });
  const response = eventStream({ host: { log: toLog() }, request, execution }, work);
  return { response, finished: () => waitOnExecutionContext(execution) };
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));

describe('an event stream', () => {
  it('writes one frame an event, with an id only for what is journaled', async () => {
    const { response } = open(async (stream) => {
      const event = { type: 'cancel-requested', turn: 't' } as const;
      stream.send({ type: 'event', stored: { seq: 3, at: 7, ...event } });
      stream.send({ type: 'text-delta', reply: '1.1', text: 'a\nb\r' });
      stream.sendNamed('answer', null);
    });
    expect(await response.text()).toBe(
      'retry: 1000\n\n' +
        'id: 3\nevent: cancel-requested\ndata: {"seq":3,"at":7,"type":"cancel-requested","turn":"t"}\n\n' +
        'event: text-delta\ndata: {"reply":"1.1","text":"a\\nb\\r"}\n\n' +
        'event: answer\ndata: null\n\n',
    );
  });

  it('makes a writer wait while its client does not read', async () => {
    let written = 0;
    const { response, finished } = open(async (stream) => {
      for (; written < 100; written += 1) {
        stream.sendNamed('big', 'x'.repeat(10_000));
        await stream.room();
      }
    });
    await expect.poll(() => written).toBeGreaterThanOrEqual(6);
    await promisesSettled(); // nothing else keeps it from writing more
    expect(written).toBeLessThan(10);
    expect((await response.text()).length).toBeGreaterThan(1_000_000);
    await finished();
    expect(written).toBe(100);
  });

  it('frees a writer that waits, and tells it, when its client goes', async () => {
    let left = false;
    const { response, finished } = open(async (stream, leave) => {
      stream.sendNamed('big', 'x'.repeat(100_000));
      await stream.room();
      left = leave.aborted;
      stream.sendNamed('more', 'dropped');
    });
    await response.body?.cancel();
    await finished();
    expect(left).toBe(true);
  });

  it('ends when its request is aborted, although its writer goes on for a while', async () => {
    const client = new AbortController();
    const writing = Promise.withResolvers<void>();
    const { response, finished } = open(() => writing.promise, client.signal);
    const text = response.text();
    client.abort();
    expect(await text).toBe('retry: 1000\n\n');
    writing.resolve();
    await finished();
  });

  it('just ends when its writer fails, and says so in one line', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const failure = new Error('broken');
    const { response, finished } = open(() => Promise.reject(failure));
    expect(await response.text()).toBe('retry: 1000\n\n');
    await finished();
    expect(log.mock.calls).toEqual([['holdfast: an event stream broke off', failure]]);
    log.mockRestore();
  });

  it('keeps a silent line open with comments, and stops when it ends', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const client = new AbortController();
    const { response, finished } = open((_, leave) => untilAborted(leave), client.signal);
    const text = response.text();
    vi.advanceTimersByTime(45_000);
    client.abort();
    await finished();
    expect(await text).toBe(`retry: 1000\n\n${':\n\n'.repeat(3)}`);
    expect(vi.getTimerCount()).toBe(0);
  });
});
