/** The real sequential-thinking server, which stores its thoughts in a session. */
import { abortAllDurableObjects } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import type { McpClientConfig } from '../../../../src/mcp/tools/entry.ts';
import { kindOf, sessionsIn } from './leak-paths.ts';
import { type RealRun, realRun } from './real-run.ts';
import { calls, type RealTalk, realTalk } from './real-talk.ts';

const ANEW = "MCP server 'real' has begun a new session: the state of earlier calls is lost.";

const thoughtCall = (number: number) =>
  calls('sequentialthinking', {
    thought: `Thought ${number}.`,
    thoughtNumber: number,
    totalThoughts: 9,
    nextThoughtNeeded: true,
  });

/** The result of the server when it has stored this many thoughts. */
const knownText = (number: number, history: number) =>
  JSON.stringify({
    thoughtNumber: number,
    totalThoughts: 9,
    nextThoughtNeeded: true,
    branches: [],
    thoughtHistoryLength: history,
  });

/** A session of three turns with one thought each. */
const talkWith = (run: RealRun, client: Partial<McpClientConfig>): RealTalk =>
  realTalk(run, {
    replies: [1, 2, 3].flatMap((number) => [thoughtCall(number), `Thought ${number}.`]),
    client,
  });

/** Runs a turn, and returns the result of its thought as the model receives it. */
async function think(talk: RealTalk): Promise<string | undefined> {
  expect(await talk.say()).toMatchObject({ outcome: 'completed' });
  return talk.shown().at(-1);
}

const requestKinds = async (run: RealRun): Promise<readonly string[]> => (await run.requests()).map(kindOf);

describe('the real sequential-thinking server used by an agent', () => {
  it('continues its thoughts across turns and Workers with `keepSession`', async () => {
    const run = realRun('sequential-thinking');
    const talk = talkWith(run, { keepSession: true });
    expect([await think(talk), await think(talk)]).toEqual([knownText(1, 1), knownText(2, 2)]);
    // Discards all memory of the Worker and its objects.
    await abortAllDurableObjects();
    const restarted = talk.restarted();
    expect(await think(restarted)).toBe(knownText(3, 3));
    const sent = await requestKinds(run);
    const count = (kind: string): number => sent.filter((one) => one === kind).length;
    expect([count('initialize'), count('ping'), count('DELETE')]).toEqual([1, 2, 0]);
  });

  it('starts over in each turn without `keepSession`', async () => {
    const talk = talkWith(realRun('sequential-thinking'), {});
    expect([await think(talk), await think(talk), await think(talk)]).toEqual([
      knownText(1, 1),
      knownText(2, 1),
      knownText(3, 1),
    ]);
  });

  it('reports to the model when its thoughts were lost', async () => {
    const run = realRun('sequential-thinking');
    const talk = talkWith(run, { keepSession: true });
    expect(await think(talk)).toBe(knownText(1, 1));
    const [id = ''] = sessionsIn(await run.requests());
    await fetch(run.url, { method: 'DELETE', headers: { 'mcp-session-id': id } });
    expect([await think(talk), await think(talk)]).toEqual([
      `${ANEW}\n\n${knownText(2, 1)}`,
      knownText(3, 2),
    ]);
  });
});
