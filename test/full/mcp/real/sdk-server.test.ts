import { describe, expect, it } from 'vitest';
import { ToolCallContext } from '../../../../src/index.ts';
import { allowKeys } from '../../../../src/mcp/tools/entry.ts';
import { traceHeaders, tracing } from '../../../../src/modules/tracing/entry.ts';
import { readJournal } from '../../../gate/workerd/http/client.ts';
import type { RecordedRequest, ServerName } from '../servers/provided.ts';
import { createRealRun } from './real-run.ts';
import { createCallReply, createRealTalk } from './real-talk.ts';

const SPEAKS: readonly (readonly [ServerName, string])[] = [
  ['sdk-2026', 'only 2026-07-28'],
  ['sdk-both', 'both revisions'],
];

const getMethod = ({ body }: RecordedRequest): string => (body === '' ? '' : JSON.parse(body).method);

describe.each(SPEAKS)('a server built with the second SDK (%s) that supports %s', (server) => {
  it('lists and runs its tools over 2026-07-28, without a session', async () => {
    const run = createRealRun(server);
    const word = { word: 'tide' };
    const replies = [
      createCallReply('count_letters', word),
      createCallReply('spell', word),
      createCallReply('refuse'),
      'Done.',
    ];
    const talk = createRealTalk(run, { replies });
    const answer = await talk.say();
    expect(answer).toMatchObject({ outcome: 'completed', text: 'Done.', toolCalls: 3 });
    expect(talk.offered()).toEqual(['ask_word', 'count_letters', 'refuse', 'spell']);
    expect(talk.shown()).toEqual(['tide has 4 letters.', 't-i-d-e', 'Error: There are no words left today.']);
    expect(answer.artifacts).toMatchObject([{ tool: 'count_letters', value: { letters: 4 } }]);
    const requests = await run.requests();
    expect(requests.map(getMethod).filter((method) => method !== 'server/discover')).toEqual([
      'tools/list',
      ...Array(3).fill('tools/call'),
    ]);
    for (const { headers, body } of requests) {
      expect(headers.join(' ').toLowerCase()).toContain('mcp-protocol-version 2026-07-28');
      expect(headers.join(' ').toLowerCase()).not.toContain('mcp-session-id');
      expect(JSON.parse(body).params._meta).toMatchObject({
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      });
    }
  });

  it('receives the answer to its elicitation, and resumes with the data in its state', async () => {
    const run = createRealRun(server);
    const talk = createRealTalk(run, { replies: [createCallReply('ask_word'), 'Done.'] });
    expect(await talk.say()).toMatchObject({ outcome: 'suspended' });
    const pending = await talk.pending();
    expect(pending).toMatchObject({ tool: 'ask_word', message: expect.stringContaining('Which word?') });
    const decided = await talk.decide(pending, { decision: 'edit', input: { word: 'tide' } });
    expect(decided).toMatchObject({ outcome: 'completed', text: 'Done.', toolCalls: 1 });
    expect(talk.shown()).toEqual(['It is tide.']);
    const retried = (await run.requests()).filter(({ body }) => body.includes('"inputResponses"'));
    expect(retried.map(({ body }) => JSON.parse(body).params)).toMatchObject([
      { requestState: 'word-state-6f1d', inputResponses: { word: { action: 'accept' } } },
    ]);
  });

  it('reports its progress while it works', async () => {
    const talk = createRealTalk(createRealRun(server), {
      replies: [createCallReply('spell', { word: 'sea' }), 'Done.'],
    });
    const told: unknown[] = [];
    for await (const { event, data } of talk.stream()) if (event === 'progress') told.push(data.status);
    expect(told).toEqual(['s (1/3)', 'e (2/3)', 'a (3/3)']);
  });

  it('receives the trace of its caller in `_meta`, with the span of the call', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const run = createRealRun(server);
    const talk = createRealTalk(run, {
      replies: [createCallReply('count_letters', { word: 'tide' }), 'Done.'],
      client: { meta: allowKeys('traceparent') },
      app: {
        use: [tracing({ endpoint: 'https://otlp.example.com' })],
        http: { contextHeaders: { traceparent: 'traceparent' } },
      },
      headers: { traceparent },
    });
    expect(await talk.say()).toMatchObject({ outcome: 'completed' });
    const events = await readJournal(talk.session, talk.via);
    const started = events.find(({ type }) => type === 'tool-call-started');
    const context = ToolCallContext.of({ traceparent });
    const expected = traceHeaders({ id: String(started?.call), context });
    expect(expected.traceparent).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01$/);
    const sent = (await run.requests()).filter((request) => getMethod(request) === 'tools/call');
    expect(sent.map(({ body }) => JSON.parse(body).params._meta.traceparent)).toEqual([expected.traceparent]);
  });
});
