/**
 * Chats whose last message is repeated after its turn has ended without an answer, in an app with `retry()`.
 */
import { describe, expect, it } from 'vitest';
import { defineAgent, ModelError } from '../../../../src/index.ts';
import { retry } from '../../../../src/modules/retry/entry.ts';
import { openAi } from '../../../../src/surfaces/openai/entry.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { createHeldReply, modelBySession, registerScript } from '../../../fixtures/scripts.ts';
import { createTestApp } from '../http/app.ts';
import { readJournal } from '../http/client.ts';
import {
  type ChatOptions,
  type ChatResult,
  createUserMessage,
  findLastText,
  type Message,
  sendHistory as sayBy,
} from './chat-histories.ts';
import { createOpenAiClient } from './openai-app.ts';

/** An agent with a limit of one model request, which a reply with a call reaches. */
const brief = defineAgent({
  name: 'brief',
  description: 'Calls once.',
  instructions: '',
  tools: [],
  limits: { iterations: 1 },
  model: modelBySession,
});

const agents = [scripted, brief];
const auth = () => ({ id: 'ada', delegates: false });
const app = createTestApp({ agents, use: [openAi(), retry()], auth });
const client = createOpenAiClient(app, { maxRetries: 0 });

const say = (
  history: readonly Message[],
  text: string,
  options: Partial<ChatOptions> = {},
): Promise<ChatResult> => sayBy(history, text, { via: client, ...options });

/** A request repeated by the client library. */
const LIBRARY_RETRY = { headers: { 'x-stainless-retry-count': '1' } };

const downError = new ModelError('bad-request', 'The model is down.');
const failedStatus = { status: 502 };

/** Reaches the limit, after which an answer is requested. */
const CALL_REPLY = { text: 'Let me see.', calls: [{ name: 'look', input: {} }] };

/** Returns the model's last messages, without instructions. */
const getShownTexts = ({ model }: ReturnType<typeof registerScript>) =>
  model.requests.at(-1)?.messages.flatMap(({ role, text }) => (role === 'system' ? [] : [text]));

const listStartEvents = async (session: string, agent = 'scripted') =>
  (await readJournal(`/agents/${agent}/sessions/${session}`, app)).filter(
    ({ type }) => type === 'turn-started',
  );

/** A chat whose second message is cancelled while it is being answered. */
async function cancelChat(...replies: Parameters<typeof registerScript>) {
  const hanging = createHeldReply('Cut.');
  const asked = registerScript('One.', hanging.reply, ...replies);
  const { history, session } = await say([], asked.message());
  const answering = say(history, 'Again.');
  await hanging.asked();
  const turn = (await listStartEvents(session)).at(-1)?.turn;
  await app(`/agents/scripted/sessions/${session}/cancel`, { method: 'POST' });
  await answering;
  return { asked, history, session, turn };
}

describe('a repeated message of a chat', () => {
  it('is a retry after its turn failed, and the conversation contains it once and continues', async () => {
    const asked = registerScript('One.', downError, 'Two.', 'Three.');
    const first = await say([], asked.message());
    await expect(say(first.history, 'Again.')).rejects.toMatchObject(failedStatus);
    const second = await say(first.history, 'Again.');
    expect([second.session, findLastText(second)]).toEqual([first.session, 'Two.']);
    expect(getShownTexts(asked)).toEqual([asked.message(), 'One.', 'Again.']);
    const [, one, two] = await listStartEvents(first.session);
    expect(two?.retries).toBe(one?.turn);
    const third = await say(second.history, 'And on.');
    expect([third.session, findLastText(third)]).toEqual([first.session, 'Three.']);
  });

  it('is a retry each time its retry has failed', async () => {
    const asked = registerScript('One.', downError, downError, 'Two.');
    const { history } = await say([], asked.message());
    await expect(say(history, 'Again.')).rejects.toMatchObject(failedStatus);
    await expect(say(history, 'Again.')).rejects.toMatchObject(failedStatus);
    expect(findLastText(await say(history, 'Again.'))).toBe('Two.');
    expect(getShownTexts(asked)).toEqual([asked.message(), 'One.', 'Again.']);
  });

  it('is a retry after its turn was cancelled', async () => {
    const { asked, history, session, turn } = await cancelChat('Two.', 'Three.');
    const second = await say(history, 'Again.');
    expect([second.session, findLastText(second)]).toEqual([session, 'Two.']);
    expect((await listStartEvents(session)).at(-1)?.retries).toBe(turn);
    expect(findLastText(await say(history, 'Again.'))).toBe('Two.');
    expect(findLastText(await say(second.history, 'And on.'))).toBe('Three.');
    expect(asked.model.requests).toHaveLength(4);
  });

  it('is a retry after its turn reached a limit', async () => {
    const asked = registerScript('One.', CALL_REPLY, 'No more.', 'Two.');
    const model = 'brief';
    const { history, session } = await say([], asked.message(), { model });
    await say(history, 'Again.', { model });
    expect(findLastText(await say(history, 'Again.', { model }))).toBe('Two.');
    const [, one, two] = await listStartEvents(session, model);
    expect(two?.retries).toBe(one?.turn);
  });

  it('is a new message if its client has the text from before the limit', async () => {
    const asked = registerScript('One.', CALL_REPLY, 'No more.', 'Two.');
    const model = 'brief';
    const first = await say([], asked.message(), { model });
    const second = await say(first.history, 'Go on.', { model });
    expect(findLastText(await say(second.history, 'Go on.', { model }))).toBe('Two.');
    expect(await listStartEvents(first.session, model)).not.toContainEqual(
      expect.objectContaining({ retries: expect.anything() }),
    );
  });

  it('returns its turn if the turn has an answer', async () => {
    const asked = registerScript('One.', 'Two.');
    const { history } = await say([], asked.message());
    await say(history, 'Again.');
    expect(findLastText(await say(history, 'Again.'))).toBe('Two.');
    expect(asked.model.requests).toHaveLength(2);
  });

  it('causes only one retry if it arrives twice concurrently', async () => {
    const asked = registerScript('One.', downError, 'Two.');
    const { history } = await say([], asked.message());
    await expect(say(history, 'Again.')).rejects.toMatchObject(failedStatus);
    const both = await Promise.all([say(history, 'Again.'), say(history, 'Again.')]);
    expect(both.map(findLastText)).toEqual(['Two.', 'Two.']);
    expect(asked.model.requests).toHaveLength(3);
  });

  it('is the same request if the client library repeats it', async () => {
    const { asked, history, turn } = await cancelChat('Two.');
    const { metadata } = (await client.chat.completions.create(
      { model: 'scripted', messages: [...history, createUserMessage('Again.')] },
      LIBRARY_RETRY,
    )) as unknown as { metadata: Record<string, string> }; // the protocol lacks it
    expect(metadata.turn).toBe(turn);
    expect(asked.model.requests).toHaveLength(2);
  });

  it('is the same request under the same key', async () => {
    const asked = registerScript('One.', downError, 'Two.');
    const options = { headers: { 'idempotency-key': crypto.randomUUID() } };
    const { history } = await say([], asked.message());
    await expect(say(history, 'Again.', options)).rejects.toMatchObject(failedStatus);
    await expect(say(history, 'Again.', options)).rejects.toMatchObject(failedStatus);
    expect(asked.model.requests).toHaveLength(2);
  });

  it('is retried with its current instructions', async () => {
    const asked = registerScript('One.', downError, 'Two.');
    const { history } = await say([], asked.message());
    const createHistoryAt = (time: string): Message[] => [
      { role: 'system', content: `It is ${time}.` },
      ...history,
    ];
    await expect(say(createHistoryAt('noon'), 'Again.')).rejects.toMatchObject(failedStatus);
    expect(findLastText(await say(createHistoryAt('one'), 'Again.'))).toBe('Two.');
    const [system] = asked.model.requests.at(-1)?.messages ?? [];
    expect(system?.text).toContain('It is one.');
    expect(getShownTexts(asked)).toEqual([asked.message(), 'One.', 'Again.']);
  });

  it('is a retry with its current instructions, even after its turn was cancelled', async () => {
    const { asked, history, session, turn } = await cancelChat('Two.');
    const second = await say([{ role: 'system', content: 'It is one.' }, ...history], 'Again.');
    expect([second.session, findLastText(second)]).toEqual([session, 'Two.']);
    expect((await listStartEvents(session)).at(-1)?.retries).toBe(turn);
    expect(asked.model.requests.at(-1)?.messages[0]?.text).toContain('It is one.');
  });

  it('is a retry if it names its session, unless its text differs', async () => {
    const asked = registerScript(downError, downError, 'One.', downError, 'Two.');
    const more = { metadata: { session: crypto.randomUUID() } };
    const message = asked.message();
    await expect(say([], message, { more })).rejects.toMatchObject(failedStatus);
    await expect(say([], message, { more })).rejects.toMatchObject(failedStatus);
    const { history } = await say([], message, { more });
    expect(getShownTexts(asked)).toEqual([message]);
    await expect(say(history, 'Again.', { more })).rejects.toMatchObject(failedStatus);
    await say(history, 'Otherwise.', { more });
    expect(getShownTexts(asked)).toContain('Otherwise.');
    expect((await listStartEvents(more.metadata.session)).at(-1)).not.toHaveProperty('retries');
  });

  it('does not join the retry of another message', async () => {
    const hanging = createHeldReply('One.');
    const asked = registerScript(downError, hanging.reply);
    const more = { metadata: { session: crypto.randomUUID() } };
    const message = asked.message();
    await expect(say([], message, { more })).rejects.toMatchObject(failedStatus);
    const retrying = say([], message, { more });
    await hanging.asked();
    const same = say([], message, { more });
    await expect(say([], 'Otherwise.', { more })).rejects.toMatchObject({
      status: 409,
      code: 'session_busy',
    });
    hanging.release();
    expect([findLastText(await retrying), findLastText(await same)]).toEqual(['One.', 'One.']);
    expect(asked.model.requests).toHaveLength(2);
  });

  it('is a retry without a known person if the chat has only text', async () => {
    const via = createOpenAiClient(createTestApp({ agents, use: [openAi(), retry()] }), { maxRetries: 0 });
    const asked = registerScript('One.', downError, 'Two.');
    const { history } = await say([], asked.message(), { via });
    await expect(say(history, 'Again.', { via })).rejects.toMatchObject(failedStatus);
    expect(findLastText(await say(history, 'Again.', { via }))).toBe('Two.');
    expect(getShownTexts(asked)).toEqual([asked.message(), 'One.', 'Again.']);
  });

  it('is a new message if the app has no retry()', async () => {
    const via = createOpenAiClient(createTestApp({ agents, use: [openAi()], auth }), { maxRetries: 0 });
    const asked = registerScript('One.', downError, 'Two.');
    const { history, session } = await say([], asked.message(), { via });
    await expect(say(history, 'Again.', { via })).rejects.toMatchObject(failedStatus);
    expect(findLastText(await say(history, 'Again.', { via }))).toBe('Two.');
    expect((await listStartEvents(session)).at(-1)).not.toHaveProperty('retries');
  });
});

describe('the repeated first message of a chat', () => {
  it('is a retry if its person is known, each time it has no answer', async () => {
    const asked = registerScript(CALL_REPLY, downError, downError, 'Two.', 'Three.', 'Another chat.');
    const message = asked.message();
    await expect(say([], message)).rejects.toMatchObject(failedStatus);
    await expect(say([], message)).rejects.toMatchObject(failedStatus);
    const second = await say([], message);
    expect(findLastText(second)).toBe('Two.');
    expect((await listStartEvents(second.session)).map(({ retries }) => retries !== undefined)).toEqual([
      false,
      true,
      true,
    ]);
    const third = await say(second.history, 'And on.');
    expect([third.session, findLastText(third)]).toEqual([second.session, 'Three.']);
    const other = await say([], message);
    expect([findLastText(other), other.session === second.session]).toEqual(['Another chat.', false]);
  });

  it('is a retry after its turn reached a limit', async () => {
    const asked = registerScript(CALL_REPLY, 'No more.', 'Two.');
    const first = await say([], asked.message(), { model: 'brief' });
    const second = await say([], asked.message(), { model: 'brief' });
    expect([second.session, findLastText(second)]).toEqual([first.session, 'Two.']);
  });

  it.each([
    [
      'its person is not known',
      createOpenAiClient(createTestApp({ agents, use: [openAi(), retry()] }), { maxRetries: 0 }),
      {},
    ],
    [
      'the app has no retry()',
      createOpenAiClient(createTestApp({ agents, use: [openAi()], auth }), { maxRetries: 0 }),
      {},
    ],
    ['it has a key', client, { headers: { 'idempotency-key': 'k' } }],
    ['its client does not count its tries', client, { headers: { 'x-stainless-retry-count': null } }],
  ])('begins a chat if %s', async (_, via, options) => {
    const asked = registerScript(downError, 'Two.');
    await expect(say([], asked.message(), { via })).rejects.toMatchObject(failedStatus);
    const { session } = await say([], asked.message(), { via, ...options });
    expect(
      (await listStartEvents(session).catch(() => [])).some(({ retries }) => retries !== undefined),
    ).toBe(false);
    expect(getShownTexts(asked)).toEqual([asked.message()]);
  });
});

describe('a repeated message after a response', () => {
  const ask = (previous: string | undefined, input: string, more: object = {}) =>
    client.responses.create({ model: 'scripted', previous_response_id: previous ?? null, input, ...more });

  /** A response, followed by a cancelled message. */
  async function runStopped(...replies: Parameters<typeof registerScript>) {
    const hanging = createHeldReply('Cut.');
    const asked = registerScript('One.', hanging.reply, ...replies);
    const first = await ask(undefined, asked.message());
    const session = first.conversation?.id ?? '';
    const answering = ask(first.id, 'Again.');
    await hanging.asked();
    await app(`/agents/scripted/sessions/${session}/cancel`, { method: 'POST' });
    const second = await answering;
    return { asked, first, second, session };
  }

  it('is a retry after its turn was cancelled, with its current instructions', async () => {
    const { asked, first, session } = await runStopped('Two.', 'Three.');
    const again = await ask(first.id, 'Again.', { instructions: 'It is one.' });
    expect([again.output_text, again.conversation?.id]).toEqual(['Two.', session]);
    expect((await listStartEvents(session)).at(-1)?.retries).toBeDefined();
    expect(asked.model.requests.at(-1)?.messages[0]?.text).toContain('It is one.');
    expect((await ask(again.id, 'And on.')).output_text).toBe('Three.');
    expect(getShownTexts(asked)?.filter((text) => text === 'Again.')).toHaveLength(1);
  });

  it.each([
    ['after the response that failed', 'failed'],
    ['after the previous one', 'first'],
  ])('is a retry after its turn failed, %s', async (_, place) => {
    const asked = registerScript('One.', downError, 'Two.');
    const first = await ask(undefined, asked.message());
    const failed = await ask(first.id, 'Again.');
    expect(failed.status).toBe('failed');
    expect((await ask(place === 'first' ? first.id : failed.id, 'Again.')).output_text).toBe('Two.');
    expect(getShownTexts(asked)).toEqual([asked.message(), 'One.', 'Again.']);
  });

  it.each([
    ['it has other words', 'Otherwise.', {}],
    ['the client library sends it', 'Again.', LIBRARY_RETRY.headers],
  ])('is a new message if %s', async (_, input, headers) => {
    const { first, session } = await runStopped('Two.');
    await client.responses.create({ model: 'scripted', previous_response_id: first.id, input }, { headers });
    expect((await listStartEvents(session)).at(-1)).not.toHaveProperty('retries');
  });

  it('is a new message if it follows the cancelled response', async () => {
    const { second, session } = await runStopped('Two.');
    await ask(second.id, 'Again.');
    expect((await listStartEvents(session)).at(-1)).not.toHaveProperty('retries');
  });
});
