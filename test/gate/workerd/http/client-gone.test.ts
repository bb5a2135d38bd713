import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { lostClients } from '../../../fixtures/lost-clients.ts';
import { recordings } from '../../../fixtures/scripted-agent.ts';
import { createHeldReply, registerScript, waitUntil } from '../../../fixtures/scripts.ts';
import {
  createSessionPath,
  followToEnd,
  getSessionName,
  post,
  readJson,
  readSentEvents,
  readUntil,
  SSE_HEADERS,
} from './client.ts';

/** Resolves when the Worker has detected that the message's client disconnected. */
const waitForClientLoss = (session: string): Promise<void> =>
  waitUntil(() => lostClients.includes(`${session}/messages`));

const createRecordReply = (note: string) => ({ calls: [{ name: 'record', input: { note } }] });

describe('a turn whose client disconnects', () => {
  it('is handed over if the reader of its stream stops', async () => {
    const session = createSessionPath();
    const answer = createHeldReply(createRecordReply('gone-sse'));
    const { message } = registerScript(answer.reply, 'Done.');
    const events = readSentEvents(await post(session, { message: message() }, { headers: SSE_HEADERS }));
    await readUntil(events, 'turn-started');
    await answer.asked();
    await events.return(undefined);
    await waitForClientLoss(session);
    answer.release();
    expect((await followToEnd(session)).map(({ type }) => type)).toContain('turn-yielded');
    expect(recordings.filter(({ note }) => note === 'gone-sse').length).toBe(1);
  });

  it('is not handed over, and does not log, if only a joined client disconnects', async () => {
    const session = createSessionPath();
    const answer = createHeldReply('Done.');
    const body = { message: registerScript(answer.reply).message() };
    const key = { 'idempotency-key': 'k' };
    const first = post(session, body, { headers: key });
    await answer.asked();
    const client = new AbortController();
    const log = vi.spyOn(console, 'error');
    const joined = post(session, body, { headers: key, signal: client.signal });
    const watching = joined.catch(() => 'gone');
    const stub = env.SESSIONS.getByName(getSessionName(session));
    await expect.poll(() => runInDurableObject(stub, (_, state) => state.getWebSockets().length)).toBe(1);
    client.abort();
    expect(await watching).toBe('gone');
    await expect.poll(() => runInDurableObject(stub, (_, state) => state.getWebSockets().length)).toBe(0);
    expect(log).not.toHaveBeenCalled();
    log.mockRestore();
    answer.release();
    expect(await readJson(await first)).toMatchObject({ outcome: 'completed' });
    expect((await followToEnd(session)).map(({ type }) => type)).not.toContain('turn-yielded');
  });
});
