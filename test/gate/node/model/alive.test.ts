import { describe, expect, it } from 'vitest';
import type { ChatModel } from '../../../../src/index.ts';
import { createAiSdkModel, createOpenaiCompatible, createWorkersAi } from '../../../doors/model.ts';
import {
  createFakeModel,
  createFinish,
  createStreamedResult,
  createCallPart as part,
  createDelta as sdkDelta,
} from './ai-sdk/fake-model.ts';
import {
  createBodyStream,
  createChoiceDelta,
  createFakePace,
  createFakeServer,
  createStreamResponse,
  hello,
  toSseText,
} from './openai-compatible/fake-server.ts';

const { pace } = createFakePace();
/** Text, followed by slow events that are not passed on. */
const events = [
  createChoiceDelta({ content: 'a' }),
  createChoiceDelta({ tool_calls: [] }),
  createChoiceDelta({}, 'stop'),
  '[DONE]',
].map((event) => toSseText(event));

/** Creates each adapter with a streaming server. The first response fails if `fails` is `true`. */
const adapters: Readonly<Record<string, (fails: boolean, timeout?: number) => ChatModel>> = {
  openaiCompatible(fails, timeout) {
    const streamGood = () => createStreamResponse(events);
    const { fetch } = createFakeServer(
      ...(fails ? [() => new Response('', { status: 503 }), streamGood] : [streamGood]),
    );
    return createOpenaiCompatible({ baseURL: 'https://model.test/v1', model: 'm', fetch, timeout }, pace);
  },
  workersAi(fails, timeout) {
    let runs = 0;
    const run = async () => {
      runs += 1;
      if (fails && runs === 1) throw new Error('3040: No capacity.');
      return createBodyStream(events);
    };
    return createWorkersAi({ run }, { model: 'm', timeout }, pace);
  },
  fromAiSdk(fails, timeout) {
    const streamGood = () =>
      createStreamedResult([sdkDelta('a'), part('1', 'f', '{}'), createFinish('tool-calls')]);
    const rejectBusy = () =>
      Promise.reject(Object.assign(new Error('No.'), { isRetryable: true, statusCode: 503 }));
    return createAiSdkModel(
      createFakeModel(fails ? [rejectBusy, streamGood] : [streamGood]).model,
      { timeout },
      pace,
    );
  },
};

/** Returns the adapter's reports in order: pieces of text, and a timeout for each sign of life. */
async function recordSigns(model: ChatModel, stream: boolean): Promise<readonly unknown[]> {
  const log: unknown[] = [];
  const { signal } = new AbortController();
  const alive = (patience?: number) => void log.push(patience);
  await model.ask(hello, { signal, alive, ...(stream && { onText: (piece) => void log.push(piece) }) });
  return log;
}

describe.each(Object.entries(adapters))('%s', (_, adapter) => {
  it('reports its timeout before the request and with each chunk', async () => {
    const log = await recordSigns(adapter(false), true);
    expect(log[0]).toBe(120_000);
    expect(log.filter((one) => one === 'a')).toHaveLength(1);
    expect(log.slice(log.indexOf('a')).length).toBeGreaterThan(2);
    expect(new Set(log)).toEqual(new Set([120_000, 'a']));
    expect(await recordSigns(adapter(false, 300_000), true)).toContain(300_000);
  });

  it('reports its timeout again before a retry', async () => {
    const [once, twice] = [await recordSigns(adapter(false), true), await recordSigns(adapter(true), true)];
    expect(twice.indexOf('a')).toBeGreaterThan(once.indexOf('a'));
  });
});
