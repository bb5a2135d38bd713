import { describe, expect, it } from 'vitest';
import {
  ask,
  createChoiceDelta,
  createCompletion,
  createStreamResponse,
  START_TIME,
  toSseText,
} from './fake-server.ts';

const respondOk = () => Response.json(createCompletion({ content: 'hi' }));
const respondWith =
  (code: number, headers: Record<string, string> = {}, body: unknown = { error: { message: 'no' } }) =>
  () =>
    Response.json(body, { status: code, headers });
const neverRespond = () => new Promise<Response>(() => {});
const failToFetch = () => Promise.reject(new TypeError('fetch failed'));

describe('a retry', () => {
  it('follows temporary failures, after waits that double and are randomized', async () => {
    const streamBroken = () =>
      createStreamResponse(toSseText(createChoiceDelta({ role: 'assistant' })), 'break');
    const answers = [
      failToFetch,
      respondWith(500),
      streamBroken,
      respondWith(429),
      respondWith(503),
      respondWith(408),
      respondOk,
    ];
    const lowest = await ask(answers, { retries: 6 });
    expect(lowest).toMatchObject({ reply: { text: 'hi' }, waits: [250, 500, 1000, 2000, 4000, 4000] });
    const highest = await ask(answers, { retries: 6, random: 0.999_999 });
    expect(highest.waits.map(Math.round)).toEqual([500, 1000, 2000, 4000, 8000, 8000]);
  });

  it('follows a request that hangs, which is aborted', async () => {
    const signals: AbortSignal[] = [];
    const hang = (request: RequestInit) => {
      if (request.signal) signals.push(request.signal);
      return neverRespond();
    };
    const outcome = await ask([hang, respondOk], { timeout: 20 });
    expect(outcome).toMatchObject({ reply: { text: 'hi' }, waits: [250] });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('is not made if retries are turned off', async () => {
    const { requests, waits } = await ask(respondWith(500), { retries: 0 });
    expect([requests.length, waits]).toEqual([1, []]);
  });

  it.each<[Record<string, string>, number]>([
    [{ 'retry-after': '3' }, 3000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': new Date(START_TIME + 7000).toUTCString() }, 7000],
    [{ 'retry-after-ms': '120', 'retry-after': '3' }, 120],
    [{ 'retry-after-ms': 'soon', 'retry-after': '3' }, 3000],
    [{ 'retry-after': '30' }, 30_000],
    [{ 'retry-after': '0' }, 250],
    [{ 'retry-after': '-5' }, 250],
    [{ 'retry-after': 'soon' }, 250],
    [{ 'retry-after': new Date(START_TIME - 7000).toUTCString() }, 250],
  ])('waits as long as the headers %j require: %i ms', async (headers, wait) => {
    expect(await ask([respondWith(429, headers), respondOk])).toMatchObject({
      reply: { text: 'hi' },
      waits: [wait],
    });
  });

  it.each<[number, Record<string, string>, number]>([
    [429, { 'retry-after': '31' }, 31],
    [503, { 'retry-after-ms': '90500' }, 91],
    [429, { 'retry-after': new Date(START_TIME + 3_600_000).toUTCString() }, 3600],
  ])('is not made for %i with %j, and the error states the wait', async (code, headers, seconds) => {
    const { requests, waits, ...outcome } = await ask(respondWith(code, headers));
    expect([requests.length, waits]).toEqual([1, []]);
    expect(outcome).toMatchObject({
      error: {
        failure: 'rate-limited',
        status: code,
        message: `The model's server answered ${code} and asks to wait ${seconds} s: no`,
      },
    });
  });

  it.each<[string, unknown]>([
    ['insufficient_quota', { message: 'no', type: 'insufficient_quota', code: 'insufficient_quota' }],
    ['only its type', { message: 'no', type: 'insufficient_quota', code: null }],
    ['an inactive account', { message: 'no', type: 'billing_not_active', code: 'billing_not_active' }],
  ])('is not made if the account has no credit left: %s', async (_, error) => {
    const wait = { 'retry-after': '1' };
    const answers = [
      respondWith(429, wait, { error }),
      () => createStreamResponse(toSseText({ error })),
      () => Response.json({ error }),
    ];
    const told = [
      "The model's server answered 429: no",
      ...Array(2).fill("The model's server reported an error: no"),
    ];
    for (const [index, answer] of answers.entries()) {
      const { requests, waits, ...outcome } = await ask(answer, { stream: index === 1 });
      expect([requests.length, waits]).toEqual([1, []]);
      expect(outcome).toMatchObject({
        error: { failure: 'rate-limited', message: told[index], retryAfter: Number.POSITIVE_INFINITY },
      });
    }
  });

  it.each<[number, Record<string, string>, number | undefined]>([
    [429, { 'retry-after': '3' }, 3000],
    [429, { 'retry-after': '0.5' }, 500],
    [429, { 'retry-after-ms': '120', 'retry-after': '3' }, 120],
    [429, { 'retry-after': new Date(START_TIME + 7000).toUTCString() }, 7000],
    [429, { 'retry-after': new Date(START_TIME + 3_600_000).toUTCString() }, 3_600_000],
    [503, { 'retry-after': '4' }, 4000],
    [429, { 'retry-after': new Date(START_TIME - 7000).toUTCString() }, undefined],
    [429, { 'retry-after': 'soon' }, undefined],
    [429, {}, undefined],
  ])(
    'is not made after %i with %j if retries are off, and the error states the wait in ms: %s',
    async (code, headers, retryAfter) => {
      expect(await ask(respondWith(code, headers))).toMatchObject({ error: { status: code, retryAfter } });
    },
  );

  it('is not made after some text was passed on', async () => {
    const begun = toSseText(createChoiceDelta({ content: 'Hel' }));
    const cases: readonly [() => Response, object][] = [
      [
        () => createStreamResponse(begun),
        { failure: 'truncated', message: "The model's reply ended before it was complete." },
      ],
      [
        () => createStreamResponse(begun, 'break'),
        {
          failure: 'truncated',
          message: "The connection to the model's server broke before the reply was complete.",
        },
      ],
      [
        () => createStreamResponse(begun, 'hang'),
        { failure: 'timeout', message: "The model's server was silent for 20 ms." },
      ],
      [
        () => createStreamResponse(begun + toSseText({ error: { message: 'overloaded' } })),
        { failure: 'server-error', message: "The model's server reported an error: overloaded" },
      ],
    ];
    for (const [answer, error] of cases) {
      const { requests, pieces, ...outcome } = await ask(answer, { stream: true, timeout: 20 });
      expect(outcome).toMatchObject({ error: { ...error, outputBegan: true } });
      expect([requests.length, pieces]).toEqual([1, ['Hel']]);
    }
  });

  it('follows a stream that is cut off before any text, with or without [DONE]', async () => {
    for (const cut of ['', toSseText(createChoiceDelta({ role: 'assistant' })), toSseText('[DONE]')]) {
      const { requests, ...outcome } = await ask(() => createStreamResponse(cut), { stream: true });
      expect(outcome).toMatchObject({
        error: {
          failure: 'truncated',
          message: "The model's reply ended before it was complete.",
          outputBegan: false,
        },
      });
      expect(requests).toHaveLength(3);
    }
  });

  it('is not made for an error that `onText` throws, which is thrown unchanged', async () => {
    const bug = new RangeError('the client disconnected');
    let cancelled = false;
    const answer = () =>
      createStreamResponse(toSseText(createChoiceDelta({ content: 'Hel' })), 'hang', () => {
        cancelled = true;
      });
    const { requests, ...outcome } = await ask(answer, {
      stream: true,
      onText: () => {
        throw bug;
      },
    });
    expect(outcome).toMatchObject({ error: bug });
    expect([requests.length, cancelled]).toEqual([1, true]);
  });
});
