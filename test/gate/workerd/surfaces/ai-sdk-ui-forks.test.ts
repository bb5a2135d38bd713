/** Regenerated answers and edited messages in AI SDK chats, which are forks of their sessions. */
import { describe, expect, it } from 'vitest';
import { ModelError } from '../../../../src/index.ts';
import { aiSdkUi } from '../../../../src/surfaces/ai-sdk-ui/entry.ts';
import { createHeldReply } from '../../../fixtures/scripts.ts';
import {
  type ChatMessage,
  copyAsJson,
  getLastParts,
  loadMessages,
  type OpenChat,
  VERSIONS,
} from '../../../fixtures/ui-chat.ts';
import { createTestApp } from '../http/app.ts';
import { readJournal } from '../http/client.ts';
import { agent, getPath, open } from './chats.ts';
import { desk, via } from './desk.ts';

const getText = ({ parts }: ChatMessage): string =>
  parts.flatMap(({ type, text }) => (type === 'text' ? [String(text)] : [])).join(' ');

/** Returns the texts of a chat, without its script's key. */
const listTexts = (messages: readonly ChatMessage[]): string[] =>
  messages.map((message) => getText(message).replace(/ #[0-9a-f-]{36}/, ''));

const findBranch = ({ messages }: Pick<OpenChat, 'messages'>) =>
  messages.findLast(({ role }) => role === 'assistant')?.metadata?.session;

const regenerate = (chat: OpenChat, messageId?: string): Promise<void> =>
  Object(chat).regenerate(messageId === undefined ? undefined : { messageId });

const postChat = (body: string): Promise<Response> =>
  via(`/agents/${agent}/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });

const createUserMessage = (text: string) => ({ id: 'm9', role: 'user', parts: [{ type: 'text', text }] });

const listStartEvents = async (id: string) =>
  (await readJournal(getPath(id), via)).filter(({ type }) => type === 'turn-started');

describe.each(VERSIONS)('a chat of version %i', (version) => {
  const load = (id: string) => loadMessages(via, { agent, id, version });

  /** A reloaded page shows the same messages and session id. */
  async function isSameLoaded({ chat, id }: { chat: OpenChat; id: string }): Promise<void> {
    const loaded = await load(id);
    expect([chat.status, chat.error]).toEqual(['ready', undefined]);
    expect(listTexts(loaded)).toEqual(listTexts(chat.messages));
    expect(copyAsJson(loaded.at(-1))).toEqual(copyAsJson(chat.messages.at(-1)));
  }

  it('regenerates an answer in a fork, and leaves the session unchanged', async () => {
    const page = open({ version }, 'One.', 'Two.', 'Other two.', 'Three.');
    const { chat, id, model } = page;
    await page.say();
    await chat.sendMessage({ text: 'And then?' });
    const before = await readJournal(getPath(id), via);
    await chat.regenerate();
    expect(listTexts(chat.messages)).toEqual(['Hello', 'One.', 'And then?', 'Other two.']);
    const branch = String(findBranch(chat));
    expect(branch.startsWith(`${id}.`)).toBe(true);
    expect(chat.messages[1]?.metadata?.session).toBeUndefined();
    const after = await readJournal(getPath(id), via);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.slice(before.length).map(({ type }) => type)).toEqual(['module-event']);
    await isSameLoaded(page);
    await chat.sendMessage({ text: 'And last?' });
    expect(listTexts(chat.messages).slice(2)).toEqual(['And then?', 'Other two.', 'And last?', 'Three.']);
    expect(findBranch(chat)).toBe(branch);
    expect(
      model.requests
        .at(-1)
        ?.messages.slice(-4)
        .map(({ text }) => text.replace(/ #.*/, '')),
    ).toEqual(['One.', 'And then?', 'Other two.', 'And last?']);
    expect(await listStartEvents(id)).toHaveLength(2);
    await isSameLoaded(page);
  });

  it('edits a message and gets a new answer, even for the first message', async () => {
    const page = open({ version }, 'One.', 'Two.', 'Other one.');
    const { chat, words, id } = page;
    await page.say();
    await chat.sendMessage({ text: 'And then?' });
    const [first] = chat.messages;
    await chat.sendMessage({ text: `Bye, ${words}`, messageId: first?.id });
    expect(listTexts(chat.messages)).toEqual(['Bye, Hello', 'Other one.']);
    expect(await listStartEvents(String(findBranch(chat)))).toHaveLength(1);
    expect(await listStartEvents(id)).toHaveLength(2);
    await isSameLoaded(page);
  });

  it('makes a fork of a fork repeatedly, even after a reload', async () => {
    const page = open({ version }, 'One.', 'Two.', 'Two again.', 'Two anew.', 'Three.', 'Edited.', 'Last.');
    await page.say();
    await page.chat.sendMessage({ text: 'And then?' });
    await page.chat.regenerate();
    const first = findBranch(page.chat);
    await regenerate(page.chat, page.chat.messages.at(-1)?.id);
    const second = findBranch(page.chat);
    expect(new Set([page.id, first, second]).size).toBe(3);
    await page.chat.sendMessage({ text: 'Go on.' });
    expect(listTexts(page.chat.messages)).toEqual([
      'Hello',
      'One.',
      'And then?',
      'Two anew.',
      'Go on.',
      'Three.',
    ]);
    const { id } = page;
    const loaded = await load(id);
    expect(loaded.map(({ role, metadata }) => role === 'user' || metadata?.session)).toEqual([
      true,
      second,
      true,
      second,
      true,
      second,
    ]);
    const again = { ...open({ version, id, messages: loaded }), id };
    await again.chat.sendMessage({ text: 'And when?', messageId: loaded[2]?.id });
    expect(listTexts(again.chat.messages)).toEqual(['Hello', 'One.', 'And when?', 'Edited.']);
    await isSameLoaded(again);
    await again.chat.sendMessage({ text: 'So?' });
    expect(listTexts(again.chat.messages).slice(2)).toEqual(['And when?', 'Edited.', 'So?', 'Last.']);
    await isSameLoaded(again);
  });

  it('edits a loaded message again, under the id that its page still has', async () => {
    const page = open({ version }, 'One.', 'Edited.', 'Two.', 'Anew.', 'Last.');
    await page.say();
    const { id, words } = page;
    const { chat } = open({ version, id, messages: await load(id) });
    const messageId = chat.messages[0]?.id;
    const edit = (text: string) => chat.sendMessage({ text: `${text}, ${words}`, messageId });
    await edit('Well');
    await chat.sendMessage({ text: 'And then?' });
    await edit('No');
    expect(listTexts(await load(id))).toEqual(['No, Hello', 'Anew.']);
    await edit('Yes');
    expect([chat.error, listTexts(chat.messages)]).toEqual([undefined, ['Yes, Hello', 'Last.']]);
    await isSameLoaded({ chat, id });
    // Repeating the edit returns the same fork.
    const branch = findBranch(chat);
    await edit('Yes');
    expect([chat.error, findBranch(chat)]).toEqual([undefined, branch]);
  });

  it('makes one fork if the same request is sent twice, concurrently or later', async () => {
    const hangs = createHeldReply('Other.');
    const { chat, asked, words, say, id } = open({ version }, 'One.', hangs.reply, 'Edited.');
    await say();
    const regenerating = chat.regenerate();
    await hangs.asked();
    const second = postChat(asked[1] ?? '');
    hangs.release();
    await regenerating;
    expect(await (await second).text()).toContain('Other.');
    const branch = findBranch(chat);
    await chat.sendMessage({ text: `Well, ${words}`, messageId: chat.messages[0]?.id });
    const edited = findBranch(chat);
    for (const _ of [1, 2]) expect(await (await postChat(asked[2] ?? '')).text()).toContain('Edited.');
    expect(await listStartEvents(String(branch))).toHaveLength(1);
    expect(await listStartEvents(String(edited))).toHaveLength(1);
    expect(listTexts(await load(id))).toEqual(['Well, Hello', 'Edited.']);
  });

  it('retries in a fork if the answer in that fork failed', async () => {
    const page = open({ version }, 'One.', new ModelError('bad-request', 'Down.'), 'Other.');
    const { chat, id } = page;
    await page.say();
    await chat.regenerate();
    expect(chat.status).toBe('error');
    await chat.regenerate();
    expect(listTexts(await load(id))).toEqual(['Hello', 'Other.']);
    const [first, second, ...others] = await listStartEvents(String(findBranch(chat)));
    expect([second?.retries, others]).toEqual([first?.turn, []]);
  });

  it('regenerates an answer that a retry returned', async () => {
    const page = open({ version }, new ModelError('bad-request', 'Down.'), 'One.', 'Other.');
    await page.say();
    await page.chat.regenerate();
    await regenerate(page.chat, page.chat.messages.at(-1)?.id);
    expect(listTexts(page.chat.messages)).toEqual(['Hello', 'Other.']);
    await isSameLoaded(page);
  });

  it('keeps the metadata of a regenerated message', async () => {
    const { chat, id, words } = open({ version }, 'One.', 'Other.');
    await chat.sendMessage({ text: words, metadata: { from: 'menu' } });
    const loaded = open({ version, id, messages: await load(id) });
    await loaded.chat.regenerate();
    const [said] = await load(id);
    expect(said?.metadata).toEqual({ from: 'menu', turn: expect.any(String) });
    expect(said?.metadata?.turn).not.toBe(chat.messages[1]?.id);
  });

  it('edits a refused message by sending it', async () => {
    const { chat, id, say, words } = open({ version }, { calls: [{ name: 'where' }] }, 'Two.');
    await say();
    await chat.sendMessage({ text: `First, ${words}` });
    expect(chat.status).toBe('error');
    await chat.sendMessage(
      { text: `Second, ${words}`, messageId: chat.messages[2]?.id },
      { body: { pending: 'decline' } },
    );
    expect(listTexts(await load(id)).slice(-2)).toEqual(['Second, Hello', 'Two.']);
    expect(findBranch(chat)).toBeUndefined();
  });

  it('cannot create a session by naming it as a branch, and does not find another caller’s branch', async () => {
    const { chat, id, say, words } = open({ version }, 'One.', 'Other.');
    await say();
    await chat.regenerate();
    const mallory = createTestApp({ agents: [desk], use: [aiSdkUi()], auth: () => ({ id: 'mallory' }) });
    const body = { id, messages: [...copyAsJson(chat.messages), createUserMessage(words)] };
    const response = await mallory(`/agents/${agent}/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect([response.status, await response.text()]).toEqual([
      404,
      expect.stringContaining(`There is no session '${findBranch(chat)}'`),
    ]);
    expect((await mallory(getPath(String(findBranch(chat))))).status).toBe(404);
  });

  it('can answer a fork’s approvals', async () => {
    const page = open(
      { version, sends: 'approvals' },
      'One.',
      { text: 'I ask.', calls: [{ name: 'pay', input: { amount: 5 } }] },
      'Paid.',
    );
    const { chat, asked } = page;
    await page.say();
    await chat.regenerate();
    const { approval } = Object(getLastParts(chat).at(-1));
    await chat.addToolApprovalResponse({ id: approval.id, approved: true });
    await expect.poll(() => asked.length).toBe(3);
    await expect.poll(() => getText(chat.messages.at(-1) as ChatMessage)).toContain('Paid.');
    expect(String(findBranch(chat)).startsWith(`${page.id}.`)).toBe(true);
    expect(await listStartEvents(page.id)).toHaveLength(1);
  });

  it('refuses to drop completed tool effects, and explains why', async () => {
    const { chat, say, id } = open({ version }, { calls: [{ name: 'note' }] }, 'Noted.');
    await say();
    const refusal =
      "The model would forget these calls, and could repeat them: 'note'. Send a new message instead.";
    await chat.regenerate();
    expect(chat.error?.message).toBe(refusal);
    await chat.sendMessage({ text: 'Other', messageId: chat.messages[0]?.id });
    expect(chat.error?.message).toBe(refusal);
    expect(listTexts(await load(id))).toEqual(['Hello', 'Noted.']);
  });

  it('also refuses to drop tool effects that a fork copied from its source', async () => {
    const { chat, say } = open({ version }, 'One.', { calls: [{ name: 'note' }] }, 'Noted.');
    await say();
    await chat.regenerate();
    expect(listTexts(chat.messages)).toEqual(['Hello', 'Noted.']);
    await chat.regenerate();
    expect(chat.error?.message).toContain("could repeat them: 'note'");
  });

  it('stays at its position if the message to a fork is refused', async () => {
    const { chat, id, say, words, model } = open({ version }, 'One.', 'Two.', 'Edited.', 'Last.');
    await say();
    const [first] = chat.messages;
    const edit = (body: object) =>
      chat.sendMessage({ text: `Well, ${words}`, messageId: first?.id }, { body });
    await edit({ context: { secret: 1 } });
    expect(chat.error?.message).toContain('context');
    expect(listTexts(await load(id))).toEqual(['Hello', 'One.']);
    const loaded = open({ version, id, messages: await load(id) });
    await loaded.chat.sendMessage({ text: 'And then?' });
    expect(listTexts(await load(id))).toEqual(['Hello', 'One.', 'And then?', 'Two.']);
    expect(await listStartEvents(id)).toHaveLength(2);
    // The same edit without the refused part still succeeds.
    await edit({});
    expect(listTexts(await load(id))).toEqual(['Well, Hello', 'Edited.']);
    await chat.sendMessage({ text: 'So?' });
    expect(listTexts(await load(id))).toEqual(['Well, Hello', 'Edited.', 'So?', 'Last.']);
    expect(model.requests).toHaveLength(4);
  });

  it('resumes the stream of a fork', async () => {
    const hangs = createHeldReply('Other.');
    const { chat, id, say } = open({ version }, 'One.', hangs.reply);
    await say();
    const regenerating = chat.regenerate();
    await hangs.asked();
    const other = open({ version, id, messages: await load(id) });
    expect(other.chat.messages.at(-1)?.metadata).toEqual({ session: expect.stringContaining(`${id}.`) });
    const resuming = other.chat.resumeStream();
    await expect.poll(() => other.chat.status).not.toBe('ready');
    hangs.release();
    await Promise.all([regenerating, resuming]);
    expect(listTexts(other.chat.messages)).toEqual(['Hello', 'Other.']);
    const turn = chat.messages.at(-1)?.id;
    const response = await via(`/agents/${agent}/chat/${id}/stream?turn=${turn}&ui=${version}`);
    expect(await response.text()).toContain(`"session":"${findBranch(chat)}"`);
  });

  it('is asked to reload its messages if they no longer exist', async () => {
    const { chat, id, say, words } = open({ version }, 'One.', 'Two.', 'Edited.');
    await say();
    await chat.sendMessage({ text: 'And then?' });
    const stale = open({ version, id, messages: await load(id) });
    await chat.sendMessage({ text: `Well, ${words}`, messageId: chat.messages[0]?.id });
    await stale.chat.sendMessage({ text: 'And when?', messageId: stale.chat.messages[2]?.id });
    expect(stale.chat.error?.message).toBe('The chat no longer has that message. Load its messages again.');
  });

  it('returns to the session if its fork was erased', async () => {
    const { chat, id, say } = open({ version }, 'One.', 'Other.');
    await say();
    await chat.regenerate();
    expect((await via(getPath(String(findBranch(chat))), { method: 'DELETE' })).status).toBe(204);
    expect(listTexts(await load(id))).toEqual(['Hello', 'One.']);
    await chat.sendMessage({ text: 'Still there?' });
    expect(chat.error?.message).toContain('There is no session');
  });
});
