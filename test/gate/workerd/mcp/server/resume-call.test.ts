/** Resumed streams of the revision 2025-11-25. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { describe, expect, it, vi } from 'vitest';
import { defineTool } from '../../../../../src/index.ts';
import { marathon } from '../../../../fixtures/scripted-agent.ts';
import { createHeldReply, registerScript } from '../../../../fixtures/scripts.ts';
import { ORIGIN, readJson, type Send, send } from '../../http/client.ts';
import {
  createEndpointApp,
  createRpcRequest,
  createSessionId,
  getView,
  postMcp,
  recordCall,
} from './talk.ts';

const hello = defineTool({ name: 'hello', description: 'Greets.', effect: 'read', run: () => 'Hello.' });
const via = createEndpointApp({ tools: [hello], agents: ['scripted', { agent: 'clerk', as: 'ask_clerk' }] });
const headers = { 'mcp-protocol-version': '2025-11-25' };

const createCallRequest = (
  message: string,
  session: string,
  meta: object = { progressToken: 'p' },
): unknown =>
  createRpcRequest(
    'tools/call',
    { name: 'scripted', arguments: { message, session }, _meta: meta },
    'call-1',
  );

/** Reads `enough` events of a stream, and then breaks it. */
async function readEvents(
  response: Response,
  enough: (events: readonly EventSourceMessage[]) => boolean = () => false,
): Promise<EventSourceMessage[]> {
  const events: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event) });
  const reader = (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    parser.feed(read.value);
    if (enough(events)) {
      await reader.cancel();
      break;
    }
  }
  return events;
}

const parseData = (events: readonly EventSourceMessage[]) =>
  events.flatMap(({ data }) => (data === '' ? [] : [JSON.parse(data)]));

const resumeStream = (
  from: Send,
  id: string | undefined,
  more: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  from('/mcp', {
    headers: { accept: 'text/event-stream', ...headers, ...more, ...(id && { 'last-event-id': id }) },
  });

describe('the stream of an agent call', () => {
  it('begins with an event that has an id and no data, and resumes after it', async () => {
    const id = createSessionId();
    const answer = createHeldReply('Done.');
    const { message } = registerScript(recordCall('resumed'), answer.reply);
    const response = await postMcp(via, createCallRequest(message(), id), { headers });
    const seen = await readEvents(response, (events) => events.length === 3);
    await answer.asked();
    expect(seen.map(({ data }) => data === '')).toEqual([true, false, false]);
    expect(new Set(seen.map((event) => event.id)).size).toBe(3);
    answer.release();
    const rest = await readEvents(await resumeStream(via, seen.at(-1)?.id));
    expect([rest[0]?.data, rest[0]?.id]).toEqual(['', seen.at(-1)?.id]);
    expect(parseData(rest)).toEqual([
      {
        jsonrpc: '2.0',
        id: 'call-1',
        result: {
          content: [{ type: 'text', text: 'Done.' }],
          structuredContent: expect.objectContaining({ session: id, outcome: 'completed', text: 'Done.' }),
        },
      },
    ]);
  });

  it('resumes after every interruption, with the missed events and increasing numbers', async () => {
    const id = createSessionId();
    const { message } = registerScript(recordCall('resumed-1'), recordCall('resumed-2'), 'Done.');
    const seen = await readEvents(await postMcp(via, createCallRequest(message(), id), { headers }));
    const progress = parseData(seen).slice(0, -1);
    expect(progress.map(({ params }) => [params.progress, params.message])).toEqual([
      [1, 'record: started'],
      [2, 'record: done'],
      [3, 'record: started'],
      [4, 'record: done'],
    ]);
    // Resuming after an event returns exactly the later ones.
    for (const [index, event] of seen.entries()) {
      expect(parseData(await readEvents(await resumeStream(via, event.id)))).toEqual(
        parseData(seen).slice(Math.min(index, 4)),
      );
    }
  });

  it('resumes by the id of its first event, on any Worker', async () => {
    const id = createSessionId();
    const { message } = registerScript(recordCall('resumed-first'), 'Done.');
    const [first] = await readEvents(
      await postMcp(via, createCallRequest(message(), id), { headers }),
      () => true,
    );
    const other = createEndpointApp({ agents: ['scripted'] });
    const rest = parseData(await readEvents(await resumeStream(other, first?.id)));
    expect(rest.at(-1)).toMatchObject({ id: 'call-1', result: { structuredContent: { text: 'Done.' } } });
  });

  it('reports the pending calls of its turn, as the call does', async () => {
    const { message } = registerScript({ calls: [{ name: 'pay', input: { to: 'resumed', amount: 5 } }] });
    const params = { name: 'ask_clerk', arguments: { message: message(), session: createSessionId() } };
    const seen = await readEvents(await postMcp(via, createRpcRequest('tools/call', params), { headers }));
    const rest = await readEvents(await resumeStream(via, seen[0]?.id));
    expect(parseData(rest)).toEqual(parseData(seen));
    expect(getView(parseData(rest)[0].result).outcome).toBe('suspended');
  });

  it('ends without an answer if its invocation must end, and can be resumed', async () => {
    const steps = Array.from({ length: 30 }, () =>
      createHeldReply({ calls: [{ name: 'add', input: { a: 1, b: 2 } }] }),
    );
    const { message } = registerScript(...steps.map(({ reply }) => reply), 'Far.');
    const long = createEndpointApp({ agents: ['marathon'] }, { agents: [marathon] });
    const platform = { subrequests: 20, internalSubrequests: 20 };
    const short = createEndpointApp({ agents: ['marathon'] }, { agents: [marathon], limits: platform });
    const params = { name: 'marathon', arguments: { message: message() }, _meta: { progressToken: 1 } };
    const [first] = await readEvents(
      await postMcp(long, createRpcRequest('tools/call', params), { headers }),
      () => true,
    );
    await steps[0]?.asked();
    const rest = readEvents(await resumeStream(short, first?.id));
    for (const { asked, release } of steps) {
      await asked();
      release();
    }
    const part = await rest;
    expect(parseData(part).every(({ method }) => method === 'notifications/progress')).toBe(true);
    const last = await readEvents(await resumeStream(long, part.at(-1)?.id));
    const all = [...parseData(part), ...parseData(last)];
    expect(all.at(-1)).toMatchObject({ id: 1, result: { structuredContent: { text: 'Far.' } } });
    expect(all.filter(({ params: told }) => told?.message === 'add: done').length).toBe(30);
    expect(all.slice(0, -1).map(({ params: told }) => told.progress)).toEqual(
      all.slice(0, -1).map((_, index) => index + 1),
    );
  }, 60_000);

  it('reports that the session was erased after it resumed', async () => {
    const id = createSessionId();
    const answer = createHeldReply('Done.');
    const { message } = registerScript(answer.reply);
    const [first] = await readEvents(
      await postMcp(via, createCallRequest(message(), id), { headers }),
      () => true,
    );
    await answer.asked();
    const rest = readEvents(await resumeStream(via, first?.id));
    await send(`/agents/scripted/sessions/${id}`, { method: 'DELETE' });
    answer.release();
    const error = { code: -32603, message: 'The session was erased, and the answer with it.' };
    expect(parseData(await rest)).toEqual([{ jsonrpc: '2.0', id: 'call-1', error }]);
  });

  it('belongs to the latest request with its key', async () => {
    const { message } = registerScript('Done.');
    const body = createCallRequest(message(), createSessionId(), { 'holdfast/idempotency-key': 'resumed' });
    const [seen, again] = [
      await readEvents(await postMcp(via, body, { headers })),
      await readEvents(await postMcp(via, body, { headers })),
    ];
    expect(parseData(await readEvents(await resumeStream(via, again[0]?.id)))).toEqual(parseData(seen));
  });

  it('returns no body to HEAD', async () => {
    const { message } = registerScript('Done.');
    const [first] = await readEvents(
      await postMcp(via, createCallRequest(message(), createSessionId()), { headers }),
    );
    const head = await via('/mcp', { method: 'HEAD', headers: { 'last-event-id': first?.id ?? '' } });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });
});

describe('the official client of the earlier revision', () => {
  it('receives the answer of a call whose connection was cut in the middle', async () => {
    const answer = createHeldReply('Done.');
    const { message } = registerScript(recordCall('resumed-client'), answer.reply);
    const asked: string[] = [];
    const cut = Promise.withResolvers<void>();
    const transport = new StreamableHTTPClientTransport(new URL(`${ORIGIN}/mcp`), {
      reconnectionOptions: {
        initialReconnectionDelay: 1,
        maxReconnectionDelay: 1,
        reconnectionDelayGrowFactor: 1,
        maxRetries: 2,
      },
      async fetch(url, init) {
        const sent = new Headers(init?.headers);
        const response = await via(String(url), init);
        if (init?.method !== 'GET' && String(init?.body).includes('tools/call'))
          return cutResponse(response, cut.promise);
        if (init?.method === 'GET')
          asked.push(sent.has('last-event-id') ? 'the rest' : 'a stream of its own');
        return response;
      },
    });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport as Parameters<Client['connect']>[0]); // the types differ only in optional properties
    expect(transport.sessionId).toMatch(/^[0-9a-f-]{36}$/);
    const heard: unknown[] = [];
    const called = client.callTool({ name: 'scripted', arguments: { message: message() } }, undefined, {
      onprogress: ({ message: words }) => heard.push(words),
    });
    await answer.asked();
    await expect.poll(() => heard).toEqual(['record: started', 'record: done']);
    cut.resolve();
    await expect.poll(() => asked, { timeout: 10_000 }).toContain('the rest');
    answer.release();
    expect(getView(await called)).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(heard).toEqual(['record: started', 'record: done']);
    await client.close();
  });

  it('does not resume a call that ended in an error', async () => {
    const asked: (string | null)[] = [];
    const transport = new StreamableHTTPClientTransport(new URL(`${ORIGIN}/mcp`), {
      fetch(url, init) {
        if (init?.method === 'GET') asked.push(new Headers(init.headers).get('last-event-id'));
        return via(String(url), init);
      },
    });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport as Parameters<Client['connect']>[0]); // the types differ only in optional properties
    await expect(client.callTool({ name: 'nobody' })).rejects.toThrow("Tool 'nobody' does not exist.");
    await client.ping();
    // The request that every client sends once it is connected.
    expect(asked).toEqual([null]);
    await client.close();
  });
});

/** A response whose connection breaks when `cut` resolves. */
function cutResponse({ body, status, headers: all }: Response, cut: Promise<void>): Response {
  const reader = (body ?? new ReadableStream<Uint8Array>()).getReader();
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      void cut.then(() => {
        controller.error(new Error('the connection was cut'));
        return reader.cancel();
      });
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
  return new Response(stream, { status, headers: all });
}

describe('a stream without a turn', () => {
  it('cannot be resumed if it is of a tool, and its client receives one error that explains this', async () => {
    const seen = await readEvents(
      await postMcp(via, createRpcRequest('tools/call', { name: 'hello' }, 7), { headers }),
    );
    expect(seen.map(({ data }) => data === '')).toEqual([true, false]);
    const rest = await readEvents(await resumeStream(via, seen[0]?.id));
    const message =
      'The connection broke before the answer, and results of tools are not stored: it is unknown whether it ' +
      'completed. Call it again.';
    expect(parseData(rest)).toEqual([{ jsonrpc: '2.0', id: 7, error: { code: -32603, message } }]);
    expect(rest[0]?.id).toBeUndefined();
  });

  it.each([
    ['a list', createRpcRequest('tools/list')],
    ['an error', createRpcRequest('tools/call', { name: 'nobody' })],
    [
      'a call whose id is longer than a header may be',
      createRpcRequest('tools/call', { name: 'hello' }, 'x'.repeat(3_000)),
    ],
  ])('has no ids if it is of %s', async (_, body) => {
    const seen = await readEvents(await postMcp(via, body, { headers }));
    expect(seen.map(({ id }) => id)).toEqual([undefined]);
  });

  it('gives no id to an error, because some clients would resume it forever', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const secrets = () => Promise.reject(new Error('the vault is down'));
    const broken = createEndpointApp({ tools: [hello] }, { secrets });
    const seen = await readEvents(
      await postMcp(broken, createRpcRequest('tools/call', { name: 'hello' }), { headers }),
    );
    expect(seen.map(({ id, data }) => [id, data === ''])).toEqual([
      ['%5B1%5D', true],
      [undefined, false],
    ]);
    expect(parseData(seen)[0].error.code).toBe(-32603);
    log.mockRestore();
  });

  it('has ids, but no event without data, for a client of an earlier revision', async () => {
    const { message } = registerScript('Done.');
    const before = { 'mcp-protocol-version': '2025-06-18' };
    const seen = await readEvents(
      await postMcp(via, createCallRequest(message(), createSessionId()), { headers: before }),
    );
    expect(seen.map(({ id, data }) => [typeof id, data === ''])).toEqual([['string', false]]);
  });
});

const createEventId = (value: unknown): string => encodeURIComponent(JSON.stringify(value));

describe('an event id', () => {
  const TURN = "You have no turn 't1' whose answer can be resumed.";

  it.each([
    ['plain text', 'abc'],
    ['invalid JSON', '%7B'],
    ['a broken escape', '%E0%A4%A'],
    ['a number', '17'],
    ['an object', createEventId({ id: 1 })],
    ['an empty list', createEventId([])],
    ['an id that is an object', createEventId([{}])],
    ['a call with too few parts', createEventId([1, ['scripted', 's', 't1']])],
    ['a negative sequence number', createEventId([1, ['scripted', 's', 't1', false, null, -1, 0]])],
    ['a sequence number that is text', createEventId([1, ['scripted', 's', 't1', false, null, '1', 0]])],
    ['an id with too many parts', createEventId([1, ['scripted', 's', 't1', false, null, 1, 0, 'x']])],
  ])('is refused if it is %s', async (_, id) => {
    const response = await resumeStream(via, id);
    expect([response.status, (await readJson(response)).detail]).toEqual([
      400,
      'Last-Event-ID is not the id of an event of this endpoint. Send the request again.',
    ]);
  });

  it.each([
    ['of an unused session', ['scripted', 'never', 't1', false, null, 0, 0], 404, TURN],
    ['of an agent that is not published', ['broken', 'never', 't1', false, null, 0, 0], 404, TURN],
    ['of a tool', ['hello', 'never', 't1', false, null, 0, 0], 404, TURN],
    ['of a built-in property', ['constructor', 'never', 't1', false, null, 0, 0], 404, TURN],
  ])('%s is unknown', async (_, call, status, detail) => {
    const response = await resumeStream(via, createEventId([1, call]));
    expect([response.status, (await readJson(response)).detail]).toEqual([status, detail]);
  });

  it('with an invalid session is refused', async () => {
    const response = await resumeStream(
      via,
      createEventId([1, ['scripted', '../x', 't1', false, null, 0, 0]]),
    );
    expect([response.status, (await readJson(response)).type]).toEqual([
      400,
      'urn:holdfast:problem:invalid-session-id',
    ]);
  });

  it('gives only its caller access to the turn', async () => {
    const auth = ({ headers: sent }: Request) => ({ id: sent.get('x-user') ?? 'nobody' });
    const mine = createEndpointApp({ agents: ['scripted'] }, { auth });
    const id = createSessionId();
    const { message } = registerScript('For Ann alone.');
    const body = createCallRequest(message(), id);
    const [first] = await readEvents(await postMcp(mine, body, { headers: { ...headers, 'x-user': 'ann' } }));
    const foreign = await resumeStream(mine, first?.id, { 'x-user': 'bob' });
    expect([foreign.status, (await readJson(foreign)).type]).toEqual([
      404,
      'urn:holdfast:problem:unknown-turn',
    ]);
    const own = await readEvents(await resumeStream(mine, first?.id, { 'x-user': 'ann' }));
    expect(parseData(own).at(-1)).toMatchObject({
      result: { structuredContent: { text: 'For Ann alone.' } },
    });
  });

  it('requires a token like every route', async () => {
    const guarded = createEndpointApp({ agents: ['scripted'] }, {}, { HOLDFAST_TOKEN: 'right-token' });
    expect((await resumeStream(guarded, createEventId([1]))).status).toBe(401);
  });
});
