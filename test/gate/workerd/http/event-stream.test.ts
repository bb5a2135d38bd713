import { describe, expect, it } from 'vitest';
import { defineTool, ModelError } from '../../../../src/index.ts';
import { defineUnfolding } from '../../../../src/kinds/entry.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { createHeldReply, registerScript, waitUntil } from '../../../fixtures/scripts.ts';
import { createTestApp, wrapObjects } from './app.ts';
import {
  createSessionPath,
  post,
  readAllEvents,
  readJson,
  readSentEvents,
  readUntil,
  type SentEvent,
  SSE_HEADERS,
  send,
} from './client.ts';

const summarizeEvent = ({ id, event, data }: SentEvent): unknown =>
  event === 'text-delta' || event === 'reply-restarted' ? [event, data.reply, data.text] : [id, event];

const streamEvents = async (message: string, session = createSessionPath()): Promise<SentEvent[]> =>
  readAllEvents(await post(session, { message }, { headers: SSE_HEADERS }));

describe('a message whose response is a stream', () => {
  it('yields the events in order, with ids for journaled events, deltas in position, and the answer', async () => {
    const session = createSessionPath();
    const calls = [{ name: 'add', input: { a: 1, b: 2 } }];
    const { message } = registerScript(
      { text: 'Let me see.', pieces: ['Let me ', 'see.'], calls },
      { text: '3', pieces: ['3'] },
    );
    const response = await post(session, { message: message() }, { headers: SSE_HEADERS });
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store, no-transform');
    const events = await readAllEvents(response);
    expect(events.map(summarizeEvent)).toEqual([
      [2, 'turn-started'],
      ['text-delta', '1.1', 'Let me '],
      ['text-delta', '1.1', 'see.'],
      [3, 'model-replied'],
      [4, 'tool-call-started'],
      [undefined, 'progress'],
      [5, 'tool-call-ended'],
      ['text-delta', '2.1', '3'],
      [6, 'model-replied'],
      [7, 'turn-ended'],
      [undefined, 'answer'],
    ]);
    const { turn } = events.at(-1)?.data ?? {};
    expect(events[5]?.data).toEqual({ call: `${turn}.3.0`, status: 'adding 1 and 2' });
    expect(events.at(-1)?.data).toMatchObject({
      outcome: 'completed',
      text: '3',
      iterations: 2,
      toolCalls: 1,
    });
  });

  it('shows the position at which tools are added and removed', async () => {
    const read = defineTool({ name: 'read', description: 'Reads.', effect: 'read', run: () => 'ok' });
    const files = defineUnfolding({ name: 'files', description: 'Files.', tools: [read] });
    const via = createTestApp({ agents: [{ ...scripted, tools: [files] }] });
    const { message } = registerScript(
      { calls: [{ name: 'files', input: {} }] },
      { text: 'Open.', pieces: [] },
    );
    const response = await post(createSessionPath(), { message: message() }, { headers: SSE_HEADERS, via });
    const events = await readAllEvents(response);
    const changed = events.find(({ event }) => event === 'tools-changed');
    const createToolRef = (name: string) => ({ name, hash: expect.any(String) });
    expect(changed?.data).toMatchObject({
      came: [createToolRef('files'), createToolRef('read')],
      went: [createToolRef('files')],
      all: [createToolRef('files'), createToolRef('read')],
      cause: 'session',
    });
    const journaled = events.filter(({ id }) => id !== undefined).map(({ event }) => event);
    expect(journaled.slice(journaled.indexOf('tools-changed') - 1)).toEqual([
      'tool-call-ended',
      'tools-changed',
      'model-replied',
      'turn-ended',
    ]);
  });

  it('yields the same events and answer as the journal and the JSON response', async () => {
    const session = createSessionPath();
    const { message } = registerScript({ calls: [{ name: 'record', input: { note: 'n' } }] }, 'Done.');
    const events = await streamEvents(message(), session);
    const page = await readJson(await send(`${session}/events`));
    const opened = expect.objectContaining({ seq: 1, type: 'session-opened' });
    const journaled = events.filter(({ id }) => id !== undefined);
    expect([opened, ...journaled.map(({ data }) => data)]).toEqual(page.events);
    expect(events.filter(({ id }) => id !== undefined).map(({ id, data }) => id === data.seq)).not.toContain(
      false,
    );
    expect((await readJson(await send(session))).turn).toEqual(events.at(-1)?.data);
  });

  it('shows the durable events while the model is still thinking', async () => {
    const answer = createHeldReply('Done.');
    const { message } = registerScript(answer.reply);
    const response = await post(createSessionPath(), { message: message() }, { headers: SSE_HEADERS });
    const events = readSentEvents(response);
    expect((await readUntil(events, 'turn-started')).map(summarizeEvent)).toEqual([[2, 'turn-started']]);
    await answer.asked();
    answer.release();
    expect((await readUntil(events)).at(-1)?.event).toBe('answer');
  });

  it('shows no text before the preceding events are durable', async () => {
    let isStored = true;
    const slow = wrapObjects((stub) => ({
      append: async (...args: Parameters<typeof stub.append>) => {
        isStored = false;
        await waitUntil(() => model.requests.length === 2); // by then its text has arrived too
        const answer = await stub.append(...args);
        isStored = true;
        return answer;
      },
    }));
    const calls = [{ name: 'add', input: { a: 1, b: 2 } }];
    const { message, model } = registerScript({ calls }, { text: '3', pieces: ['3'] });
    const via = createTestApp({}, { SESSIONS: slow });
    const shown: unknown[] = [];
    for await (const sent of readSentEvents(
      await post(createSessionPath(), { message: message() }, { headers: SSE_HEADERS, via }),
    )) {
      shown.push(summarizeEvent(sent));
      if (sent.event === 'tool-call-ended') expect(isStored).toBe(true);
    }
    expect(shown).toEqual([
      [2, 'turn-started'],
      [3, 'model-replied'],
      [4, 'tool-call-started'],
      [undefined, 'progress'],
      [5, 'tool-call-ended'],
      ['text-delta', '2.1', '3'],
      [6, 'model-replied'],
      [7, 'turn-ended'],
      [undefined, 'answer'],
    ]);
  });

  it('reports that an interrupted reply starts again, and calls the model again', async () => {
    const { message } = registerScript(
      new ModelError('truncated', 'The stream ended early.', { outputBegan: true }),
      { text: 'Whole.', pieces: ['Whole.'] },
    );
    const events = await streamEvents(message());
    expect(events.map(summarizeEvent)).toEqual([
      [2, 'turn-started'],
      ['reply-restarted', '1.2', undefined],
      ['text-delta', '1.2', 'Whole.'],
      [3, 'model-replied'],
      [4, 'turn-ended'],
      [undefined, 'answer'],
    ]);
  });

  it('ends with the failed turn as its answer', async () => {
    const { message } = registerScript(new ModelError('server-error', 'The server is on fire.'));
    const events = await streamEvents(message());
    expect(events.at(-1)).toMatchObject({
      event: 'answer',
      data: { outcome: 'failed', error: { type: 'model-failure', message: 'The server is on fire.' } },
    });
  });

  it('starts with the turn of its message in a session with earlier turns', async () => {
    const session = createSessionPath();
    const { message } = registerScript('One.', { text: 'Two.', pieces: ['Two.'] });
    await post(session, { message: message() });
    const events = await streamEvents('Again', session);
    expect(events.map(summarizeEvent)).toEqual([
      [5, 'turn-started'],
      ['text-delta', '1.1', 'Two.'],
      [6, 'model-replied'],
      [7, 'turn-ended'],
      [undefined, 'answer'],
    ]);
  });

  it('sends its first byte immediately', async () => {
    const { message } = registerScript('Done.');
    const response = await post(createSessionPath(), { message: message() }, { headers: SSE_HEADERS });
    const reader = response.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    expect(new TextDecoder().decode(value).startsWith('retry: 1000\n\n')).toBe(true);
    await reader?.cancel();
  });

  it.each([
    ['text/event-stream', true],
    ['TEXT/EVENT-STREAM; charset=utf-8', true],
    ['text/event-stream, */*;q=0.1', true],
    ['application/json, text/event-stream', true],
    ['application/json, text/event-stream;q=0.5', false],
    ['text/event-stream;q=0', false],
    ['text/event-stream;q=x', false],
    ['*/*', false],
    ['', false],
  ])('is sent for the Accept header "%s": %s', async (accept, streams) => {
    const { message } = registerScript('Done.');
    const response = await post(createSessionPath(), { message: message() }, { headers: { accept } });
    expect(response.headers.get('content-type')).toBe(streams ? 'text/event-stream' : 'application/json');
    await response.text();
  });
});
