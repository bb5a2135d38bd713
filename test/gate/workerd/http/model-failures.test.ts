import { describe, expect, it, vi } from 'vitest';
import { openaiCompatible } from '../../../../src/model/openai-compatible/entry.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { playModel, registerScript } from '../../../fixtures/scripts.ts';
import { createTestApp, failingAgent } from './app.ts';
import {
  createSessionPath,
  getSessionId,
  post,
  readAllEvents,
  readJournal,
  readJson,
  SSE_HEADERS,
  send,
} from './client.ts';

type AnswerFunction = () => Response | Promise<Response>;

/** A server that returns these responses in order, then a good one. `asked` holds the request bodies. */
function createServer(...answers: AnswerFunction[]) {
  const asked: { messages: Record<string, unknown>[] }[] = [];
  const model = openaiCompatible({
    baseURL: 'https://models.test/v1',
    apiKey: 'sk-very-secret',
    model: 'm1',
    timeout: 100,
    retries: 0,
    fetch: async (_, { body }) => {
      asked.push(JSON.parse(String(body)));
      return (answers[asked.length - 1] ?? createReply({ content: 'Recovered.' }))();
    },
  });
  return { asked, message: `Hello #${playModel(model).key}` };
}

const createReply = (message: unknown): AnswerFunction => {
  const choice = { index: 0, finish_reason: 'stop', message: { role: 'assistant', ...Object(message) } };
  return () => Response.json({ choices: [choice] });
};
const createFailingAnswer =
  (status: number, message: string, headers: Record<string, string> = {}): AnswerFunction =>
  () =>
    Response.json({ error: { message } }, { status, headers });
const createCall = (id: string, name: string, input: string) => ({
  id,
  type: 'function',
  function: { name, arguments: input },
});
const callTools = (...toolCalls: unknown[]): AnswerFunction =>
  createReply({ content: null, tool_calls: toolCalls });
const createStream = (...chunks: string[]): AnswerFunction => {
  const body = chunks.map(
    (content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`,
  );
  return () => new Response(body.join(''), { headers: { 'content-type': 'text/event-stream' } });
};

describe('a model that fails', () => {
  it.each<[string, AnswerFunction, string]>([
    [
      'refuses the key',
      createFailingAnswer(401, 'Incorrect API key sk-very-secret.'),
      "The model's server answered 401: Incorrect API key [secret].",
    ],
    [
      'has no capacity',
      createFailingAnswer(429, 'Slow down.'),
      "The model's server answered 429: Slow down.",
    ],
    ['is broken', createFailingAnswer(500, 'Oops.'), "The model's server answered 500: Oops."],
    [
      'refuses the request',
      createFailingAnswer(400, 'Too long.'),
      "The model's server answered 400: Too long.",
    ],
    ['hangs', () => new Promise<Response>(() => {}), "The model's server was silent for 100 ms."],
    ['returns HTML', () => new Response('<html>'), "The model's reply is not JSON. Is the base URL right?"],
  ])('causes a 502 if it %s, and the session continues', async (_, answer, said) => {
    const session = createSessionPath();
    const { message, asked } = createServer(answer);
    const response = await post(session, { message });
    expect(response.status).toBe(502);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    const { turn, ...problem } = await readJson(response);
    expect(problem).toEqual({
      type: 'urn:holdfast:problem:model-failure',
      title: 'model failure',
      status: 502,
      detail: `${said} The conversation is kept. Send another message to continue.`,
      loopId: turn,
      session: getSessionId(session),
      agent: 'scripted',
      outcome: 'failed',
      text: '',
      artifacts: [],
      usage: { inputTokens: 0, outputTokens: 0 },
      iterations: 0,
      toolCalls: 0,
      model: null,
      error: { type: 'model-failure', message: said },
    });
    expect((await readJournal(session)).map(({ type }) => type)).toEqual([
      'session-opened',
      'turn-started',
      'turn-ended',
    ]);
    expect(await readJson(await post(session, { message: 'Again' }))).toMatchObject({ text: 'Recovered.' });
    expect(asked[1]?.messages.map(({ role, content }) => [role, content])).toEqual([
      ['system', 'Follow the script.'],
      ['user', message],
      ['user', '[The last message was not answered.]'],
      ['user', 'Again'],
    ]);
  });

  it.each<[string, Record<string, string>, number]>([
    ['seconds', { 'retry-after': '20' }, 20],
    ['seconds, for longer than a turn is held open', { 'retry-after': '90' }, 90],
    ['milliseconds', { 'retry-after-ms': '1500', 'retry-after': '20' }, 2],
  ])(
    'is reported in the header, the answer and the journal with the wait that it asks for in %s',
    async (_, headers, seconds) => {
      const session = createSessionPath();
      const { message } = createServer(createFailingAnswer(429, 'Slow down.', headers));
      const response = await post(session, { message });
      expect([response.status, response.headers.get('retry-after')]).toEqual([502, String(seconds)]);
      const { turn, error } = await readJson(response);
      expect(error).toMatchObject({ type: 'model-failure', retryAfter: seconds });
      expect((await readJournal(session)).at(-1)).toMatchObject({ type: 'turn-ended', error });
      // The wait starts at the end of the turn, so a later read has no such header.
      const later = await send(`${session}/turns/${turn}`);
      expect([later.status, later.headers.get('retry-after')]).toEqual([502, null]);
      expect(await readJson(later)).toMatchObject({ error });
    },
  );

  it('is reported in the stream with the wait that it asks for', async () => {
    const { message } = createServer(createFailingAnswer(429, 'Slow down.', { 'retry-after': '20' }));
    const events = await readAllEvents(
      await post(createSessionPath(), { message }, { headers: SSE_HEADERS }),
    );
    expect(events.at(-1)).toMatchObject({ event: 'answer', data: { error: { retryAfter: 20 } } });
  });

  it.each<[string, AnswerFunction]>([
    ['names no wait', createFailingAnswer(429, 'Slow down.')],
    ['names an absurd wait', createFailingAnswer(429, 'Slow down.', { 'retry-after': '9e99' })],
    ['has no quota left', () => Response.json({ error: { code: 'insufficient_quota' } }, { status: 429 })],
  ])('is reported without a wait if it %s', async (_, answer) => {
    const { message } = createServer(answer);
    const response = await post(createSessionPath(), { message });
    expect([response.status, response.headers.get('retry-after')]).toEqual([502, null]);
    expect(Object.keys(Object((await readJson(response)).error))).toEqual(['type', 'message']);
  });

  it('keeps the results of the tools that have run', async () => {
    const session = createSessionPath();
    const { message } = createServer(
      callTools(createCall('c1', 'add', '{"a":1,"b":2}')),
      createFailingAnswer(500, 'Oops.'),
    );
    const failed = await readJson(await post(session, { message }));
    expect(failed).toMatchObject({ status: 502, iterations: 1, toolCalls: 1 });
    expect(await readJson(await post(session, { message: 'Again' }))).toMatchObject({ text: 'Recovered.' });
    const { messages } = (await readJson(await send(session))) as { messages: unknown[] };
    expect(messages[1]).toMatchObject({ toolCalls: [{ name: 'add', status: 'ended', result: '3' }] });
  });

  it('fails the turn if its stream breaks off twice, but not if it breaks off once', async () => {
    const session = createSessionPath();
    const { message } = createServer(
      createStream('Half an ans'),
      createStream('Half'),
      createStream('Another half'),
      () =>
        new Response(
          `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'Whole.' }, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`,
          { headers: { 'content-type': 'text/event-stream' } },
        ),
    );
    const events = await readAllEvents(await post(session, { message }, { headers: SSE_HEADERS }));
    expect(events.at(-1)?.data).toMatchObject({ outcome: 'failed', error: { type: 'model-failure' } });
    const again = await readAllEvents(await post(session, { message: 'Again' }, { headers: SSE_HEADERS }));
    expect(again.map(({ event, data }) => [event, data.reply, data.text])).toEqual([
      ['turn-started', undefined, undefined],
      ['text-delta', '1.1', 'Another half'],
      ['reply-restarted', '1.2', undefined],
      ['text-delta', '1.2', 'Whole.'],
      ['model-replied', undefined, 'Whole.'],
      ['turn-ended', undefined, undefined],
      ['answer', undefined, 'Whole.'],
    ]);
  });

  it('returns 502 with the text of a thrown value of any type', async () => {
    const session = createSessionPath();
    const { message } = registerScript(() => {
      throw new TypeError('the setting is unknown');
    }, 'Recovered.');
    const response = await post(session, { message: message() });
    expect(response.status).toBe(502);
    expect(await readJson(response)).toMatchObject({
      error: { type: 'model-failure', message: "The model 'scripted' threw instead of answering." },
    });
    expect(await readJson(await post(session, { message: 'Again' }))).toMatchObject({ text: 'Recovered.' });
  });
});

describe('a turn that fails', () => {
  it('returns 500 without internals if the failure is unexpected', async () => {
    const session = createSessionPath('broken');
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const via = createTestApp({ agents: [failingAgent] });
    const response = await post(session, { message: 'Hello' }, { via });
    expect(response.status).toBe(500);
    const problem = await readJson(response);
    expect(problem).toMatchObject({
      type: 'urn:holdfast:problem:turn-failed',
      detail:
        'The turn failed inside the Worker. The conversation is kept. Send another message to continue.',
      error: { type: 'internal', message: 'The turn failed inside the Worker.' },
    });
    expect(JSON.stringify(problem)).not.toContain('secret');
    expect(log).toHaveBeenCalledOnce();
    log.mockRestore();
  });

  it('returns 500 with the agent’s name if the deployment lacks its agent', async () => {
    const session = createSessionPath('elsewhere');
    const via = createTestApp({ agents: [{ ...scripted, name: 'elsewhere' }] }); // the Worker under test lacks this agent
    const headers = { 'idempotency-key': 'k', prefer: 'respond-async' };
    await post(session, { message: 'Hello' }, { headers, via });
    const response = await post(session, { message: 'Hello' }, { headers: { 'idempotency-key': 'k' }, via });
    expect(response.status).toBe(500);
    expect(await readJson(response)).toMatchObject({
      type: 'urn:holdfast:problem:misconfigured',
      detail:
        "This deployment has no agent 'elsewhere'. The conversation is kept. Send another message to continue.",
    });
  });
});

describe('a model that makes invalid tool calls', () => {
  it('receives an error that its JSON is malformed', async () => {
    const { message, asked } = createServer(callTools(createCall('c1', 'add', '{"a": 1, "b":')));
    expect(await readJson(await post(createSessionPath(), { message }))).toMatchObject({
      text: 'Recovered.',
      toolCalls: 1,
    });
    expect(asked[1]?.messages.at(-1)).toEqual({
      role: 'tool',
      tool_call_id: 'c1',
      content:
        "Error: The input of tool 'add' is not valid JSON: it does not end with '}', so it may be cut off. " +
        'Send one JSON object that matches its schema.',
    });
  });

  it('receives an error that the tool is unknown', async () => {
    const { message, asked } = createServer(callTools(createCall('c1', 'ads', '{}')));
    expect(await readJson(await post(createSessionPath(), { message }))).toMatchObject({
      text: 'Recovered.',
    });
    expect(asked[1]?.messages.at(-1)?.content).toBe(
      "Error: Tool 'ads' does not exist. Available tools: [add, look_up, record]. Use the exact tool name from " +
        'this list. Do not combine or prefix tool names — tool names found in source code or search results are ' +
        'not callable.',
    );
  });

  it('gets one result for each call if two have the same id', async () => {
    const session = createSessionPath();
    const same = [createCall('c1', 'add', '{"a":1,"b":2}'), createCall('c1', 'add', '{"a":3,"b":4}')];
    const { message, asked } = createServer(callTools(...same), callTools(...same));
    expect(await readJson(await post(session, { message }))).toMatchObject({
      text: 'Recovered.',
      toolCalls: 4,
    });
    const results = asked[2]?.messages.filter(({ role }) => role === 'tool') ?? [];
    expect(results.map(({ content }) => content)).toEqual(['3', '7', '3', '7']);
    const started = (await readJournal(session)).filter(({ type }) => type === 'tool-call-started');
    expect(new Set(started.map((event) => event.call)).size).toBe(4);
  });
});
