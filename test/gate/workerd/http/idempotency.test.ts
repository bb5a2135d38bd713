import { describe, expect, it } from 'vitest';
import { recordings } from '../../../fixtures/scripted-agent.ts';
import { createHeldReply, registerScript } from '../../../fixtures/scripts.ts';
import {
  createSessionPath,
  followToEnd,
  post,
  readAllEvents,
  readJournal,
  readJson,
  SSE_HEADERS,
  send,
} from './client.ts';
import { createProblem } from './waiting.ts';

const withKey = (key: string, more: Record<string, string> = {}) => ({
  headers: { 'idempotency-key': key, ...more },
});
const ASYNC_HEADERS = { prefer: 'respond-async' };

describe('an idempotency key', () => {
  it('returns the same answer after the turn has ended, and runs no second turn', async () => {
    const session = createSessionPath();
    const { message, model } = registerScript(
      { calls: [{ name: 'record', input: { note: 'idem' } }] },
      'Done.',
    );
    const body = { message: message() };
    const first = await post(session, body, withKey('k1'));
    const second = await post(session, body, withKey('k1'));
    expect(second.status).toBe(200);
    expect(await readJson(second)).toEqual(await readJson(first));
    expect(model.requests.length).toBe(2);
    expect(recordings.filter(({ note }) => note === 'idem').length).toBe(1);
    expect((await readJournal(session)).length).toBe(7);
  });

  it('returns the events of the turn again as a stream', async () => {
    const session = createSessionPath();
    const body = { message: registerScript('Done.').message() };
    const streamed = await readAllEvents(await post(session, body, withKey('k1', SSE_HEADERS)));
    const again = await readAllEvents(await post(session, body, withKey('k1', SSE_HEADERS)));
    expect(again).toEqual(streamed.filter(({ event }) => event !== 'text-delta'));
  });

  it('joins the turn while it runs', async () => {
    const session = createSessionPath();
    const answer = createHeldReply('Done.');
    const { message, model } = registerScript(answer.reply);
    const body = { message: message() };
    const first = post(session, body, withKey('k1'));
    await answer.asked();
    const joined = [post(session, body, withKey('k1')), post(session, body, withKey('k1'))];
    const streamed = post(session, body, withKey('k1', SSE_HEADERS));
    answer.release();
    const answers = await Promise.all([first, ...joined].map(async (response) => readJson(await response)));
    expect(answers[0]).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(answers).toEqual([answers[0], answers[0], answers[0]]);
    expect((await readAllEvents(await streamed)).at(-1)).toEqual({ event: 'answer', data: answers[0] });
    expect(model.requests.length).toBe(1);
  });

  it('starts one turn if it is sent twice concurrently', async () => {
    const session = createSessionPath();
    const { message, model } = registerScript('Done.');
    const body = { message: message() };
    const both = await Promise.all([post(session, body, withKey('k1')), post(session, body, withKey('k1'))]);
    const [one, two] = await Promise.all(both.map(readJson));
    expect(one).toEqual(two);
    expect(model.requests.length).toBe(1);
  });

  it('replays a failed turn as the same problem', async () => {
    const session = createSessionPath();
    const body = { message: registerScript().message() };
    const first = await post(session, body, withKey('k1'));
    const second = await post(session, body, withKey('k1'));
    expect([first.status, second.status]).toEqual([502, 502]);
    expect(await readJson(second)).toEqual(await readJson(first));
  });

  it.each([{}, ASYNC_HEADERS, SSE_HEADERS])('with another body is refused: %j', async (headers) => {
    const session = createSessionPath();
    const { message } = registerScript('Done.');
    await post(session, { message: message() }, withKey('k1'));
    const response = await post(session, { message: 'Something else' }, withKey('k1', headers));
    expect(response.status).toBe(422);
    expect(await readJson(response)).toEqual({
      type: 'urn:holdfast:problem:idempotency-key-reused',
      title: 'idempotency key reused',
      status: 422,
      detail: 'This Idempotency-Key was used with another body. Use a new key for a new message.',
    });
    expect((await readJournal(session)).length).toBe(4);
  });

  it('finds a background turn from the foreground, and a foreground turn from the background', async () => {
    const session = createSessionPath();
    const { message } = registerScript('Done.', 'Again.');
    const body = { message: message() };
    const accepted = await readJson(await post(session, body, withKey('k1', ASYNC_HEADERS)));
    expect(await readJson(await post(session, body, withKey('k1', ASYNC_HEADERS)))).toEqual(accepted);
    const waited = await readJson(await post(session, body, withKey('k1')));
    expect(waited).toMatchObject({ turn: accepted.turn, outcome: 'completed', text: 'Done.' });
    await followToEnd(session);
    const more = await readJson(await post(session, { message: 'More' }, withKey('k2')));
    const later = await post(session, { message: 'More' }, withKey('k2', ASYNC_HEADERS));
    expect([later.status, (await readJson(later)).turn]).toEqual([202, more.turn]);
  });

  it('applies only to its session', async () => {
    const [a, b] = [createSessionPath(), createSessionPath()];
    const body = { message: registerScript('A.', 'B.').message() };
    const [one, two] = [await post(a, body, withKey('k1')), await post(b, body, withKey('k1'))];
    expect([(await readJson(one)).text, (await readJson(two)).text]).toEqual(['A.', 'B.']);
  });

  it.each([
    ['two words', 'two words'],
    ['an empty key', ''],
    ['a key that is too long', 'k'.repeat(256)],
    ['a key that is not ASCII', 'schlüssel'],
    ['two keys', 'a, b'],
  ])('is refused if it is invalid: %s', async (_, key) => {
    const session = createSessionPath();
    const response = await post(session, { message: 'Hello' }, withKey(key));
    expect(response.status).toBe(400);
    expect(await readJson(response)).toEqual({
      type: 'urn:holdfast:problem:invalid-header',
      title: 'invalid header',
      status: 400,
      detail: 'Idempotency-Key must be 1 to 255 visible ASCII characters.',
    });
  });
});

describe('a message without a key', () => {
  it('is refused while another turn runs, and that turn continues', async () => {
    const session = createSessionPath();
    const answer = createHeldReply('Done.');
    const first = post(session, { message: registerScript(answer.reply).message() });
    await answer.asked();
    const response = await post(session, { message: 'Me too' });
    expect(response.status).toBe(409);
    expect(response.headers.get('retry-after')).toMatch(/^[1-5]$/); // the rest of the lease term, in seconds
    const { turn, ...problem } = await readJson(response);
    expect(problem).toEqual({
      type: 'urn:holdfast:problem:session-busy',
      title: 'session busy',
      status: 409,
      detail: `The session is busy with turn ${turn}. Send the message again when it has ended (GET ${session} shows it), or now with ?whenBusy=queue, to wait, or ?whenBusy=steer, to be read by that turn.`,
    });
    answer.release();
    expect(await readJson(await first)).toMatchObject({ turn, outcome: 'completed' });
  });
});

describe('a quoted idempotency key', () => {
  const sendWithKeys = async (...keys: readonly string[]) => {
    const session = createSessionPath();
    const { message, model } = registerScript('One.', 'Two.', 'Three.', 'Four.');
    const body = { message: message() };
    const answers: unknown[] = [];
    for (const key of keys) answers.push(await readJson(await post(session, body, withKey(key))));
    return { answers, asked: model.requests.length };
  };

  it.each([
    ['"a"', 'a'],
    ['a', '"a"'],
    ['"8e03978e-40d5-43dd-bc93-6894a57f9324"', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    [String.raw`"a\"b\\c"`, String.raw`a"b\c`],
  ])('equals the key without quotes, as a String of RFC 8941: %s and %s', async (one, other) => {
    const { answers, asked } = await sendWithKeys(one, other);
    expect([answers[1], asked]).toEqual([answers[0], 1]);
  });

  it('with quotes inside is used literally', async () => {
    expect((await sendWithKeys('a"b', 'ab')).asked).toBe(2);
  });

  it.each(['"a', 'a"', '"', '"a"b"', '"a";x=1', '"a", "b"', String.raw`"a\"`, String.raw`"a\b"`, '"\u00e9"'])(
    'is refused if it is not a valid String: %s',
    async (key) => {
      const session = createSessionPath();
      const response = await post(session, { message: registerScript('Done.').message() }, withKey(key));
      const detail =
        'Idempotency-Key contains a quote, but is not a String of RFC 8941. Send it without quotes.';
      expect([response.status, await readJson(response)]).toEqual([
        400,
        createProblem('invalid-header', 400, detail),
      ]);
      expect((await send(session)).status).toBe(404);
    },
  );

  it.each(['""', '"a b"', `"${'k'.repeat(256)}"`])(
    'is refused if the key inside is invalid: %s',
    async (key) => {
      const response = await post(
        createSessionPath(),
        { message: registerScript('Done.').message() },
        withKey(key),
      );
      const detail = 'Idempotency-Key must be 1 to 255 visible ASCII characters.';
      expect([response.status, await readJson(response)]).toEqual([
        400,
        createProblem('invalid-header', 400, detail),
      ]);
    },
  );
});
