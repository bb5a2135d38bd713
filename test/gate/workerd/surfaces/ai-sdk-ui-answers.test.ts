/**
 * Answers of a page while several calls are pending, or calls that it does not show, with AI SDK versions 6
 * and 7.
 */
import { describe, expect, it } from 'vitest';
import type { OpenChat } from '../../../fixtures/ui-chat.ts';
import {
  findProblem,
  findToolName,
  getLastParts,
  loadMessages,
  VERSIONS,
} from '../../../fixtures/ui-chat.ts';
import { agent, expectSameAsLoaded, open, waitForRequests, waitUntilOver } from './chats.ts';
import { via } from './desk.ts';

const getCallId = (chat: OpenChat, tool: string): string =>
  String(getLastParts(chat).findLast((part) => findToolName(part) === tool)?.toolCallId);

const listStates = (parts: ReturnType<typeof getLastParts>) =>
  parts.flatMap((part) =>
    findToolName(part) === undefined ? (part.text ?? []) : `${findToolName(part)} ${part.state}`,
  );

const createPayCall = (amount: number) => ({ name: 'pay', input: { amount } });

describe.each(VERSIONS)('a chat of version %i', (version) => {
  it('sends a result once while an approval is still pending, and then the approval', async () => {
    const { chat, asked, id, say } = open(
      { version, sends: 'both' },
      { calls: [{ name: 'where' }, createPayCall(4)] },
      'Paid at home.',
    );
    await say();
    await chat.addToolOutput({ tool: 'where', toolCallId: getCallId(chat, 'where'), output: 'home' });
    await waitUntilOver({ chat, asked }, 2);
    expect(listStates(getLastParts(chat))).toEqual(['where output-available', 'pay approval-requested']);
    await expectSameAsLoaded(chat, id, version);
    // A newly opened page shows the same.
    const other = open({
      version,
      sends: 'both',
      id,
      messages: await loadMessages(via, { agent, id, version }),
    });
    await other.chat.addToolApprovalResponse({ id: getCallId(chat, 'pay'), approved: true });
    await waitUntilOver(other, 1);
    expect(listStates(getLastParts(other.chat))).toEqual([
      'where output-available',
      'pay output-available',
      'Paid at home.',
    ]);
    await expectSameAsLoaded(other.chat, id, version);
  });

  it('shows the pending calls to a page that repeats a result, and reports that the result is known', async () => {
    const { chat, asked, say } = open({ version }, { calls: [{ name: 'where' }, createPayCall(4)] });
    await say();
    const call = getCallId(chat, 'where');
    await chat.addToolOutput({ tool: 'where', toolCallId: call, output: 'home' });
    await chat.sendMessage();
    await waitUntilOver({ chat, asked }, 2);
    const [, body = ''] = asked;
    const post = (sent: string): Promise<Response> =>
      via(`/agents/${agent}/chat`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: sent,
      });
    const again = await post(body);
    expect([again.status, await again.text()]).toEqual([
      200,
      expect.stringContaining('tool-approval-request'),
    ]);
    const sent = JSON.parse(body);
    sent.messages.at(-1).metadata = chat.messages.at(-1)?.metadata;
    const known = await post(JSON.stringify(sent));
    expect([known.status, await known.text()]).toEqual([
      409,
      'The message of the page does not answer the call that the turn waits for.',
    ]);
  });

  it('asks a second question of a call, and accepts an answer to each', async () => {
    const { chat, asked, id, say, model } = open(
      { version, sends: 'approvals' },
      { calls: [{ name: 'confirm' }] },
      'I see.',
    );
    await say();
    const call = getCallId(chat, 'confirm');
    await chat.addToolApprovalResponse({ id: call, approved: true });
    await waitUntilOver({ chat, asked }, 2);
    expect(getLastParts(chat).at(-1)).toMatchObject({ approval: { id: `${call}?question=2` } });
    await expectSameAsLoaded(chat, id, version);
    await chat.addToolApprovalResponse({ id: `${call}?question=2`, approved: true });
    await waitUntilOver({ chat, asked }, 3);
    expect(model.requests[1]?.messages.at(-1)?.text).toBe('approve, approve');
    await expectSameAsLoaded(chat, id, version);
  });

  it('sends the remaining approval if another client has refused the other call', async () => {
    const first = open({ version }, { calls: [createPayCall(1), createPayCall(2)] }, 'One of them.');
    await first.say();
    const [one, two] = getLastParts(first.chat).slice(1);
    await first.chat.addToolApprovalResponse({ id: String(one?.toolCallId), approved: false });
    await first.chat.sendMessage();
    await waitUntilOver(first, 2);
    await expectSameAsLoaded(first.chat, first.id, version);
    const messages = await loadMessages(via, { agent, id: first.id, version });
    const { chat, asked, id } = open({ version, sends: 'approvals', id: first.id, messages });
    await chat.addToolApprovalResponse({ id: String(two?.toolCallId), approved: true });
    await waitUntilOver({ chat, asked }, 1);
    expect(listStates(getLastParts(chat))).toEqual([
      'pay output-denied',
      'pay output-available',
      'One of them.',
    ]);
    await expectSameAsLoaded(chat, id, version);
  });

  it('gets a valid message list for a call that ran after it had been refused', async () => {
    const { chat, asked, id, say } = open(
      { version, sends: 'approvals' },
      { calls: [{ name: 'suggest' }] },
      'Well.',
    );
    await say();
    await chat.addToolApprovalResponse({ id: getCallId(chat, 'suggest'), approved: false });
    await waitUntilOver({ chat, asked }, 2);
    const messages = await loadMessages(via, { agent, id, version });
    expect(await findProblem(messages, version)).toBeUndefined();
    expect(messages.at(-1)?.parts[1]).toEqual({
      type: 'tool-suggest',
      toolCallId: getCallId(chat, 'suggest'),
      state: 'output-available',
      input: {},
      output: 'They said: reject.',
      providerExecuted: true,
    });
  });

  it('runs an approved client tool only once', async () => {
    const { chat, asked, id, say, model } = open(
      { version, sends: 'both' },
      { calls: [{ name: 'look' }] },
      'Ah.',
    );
    await say();
    const call = getCallId(chat, 'look');
    await chat.addToolApprovalResponse({ id: call, approved: true });
    await waitUntilOver({ chat, asked }, 2);
    expect(getLastParts(chat).at(-1)).toMatchObject({ state: 'input-available', providerExecuted: false });
    const waiting = await loadMessages(via, { agent, id, version });
    expect(await findProblem(waiting, version)).toBeUndefined();
    expect(waiting.at(-1)?.parts.at(-1)).toMatchObject({ state: 'input-available', providerExecuted: false });
    await chat.addToolOutput({ tool: 'look', toolCallId: call, output: 'A tree.' });
    await waitUntilOver({ chat, asked }, 3);
    expect(model.requests[1]?.messages.at(-1)?.text).toBe('A tree.');
    await expectSameAsLoaded(chat, id, version);
  });

  it('shows the decided calls of a nested loop even after a reload', async () => {
    const calls = [{ name: 'helper', input: { message: '' } }];
    const { chat, asked, id, say, words } = open(
      { version, sends: 'approvals' },
      { calls },
      { calls: [createPayCall(7), createPayCall(8)] },
      'Paid inside.',
      'All is paid.',
    );
    calls[0] = { name: 'helper', input: { message: words } };
    await say();
    const [one, two] = getLastParts(chat).slice(-2);
    await chat.addToolApprovalResponse({ id: String(one?.toolCallId), approved: true });
    await chat.addToolApprovalResponse({ id: String(two?.toolCallId), approved: false });
    await waitUntilOver({ chat, asked }, 2);
    expect(listStates(getLastParts(chat))).toEqual([
      'helper output-available',
      'pay output-available',
      'pay output-denied',
      'All is paid.',
    ]);
    await expectSameAsLoaded(chat, id, version);
  });

  it('accepts an answer to an earlier message if a refused message follows it', async () => {
    const { chat, say } = open({ version }, { calls: [createPayCall(2)] }, 'Paid.');
    await say();
    const call = getCallId(chat, 'pay');
    const turn = call.split('.')[0];
    await chat.sendMessage({ text: 'And now?' });
    expect(chat.error?.message).toBe(
      `Turn ${turn} waits for an answer from outside. Answer its pending calls, or send the message with pending: 'decline' in the body.`,
    );
    await chat.addToolApprovalResponse({ id: call, approved: true });
    await chat.sendMessage();
    await waitForRequests(chat);
    expect(chat.messages.map(({ role, parts }) => [role, parts.at(-1)?.text])).toEqual([
      ['user', expect.stringMatching(/^Hello/)],
      ['assistant', 'Paid.'],
      ['user', 'And now?'],
    ]);
  });

  it('declines pending calls for another message, and then lists them as declined', async () => {
    const { chat, id, say, words } = open(
      { version },
      { calls: [createPayCall(2), { name: 'where' }] },
      'Never mind.',
    );
    await say();
    await chat.sendMessage({ text: words }, { body: { pending: 'decline' } });
    await waitForRequests(chat);
    expect(getLastParts(chat).at(-1)?.text).toBe('Never mind.');
    const messages = await loadMessages(via, { agent, id, version });
    expect(await findProblem(messages, version)).toBeUndefined();
    expect(messages[1]?.parts.slice(1)).toMatchObject([
      { state: 'output-denied', approval: { approved: false, reason: 'A new message came instead.' } },
      {
        state: 'output-error',
        errorText: "No result of 'where' was sent: a new message came instead. It may have run or not.",
      },
    ]);
  });
});
