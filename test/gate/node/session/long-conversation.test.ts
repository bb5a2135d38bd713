import { expect, it } from 'vitest';
import type { LogEntry } from '../../../../src/create-holdfast.ts';
import { defineAgent } from '../../../../src/index.ts';
import { summarize } from '../../../../src/modules/compaction/entry.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';

/** A session with this many turns, of three events each, stores more than two snapshots. */
const TURN_COUNT = 200;

/** The log lines about the length of a conversation whose replies have this many characters. */
async function collectLengthLines(characters: number, use: Parameters<typeof defineAgent>[0]['use'] = []) {
  const agent = defineAgent({ name: 'talker', description: 'Talks.', instructions: '', use });
  const lines: LogEntry[] = [];
  const session = createTestSession(agent, {
    replies: Array.from({ length: TURN_COUNT }, () => 'x'.repeat(characters)),
    log: (entry) => void lines.push(entry),
  });
  for (let turn = 0; turn < TURN_COUNT; turn += 1) await session.send('Go on.');
  return lines.filter((line) => line.event === 'long-conversation');
}

const LENGTH_MESSAGE = /^its model reads (\d+) characters a call\. See docs\/compaction\.md$/;

const parseLength = (line: LogEntry | undefined): number =>
  Number(LENGTH_MESSAGE.exec(line?.message ?? '')?.[1]);

it('a conversation that becomes long is logged once with its length', async () => {
  const [line, ...more] = await collectLengthLines(4_000);
  expect(line).toMatchObject({ level: 'info', agent: 'talker', session: 'test' });
  expect(parseLength(line)).toBeGreaterThan(200_000);
  expect(more).toEqual([]);
});

it('a conversation that is short at its first snapshot is logged at a later one', async () => {
  const [line, ...more] = await collectLengthLines(1_600);
  expect(parseLength(line)).toBeGreaterThan(200_000);
  expect(more).toEqual([]);
});

it('a conversation of many short turns is not logged', async () => {
  expect(await collectLengthLines(10)).toEqual([]);
});

it('a conversation that is summarized is not logged', async () => {
  const short = summarize({ overTokens: 1_000_000, summarize: () => 'They talked.' });
  expect(await collectLengthLines(4_000, [short])).toEqual([]);
});
