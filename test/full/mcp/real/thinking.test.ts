/** The real sequential-thinking server, which stores its thoughts in a session. */
import { abortAllDurableObjects } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import type { McpClientConfig } from '../../../../src/mcp/tools/entry.ts';
import { getKind, listSessions } from './leak-paths.ts';
import { createRealRun, type RealRun } from './real-run.ts';
import { createCallReply, createRealTalk, type RealTalk } from './real-talk.ts';

const NEW_SESSION_TEXT = "MCP server 'real' has begun a new session: the state of earlier calls is lost.";

const createThoughtCall = (number: number) =>
  createCallReply('sequentialthinking', {
    thought: `Thought ${number}.`,
    thoughtNumber: number,
    totalThoughts: 9,
    nextThoughtNeeded: true,
  });

/** The result of the server when it has stored this many thoughts. */
const formatKnown = (number: number, history: number) =>
  JSON.stringify({
    thoughtNumber: number,
    totalThoughts: 9,
    nextThoughtNeeded: true,
    branches: [],
    thoughtHistoryLength: history,
  });

/** A session of three turns with one thought each. */
const createTalk = (run: RealRun, client: Partial<McpClientConfig>): RealTalk =>
  createRealTalk(run, {
    replies: [1, 2, 3].flatMap((number) => [createThoughtCall(number), `Thought ${number}.`]),
    client,
  });

/** Runs a turn, and returns the result of its thought as the model receives it. */
async function think(talk: RealTalk): Promise<string | undefined> {
  expect(await talk.say()).toMatchObject({ outcome: 'completed' });
  return talk.shown().at(-1);
}

const requestKinds = async (run: RealRun): Promise<readonly string[]> => (await run.requests()).map(getKind);

describe('the real sequential-thinking server used by an agent', () => {
  it('continues its thoughts across turns and Workers with `keepSession`', async () => {
    const run = createRealRun('sequential-thinking');
    const talk = createTalk(run, { keepSession: true });
    expect([await think(talk), await think(talk)]).toEqual([formatKnown(1, 1), formatKnown(2, 2)]);
    // Discards all memory of the Worker and its objects.
    await abortAllDurableObjects();
    const restarted = talk.restarted();
    expect(await think(restarted)).toBe(formatKnown(3, 3));
    const sent = await requestKinds(run);
    const countRequests = (kind: string): number => sent.filter((one) => one === kind).length;
    expect([countRequests('initialize'), countRequests('ping'), countRequests('DELETE')]).toEqual([1, 2, 0]);
  });

  it('starts over in each turn without `keepSession`', async () => {
    const talk = createTalk(createRealRun('sequential-thinking'), {});
    expect([await think(talk), await think(talk), await think(talk)]).toEqual([
      formatKnown(1, 1),
      formatKnown(2, 1),
      formatKnown(3, 1),
    ]);
  });

  it('reports to the model when its thoughts were lost', async () => {
    const run = createRealRun('sequential-thinking');
    const talk = createTalk(run, { keepSession: true });
    expect(await think(talk)).toBe(formatKnown(1, 1));
    const [id = ''] = listSessions(await run.requests());
    await fetch(run.url, { method: 'DELETE', headers: { 'mcp-session-id': id } });
    expect([await think(talk), await think(talk)]).toEqual([
      `${NEW_SESSION_TEXT}\n\n${formatKnown(2, 1)}`,
      formatKnown(3, 2),
    ]);
  });
});
