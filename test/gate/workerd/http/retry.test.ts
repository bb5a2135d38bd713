/** A retry of a session's last message, if its turn has no answer. */
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { createHoldfast, sessionOf } from '../../../../src/create-holdfast.ts';
import { defineAgent, ModelError } from '../../../../src/index.ts';
import { retry, retryLast } from '../../../../src/modules/retry/entry.ts';
import { clerk, listPaymentsTo } from '../../../fixtures/clerk-agent.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { createHeldReply, modelBySession, registerScript } from '../../../fixtures/scripts.ts';
import { createConnectionLost, registerSpeaking, WAIT } from '../../../fixtures/speaking.ts';
import { createTestApp } from './app.ts';
import {
  createSessionPath,
  post,
  readAllEvents,
  readJournal,
  readJson,
  type Send,
  SSE_HEADERS,
} from './client.ts';

const brief = defineAgent({
  name: 'brief',
  description: 'Calls once.',
  instructions: '',
  tools: [],
  limits: { iterations: 1 },
  model: modelBySession,
});

const via = createTestApp({
  agents: [scripted, clerk, brief],
  use: [retry()],
  http: { bodyContext: ['locale'] },
});

const ANSWER_NOW = '[My last message was not answered. Go on from here, and answer it now.]';

const postRetry = (
  session: string,
  headers: Record<string, string> = {},
  send: Send = via,
): Promise<Response> => send(`${session}/retry`, { method: 'POST', headers });

const downError = new ModelError('bad-request', 'The model is down.');

/** Returns the model's last messages. */
const getShownMessages = ({ model }: ReturnType<typeof registerScript>) =>
  model.requests.at(-1)?.messages.flatMap(({ role, text }) => (role === 'system' ? [] : [[role, text]]));

const listStartEvents = async (session: string) =>
  (await readJournal(session, via)).filter(({ type }) => type === 'turn-started');

describe('a retry', () => {
  it('is a turn of the same message, which the conversation contains once', async () => {
    const session = createSessionPath();
    const asked = registerScript(downError, 'Here.');
    const message = asked.message('Where is it?');
    expect((await post(session, { message }, { via })).status).toBe(502);
    const response = await postRetry(session);
    expect(response.status).toBe(200);
    const answer = await readJson(response);
    expect(answer).toMatchObject({ outcome: 'completed', text: 'Here.', iterations: 1 });
    expect(response.headers.get('content-location')).toBe(`${session}/turns/${answer.turn}`);
    expect(getShownMessages(asked)).toEqual([['user', message]]);
    const [first, second] = await listStartEvents(session);
    expect(second).toMatchObject({ turn: answer.turn, message, retries: first?.turn });
    expect(second).not.toHaveProperty('line');
    const { messages } = await readJson(await via(session));
    expect(messages).toMatchObject([
      { role: 'user', text: message },
      { role: 'assistant', text: 'Here.' },
    ]);
  });

  it('shows the model the turn’s events, and asks it to continue with new keys for new calls', async () => {
    const session = createSessionPath('clerk');
    const to = crypto.randomUUID();
    const pays = { calls: [{ name: 'pay_now', input: { to, amount: 5 } }] };
    const asked = registerScript(pays, downError, pays, 'Paid twice.');
    await post(session, { message: asked.message('Pay.') }, { via });
    expect(await readJson(await postRetry(session))).toMatchObject({ text: 'Paid twice.' });
    const [, , third] = asked.model.requests;
    expect(third?.messages.map(({ role, text }) => [role, text])).toEqual([
      ['user', asked.message('Pay.')],
      ['assistant', ''],
      ['tool', 'Paid 5.'],
      ['user', ANSWER_NOW],
    ]);
    expect(listPaymentsTo(to)).toEqual([5, 5]);
    const calls = (await readJournal(session, via)).flatMap((event) =>
      event.type === 'tool-call-started' ? [event.call] : [],
    );
    expect(new Set(calls).size).toBe(2);
  });

  it('shows the model its text from before the turn was cancelled', async () => {
    const session = createSessionPath();
    const asked = registerSpeaking(['It is ', WAIT], ['in Ghent.']);
    const streaming = await post(session, { message: asked.message() }, { via, headers: SSE_HEADERS });
    const reading = readAllEvents(streaming);
    await asked.model.waiting();
    await via(`${session}/cancel`, { method: 'POST' });
    await reading;
    expect(await readJson(await postRetry(session))).toMatchObject({ text: 'in Ghent.' });
    expect(asked.model.requests.at(-1)?.messages.slice(-2)).toMatchObject([
      { role: 'assistant', text: 'It is \n\n[The reply was cut off here.]' },
      { role: 'user', text: ANSWER_NOW },
    ]);
  });

  it('can be retried, which leads to the same message and shows the model’s text once', async () => {
    const session = createSessionPath();
    const asked = registerSpeaking(
      [downError],
      ['It is ', createConnectionLost()],
      ['It ', createConnectionLost()],
      [downError],
      ['Here.'],
    );
    const message = asked.message();
    const failed = await post(session, { message }, { via, headers: SSE_HEADERS });
    await readAllEvents(failed);
    await (await postRetry(session)).text();
    await (await postRetry(session)).text();
    expect(await readJson(await postRetry(session))).toMatchObject({ text: 'Here.' });
    const turns = await listStartEvents(session);
    expect(turns.map((one) => one.message)).toEqual([message, message, message, message]);
    expect(turns.map((one) => one.retries)).toEqual([
      undefined,
      ...turns.slice(0, 3).map(({ turn }) => turn),
    ]);
  });

  it.each([
    ['failed', registerScript(downError, 'Here.')],
    ['limit-reached', registerScript({ calls: ['nothing'] }, 'As far as I know, here.', 'Here.')],
  ])('is accepted for a turn that ended as %s', async (outcome, asked) => {
    const session = createSessionPath('brief');
    const first = await post(session, { message: asked.message() }, { via });
    expect(await readJson(first)).toMatchObject({ outcome });
    expect((await postRetry(session)).status).toBe(200);
  });

  it('can be streamed or run in the background, like a message', async () => {
    const session = createSessionPath();
    const asked = registerScript(downError, downError, 'Here.');
    await post(session, { message: asked.message() }, { via });
    const later = await postRetry(session, { prefer: 'respond-async' });
    expect(later.status).toBe(202);
    const { turn } = await readJson(later);
    await expect.poll(async () => (await via(`${session}/turns/${turn}`)).status).toBe(502);
    const events = await readAllEvents(await postRetry(session, SSE_HEADERS));
    expect(events.map(({ event }) => event)).toEqual([
      'turn-started',
      ...events.filter(({ event }) => event === 'text-delta').map(({ event }) => event),
      'model-replied',
      'turn-ended',
      'answer',
    ]);
  });

  it('runs only once under its key, even if it is repeated after its end', async () => {
    const session = createSessionPath();
    const asked = registerScript(downError, downError, 'Here.');
    await post(session, { message: asked.message() }, { via });
    const headers = { 'idempotency-key': 'k1' };
    const [first, second] = await Promise.all([postRetry(session, headers), postRetry(session, headers)]);
    const turn = (await readJson(first)).turn;
    expect((await readJson(second)).turn).toBe(turn);
    expect((await readJson(await postRetry(session, headers))).turn).toBe(turn);
    expect(await listStartEvents(session)).toHaveLength(2);
    expect(await readJson(await postRetry(session, { 'idempotency-key': 'k2' }))).toMatchObject({
      text: 'Here.',
    });
    expect((await readJson(await postRetry(session, headers))).turn).toBe(turn);
    expect(await readJson(await postRetry(session, { 'idempotency-key': '' }))).toMatchObject({
      type: 'urn:holdfast:problem:invalid-header',
    });
  });

  it('keeps the message’s context, unless another person retries it', async () => {
    const createAppFor = (id: string) =>
      createTestApp({
        agents: [scripted],
        use: [retry()],
        auth: () => ({ id, tenant: 'acme' }),
        http: { bodyContext: ['locale'], contextHeaders: { 'x-desk': 'desk' } },
      });
    const session = createSessionPath();
    const asked = registerScript(downError, downError, 'Here.');
    const body = { message: asked.message(), context: { locale: 'de' } };
    await post(session, body, { via: createAppFor('ada'), headers: { 'x-desk': '7' } });
    await (await postRetry(session, {}, createAppFor('ada'))).text();
    await (await postRetry(session, { 'x-desk': '8' }, createAppFor('ben'))).text();
    const turns = (await readJournal(session, createAppFor('ada'))).filter(
      ({ type }) => type === 'turn-started',
    );
    expect(turns.map(({ context, principal }) => [Object(principal).id, context])).toEqual([
      ['ada', { locale: 'de', desk: '7' }],
      ['ada', { locale: 'de' }],
      ['ben', { desk: '8' }],
    ]);
  });

  it('can be made from code', async () => {
    const holdfast = createHoldfast({ agents: [scripted] });
    const of = { agent: 'scripted', session: crypto.randomUUID(), principal: { id: 'ada' } };
    const session = sessionOf(holdfast, env, of);
    await session.send(registerScript(downError, 'Here.').message());
    expect(await retryLast(session)).toMatchObject({ outcome: 'completed', text: 'Here.' });
    await expect(retryLast(session)).rejects.toMatchObject({ type: 'nothing-to-retry' });
  });

  it('is the only retry of its turn, even if it is slow and another retry was answered first', async () => {
    const holdfast = createHoldfast({ agents: [scripted] });
    const of = { agent: 'scripted', session: crypto.randomUUID(), principal: { id: 'ada' } };
    const session = sessionOf(holdfast, env, of);
    const asked = registerScript(downError, 'Here.', 'Here again.');
    await session.send(asked.message());
    const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const sendWhenReleased = async (send: () => unknown): Promise<unknown> => {
      arrived.resolve();
      await released.promise;
      return send();
    };
    const createSlowStub = (name: string) => {
      const stub = env.SESSIONS.getByName(name);
      return new Proxy(stub, {
        get: (_, key) => {
          const callStub = (...args: unknown[]): unknown => Reflect.get(stub, key)(...args);
          return key === 'begin'
            ? (...args: unknown[]) => sendWhenReleased(() => callStub(...args))
            : callStub;
        },
      });
    };
    const slow = sessionOf(
      holdfast,
      { ...env, SESSIONS: { getByName: createSlowStub } } as unknown as typeof env,
      of,
    );
    const late = retryLast(slow, { idempotencyKey: 'late' });
    await arrived.promise;
    expect(await retryLast(session)).toMatchObject({ text: 'Here.' });
    released.resolve();
    await expect(late).rejects.toMatchObject({ type: 'nothing-to-retry' });
    expect(asked.model.requests).toHaveLength(2);
  });
});

describe('a refused retry', () => {
  const readProblem = async (response: Response) => {
    const { type, detail, turn } = await readJson(response);
    return [response.status, String(type).replace('urn:holdfast:problem:', ''), detail, turn];
  };

  it('cannot be made in an unknown session', async () => {
    expect(await readProblem(await postRetry(createSessionPath()))).toEqual([
      404,
      'unknown-session',
      expect.any(String),
      undefined,
    ]);
  });

  it('cannot be made of a message that was answered', async () => {
    const session = createSessionPath();
    const { turn } = await readJson(
      await post(session, { message: registerScript('Here.').message() }, { via }),
    );
    expect(await readProblem(await postRetry(session))).toEqual([
      409,
      'nothing-to-retry',
      `The last message was answered, as turn ${turn}. Send another message.`,
      turn,
    ]);
  });

  it('cannot be made while a turn runs or waits', async () => {
    const session = createSessionPath('clerk');
    const slow = createHeldReply({ calls: [{ name: 'pay', input: { to: 'x', amount: 1 } }] });
    const answering = post(session, { message: registerScript(slow.reply).message() }, { via });
    await slow.asked();
    expect(await readProblem(await postRetry(session))).toEqual([
      409,
      'session-busy',
      expect.stringMatching(/shows it\)\.$/),
      expect.any(String),
    ]);
    slow.release();
    await (await answering).text();
    expect(await readProblem(await postRetry(session))).toEqual([
      409,
      'turn-suspended',
      expect.stringMatching(/Answer its pending calls\.$/),
      expect.any(String),
    ]);
  });

  it('cannot have a body', async () => {
    const session = createSessionPath();
    await post(session, { message: registerScript(downError, 'Here.').message() }, { via });
    const send = (body: string) => via(`${session}/retry`, { method: 'POST', body });
    expect(await readProblem(await send('{"message":"x"}'))).toEqual([
      422,
      'invalid-body',
      'The body is not valid: a retry has no body: it runs the message of the last turn again.',
      undefined,
    ]);
    expect((await send('{}')).status).toBe(200);
  });
});
