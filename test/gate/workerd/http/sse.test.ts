import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createEventStream, formatFrame, streamEventFrames, type TurnItem } from '../../../doors/http.ts';
import { waitForPromises } from '../../../doors/testing.ts';
import { toLog } from '../../../doors/tools.ts';

/** Opens a stream of frames. */
function open(frames: (leave: AbortSignal) => AsyncIterable<string>, signal?: AbortSignal) {
  const execution = createExecutionContext();
  const request = new Request('http://localhost/', { ...(signal && { signal }) });
  const response = createEventStream({ host: { log: toLog() }, request, execution }, frames);
  return { response, finished: () => waitOnExecutionContext(execution) };
}

/** Yields frames until the promise resolves. */
async function* waitSilently(end: Promise<void>): AsyncGenerator<string> {
  await end;
  yield* [];
}

const waitForAbort = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));

async function* yieldAll(items: readonly TurnItem[]): AsyncGenerator<TurnItem> {
  yield* items;
}

describe('an event stream', () => {
  it('writes one frame per event, with an id only for journaled events', async () => {
    const items: readonly TurnItem[] = [
      { seq: 3, at: 7, type: 'cancel-requested', turn: 't' },
      { type: 'text-delta', reply: '1.1', text: 'a\nb\r' },
      { type: 'later', view: { turn: 't', session: 's', agent: 'a', status: 'accepted' } },
      { type: 'continues', turn: 't', answer: '/t', after: 3, events: '/e' },
      { type: 'erased', turn: 't' },
    ];
    const { response } = open(() => streamEventFrames(() => yieldAll(items)));
    expect(await response.text()).toBe(
      'retry: 1000\n\n' +
        'id: 3\nevent: cancel-requested\ndata: {"seq":3,"at":7,"type":"cancel-requested","turn":"t"}\n\n' +
        'event: text-delta\ndata: {"reply":"1.1","text":"a\\nb\\r"}\n\n' +
        'event: accepted\ndata: {"turn":"t","session":"s","agent":"a","status":"accepted"}\n\n' +
        'event: continues\ndata: {"turn":"t","answer":"/t","after":3,"events":"/e"}\n\n' +
        'id: \nevent: erased\ndata: {"turn":"t"}\n\n',
    );
  });

  it('makes a writer wait while its client does not read', async () => {
    let written = 0;
    const { response, finished } = open(async function* () {
      for (; written < 100; written += 1) yield formatFrame('big', 'x'.repeat(10_000));
    });
    await expect.poll(() => written).toBeGreaterThanOrEqual(6);
    await waitForPromises(); // only the unread stream stops it from writing more
    expect(written).toBeLessThan(10);
    expect((await response.text()).length).toBeGreaterThan(1_000_000);
    await finished();
    expect(written).toBe(100);
  });

  it('releases and notifies a waiting writer if its client disconnects', async () => {
    let left = false;
    const { response, finished } = open(async function* (leave) {
      yield formatFrame('big', 'x'.repeat(100_000));
      left = leave.aborted;
      yield formatFrame('more', 'dropped');
    });
    await response.body?.cancel();
    await finished();
    expect(left).toBe(true);
  });

  it('ends if its request is aborted, even if its writer continues for a while', async () => {
    const client = new AbortController();
    const writing = Promise.withResolvers<void>();
    const { response, finished } = open(() => waitSilently(writing.promise), client.signal);
    const text = response.text();
    client.abort();
    expect(await text).toBe('retry: 1000\n\n');
    writing.resolve();
    await finished();
  });

  it('ends if its writer fails, and logs the failure in one line', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const failure = new Error('broken');
    const { response, finished } = open(() => waitSilently(Promise.reject(failure)));
    expect(await response.text()).toBe('retry: 1000\n\n');
    await finished();
    expect(log.mock.calls).toEqual([['holdfast: an event stream broke off', failure]]);
    log.mockRestore();
  });

  it('keeps a silent connection open with comments, and stops when it ends', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const client = new AbortController();
    const { response, finished } = open((leave) => waitSilently(waitForAbort(leave)), client.signal);
    const text = response.text();
    vi.advanceTimersByTime(45_000);
    client.abort();
    await finished();
    expect(await text).toBe(`retry: 1000\n\n${':\n\n'.repeat(3)}`);
    expect(vi.getTimerCount()).toBe(0);
  });
});
