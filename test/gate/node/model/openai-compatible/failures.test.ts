import { describe, expect, it } from 'vitest';
import type { ModelFailure } from '../../../../../src/model/entry.ts';
import {
  ask,
  askForFailure,
  askForReply,
  createChoiceDelta,
  createCompletion,
  createStreamResponse,
  toSseText,
} from './fake-server.ts';

const respondWith =
  (code: number, headers: Record<string, string> = {}, body: unknown = { error: { message: 'no' } }) =>
  () =>
    Response.json(body, { status: code, headers });

describe('an HTTP status', () => {
  it.each<[number, ModelFailure, number]>([
    [301, 'bad-request', 1],
    [400, 'bad-request', 1],
    [401, 'unauthorized', 1],
    [402, 'bad-request', 1],
    [403, 'unauthorized', 1],
    [404, 'bad-request', 1],
    [408, 'timeout', 3],
    [409, 'server-error', 3],
    [422, 'bad-request', 1],
    [429, 'rate-limited', 3],
    [500, 'server-error', 3],
    [503, 'server-error', 3],
    [529, 'server-error', 3],
  ])('%i is a failure of type %s with %i requests in total', async (code, failure, times) => {
    const { requests, ...outcome } = await ask(respondWith(code));
    expect(outcome).toMatchObject({
      error: {
        failure,
        status: code,
        message: `The model's server answered ${code}: no`,
        outputBegan: false,
      },
    });
    expect(requests).toHaveLength(times);
  });

  it.each<[string, unknown]>([
    ['error.message', { error: { message: 'no' } }],
    ['error', { error: 'no' }],
    ['message', { message: 'no', object: 'error' }],
    ['detail', { detail: 'no' }],
  ])('has the message from the field %s', async (_, body) => {
    expect((await askForFailure(respondWith(400, {}, body))).message).toBe(
      "The model's server answered 400: no",
    );
  });

  it.each<[string, string]>([
    ['model not found\n', "The model's server answered 404: model not found"],
    ['<html>nginx</html>', "The model's server answered 404."],
    ['', "The model's server answered 404."],
    ['{"error":{"message":7}}', "The model's server answered 404."],
    ['{"error":null}', "The model's server answered 404."],
    [`a\u0000b\r\n  c`, "The model's server answered 404: a b c"],
    [
      'x'.repeat(1000),
      `The model's server answered 404: ${'x'.repeat(300 - "The model's server answered 404: ".length)}…`,
    ],
  ])('is reported with the body %j in one short line', async (body, message) => {
    expect((await askForFailure(() => new Response(body, { status: 404 }))).message).toBe(message);
  });

  it('is reported even if its body hangs or never ends, and the body is cancelled', async () => {
    let cancelled = 0;
    const letGo = () => {
      cancelled += 1;
    };
    const respondHanging = () =>
      new Response(createStreamResponse('{"err', 'hang', letGo).body, { status: 400 });
    expect((await askForFailure(respondHanging, { timeout: 20 })).message).toBe(
      `The model's server answered 400: {"err`,
    );
    const respondEndlessly = () =>
      new Response(createStreamResponse(Array(9).fill('x'.repeat(65_000)), 'hang', letGo).body, {
        status: 400,
      });
    expect(await askForFailure(respondEndlessly)).toMatchObject({ failure: 'bad-request', status: 400 });
    expect(cancelled).toBe(2);
  });
});

describe('a secret', () => {
  const key = 'sk-very-secret-0123456789';

  it('is redacted before the message is cut', async () => {
    const echo = { error: { message: `${'x'.repeat(250)} Incorrect API key provided: ${key}` } };
    const { message } = await askForFailure(respondWith(401, {}, echo), { apiKey: key });
    expect(message).not.toContain('sk-');
    expect(
      (await askForFailure(respondWith(401, {}, { error: `bad key ${key}!` }), { apiKey: key })).message,
    ).toBe("The model's server answered 401: bad key [secret]!");
  });

  it('is redacted if it is in a header, whether the server repeats all or part of the header', async () => {
    const headers = { 'api-key': 'hunter2-hunter2', 'x-auth': 'Token abc-def-ghi' };
    const echo = { error: 'hunter2-hunter2 and Token abc-def-ghi and abc-def-ghi' };
    expect((await askForFailure(respondWith(400, {}, echo), { headers })).message).toBe(
      "The model's server answered 400: [secret] and [secret] and [secret]",
    );
  });

  it('is redacted to its end if it begins like another secret', async () => {
    const options = { apiKey: 'hunter', headers: { 'api-key': 'hunter2-hunter2' } };
    expect((await askForFailure(respondWith(400, {}, { error: 'hunter2-hunter2' }), options)).message).toBe(
      "The model's server answered 400: [secret]",
    );
  });

  it('is redacted in errors of the network and of streams', async () => {
    const rejectWithKey = () => Promise.reject(new TypeError(`cannot send Bearer ${key}`));
    expect((await askForFailure(rejectWithKey, { apiKey: key })).message).toBe(
      "The model's server could not be reached: cannot send Bearer [secret]",
    );
    const streamError = () => createStreamResponse(toSseText({ error: { message: `key ${key}` } }));
    expect((await askForFailure(streamError, { apiKey: key, stream: true })).message).toBe(
      "The model's server reported an error: key [secret]",
    );
  });
});

it('the message of an error does not quote the conversation', async () => {
  const text = 'You are the clerk of Kilo & Co.; a crate of kelp costs us 12.';
  const request = { messages: [{ role: 'system' as const, text }], tools: [] };
  const echo = { error: { message: `Cannot read '${text}'.` } };
  expect((await askForFailure(respondWith(400, {}, echo), { request })).message).toBe(
    "The model's server answered 400: Cannot read '[request]'.",
  );
});

it('the message of an error does not quote earlier reasoning', async () => {
  const text = 'The clerk must never learn that kelp costs us 12.';
  const reply = {
    role: 'assistant' as const,
    text: 'Hm.',
    toolCalls: [],
    parts: [{ type: 'reasoning' as const, text }],
  };
  const echo = { error: { message: `Cannot read '${text}'.` } };
  expect(
    (await askForFailure(respondWith(400, {}, echo), { request: { messages: [reply], tools: [] } })).message,
  ).toBe("The model's server answered 400: Cannot read '[request]'.");
});

describe('the reason of a server', () => {
  const QUOTA = 'You exceeded your current quota, please check your plan and billing details.';
  const getFailure = async (...given: Parameters<typeof ask>) => {
    const outcome = await ask(...given);
    if ('reply' in outcome) throw new Error('The request did not fail.');
    return outcome.error;
  };
  const getErrorFor = (text: string, words: string) =>
    getFailure(respondWith(400, {}, { error: { message: words } }), {
      request: { messages: [{ role: 'user', text }], tools: [] },
    });

  it.each([
    ['which a message asks about', `What does this mean? ${QUOTA}`, QUOTA],
    ['which is a whole message', QUOTA, QUOTA],
    ['whose beginning a message asks about', 'Why is it: You exceeded your current quota', QUOTA],
    ['which shares two words with a message', 'current quota', QUOTA],
    ['which a message quotes with our words', `The model's server answered 400: ${QUOTA}`, QUOTA],
    ['which only quotes a message', QUOTA, `"${QUOTA}"`],
  ])('is reported %s', async (_, text, words) => {
    const { message, reason } = await getErrorFor(text, words);
    expect([message, reason]).toEqual(Array(2).fill(`The model's server answered 400: ${words}`));
  });

  it('is only logged if it repeats the instructions, which clients must not see', async () => {
    const request = { messages: [{ role: 'system' as const, text: `Never say: ${QUOTA}` }], tools: [] };
    const { message, reason } = await getFailure(respondWith(400, {}, { error: { message: QUOTA } }), {
      request,
    });
    expect([message, reason]).toEqual([
      "The model's server answered 400: [request]",
      `The model's server answered 400: ${QUOTA}`,
    ]);
  });

  it('is logged in full, including what it quotes', async () => {
    const { message, reason } = await getErrorFor(
      'my own long words, as I wrote them',
      "No 'my own long words, as I wrote them'.",
    );
    expect([message, reason]).toEqual([
      "The model's server answered 400: No '[request]'.",
      "The model's server answered 400: No 'my own long words, as I wrote them'.",
    ]);
  });

  it('is logged without credentials', async () => {
    const key = 'sk-very-secret-0123456789';
    const { reason } = await getFailure(respondWith(401, {}, { error: `bad key ${key}!` }), { apiKey: key });
    expect(reason).toBe("The model's server answered 401: bad key [secret]!");
  });
});

describe('an error inside a response', () => {
  it.each<[unknown, ModelFailure, number | undefined]>([
    [{ error: { message: 'no' } }, 'server-error', undefined],
    [{ error: 'no' }, 'server-error', undefined],
    [{ object: 'error', message: 'no' }, 'server-error', undefined],
    [{ error: { message: 'no', code: 429 } }, 'rate-limited', 429],
    [{ error: { message: 'no', code: '502' } }, 'server-error', 502],
    [{ error: { message: 'no', status: 401 } }, 'unauthorized', 401],
    [{ error: { message: 'no', statusCode: 529 } }, 'server-error', 529],
    [{ choices: [{ error: { message: 'no', code: 502 }, finish_reason: 'error' }] }, 'server-error', 502],
    [{ error: { message: 'no', type: 'rate_limit_error' } }, 'rate-limited', undefined],
    [{ error: { message: 'no', type: 'invalid_request_error' } }, 'bad-request', undefined],
  ])('%j is reported as %s', async (error, failure, code) => {
    const expected = {
      failure,
      status: code,
      message: "The model's server reported an error: no",
      outputBegan: false,
    };
    expect(await askForFailure(() => createStreamResponse(toSseText(error)), { stream: true })).toMatchObject(
      expected,
    );
    expect(await askForFailure(() => Response.json(error))).toMatchObject(expected);
  });

  it('is reported if only the end of a reply contains it', async () => {
    const expected = {
      failure: 'server-error',
      status: undefined,
      message: 'The model stopped because of an error.',
    };
    const streamError = () =>
      createStreamResponse(toSseText(createChoiceDelta({ content: 'a' }), createChoiceDelta({}, 'error')));
    expect(await askForFailure(streamError, { stream: true })).toMatchObject({
      ...expected,
      outputBegan: true,
    });
    expect(
      await askForFailure(() => Response.json(createCompletion({ content: 'a' }, 'error'))),
    ).toMatchObject(expected);
  });

  it('is ignored if it is null or empty', async () => {
    for (const error of [null, '']) {
      expect(
        (await askForReply(() => Response.json({ ...createCompletion({ content: 'a' }), error }))).text,
      ).toBe('a');
    }
  });
});
