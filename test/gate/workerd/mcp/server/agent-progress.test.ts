import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { SessionUnavailableError } from '../../../../doors/session.ts';
import { marathon, recordings } from '../../../../fixtures/scripted-agent.ts';
import { createHeldReply, registerScript } from '../../../../fixtures/scripts.ts';
import { getSessionName, post, readJournal, readJson, send } from '../../http/client.ts';
import { withoutPauses } from '../../http/pauses-passing.ts';
import {
  callTool,
  connectClient,
  createEndpointApp,
  createRpcRequest,
  createSessionId,
  getTexts,
  getView,
  IDEMPOTENCY_META,
  postMcp,
  readMessages,
  recordCall,
} from './talk.ts';

const via = createEndpointApp({ agents: ['scripted'] });

describe('a running turn', () => {
  it('reports its tool calls to its client, with increasing numbers, before the answer', async () => {
    const add = { calls: [{ name: 'add', input: { a: 1, b: 2 } }] };
    const { message } = registerScript(add, { calls: [{ name: 'missing' }] }, 'Three.');
    const params = {
      name: 'scripted',
      arguments: { message: message() },
      _meta: { progressToken: 7 },
    };
    const messages = await readMessages(await postMcp(via, createRpcRequest('tools/call', params)));
    const progress = messages.filter(({ method }) => method === 'notifications/progress');
    expect(progress.map(({ params: told }) => told)).toEqual([
      { progressToken: 7, progress: 1, message: 'add: started' },
      { progressToken: 7, progress: 2, message: 'add: adding 1 and 2' },
      { progressToken: 7, progress: 3, message: 'add: done' },
      { progressToken: 7, progress: 4, message: 'missing: failed' },
    ]);
    expect(messages.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'Three.' }, {}] } });
  });

  it('reports progress to the official client', async () => {
    const { message } = registerScript({ calls: [{ name: 'add', input: { a: 1, b: 2 } }] }, 'Three.');
    const client = await connectClient(via);
    const heard: unknown[] = [];
    const params = { name: 'scripted', arguments: { message: message() } };
    await client.callTool(params, undefined, { onprogress: (progress) => heard.push(progress) });
    expect(heard).toEqual([
      { progress: 1, message: 'add: started' },
      { progress: 2, message: 'add: adding 1 and 2' },
      { progress: 3, message: 'add: done' },
    ]);
    await client.close();
  });

  it('is handed over if its client disconnects, and ends without that client', async () => {
    const id = createSessionId();
    const answer = createHeldReply(recordCall('mcp-gone'));
    const { message } = registerScript(answer.reply, 'Done.');
    const client = new AbortController();
    const log = vi.spyOn(console, 'error');
    const params = { name: 'scripted', arguments: { message: message(), session: id } };
    const response = await postMcp(via, createRpcRequest('tools/call', params), { signal: client.signal });
    await answer.asked();
    client.abort();
    answer.release();
    await response.text().catch(() => {});
    const path = `/agents/scripted/sessions/${id}`;
    await expect.poll(async () => (await readJournal(path)).map(({ type }) => type)).toContain('turn-ended');
    expect((await readJournal(path)).find(({ type }) => type === 'turn-yielded')).toMatchObject({
      reason: 'its client has gone',
    });
    expect((await readJson(await send(path))).turn).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(recordings.filter(({ note }) => note === 'mcp-gone').length).toBe(1);
    expect(log).not.toHaveBeenCalled();
    log.mockRestore();
  });

  it('is handed over if the reader of the response stops', async () => {
    const id = createSessionId();
    const answer = createHeldReply(recordCall('mcp-stopped'));
    const { message } = registerScript(answer.reply, 'Done.');
    const params = { name: 'scripted', arguments: { message: message(), session: id } };
    const response = await postMcp(via, createRpcRequest('tools/call', params));
    await answer.asked();
    await response.body?.cancel();
    answer.release();
    const path = `/agents/scripted/sessions/${id}`;
    await expect.poll(async () => (await readJournal(path)).map(({ type }) => type)).toContain('turn-ended');
    expect((await readJournal(path)).map(({ type }) => type)).toContain('turn-yielded');
  });
});

describe('a turn that outlives its invocation', () => {
  const add = { calls: [{ name: 'add', input: { a: 1, b: 2 } }] };

  it('is followed to its end, and its client gets progress throughout', async () => {
    const long = createEndpointApp(
      { agents: ['marathon'] },
      { agents: [marathon], limits: { subrequests: 30, internalSubrequests: 30 } },
    );
    const { message } = registerScript(...Array.from({ length: 30 }, () => add), 'Far.');
    const id = createSessionId();
    const params = {
      name: 'marathon',
      arguments: { message: message(), session: id },
      _meta: { progressToken: 1 },
    };
    const messages = await readMessages(await postMcp(long, createRpcRequest('tools/call', params)));
    const result = Object(messages.at(-1)?.result);
    const progress = messages.slice(0, -1).map(({ params: told }) => Object(told));
    expect((await readJournal(`/agents/marathon/sessions/${id}`)).map(({ type }) => type)).toContain(
      'turn-yielded',
    );
    expect([getTexts(result), getView(result).outcome]).toEqual([['Far.'], 'completed']);
    expect(progress.filter(({ message: words }) => words === 'add: done').length).toBe(30);
    expect(progress.map((told) => told.progress)).toEqual(progress.map((_, index) => index + 1));
  }, 60_000);

  it('is reported as running if this invocation cannot follow it to its end', async () => {
    const id = createSessionId();
    const path = `/agents/scripted/sessions/${id}`;
    await post(path, { message: registerScript('Done.').message() });
    const stub = env.SESSIONS.getByName(getSessionName(path));
    await runInDurableObject(stub, (_, { storage }) => {
      storage.sql.exec(`UPDATE events SET body = replace(body, '"v":1', '"v":9') WHERE seq = 4`);
    });
    const answer = await callTool(via, 'scripted', { message: 'Hello', session: id });
    const { turn } = getView(answer);
    expect(answer).toEqual({
      content: [
        { type: 'text', text: 'The message was accepted, and its turn continues.' },
        { type: 'text', text: `Its answer will be at GET ${path}/turns/${turn}.` },
      ],
      structuredContent: { session: id, turn, path: `${path}/turns/${turn}`, outcome: 'running', text: '' },
    });
  });

  it('is reported with instructions for a check if it may have started', async () => {
    const fail = () => Promise.reject(new Error('Durable Object is no longer active'));
    const objects = { getByName: () => ({ read: fail, begin: fail, accept: fail, post: fail }) };
    const lost = createEndpointApp({ agents: ['scripted'] }, {}, { SESSIONS: objects });
    const id = createSessionId();
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const answer = await withoutPauses(() => callTool(lost, 'scripted', { message: 'Hello', session: id }));
    expect(log.mock.calls).toEqual([
      [
        expect.stringMatching(/^holdfast: it is unknown whether turn [0-9a-f]{16} was accepted$/),
        new SessionUnavailableError(new Error('Durable Object is no longer active')),
      ],
    ]);
    log.mockRestore();
    const [words = ''] = getTexts(answer);
    expect([answer.isError, words.replace(/[0-9a-f]{16}/, '{turn}')]).toEqual([
      true,
      'The session did not answer, and may have stored the message as turn {turn}: ' +
        `GET /agents/scripted/sessions/${id} shows it. Send it again only with the same ${IDEMPOTENCY_META}.`,
    ]);
  });
});
