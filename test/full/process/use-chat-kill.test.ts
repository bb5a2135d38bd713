/**
 * Kills the Worker of a chat during its turns. In the end, the messages of the AI SDK's client must match the
 * journal.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  copyAsJson,
  findToolName,
  getLastParts,
  loadMessages,
  openChat,
  VERSIONS,
} from '../../fixtures/ui-chat.ts';
import { type KillableWorker, startKillable } from './killable-worker.ts';

const folders: string[] = [];
let storage: string;
let worker: KillableWorker;

async function start(): Promise<void> {
  worker = await startKillable('test/full/browser/use-chat-worker.ts', {
    storage,
    vars: { LEASE_MS: '300' },
    build: { constants: { PAGES: 'http://localhost:1' } },
  });
}

beforeEach(async () => {
  storage = await mkdtemp(join(tmpdir(), 'holdfast-chat-'));
  folders.push(storage);
  await start();
});
afterEach(() => worker.kill());
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 3 });
});

/** Sends a request to the running Worker. */
const fetchFrom = (path: string, init?: RequestInit): Promise<Response> =>
  fetch(`${worker.url}${path}`, init);

const HELLO_TEXT = 'Hello! Our shop is open from nine to five, and we are happy to help you with anything.';

describe.each(VERSIONS)('a chat of version %i whose Worker is killed', (version) => {
  it('resumes and shows the whole reply if the Worker is killed in the middle of the reply', async () => {
    const { chat, id } = openChat({ version, agent: 'desk', via: fetchFrom });
    const saying = chat.sendMessage({ text: 'When are you open? Say it slowly.' });
    await expect.poll(() => JSON.stringify(getLastParts(chat))).toContain('Hello!');
    await worker.kill();
    await saying;
    expect(chat.status).toBe('error');
    await start();
    // Loads the existing messages and then resumes the stream, as a page does.
    chat.messages = await loadMessages(fetchFrom, { agent: 'desk', id, version });
    const resuming = chat.resumeStream();
    // The model is retried after a pause.
    await expect
      .poll(async () => {
        await fetchFrom('/end');
        return (await loadMessages(fetchFrom, { agent: 'desk', id, version })).at(-1)?.metadata;
      })
      .toMatchObject({ outcome: 'completed' });
    await resuming;
    const loaded = await loadMessages(fetchFrom, { agent: 'desk', id, version });
    expect(copyAsJson(chat.messages)).toEqual(loaded);
    expect(getLastParts(chat).at(-1)).toEqual({ type: 'text', text: HELLO_TEXT, state: 'done' });
    const journal = await (await fetchFrom(`/agents/desk/sessions/${id}/events`)).json();
    const { events } = journal as { readonly events: readonly { readonly type: string }[] };
    const types = events.map(({ type }) => type);
    expect(types.filter((type) => type === 'turn-started')).toEqual(['turn-started']);
    expect(types).toContain('turn-resumed');
  });

  it('accepts an approval and runs the call once if the Worker is killed during the wait', async () => {
    const { chat, asked, id } = openChat({ version, agent: 'desk', via: fetchFrom, sends: 'approvals' });
    await chat.sendMessage({ text: 'Please refund 20 euro.' });
    const waiting = getLastParts(chat).at(-1);
    expect(waiting).toMatchObject({ state: 'approval-requested' });
    await worker.kill();
    await start();
    await chat.addToolApprovalResponse({ id: String(waiting?.toolCallId), approved: true });
    await expect.poll(() => [asked.length, chat.status]).toEqual([2, 'ready']);
    expect(getLastParts(chat).find(findToolName)).toMatchObject({
      state: 'output-available',
      output: '20 euro of order A-17 are on their way back.',
    });
    const loaded = await loadMessages(fetchFrom, { agent: 'desk', id, version });
    expect(loaded.at(-1)?.metadata).toEqual(copyAsJson(chat.messages.at(-1)?.metadata));
    expect(loaded.at(-1)?.parts.at(-1)).toEqual(getLastParts(chat).at(-1));
  });
});
