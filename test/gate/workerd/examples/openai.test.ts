/** The Worker and the clients of docs/openai.md. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, expect, it, vi } from 'vitest';
import manyUsers from '../../../../src/examples/one-token/worker.ts';
import { ask } from '../../../../src/examples/openai/ask.ts';
import { run } from '../../../../src/examples/openai/with-agents.ts';
import worker from '../../../../src/examples/openai/worker.ts';
import { listThreads, readThread, renameThread } from '../../../../src/examples/openai-lists/threads.ts';
import withLists from '../../../../src/examples/openai-lists/worker.ts';
import type { Send } from '../http/client.ts';
import { sendHistory } from '../surfaces/chat-histories.ts';
import { createOpenAiClient } from '../surfaces/openai-app.ts';

const via: Send = async (path, init) => {
  const request = new Request(path, init) as Request<unknown, IncomingRequestCfProperties>; // the Worker does not read `cf`
  return worker.fetch(request, { ...env, MODEL: 'offline' }, createExecutionContext());
};

afterEach(() => {
  vi.unstubAllGlobals();
});

it.each([true, false])(
  'the documented client asks its user, and sends the decision (approved: %s)',
  async (approve) => {
    const shown: string[] = [];
    const asked: string[] = [];
    const answer = await ask(createOpenAiClient(via), 'Please pay invoice INV-17.', {
      show: (text) => shown.push(text),
      decide: async (question) => {
        asked.push(question);
        return approve;
      },
    });
    expect(asked).toEqual(['pay_invoice {"number":"INV-17"}']);
    expect(answer.includes('Paid INV-17.')).toBe(approve);
    expect(shown.join('')).toContain(answer);
  },
);

it('the documented chat server acts for each of its users, and each gets their own answer', async () => {
  const send: Send = async (path, init) => {
    const request = new Request(path, init) as Request<unknown, IncomingRequestCfProperties>; // the Worker does not read `cf`
    const vars = { ...env, MODEL: 'offline', CHAT_TOKEN: 'of-the-chat-server' };
    return manyUsers.fetch(request, vars, createExecutionContext());
  };
  const createClientFor = (user: string, apiKey = 'of-the-chat-server') =>
    createOpenAiClient(send, { apiKey, defaultHeaders: { 'x-user-id': user }, maxRetries: 0 });
  for (const user of ['ann', 'ben']) {
    const via = createClientFor(user);
    const first = await sendHistory([], 'List my orders.', { via, model: 'shop' });
    const second = await sendHistory(first.history, 'List my orders once more.', { via, model: 'shop' });
    expect(second.session).toBe(first.session);
    expect(JSON.stringify(second.history)).toContain(`Orders of chat/${user}`);
  }
  await expect(
    sendHistory([], 'List my orders.', { via: createClientFor('ann', 'guessed'), model: 'shop' }),
  ).rejects.toMatchObject({
    status: 401,
  });
});

it('the Agents SDK runs the agent of a Worker', async () => {
  vi.stubGlobal('fetch', (input: RequestInfo | URL, init?: RequestInit) => via(String(input), init));
  expect(await run('http://localhost', 'Please pay invoice INV-17.', async () => true)).toContain(
    'Paid INV-17.',
  );
});

it('the documented chat list shows a conversation, reads it and gives it a title', async () => {
  const token = crypto.randomUUID();
  const send: Send = async (path, init) => {
    const request = new Request(path, init) as Request<unknown, IncomingRequestCfProperties>; // the Worker does not read `cf`
    const vars = { ...env, MODEL: 'offline', HOLDFAST_TOKEN: token };
    return withLists.fetch(request, vars, createExecutionContext());
  };
  const client = createOpenAiClient(send, { apiKey: token });
  const id = crypto.randomUUID();
  await client.responses.create({ model: 'support', input: 'Where is my order?', conversation: id });
  expect((await renameThread(client, id, 'My order')).metadata).toEqual({ title: 'My order' });
  const { data } = await listThreads(client);
  expect(data).toContainEqual(expect.objectContaining({ id, metadata: { title: 'My order' } }));
  const items = await readThread(client, id);
  expect(items.map((item) => 'role' in item && item.role)).toEqual(['user', 'assistant']);
  expect((await client.conversations.delete(id)).deleted).toBe(true);
});
