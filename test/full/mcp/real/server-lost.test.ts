import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createMcpToolFactory } from '../../../../src/mcp/tools/entry.ts';
import type { RecordedRequest } from '../servers/provided.ts';
import { createRealRun } from './real-run.ts';
import { actAtProgress, callLongOperation, createCallReply, createRealTalk } from './real-talk.ts';

const UNKNOWN_OUTCOME_TEXT =
  "Error: The outcome of this call of 'trigger-long-running-operation' is unknown: it was started, and no answer came back. " +
  'It may have happened or not. Do not assume either, and do not repeat it: find out with another tool, or tell the user.';

const countRequests = (requests: readonly RecordedRequest[], rpc: string): number =>
  requests.filter(({ body }) => body !== '' && JSON.parse(body).method === rpc).length;

// Silences the warnings about unreachable servers and about tools that are left out.
beforeAll(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined));
afterAll(() => void vi.restoreAllMocks());

describe('a real server that crashes', () => {
  it.each([
    ['once', UNKNOWN_OUTCOME_TEXT],
    ['idempotent', UNKNOWN_OUTCOME_TEXT],
    ['read', "Error: The connection of tool 'trigger-long-running-operation' was lost before it answered."],
  ] as const)(
    'does not end the turn, even if it crashes during a call with the effect %s',
    async (effect, shows) => {
      const run = createRealRun('everything-stdio');
      const effects = { 'trigger-long-running-operation': effect };
      const talk = createRealTalk(run, {
        replies: [callLongOperation(60), 'I do without.'],
        client: { effects },
      });
      const answer = await actAtProgress(talk.stream(), () => run.kill());
      expect(answer).toMatchObject({ outcome: 'completed', text: 'I do without.' });
      expect(talk.shown()).toEqual([shows]);
    },
  );

  it('is abandoned when its stream cannot be resumed', async () => {
    const run = createRealRun('everything');
    const talk = createRealTalk(run, {
      replies: [callLongOperation(60), 'I do without.'],
      client: { timeout: 3_000 },
    });
    const answer = await actAtProgress(talk.stream(), () => run.kill());
    expect(answer).toMatchObject({ outcome: 'completed', text: 'I do without.' });
    expect(talk.shown()).toEqual([
      "Error: MCP tool 'trigger-long-running-operation' did not answer within 3000 ms.",
    ]);
  });

  it('makes later calls fail', async () => {
    const run = createRealRun('memory');
    const replies = [
      createCallReply('read_graph'),
      async () => {
        await run.kill();
        return createCallReply('read_graph');
      },
      'I do without.',
    ];
    const talk = createRealTalk(run, { replies });
    expect(await talk.say()).toMatchObject({ outcome: 'completed', text: 'I do without.' });
    expect(talk.shown()).toEqual([
      '{"entities":[],"relations":[]}',
      "Error: The connection of tool 'read_graph' was lost before it answered.",
    ]);
  });

  it('affects only its own tools, which are replaced by a tool that reports the failure', async () => {
    const run = createRealRun('memory');
    await run.kill();
    const talk = createRealTalk(run, { replies: ['I do without.'] });
    expect(await talk.say()).toMatchObject({ outcome: 'completed', text: 'I do without.' });
    expect(talk.offered()).toEqual(['real_is_not_reachable']);
  });

  it('makes a required tool report that no tools are available', async () => {
    const run = createRealRun('memory');
    await run.kill();
    const talk = createRealTalk(run, {
      replies: [createCallReply('read_graph'), 'I do without.'],
      agent: (client) => ({
        tools: [createMcpToolFactory({ clients: [client] }).requiredToolByName('read_graph')],
      }),
    });
    expect(await talk.say()).toMatchObject({ outcome: 'completed', text: 'I do without.' });
    expect(talk.shown()).toEqual([
      "Error: MCP tool 'read_graph' not found. No MCP tools are available - check MCP client connections.",
    ]);
  });
});

describe('the tools of a real server', () => {
  it('are requested once per session: a later turn reads them from its journal', async () => {
    const run = createRealRun('memory');
    const talk = createRealTalk(run, { replies: ['One.', 'Two.', createCallReply('read_graph'), 'Three.'] });
    await talk.say();
    const first = talk.offered();
    const requests = (await run.requests()).length;
    await talk.say();
    expect([talk.offered(), (await run.requests()).length]).toEqual([first, requests]);
    await talk.say();
    expect(countRequests(await run.requests(), 'tools/list')).toBe(1);
    expect(countRequests(await run.requests(), 'tools/call')).toBe(1);
  });

  it('are requested again once the list is too old', async () => {
    const run = createRealRun('memory');
    const talk = createRealTalk(run, { replies: ['One.', 'Two.'], client: { refreshAfter: 1 } });
    await talk.say();
    await talk.say();
    expect(countRequests(await run.requests(), 'tools/list')).toBe(2);
  });

  it('are not shared between sessions: another session requests them itself', async () => {
    const run = createRealRun('memory');
    await createRealTalk(run, { replies: ['One.'] }).say();
    await createRealTalk(run, { replies: ['One.'] }).say();
    expect(countRequests(await run.requests(), 'tools/list')).toBe(2);
  });
});
