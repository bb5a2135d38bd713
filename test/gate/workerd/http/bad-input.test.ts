import { describe, expect, it } from 'vitest';
import { registerScript } from '../../../fixtures/scripts.ts';
import { createTestApp } from './app.ts';
import { createSessionPath, post, readJson, send } from './client.ts';

const createProblem = (type: string, status: number, detail: string, more: Record<string, unknown> = {}) => ({
  type: `urn:holdfast:problem:${type}`,
  title: type.replaceAll('-', ' '),
  status,
  detail,
  ...more,
});

async function expectProblem(response: Response, expected: ReturnType<typeof createProblem>): Promise<void> {
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(response.status).toBe(expected.status);
  expect(await readJson(response)).toEqual(expected);
}

const createInvalidBody = (...problems: string[]) =>
  createProblem('invalid-body', 422, `The body is not valid: ${problems.join('; ')}.`, { problems });

const loopIdRule = 'loopId: must be 1 to 128 of the characters A-Z a-z 0-9 _ . : -';

describe('a body', () => {
  it.each([
    ['invalid JSON', '{"message":', createProblem('bad-json', 400, 'The body is not JSON.')],
    ['no content', '', createProblem('bad-json', 400, 'The body is not JSON.')],
    ['an array', '[]', createInvalidBody('it must be a JSON object')],
    ['text', '"Hello"', createInvalidBody('it must be a JSON object')],
    ['null', 'null', createInvalidBody('it must be a JSON object')],
    ['no message', '{}', createInvalidBody('message: is missing')],
    ['an empty message', '{"message":""}', createInvalidBody('message: must be text that is not blank')],
    [
      'a blank message',
      '{"message":" \\n\\t"}',
      createInvalidBody('message: must be text that is not blank'),
    ],
    [
      'a message that is not text',
      '{"message":7}',
      createInvalidBody('message: must be text that is not blank'),
    ],
    [
      'a context that is an array',
      '{"message":"x","context":[1]}',
      createInvalidBody('context: must be a JSON object'),
    ],
    [
      'a context that is text',
      '{"message":"x","context":"a"}',
      createInvalidBody('context: must be a JSON object'),
    ],
    [
      'a context that is null',
      '{"message":"x","context":null}',
      createInvalidBody('context: must be a JSON object'),
    ],
    ['an empty loopId', '{"message":"x","loopId":""}', createInvalidBody(loopIdRule)],
    ['a loopId with spaces', '{"message":"x","loopId":"a b"}', createInvalidBody(loopIdRule)],
    ['a loopId that is not text', '{"message":"x","loopId":1}', createInvalidBody(loopIdRule)],
    ['an unknown property', '{"message":"x","mesage":"y"}', createInvalidBody('mesage: is not known here')],
    [
      'a property of every object',
      '{"message":"x","constructor":1}',
      createInvalidBody('constructor: is not known here'),
    ],
    ['a prototype', '{"message":"x","__proto__":{}}', createInvalidBody('__proto__: is not known here')],
    [
      'several mistakes at once',
      '{"message":"","context":[],"loopId":"","a":1,"b":2}',
      createInvalidBody(
        'message: must be text that is not blank',
        'context: must be a JSON object',
        loopIdRule,
        'a: is not known here',
        'b: is not known here',
      ),
    ],
    [
      'a context nested too deeply',
      `{"message":"x","context":{"deep":${'['.repeat(600)}${']'.repeat(600)}}}`,
      createInvalidBody("context: the value of 'deep' is nested too deeply"),
    ],
  ])('with %s is refused', async (_, body, expected) => {
    const session = createSessionPath();
    await expectProblem(await post(session, body), expected);
    expect((await send(session)).status).toBe(404);
  });

  it('is refused if it is not UTF-8', async () => {
    const body = new Uint8Array([...new TextEncoder().encode('{"message":"'), 0xff, 0x22, 0x7d]);
    const headers = { 'content-type': 'application/json' };
    const response = await send(`${createSessionPath()}/messages`, { method: 'POST', headers, body });
    await expectProblem(response, createProblem('bad-json', 400, 'The body is not UTF-8.'));
  });

  it('is refused if it is cut off', async () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"message":')),
      pull: (controller) => controller.error(new Error('gone')),
    });
    const headers = { 'content-type': 'application/json' };
    const response = await createTestApp({})(`${createSessionPath()}/messages`, {
      method: 'POST',
      headers,
      body,
    });
    await expectProblem(response, createProblem('bad-json', 400, 'The body ended early.'));
  });

  it.each([
    [undefined],
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['application/json-patch+json'],
    ['multipart/mixed; boundary=application/json'],
  ])('is refused if its media type is %s', async (type) => {
    const body = new TextEncoder().encode('{"message":"x"}');
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
    const response = await send(`${createSessionPath()}/messages`, { method: 'POST', headers, body });
    expect(response.headers.get('accept')).toBe('application/json, multipart/form-data');
    const detail = 'Send the body as application/json or multipart/form-data.';
    await expectProblem(response, createProblem('unsupported-media-type', 415, detail));
  });

  it('can have its media type in capitals and with a charset', async () => {
    const headers = { 'content-type': 'Application/JSON; Charset=UTF-8' };
    expect(
      (await post(createSessionPath(), { message: registerScript('Done.').message() }, { headers })).status,
    ).toBe(200);
  });

  const tooLarge = createProblem('body-too-large', 413, 'The body is larger than 1000000 bytes. Send less.');

  it('larger than 1 MB is refused', async () => {
    await expectProblem(await post(createSessionPath(), { message: 'x'.repeat(1_000_000) }), tooLarge);
  });

  it('is refused before it is read if it declares a length over 1 MB', async () => {
    const headers = { 'content-type': 'application/json', 'content-length': '1000001' };
    const request = { method: 'POST', headers, body: '{"message":"x"}' };
    await expectProblem(await createTestApp({})(`${createSessionPath()}/messages`, request), tooLarge);
  });

  it('larger than 1 MB is refused even if it declares no length', async () => {
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1;
        if (sent > 40) controller.close();
        else controller.enqueue(new Uint8Array(100_000).fill(0x20));
      },
    });
    const headers = { 'content-type': 'application/json' };
    const response = await send(`${createSessionPath()}/messages`, {
      method: 'POST',
      headers,
      body: endless,
    });
    await expectProblem(response, tooLarge);
    expect(sent).toBeLessThan(40);
  });

  it('is accepted if it is exactly 1 MB', async () => {
    const { message } = registerScript('Done.');
    const body = JSON.stringify({ message: message('') });
    const padded = body.padEnd(1_000_000, ' ');
    expect((await post(createSessionPath(), padded)).status).toBe(200);
  });
});

describe('a path', () => {
  const invalidId = createProblem(
    'invalid-session-id',
    400,
    'A session id must be 1 to 128 of the characters A-Z a-z 0-9 _ . : @ -',
  );

  it.each(['a b', 'a%2Fb', '%00', '%F0%9F%98%80', '%E0%A4%A', 'a"b', 'x'.repeat(129), '%2e%2e%2f'])(
    'with the session id %s is refused on every route',
    async (id) => {
      const session = `/agents/scripted/sessions/${id}`;
      await expectProblem(await send(session), invalidId);
      await expectProblem(await send(`${session}/events`), invalidId);
      await expectProblem(await send(`${session}/cancel`, { method: 'POST' }), invalidId);
      await expectProblem(await post(session, { message: 'x' }), invalidId);
    },
  );

  it('can encode a session id, and finds the same session', async () => {
    const id = `a:b@c.${crypto.randomUUID()}`;
    const answer = await post(`/agents/scripted/sessions/${encodeURIComponent(id)}`, {
      message: registerScript('Done.').message(),
    });
    expect((await readJson(answer)).session).toBe(id);
    expect((await send(`/agents/scripted/sessions/${id}`)).status).toBe(200);
  });

  it.each(['nobody', '__proto__', 'constructor', 'x'.repeat(300)])(
    'with the unknown agent %s returns 404',
    async (agent) => {
      const detail = `There is no agent '${agent.slice(0, 64)}'. GET /agents lists the agents.`;
      await expectProblem(
        await post(`/agents/${agent}/sessions/s1`, { message: 'x' }),
        createProblem('unknown-agent', 404, detail),
      );
    },
  );

  it.each([
    '/nothing',
    '/agents/scripted',
    '/agents/scripted/sessions/s/x',
    '/agents/',
    '/agents/scripted/sessions/s/',
    '/AGENTS',
  ])('returns 404 if it does not exist: %s', async (path) => {
    const detail = 'This path is unknown. GET / shows where to start.';
    await expectProblem(await send(path), createProblem('unknown-route', 404, detail));
  });

  it('with an extra slash returns 404 with the correct path', async () => {
    const detail = 'This path is unknown. GET / shows where to start. Did you mean /agents?';
    await expectProblem(await send('//agents'), createProblem('unknown-route', 404, detail));
  });

  it.each([
    ['DELETE', '/agents', 'GET, HEAD'],
    ['POST', '/', 'GET, HEAD'],
    ['POST', '/health', 'GET, HEAD'],
    ['OPTIONS', '/openapi.json', 'GET, HEAD'],
    ['PUT', '/agents/scripted/sessions/s', 'GET, HEAD, DELETE'],
    ['POST', '/agents/scripted/sessions/s/events', 'GET, HEAD'],
    ['GET', '/agents/scripted/sessions/s/messages', 'POST'],
    ['OPTIONS', '/agents/scripted/sessions/s/messages', 'POST'],
    ['GET', '/agents/scripted/sessions/s/cancel', 'POST'],
    ['POST', '/agents/scripted/sessions/s/turns/t', 'GET, HEAD'],
  ])('with the wrong method returns the allowed methods: %s %s', async (method, path, allow) => {
    const response = await send(path, { method });
    expect(response.headers.get('allow')).toBe(allow);
    await expectProblem(response, createProblem('method-not-allowed', 405, `Use ${allow}.`));
  });
});

describe('a position in the journal', () => {
  const idRule = 'Last-Event-ID must be the sequence number of an event, such as 12.';
  const sequenceRule = 'after must be the sequence number of an event, such as 12.';
  const limitRule = 'limit must be a whole number from 1 to 500.';

  it.each(['x', '-1', '1.5', '0x10', '1e3', '9'.repeat(16), 'NaN'])('cannot be %s', async (value) => {
    const session = createSessionPath();
    await post(session, { message: registerScript('Done.').message() });
    const headers = { accept: 'text/event-stream', 'last-event-id': value };
    await expectProblem(
      await send(`${session}/events`, { headers }),
      createProblem('invalid-header', 400, idRule),
    );
    await expectProblem(
      await send(`${session}/events?after=${value}`),
      createProblem('invalid-query', 400, sequenceRule),
    );
    await expectProblem(
      await send(`${session}/events?limit=${value}`),
      createProblem('invalid-query', 400, limitRule),
    );
  });

  it('is refused with a page limit of 0', async () => {
    await expectProblem(
      await send(`${createSessionPath()}/events?limit=0`),
      createProblem('invalid-query', 400, limitRule),
    );
  });
});
