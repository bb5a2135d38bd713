/** Lists of conversations and of their items, with the OpenAI client. */
import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../../src/create-holdfast.ts';
import { answers } from '../../../../src/modules/answers/entry.ts';
import { files } from '../../../../src/modules/files/entry.ts';
import { sessionIndex } from '../../../../src/modules/index/entry.ts';
import { openAi } from '../../../../src/surfaces/openai/entry.ts';
import { openAiLists } from '../../../../src/surfaces/openai/lists/entry.ts';
import { indexed } from '../../../fixtures/clerk-agent.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { createHeldReply, registerScript } from '../../../fixtures/scripts.ts';
import { createTestApp } from '../http/app.ts';
import type { Send } from '../http/client.ts';
import { createFileAgent } from '../http/file-app.ts';
import { createOpenAiClient } from './openai-app.ts';

const use = [answers, files(), openAi({ lists: openAiLists() }), sessionIndex()];

/** An app with two agents for a person of a tenant, and an OpenAI client of it. */
function createTenant(caller: Partial<Caller> = {}) {
  const name = `t-${crypto.randomUUID()}`;
  const as = (who: Partial<Caller>): Send =>
    createTestApp({
      agents: [indexed, scripted, createFileAgent()],
      use,
      auth: () => ({ id: 'ann', tenant: name, ...who }),
    });
  const via = as(caller);
  const client = createOpenAiClient(via, { maxRetries: 0 });
  return {
    as,
    via,
    client,
    /** Starts or continues a conversation. */
    ask: (conversation: string, input: string, model = 'indexed') =>
      client.responses.create({ model, input, conversation }),
    /** Returns a page of conversations. */
    list: (query: Record<string, unknown> = {}): Promise<ListBody> => client.get('/conversations', { query }),
  };
}

interface ListBody {
  readonly object: 'list';
  readonly data: OpenAI.Conversations.Conversation[];
  readonly first_id: string | null;
  readonly last_id: string | null;
  readonly has_more: boolean;
}

const getIds = (found: readonly { readonly id?: string | undefined }[]) => found.map(({ id }) => id);

const now = expect.closeTo(Date.now() / 1000, -3);

const notFound = { status: 404, code: 'conversation_not_found', type: 'invalid_request_error' };

/** Starts conversations one after the other. Resolves when the index contains them. */
async function beginSessions({ ask, client }: ReturnType<typeof createTenant>, ...ids: readonly string[]) {
  const { message } = registerScript(...ids.map(() => 'Done.'));
  for (const id of ids) {
    await ask(id, message(`Hello from ${id}`));
    await client.conversations.retrieve(id);
  }
}

describe('a conversation', () => {
  it('exists as soon as its first response does, with its title and its times', async () => {
    const { ask, client } = createTenant();
    const { conversation } = await ask('c1', registerScript('Done.').message('Where is my order?'));
    expect(conversation).toEqual({ id: 'c1' });
    expect(await client.conversations.retrieve('c1')).toEqual({
      id: 'c1',
      object: 'conversation',
      created_at: now,
      metadata: { title: expect.stringMatching(/^Where is my order\? #/) },
      model: 'indexed',
      updated_at: now,
      status: 'idle',
    });
  });

  it('has the title from its updated metadata, until the metadata is removed', async () => {
    const it = createTenant();
    await beginSessions(it, 'c1');
    const { conversations } = it.client;
    const titled = await conversations.update('c1', { metadata: { title: 'My order' } });
    expect(titled.metadata).toEqual({ title: 'My order' });
    expect(await conversations.retrieve('c1')).toEqual(titled);
    expect((await it.list()).data).toEqual([titled]);
    await conversations.update('c1', { metadata: null });
    const { metadata } = await conversations.retrieve('c1');
    expect(metadata).toEqual({ title: expect.stringMatching(/^Hello from c1/) });
  });

  it.each([
    [{ metadata: { mood: 'good' } }, 'metadata.mood', 'unsupported_parameter'],
    [{ metadata: { title: '' } }, 'metadata.title', 'invalid_value'],
    [{ metadata: { title: 'a\nb' } }, 'metadata.title', 'invalid_value'],
    [{ metadata: { title: 'a'.repeat(201) } }, 'metadata.title', 'invalid_value'],
    [{ metadata: 7 }, 'metadata', 'invalid_value'],
    [{}, 'metadata', 'invalid_value'],
    [{ metadata: null, items: [] }, 'items', 'unknown_parameter'],
  ])('refuses to be updated with %j', async (body, param, code) => {
    const it = createTenant();
    await beginSessions(it, 'c1');
    await expect(it.client.post('/conversations/c1', { body })).rejects.toMatchObject({
      status: 400,
      param,
      code,
    });
  });

  it('is deleted with its items, its responses and its entry in the list', async () => {
    const it = createTenant();
    const { conversations, responses } = it.client;
    const { id } = await it.ask('c1', registerScript('Done.').message());
    expect(await conversations.delete('c1')).toEqual({
      id: 'c1',
      object: 'conversation.deleted',
      deleted: true,
    });
    for (const ask of [
      () => conversations.retrieve('c1'),
      () => conversations.items.list('c1'),
      () => conversations.update('c1', { metadata: { title: 'x' } }),
      () => conversations.delete('c1'),
    ])
      await expect(ask()).rejects.toMatchObject(notFound);
    await expect(responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
    await expect(responses.inputItems.list(id)).rejects.toMatchObject({ status: 404 });
    expect((await it.list()).data).toEqual([]);
  });

  it.each(['none', 'a/b', '%', 'ü', 'a'.repeat(200), '__proto__'])(
    'with the id %s is not found',
    async (id) => {
      await expect(createTenant().client.conversations.retrieve(id)).rejects.toMatchObject(notFound);
    },
  );

  it('is found only with its model if several conversations have its id', async () => {
    const { ask, client, list } = createTenant();
    const { message } = registerScript('One.', 'Two.');
    await ask('c1', message());
    await client.conversations.retrieve('c1');
    await ask('c1', message('Other'), 'scripted');
    await client.conversations.retrieve('c1', { query: { model: 'scripted' } });
    const ambiguous = { status: 400, code: 'ambiguous_conversation' };
    await expect(client.conversations.retrieve('c1')).rejects.toMatchObject({ ...ambiguous, param: 'model' });
    await expect(list({ after: 'c1' })).rejects.toMatchObject({ ...ambiguous, param: 'after' });
    const { data } = await list();
    expect(data).toEqual([
      expect.objectContaining({ id: 'c1', model: 'scripted' }),
      expect.objectContaining({ id: 'c1', model: 'indexed' }),
    ]);
    expect((await list({ model: 'indexed' })).data).toEqual(data.slice(1));
    const other = client.conversations.retrieve('c1', { query: { model: 'constructor' } });
    await expect(other).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
  });
});

describe('the list of conversations', () => {
  it('is returned in pages, in either order', async () => {
    const it = createTenant();
    await beginSessions(it, 'a', 'b', 'c');
    expect(await it.list()).toMatchObject({ object: 'list', first_id: 'c', last_id: 'a', has_more: false });
    const first = await it.list({ limit: 2 });
    expect(first).toMatchObject({ first_id: 'c', last_id: 'b', has_more: true });
    const last = await it.list({ limit: 2, after: first.last_id });
    expect([getIds(first.data), getIds(last.data), last.has_more]).toEqual([['c', 'b'], ['a'], false]);
    const oldest = await it.list({ order: 'asc', limit: 1 });
    expect([oldest.first_id, oldest.has_more]).toEqual(['a', true]);
    const rest = await it.list({ order: 'asc', after: 'a' });
    expect(getIds(rest.data)).toEqual(['b', 'c']);
  });

  it('is empty for a person without conversations', async () => {
    expect(await createTenant().list()).toEqual({
      object: 'list',
      data: [],
      first_id: null,
      last_id: null,
      has_more: false,
    });
  });

  it.each([
    [{ limit: 0 }, 'limit'],
    [{ limit: 101 }, 'limit'],
    [{ limit: '1e1' }, 'limit'],
    [{ order: 'up' }, 'order'],
    [{ after: 'nothing' }, 'after'],
    [{ before: 'a' }, 'before'],
  ])('refuses %j', async (query, param) => {
    await expect(createTenant().list(query)).rejects.toMatchObject({ status: 400, param });
  });

  it('shows no conversation of another tenant with the same ids', async () => {
    const ours = createTenant();
    const theirs = createTenant();
    await beginSessions(ours, 'c1');
    const { id } = await ours.ask('only-ours', registerScript('Secret.').message());
    await ours.client.conversations.retrieve('only-ours');
    await beginSessions(theirs, 'c1');
    expect(getIds((await theirs.list()).data)).toEqual(['c1']);
    const { conversations, responses } = theirs.client;
    await expect(conversations.retrieve('only-ours')).rejects.toMatchObject(notFound);
    await expect(responses.inputItems.list(id)).rejects.toMatchObject({ status: 404 });
    await expect(responses.delete(id)).rejects.toMatchObject({ status: 404 });
    const [mine] = (await ours.client.conversations.items.list('c1')).data;
    const [other] = (await conversations.items.list('c1', { order: 'desc' })).data;
    expect(JSON.stringify(other)).not.toBe(JSON.stringify(mine));
    await conversations.delete('c1');
    expect(getIds((await ours.list()).data).toSorted()).toEqual(['c1', 'only-ours']);
    expect((await ours.client.conversations.items.list('c1')).data).toHaveLength(2);
  });

  it('belongs to one person if there is no tenant', async () => {
    const id = `c-${crypto.randomUUID()}`;
    const createOwnClient = (who: string) =>
      createOpenAiClient(createTestApp({ agents: [indexed], use, auth: () => ({ id: who }) }));
    const [ann, ben] = [createOwnClient(`ann-${id}`), createOwnClient(`ben-${id}`)];
    await ann.responses.create({
      model: 'indexed',
      input: registerScript('Done.').message(),
      conversation: id,
    });
    expect((await ann.conversations.retrieve(id)).id).toBe(id);
    await expect(ben.conversations.retrieve(id)).rejects.toMatchObject(notFound);
  });

  it('is refused as misconfigured if the app has no index', async () => {
    const log: unknown[] = [];
    const via = createTestApp({
      agents: [indexed],
      use: [openAi({ lists: openAiLists() })],
      log: (line) => log.push(line),
    });
    await expect(createOpenAiClient(via, { maxRetries: 0 }).get('/conversations')).rejects.toMatchObject({
      status: 500,
      code: 'misconfigured',
    });
    expect(JSON.stringify(log)).toContain('Add sessionIndex() from');
  });
});

/** Returns an item without the fields that its kind does not describe. */
const summarizeItems = (items: readonly object[]): unknown[] =>
  items.map((item) => {
    const { type, role, content, output, name, approve, reason } = Object(item);
    const text = Array.isArray(content) ? content.map((part) => part.text).join('') : undefined;
    return JSON.parse(JSON.stringify({ type, role, text, output, name, approve, reason }));
  });

describe('the items of a conversation', () => {
  it('are the messages, calls and answers, in order', async () => {
    const { ask, client } = createTenant();
    const { message } = registerScript(
      { calls: [{ name: 'pay', input: { to: 'x', amount: 1 } }], text: 'I shall pay.' },
      'Paid.',
      { calls: [{ name: 'look_up', input: { id: '7' } }] },
      'Found.',
    );
    const words = message('Pay');
    const first = await ask('c1', words);
    const question = first.output.find(({ type }) => type === 'mcp_approval_request');
    const second = await client.responses.create({
      model: 'indexed',
      input: [
        {
          type: 'mcp_approval_response',
          approval_request_id: question?.id ?? '',
          approve: true,
          reason: 'Fine.',
        },
      ],
    });
    const third = await ask('c1', 'Look up');
    const call = third.output.find((item) => item.type === 'function_call');
    const fourth = await client.responses.create({
      model: 'indexed',
      input: [{ type: 'function_call_output', call_id: call?.call_id ?? '', output: 'It is here.' }],
    });
    const { data } = await client.conversations.items.list('c1', { order: 'asc' });
    expect(summarizeItems(data)).toEqual([
      { type: 'message', role: 'user', text: words },
      { type: 'message', role: 'assistant', text: 'I shall pay.' },
      { type: 'mcp_approval_request', name: 'pay' },
      { type: 'mcp_approval_response', approve: true, reason: 'Fine.' },
      { type: 'mcp_call', name: 'pay', output: 'Paid 1.' },
      { type: 'message', role: 'assistant', text: 'Paid.' },
      { type: 'message', role: 'user', text: 'Look up' },
      { type: 'function_call', name: 'look_up' },
      { type: 'function_call_output', output: 'It is here.' },
      { type: 'message', role: 'assistant', text: 'Found.' },
    ]);
    // The items have the same ids as in the original responses.
    const output = [first, second, third, fourth].flatMap((one) => one.output);
    expect(data).toEqual(expect.arrayContaining(output));
    expect(data[3]).toMatchObject({ approval_request_id: question?.id });
    expect(data[8]).toMatchObject({ call_id: call?.call_id });
    const { data: latest } = await client.conversations.items.list('c1');
    expect(latest).toEqual(data.toReversed());
    const inputs = await Promise.all(
      [first, second, third, fourth].map(async ({ id }) => (await client.responses.inputItems.list(id)).data),
    );
    expect(inputs).toEqual([[data[0]], [data[3]], [data[6]], [data[8]]]);
    const found = data.map(({ id }) =>
      client.conversations.items.retrieve(id ?? '', { conversation_id: 'c1' }),
    );
    expect(await Promise.all(found)).toEqual(data);
  });

  it('are returned in pages that the client joins, in either order', async () => {
    const it = createTenant();
    const { message } = registerScript('1', '2', '3', '4', '5', '6', '7', '8', '9', '10');
    for (let turn = 0; turn < 10; turn += 1) await it.ask('c1', message());
    const { items } = it.client.conversations;
    const { data } = await items.list('c1', { limit: 100, order: 'asc' });
    expect(data).toHaveLength(20);
    expect(new Set(getIds(data)).size).toBe(20);
    for (const [order, limit] of [
      ['asc', 3],
      ['desc', 3],
      ['desc', 7],
      ['asc', 20],
    ] as const) {
      const read: OpenAI.Conversations.ConversationItem[] = [];
      for await (const item of items.list('c1', { order, limit })) read.push(item);
      expect(read).toEqual(order === 'asc' ? data : data.toReversed());
    }
    const usual = await items.list('c1');
    expect([usual.data.length, usual.has_more]).toEqual([20, false]);
    await expect(items.list('c1', { after: 'msg_x' })).rejects.toMatchObject({ status: 400, param: 'after' });
  });

  it('show the current text of a running turn', async () => {
    const { client } = createTenant();
    const slow = createHeldReply('Done.');
    const { message } = registerScript(slow.reply);
    const { id } = await client.responses.create({
      model: 'indexed',
      input: message(),
      conversation: 'c1',
      background: true,
    });
    await expect.poll(async () => (await client.responses.retrieve(id)).status).toBe('in_progress');
    const { data } = await client.conversations.items.list('c1');
    expect(summarizeItems(data)).toEqual([{ type: 'message', role: 'user', text: expect.any(String) }]);
    slow.release();
  });

  it('are not found in another conversation', async () => {
    const it = createTenant();
    await beginSessions(it, 'c1', 'c2');
    const { items } = it.client.conversations;
    const [item] = (await items.list('c1')).data;
    const id = item?.id ?? '';
    for (const other of [id, 'msg_x', 'resp_1'])
      await expect(items.retrieve(other, { conversation_id: 'c2' })).rejects.toMatchObject({
        status: 404,
        code: 'item_not_found',
      });
    await expect(items.list('c2', { after: id })).rejects.toMatchObject({ status: 400, param: 'after' });
  });

  it('refer to the files of a message by URL', async () => {
    const { client, via } = createTenant();
    const response = await client.responses.create({
      model: 'seer',
      conversation: 'c1',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'What is this?' },
            { type: 'input_image', image_url: `data:image/png;base64,${btoa('a picture')}`, detail: 'auto' },
            { type: 'input_file', file_data: btoa('a paper'), filename: 'one.pdf' },
          ],
        },
      ],
    });
    const [item] = (await client.responses.inputItems.list(response.id)).data;
    const { content } = item as OpenAI.Responses.ResponseInputMessageItem;
    expect(content).toEqual([
      { type: 'input_text', text: 'What is this?' },
      { type: 'input_image', detail: 'auto', image_url: expect.stringContaining('/sessions/c1/files/') },
      { type: 'input_file', file_url: expect.stringContaining('/sessions/c1/files/'), filename: 'one.pdf' },
    ]);
    const picture = await via(Object(content[1]).image_url);
    expect(await picture.text()).toBe('a picture');
  });
});

describe('a deleted response', () => {
  it('removes its conversation if the conversation has no other response', async () => {
    const it = createTenant();
    const { id } = await it.ask('c1', registerScript('Done.').message());
    const raw = await it.via(`/v1/responses/${id}`, { method: 'DELETE' });
    expect(await raw.json()).toEqual({ id, object: 'response', deleted: true });
    await expect(it.client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
    await expect(it.client.responses.delete(id)).rejects.toMatchObject({ status: 404 });
    await expect(it.client.conversations.retrieve('c1')).rejects.toMatchObject(notFound);
    expect((await it.list()).data).toEqual([]);
  });

  it('causes a 409 and is kept if its conversation has other responses', async () => {
    const { ask, client } = createTenant();
    const { message } = registerScript('One.', 'Two.');
    const first = await ask('c1', message());
    const second = await ask('c1', message());
    const refused = { status: 409, code: 'response_not_alone', type: 'invalid_request_error' };
    for (const { id } of [first, second]) {
      await expect(client.responses.delete(id)).rejects.toMatchObject(refused);
      expect((await client.responses.retrieve(id)).id).toBe(id);
    }
  });

  it('causes a 409 and is kept if its turn has a second response', async () => {
    const { ask, client } = createTenant();
    const { message } = registerScript({ calls: [{ name: 'look_up', input: { id: '7' } }] }, 'Found.');
    const first = await ask('c1', message());
    const call = first.output.find((item) => item.type === 'function_call');
    const second = await client.responses.create({
      model: 'indexed',
      input: [{ type: 'function_call_output', call_id: call?.call_id ?? '', output: 'Here.' }],
    });
    for (const { id } of [first, second])
      await expect(client.responses.delete(id)).rejects.toMatchObject({ status: 409 });
    expect((await client.conversations.items.list('c1')).data).toHaveLength(4);
  });

  it.each(['resp_1', 'x', 'resp_aW5kZXhlZC94L3kvMA'])('is not found by %s', async (id) => {
    const { client } = createTenant();
    await expect(client.responses.delete(id)).rejects.toMatchObject({ status: 404 });
    await expect(client.responses.inputItems.list(id)).rejects.toMatchObject({ status: 404 });
  });
});

it('a change that a journal does not support is refused with the protocol’s error', async () => {
  const it = createTenant();
  await beginSessions(it, 'c1');
  const { conversations } = it.client;
  const item = { type: 'message', role: 'user', content: 'Hello' } as const;
  for (const ask of [
    () => conversations.create(),
    () => conversations.items.create('c1', { items: [item] }),
    () => conversations.items.delete('msg_1', { conversation_id: 'c1' }),
  ])
    await expect(ask()).rejects.toMatchObject({ status: 400, code: 'unsupported_operation' });
});
