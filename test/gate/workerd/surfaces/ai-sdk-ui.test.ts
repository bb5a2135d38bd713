/** The view of AI SDK chats, versions 6 and 7, over the real app and its objects. */
import { describe, expect, it } from 'vitest';
import { ModelError } from '../../../../src/index.ts';
import type { ReplyPart } from '../../../../src/model/entry.ts';
import { createHeldReply } from '../../../fixtures/scripts.ts';
import { createConnectionLost, registerSpeaking, WAIT } from '../../../fixtures/speaking.ts';
import {
  type ChatMessage,
  copyAsJson,
  findProblem,
  getLastParts,
  loadMessages,
  VERSIONS,
  withoutDescriptors,
} from '../../../fixtures/ui-chat.ts';
import { readJournal, readJson } from '../http/client.ts';
import { agent, expectSameAsLoaded, getPath, open, waitForRequests, waitUntilOver } from './chats.ts';
import { PIXEL_BYTES, via } from './desk.ts';

const getTypes = (parts: ChatMessage['parts']) => parts.map(({ type }) => type);

describe.each(VERSIONS)('a chat of version %i', (version) => {
  it('streams several iterations, and ends with the journal’s answer', async () => {
    const progress: unknown[] = [];
    const { chat, id, say } = open(
      { version, onData: (part) => progress.push(copyAsJson(part)) },
      { text: 'Let me see.', calls: [{ name: 'add', input: { a: 1, b: 2 } }] },
      { calls: [{ name: 'add', input: { a: 3, b: 4 } }] },
      'It is 3 and 7.',
    );
    await say();
    const call = String(getLastParts(chat)[2]?.toolCallId);
    const turn = call.split('.')[0];
    const tool = { type: 'tool-add', state: 'output-available', providerExecuted: true };
    expect(getLastParts(chat)).toEqual([
      { type: 'step-start' },
      { type: 'text', text: 'Let me see.', state: 'done' },
      { ...tool, toolCallId: `${turn}.3.0`, input: { a: 1, b: 2 }, output: '3' },
      { type: 'step-start' },
      { ...tool, toolCallId: expect.any(String), input: { a: 3, b: 4 }, output: '7' },
      { type: 'step-start' },
      { type: 'text', text: 'It is 3 and 7.', state: 'done' },
    ]);
    expect(chat.messages.at(-1)).toMatchObject({
      id: turn,
      metadata: { turn, outcome: 'completed', usage: { inputTokens: 30, outputTokens: 15 } },
    });
    expect(progress).toEqual([
      { type: 'data-progress', transient: true, data: { call, status: 'adding 1 and 2' } },
      {
        type: 'data-progress',
        transient: true,
        data: { call: expect.any(String), status: 'adding 3 and 4' },
      },
    ]);
    await expectSameAsLoaded(chat, id, version);
  });

  it.each([
    { decided: true, reason: undefined, last: 'Paid.' },
    { decided: false, reason: 'Too much.', last: 'Then not.' },
  ])('sends an approval automatically if it is $decided, and continues in the same message', async (one) => {
    const { chat, asked, id, say } = open(
      { version, sends: 'approvals' },
      { text: 'I ask.', calls: [{ name: 'pay', input: { amount: 5 } }] },
      one.last,
    );
    await say();
    const waiting = getLastParts(chat).at(-1);
    const call = String(waiting?.toolCallId);
    const descriptor = {
      call,
      question: 1,
      tool: 'pay',
      input: { amount: 5 },
      for: 'decision',
      message: 'May I pay?',
      allows: ['approve', 'edit', 'reject', 'exit'],
      schema: expect.any(Object),
    };
    expect(waiting).toMatchObject({
      state: 'approval-requested',
      input: { amount: 5 },
      approval: { id: call, descriptor, ...(version === 7 && { requestReason: 'May I pay?' }) },
    });
    expect(chat.messages.at(-1)?.metadata).toMatchObject({ outcome: 'suspended' });
    await expectSameAsLoaded(chat, id, version);
    await chat.addToolApprovalResponse({
      id: call,
      approved: one.decided,
      ...(one.reason !== undefined && { reason: one.reason }),
    });
    await waitUntilOver({ chat, asked }, 2);
    const parts = getLastParts(chat);
    const said = {
      type: 'data-message',
      id: expect.any(String),
      data: { text: 'On its way: 5.', call, tool: 'pay' },
    };
    expect(withoutDescriptors(parts).slice(2)).toEqual([
      expect.objectContaining({
        toolCallId: call,
        approval: {
          id: call,
          approved: one.decided,
          ...(one.reason !== undefined && { reason: one.reason }),
        },
        ...(one.decided ? { state: 'output-available', output: { amount: 5 } } : { state: 'output-denied' }),
      }),
      ...(one.decided ? [said] : []),
      { type: 'step-start' },
      { type: 'text', text: one.last, state: 'done' },
    ]);
    expect(chat.messages.length).toBe(2);
    await expectSameAsLoaded(chat, id, version);
    const answered = (await readJournal(getPath(id), via)).filter(
      ({ type }) => type === 'tool-call-answered',
    );
    expect(answered).toMatchObject([
      {
        answer: {
          decision: one.decided ? 'approve' : 'reject',
          ...(one.reason !== undefined && { reason: one.reason }),
        },
      },
    ]);
  });

  it('sends two answers in one request', async () => {
    const calls = [
      { name: 'pay', input: { amount: 1 } },
      { name: 'pay', input: { amount: 2 } },
    ];
    const { chat, asked, id, say } = open({ version, sends: 'approvals' }, { calls }, 'One of them.');
    await say();
    const [first, second] = getLastParts(chat).slice(1);
    await chat.addToolApprovalResponse({ id: String(first?.toolCallId), approved: true });
    expect(asked.length).toBe(1);
    await chat.addToolApprovalResponse({ id: String(second?.toolCallId), approved: false });
    await waitUntilOver({ chat, asked }, 2);
    expect(getLastParts(chat).flatMap(({ state }) => state ?? [])).toEqual([
      'output-available',
      'output-denied',
      'done',
    ]);
    await expectSameAsLoaded(chat, id, version);
  });

  it('runs a client tool, and sends its result once', async () => {
    const called: string[] = [];
    const { chat, asked, id, say, model } = open(
      { version, sends: 'results', onToolCall: ({ toolCall }) => void called.push(toolCall.toolName) },
      { calls: [{ name: 'add', input: { a: 1, b: 1 } }, { name: 'where' }] },
      { text: 'And?', calls: [{ name: 'where' }] },
      'You moved.',
    );
    await say();
    expect(called).toEqual(['where']);
    const first = getLastParts(chat).at(-1);
    expect(first).toMatchObject({ type: 'tool-where', state: 'input-available', providerExecuted: false });
    await chat.addToolOutput({ tool: 'where', toolCallId: first?.toolCallId, output: { at: 'home' } });
    await waitUntilOver({ chat, asked }, 2);
    const second = getLastParts(chat).at(-1);
    await chat.addToolOutput({
      tool: 'where',
      toolCallId: second?.toolCallId,
      state: 'output-error',
      errorText: 'No signal.',
    });
    await waitUntilOver({ chat, asked }, 3);
    expect(getLastParts(chat).at(-1)).toEqual({ type: 'text', text: 'You moved.', state: 'done' });
    expect(model.requests.at(-1)?.messages.filter(({ role }) => role === 'tool')).toMatchObject([
      { text: '2' },
      { text: '{"at":"home"}' },
      { text: 'Error: No signal.' },
    ]);
    await expectSameAsLoaded(chat, id, version);
  });

  it('shows reasoning, sources and files of a reply', async () => {
    const parts: ReplyPart[] = [
      { type: 'reasoning', text: 'Hm. ' },
      { type: 'reasoning', text: 'Yes.' },
      { type: 'text', text: 'As told ' },
      { type: 'source', id: 's1', url: 'https://example.com/a', title: 'A' },
      { type: 'text', text: 'there.' },
      { type: 'source', id: 's2', mediaType: 'application/pdf', filename: 'b.pdf' },
      { type: 'file', mediaType: 'image/png', data: 'AAAA' },
    ];
    const { chat, id, say } = open({ version }, { parts });
    await say();
    expect(getLastParts(chat)).toEqual([
      { type: 'step-start' },
      expect.objectContaining({ type: 'reasoning', text: 'Hm. Yes.', state: 'done' }),
      { type: 'text', text: 'As told there.', state: 'done' },
      { type: 'source-url', sourceId: 's1', url: 'https://example.com/a', title: 'A' },
      {
        type: 'source-document',
        sourceId: 's2',
        mediaType: 'application/pdf',
        title: 'b.pdf',
        filename: 'b.pdf',
      },
      { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AAAA' },
    ]);
    await expectSameAsLoaded(chat, id, version);
  });

  it('accepts an image for the model, and shows an image from a tool', async () => {
    const { chat, id, words, model } = open({ version }, { calls: [{ name: 'draw' }] }, 'Here.');
    const url = `data:image/png;base64,${btoa(String.fromCharCode(...PIXEL_BYTES))}`;
    const files = [{ type: 'file', mediaType: 'image/png', filename: 'dot.png', url }];
    await chat.sendMessage({ text: words, files });
    expect(model.requests[0]?.messages.at(-1)).toMatchObject({
      parts: expect.arrayContaining([
        expect.objectContaining({ type: 'file', mediaType: 'image/png', name: 'dot.png' }),
      ]),
    });
    const [said] = await loadMessages(via, { agent, id, version });
    expect(said?.parts).toMatchObject([
      { type: 'file', mediaType: 'image/png', filename: 'dot.png' },
      { type: 'text', text: words },
    ]);
    const shown = getLastParts(chat).find(({ type }) => type === 'file');
    for (const part of [said?.parts[0], shown]) {
      const file = await via(String(part?.url));
      expect(new Uint8Array(await file.arrayBuffer())).toEqual(PIXEL_BYTES);
    }
    expect(getTypes(getLastParts(chat))).toEqual(['step-start', 'tool-draw', 'file', 'step-start', 'text']);
    await expectSameAsLoaded(chat, id, version);
  });

  it('shows the result of a tool that returns directly', async () => {
    const { chat, id, say } = open({ version }, { calls: [{ name: 'finish' }] });
    await say();
    expect(getLastParts(chat)).toEqual([
      { type: 'step-start' },
      expect.objectContaining({ type: 'tool-finish', state: 'output-available' }),
      { type: 'step-start' },
      { type: 'text', text: 'That is all.', state: 'done' },
    ]);
    await expectSameAsLoaded(chat, id, version);
  });

  it('shows malformed tool input, and continues', async () => {
    const { chat, id, say } = open({ version }, { calls: [{ name: 'add', input: '{"a":' }] }, 'Sorry.');
    await say();
    expect(getLastParts(chat)[1]).toMatchObject({
      state: 'output-error',
      errorText: expect.stringContaining('JSON'),
    });
    await expectSameAsLoaded(chat, id, version);
  });

  it('shows why a turn failed', async () => {
    const { chat, id, say } = open({ version }, new ModelError('bad-request', 'There is no such model.'));
    await say();
    const messages = await loadMessages(via, { agent, id, version });
    const { error } = Object(messages.at(-1)?.metadata);
    expect([chat.status, chat.error?.message]).toEqual(['error', error.message]);
    expect(chat.messages.at(-1)?.metadata).toMatchObject({ outcome: 'failed', error });
  });

  it('ends if its turn is cancelled, and reports the cancellation', async () => {
    const hangs = createHeldReply('Never.');
    const { chat, id, say } = open({ version }, hangs.reply);
    const saying = say();
    await hangs.asked();
    const cancelled = await via(`${getPath(id)}/cancel`, { method: 'POST' });
    expect(cancelled.status).toBeLessThan(300);
    await saying;
    expect([chat.status, chat.messages.at(-1)?.metadata?.outcome]).toEqual(['ready', 'cancelled']);
    await expectSameAsLoaded(chat, id, version);
  });

  it('keeps the text of a stopped reply, and shows it when the page is reloaded', async () => {
    const { model, message } = registerSpeaking(['It is ', 'in ', WAIT]);
    const { chat, id } = open({ version });
    const saying = chat.sendMessage({ text: message('Where is it?') });
    await model.waiting();
    await via(`${getPath(id)}/cancel`, { method: 'POST' });
    await saying;
    expect(getLastParts(chat)).toEqual([
      { type: 'step-start' },
      { type: 'text', text: 'It is in ', state: 'done' },
    ]);
    await expectSameAsLoaded(chat, id, version);
  });

  it('keeps the text of a failed reply, and shows why it failed', async () => {
    const { message } = registerSpeaking(
      ['It was ', createConnectionLost()],
      ['It is ', createConnectionLost()],
    );
    const { chat, id } = open({ version });
    await chat.sendMessage({ text: message('Where is it?') });
    const [said, answered] = await loadMessages(via, { agent, id, version });
    expect(answered?.parts).toEqual([
      { type: 'step-start' },
      { type: 'text', text: 'It is ', state: 'done' },
    ]);
    expect(answered?.metadata).toMatchObject({ outcome: 'failed', error: { type: 'model-failure' } });
    expect(said?.metadata).toEqual({ turn: answered?.id });
  });

  it('marks a message whose turn ended without text', async () => {
    const { id, say } = open({ version }, new ModelError('bad-request', 'There is no such model.'));
    await say();
    const [said, answered] = await loadMessages(via, { agent, id, version });
    expect(said?.metadata).toEqual({ turn: answered?.id, unanswered: true });
  });

  it('is resumed in another tab in the middle of a turn, and after a lost connection', async () => {
    const hangs = createHeldReply('Now.');
    const { chat, id, say } = open(
      { version },
      { text: 'First.', calls: [{ name: 'add', input: { a: 1, b: 2 } }] },
      hangs.reply,
    );
    const saying = say();
    await hangs.asked();
    await expect.poll(() => getLastParts(chat).length).toBe(3);
    const other = open({ version, id, messages: await loadMessages(via, { agent, id, version }) });
    expect(other.chat.messages.length).toBe(2);
    const resuming = other.chat.resumeStream();
    await expect.poll(() => other.chat.status).toBe('streaming');
    hangs.release();
    await Promise.all([saying, resuming]);
    expect(getLastParts(other.chat)).toEqual(getLastParts(chat));
    expect(getLastParts(chat).at(-1)).toEqual({ type: 'text', text: 'Now.', state: 'done' });
    expect(copyAsJson(other.chat.messages.at(-1)?.metadata)).toEqual(
      copyAsJson(chat.messages.at(-1)?.metadata),
    );
    await expectSameAsLoaded(other.chat, id, version);
  });

  it('is informed that no turn runs in a new, a waiting and a finished chat', async () => {
    const { chat, id, say } = open(
      { version, sends: 'approvals' },
      { calls: [{ name: 'pay', input: { amount: 1 } }] },
      'Done.',
    );
    const fetchStreamStatus = async (): Promise<number> =>
      (await via(`/agents/${agent}/chat/${id}/stream`)).status;
    expect([await fetchStreamStatus(), await loadMessages(via, { agent, id, version })]).toEqual([204, []]);
    await say();
    expect(await fetchStreamStatus()).toBe(204);
    await chat.addToolApprovalResponse({ id: String(getLastParts(chat).at(-1)?.toolCallId), approved: true });
    await waitForRequests(chat);
    await expect.poll(fetchStreamStatus).toBe(204);
  });

  it('runs a repeated message only once', async () => {
    const { chat, asked, id, say } = open({ version }, 'Once.');
    await say();
    const again = await via(`/agents/${agent}/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: asked[0] ?? '',
    });
    expect(again.status).toBe(200);
    expect(again.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
    expect(await again.text()).toMatch(/"delta":"Once\."[\s\S]*data: \[DONE\]\n\n$/);
    const started = (await readJournal(getPath(id), via)).filter(({ type }) => type === 'turn-started');
    expect(started.length).toBe(1);
    expect(chat.messages.length).toBe(2);
  });

  it('accepts a repeated answer only once, and streams the later events again', async () => {
    const { chat, asked, say } = open(
      { version, sends: 'approvals' },
      { calls: [{ name: 'pay', input: { amount: 3 } }] },
      'Paid once.',
    );
    await say();
    await chat.addToolApprovalResponse({ id: String(getLastParts(chat).at(-1)?.toolCallId), approved: true });
    await waitUntilOver({ chat, asked }, 2);
    const again = await via(`/agents/${agent}/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: asked[1] ?? '',
    });
    expect(again.status).toBe(200);
    expect(await again.text()).toMatch(/"delta":"Paid once\."/);
  });

  it('asks about a call of a nested loop in a separate step, and sends the answer automatically', async () => {
    const calls = [{ name: 'helper', input: { message: '' } }];
    const { chat, asked, id, say, words } = open(
      { version, sends: 'approvals' },
      { calls },
      { calls: [{ name: 'pay', input: { amount: 7 } }] },
      'Paid inside.',
      'All is paid.',
    );
    calls[0] = { name: 'helper', input: { message: words } };
    await say();
    const parts = getLastParts(chat);
    expect(getTypes(parts)).toEqual(['step-start', 'tool-helper', 'step-start', 'tool-pay']);
    expect(parts.at(-1)).toMatchObject({ state: 'approval-requested', input: { amount: 7 } });
    await expectSameAsLoaded(chat, id, version);
    await chat.addToolApprovalResponse({ id: String(Object(parts.at(-1)?.approval).id), approved: true });
    await waitUntilOver({ chat, asked }, 2);
    expect(
      getLastParts(chat)
        .slice(1)
        .map(({ type, state, text }) => text ?? `${type} ${state}`),
    ).toEqual([
      'tool-helper output-available',
      expect.anything(),
      'tool-pay output-available',
      expect.anything(),
      expect.anything(),
      'All is paid.',
    ]);
  });

  it('accepts repeated results only once, and streams the later events again', async () => {
    const { chat, asked, say } = open(
      { version, sends: 'results' },
      { calls: [{ name: 'where' }] },
      'I see.',
    );
    await say();
    const call = getLastParts(chat).at(-1)?.toolCallId;
    await chat.addToolOutput({ tool: 'where', toolCallId: call, output: 'home' });
    await waitUntilOver({ chat, asked }, 2);
    const again = await via(`/agents/${agent}/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: asked[1] ?? '',
    });
    expect(again.status).toBe(200);
    expect(await again.text()).toMatch(/"delta":"I see\."/);
  });

  it('does not resend results forever if their turn was cancelled', async () => {
    const hangs = createHeldReply('Never.');
    const { chat, asked, id, say } = open(
      { version, sends: 'results' },
      { calls: [{ name: 'where' }] },
      hangs.reply,
    );
    await say();
    const call = getLastParts(chat).at(-1)?.toolCallId;
    await chat.addToolOutput({ tool: 'where', toolCallId: call, output: 'home' });
    await hangs.asked();
    await via(`${getPath(id)}/cancel`, { method: 'POST' });
    await waitUntilOver({ chat, asked }, 2);
    await expectSameAsLoaded(chat, id, version);
  });

  it('refuses another text under a message’s id, unless its page has removed the later messages', async () => {
    const { asked, say, words } = open({ version }, 'Once.');
    await say();
    const again = await via(`/agents/${agent}/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: asked[0]?.replace(words, `${words} indeed`) ?? '',
    });
    expect([again.status, await again.text()]).toEqual([
      400,
      'A sent message stays in the session, and cannot be changed. Send another one.',
    ]);
  });

  it('retries a message whose turn failed, once for each failure, and shows one answer after a reload', async () => {
    const down = new ModelError('bad-request', 'The model is down.');
    const { chat, asked, id, say } = open({ version }, down, down, 'Here.');
    await say();
    expect(chat.status).toBe('error');
    await chat.regenerate();
    expect(chat.status).toBe('error');
    await chat.regenerate();
    expect([chat.status, asked.length]).toEqual(['ready', 3]);
    expect(getLastParts(chat).at(-1)).toEqual({ type: 'text', text: 'Here.', state: 'done' });
    const loaded = await loadMessages(via, { agent, id, version });
    expect(loaded.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(loaded[0]?.metadata).toEqual({ turn: loaded[0]?.id.split(':')[0] });
    await expectSameAsLoaded(chat, id, version);
    const starts = (await readJournal(getPath(id), via)).filter(({ type }) => type === 'turn-started');
    expect(starts).toMatchObject([{}, { retries: starts[0]?.turn }, { retries: starts[1]?.turn }]);
  });

  it('retries a message that is repeated under its id after its turn failed', async () => {
    const { chat, id, words } = open({ version }, new ModelError('bad-request', 'Down.'), 'Here.');
    await chat.sendMessage({ text: words });
    const [first] = chat.messages;
    await chat.sendMessage({ text: words, messageId: first?.id });
    expect(getLastParts(chat).at(-1)).toMatchObject({ text: 'Here.' });
    expect((await loadMessages(via, { agent, id, version })).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
    ]);
  });

  it('starts only one retry if two reloaded tabs request it concurrently', async () => {
    const hangs = createHeldReply('Here.');
    const { id, say } = open(
      { version },
      new ModelError('bad-request', 'Down.'),
      { text: 'Let me see.', calls: [{ name: 'add', input: { a: 1, b: 2 } }] },
      hangs.reply,
    );
    await say();
    const tabs = await Promise.all(
      [1, 2].map(async () =>
        open({ version, id, messages: await loadMessages(via, { agent, id, version }) }),
      ),
    );
    const first = tabs[0]?.chat.regenerate();
    await hangs.asked();
    const second = tabs[1]?.chat.regenerate();
    await expect.poll(() => tabs[1]?.chat.status).toBe('streaming');
    hangs.release();
    await Promise.all([first, second]);
    for (const tab of tabs) expect(getLastParts(tab.chat).at(-1)).toMatchObject({ text: 'Here.' });
    const starts = (await readJournal(getPath(id), via)).filter(({ type }) => type === 'turn-started');
    expect(starts).toHaveLength(2);
  });

  it('shows a message that steers its turn', async () => {
    const hangs = createHeldReply({ calls: [{ name: 'note' }] });
    const { chat, id, say, words } = open({ version }, hangs.reply, 'As you say.');
    const saying = say();
    await hangs.asked();
    const other = open({ version, id });
    const steering = other.chat.sendMessage(
      { text: `${words} and shorter`, metadata: { from: 'menu' } },
      { body: { whenBusy: 'steer' } },
    );
    await expect
      .poll(async () => (await readJson(await via(getPath(id)))).waiting)
      .toMatchObject([{ status: 'steering' }]);
    hangs.release();
    await Promise.all([saying, steering]);
    const said = { type: 'text', text: `${words} and shorter` };
    const steered =
      version === 7
        ? { type: 'steering-message', parts: [{ ...said, providerMetadata: { holdfast: { from: 'menu' } } }] }
        : { type: 'data-steering', data: { text: said.text, metadata: { from: 'menu' } } };
    expect(getLastParts(chat)).toContainEqual(expect.objectContaining(steered));
    expect(await findProblem(chat.messages, version)).toBeUndefined();
    expect(getLastParts(other.chat).at(-1)).toEqual({ type: 'text', text: 'As you say.', state: 'done' });
    expect(other.chat.messages.length).toBe(2);
    await expectSameAsLoaded(chat, id, version);
  });
});
