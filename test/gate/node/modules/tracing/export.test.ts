/** The path from the end of a turn to an OTLP receiver, in memory and with a manual clock. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { parseHistograms, parseSpans } from '../../../../fixtures/otlp.ts';
import { contexts, createTracedApp, PAY_REPLY, type SentRequest } from './traced-app.ts';

afterEach(() => void vi.unstubAllGlobals());

const filterByPath = (sent: readonly SentRequest[], path: string) =>
  sent.filter(({ url }) => url.endsWith(path));
const getPaths = (sent: readonly SentRequest[]): readonly string[] =>
  sent.map(({ url }) => new URL(url).pathname);

describe('the export of a turn', () => {
  it('makes no request before the turn has ended, then sends its spans and metrics in valid OTLP', async () => {
    const { say, clock, sent, logged } = createTracedApp();
    const turn = await say('Pay.');
    expect(sent).toEqual([]);
    await clock.advance(0);
    await clock.advance(0);
    expect(getPaths(sent)).toEqual(['/base/v1/traces', '/base/v1/metrics']);
    expect(sent.map(({ headers }) => [headers.get('x-key'), headers.get('content-type')])).toEqual([
      ['k-12345', 'application/json'],
      ['k-12345', 'application/json'],
    ]);
    const spans = parseSpans(filterByPath(sent, '/v1/traces')[0]?.body);
    const names = new Map(spans.map(({ id, name }) => [id, name]));
    expect(spans.map(({ name, parent = '' }) => [name, names.get(parent)])).toEqual([
      ['invoke_agent clerk', undefined],
      ['chat scripted', 'invoke_agent clerk'],
      ['execute_tool pay', 'invoke_agent clerk'],
      ['chat scripted', 'invoke_agent clerk'],
    ]);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(spans[0]?.attributes).toEqual({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'clerk',
      'gen_ai.conversation.id': 's1',
      'gen_ai.provider.name': 'unknown',
      'gen_ai.request.model': 'scripted',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 110,
      'gen_ai.usage.output_tokens': 15,
      'holdfast.turn': turn,
      'holdfast.outcome': 'completed',
      'holdfast.invocations': 1,
      'holdfast.take_overs': 0,
    });
    expect(spans[2]?.attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'pay',
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': `${turn}.3.0`,
      'gen_ai.conversation.id': 's1',
      'holdfast.tool.effect': 'once',
      'holdfast.tool.outcome': 'success',
      'holdfast.attempts': 1,
    });
    expect(logged).toEqual([]);
  });

  it('measures turns, model calls, tools, tokens and take-overs as histograms', async () => {
    const { say, clock, sent } = createTracedApp();
    await say('Pay.');
    await clock.advance(0);
    await clock.advance(0);
    const histograms = parseHistograms(filterByPath(sent, '/v1/metrics')[0]?.body);
    expect(histograms.map(({ name, unit, count, sum }) => [name, unit, count, sum])).toEqual([
      ['gen_ai.invoke_agent.duration', 's', 1, 0],
      ['holdfast.turn.take_overs', '{take_over}', 1, 0],
      ['gen_ai.client.inference.duration', 's', 2, 0],
      ['gen_ai.client.inference.operation.input_tokens', '{token}', 2, 110],
      ['gen_ai.client.inference.operation.output_tokens', '{token}', 2, 15],
      ['gen_ai.execute_tool.duration', 's', 1, 0],
    ]);
  });

  it('exports no content unless the app enables it', async () => {
    const secret = 'My number is 4711.';
    const { say, clock, sent } = createTracedApp({ replies: ['Your number is 4711.'] });
    await say(secret);
    await clock.advance(0);
    expect(JSON.stringify(sent)).not.toContain('4711');
    const open = createTracedApp({ replies: [PAY_REPLY, 'Your number is 4711.'], config: { content: true } });
    await open.say(secret);
    await open.clock.advance(0);
    const spans = parseSpans(open.sent[0]?.body);
    expect(JSON.parse(String(spans[0]?.attributes['gen_ai.input.messages']))).toEqual([
      { role: 'user', parts: [{ type: 'text', content: secret }] },
    ]);
    expect(JSON.parse(String(spans[3]?.attributes['gen_ai.output.messages']))).toEqual([
      {
        role: 'assistant',
        parts: [{ type: 'text', content: 'Your number is 4711.' }],
        finish_reason: 'stop',
      },
    ]);
    expect(spans[2]?.attributes).toMatchObject({
      'gen_ai.tool.call.arguments': '{}',
      'gen_ai.tool.call.result': 'Paid.',
    });
  });

  it('has the same body if it is repeated', async () => {
    const { say, clock, sent, responses } = createTracedApp({ config: { metrics: false } });
    responses.push(new Error('the connection was reset'));
    await say('Pay.');
    await clock.advance(0);
    await clock.advance(10_000);
    expect(sent).toHaveLength(2);
    expect(sent[1]?.body).toEqual(sent[0]?.body);
  });
});

describe('a receiver of traces', () => {
  const once = { metrics: false };

  it.each([429, 502, 503, 504])(
    'receives the request again after it responds with status %i',
    async (status) => {
      const { say, clock, sent, responses, logged } = createTracedApp({ config: once });
      responses.push(new Response('no', { status }));
      await say('Pay.');
      await clock.advance(0);
      await clock.advance(6_000);
      expect(sent).toHaveLength(2);
      expect(logged).toMatchObject([
        { level: 'warn', message: expect.stringContaining(`answered ${status}`) },
      ]);
    },
  );

  it.each([400, 401, 404, 500, 501])(
    'does not receive the request again after it responds with status %i',
    async (status) => {
      const { say, clock, sent, responses, logged } = createTracedApp({ config: once });
      responses.push(new Response('no', { status }));
      await say('Pay.');
      await clock.advance(0);
      await clock.advance(24 * 3600_000);
      expect(sent).toHaveLength(1);
      const message = `the export of the traces of a turn is not tried again: the receiver answered ${status}`;
      expect(logged).toMatchObject([{ level: 'warn', message }]);
    },
  );

  it('receives no request until the time that it has asked for has passed', async () => {
    const { say, clock, sent, responses } = createTracedApp({ config: once });
    responses.push(new Response('', { status: 503, headers: { 'retry-after': '100' } }));
    await say('Pay.');
    await clock.advance(0);
    await clock.advance(99_000);
    expect(sent).toHaveLength(1);
    await clock.advance(2_000);
    expect(sent).toHaveLength(2);
  });

  it('does not receive the request again after a partial success, which is logged', async () => {
    const { say, clock, sent, responses, logged } = createTracedApp({ config: once });
    responses.push(Response.json({ partialSuccess: { rejectedSpans: '2', errorMessage: 'too old' } }));
    await say('Pay.');
    await clock.advance(0);
    await clock.advance(24 * 3600_000);
    expect(sent).toHaveLength(1);
    const message =
      'the export of the traces of a turn is not tried again: the receiver has rejected 2 items: "too old"';
    expect(logged).toMatchObject([{ level: 'warn', message }]);
  });

  it('receives ten attempts at most, and the log never shows its URL or its key', async () => {
    const { say, clock, sent, responses, logged } = createTracedApp({ config: once });
    responses.push(...Array.from({ length: 20 }, () => new Error('https://otlp.example k-12345')));
    await say('Pay.');
    for (let hour = 0; hour < 30; hour += 1) await clock.advance(3600_000);
    expect(sent).toHaveLength(10);
    expect(logged).toHaveLength(10);
    expect(JSON.stringify(logged)).not.toMatch(/k-12345|otlp\.example/);
  });
});

describe('the trace context', () => {
  const CALLER = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

  it('continues the trace of the caller, and is passed to the model and the tools', async () => {
    contexts.length = 0;
    const { say, clock, sent, model } = createTracedApp({ context: { traceparent: CALLER } });
    await say('Pay.');
    await clock.advance(0);
    const spans = parseSpans(sent[0]?.body);
    const [root, chat, tool] = spans;
    expect(root).toMatchObject({ traceId: CALLER.slice(3, 35), parent: CALLER.slice(36, 52) });
    expect(model.requests[0]?.headers).toEqual({ traceparent: `00-${root?.traceId}-${chat?.id}-01` });
    const ofTool = `00-${root?.traceId}-${tool?.id}-01`;
    expect(contexts).toEqual([[ofTool, { traceparent: ofTool }]]);
  });

  it.each([
    ['is empty', ''],
    ['has a forbidden version', 'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
    ['has no trace id', '00-00000000000000000000000000000000-00f067aa0ba902b7-01'],
    ['has no span id', '00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01'],
    ['is in upper case', '00-4BF92F3577B34DA6A3CE929D0E0E4736-00F067AA0BA902B7-01'],
    ['has too many fields', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more'],
    ['has a line break', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\nx-evil: 1'],
    ['is long', `01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-${'x'.repeat(100_000)}`],
  ])("is that of the turn if the caller's header %s", async (_, traceparent) => {
    const { say, clock, sent } = createTracedApp({ context: { traceparent } });
    await say('Pay.');
    await clock.advance(0);
    const [root] = parseSpans(sent[0]?.body);
    expect(root?.parent).toBe(undefined);
    expect(root?.traceId).not.toBe(CALLER.slice(3, 35));
  });
});
