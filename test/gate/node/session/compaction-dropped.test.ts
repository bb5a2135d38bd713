import { describe, expect, it } from 'vitest';
import type { ModelReply } from '../../../../src/model/entry.ts';
import { summarize } from '../../../../src/modules/compaction/entry.ts';
import { budget } from '../../../../src/modules/limits/entry.ts';
import { createTestSession, type ScriptedReply } from '../../../../src/testing/entry.ts';
import { parseSnapshot, toSnapshot } from '../../../doors/journal.ts';
import { getReservation } from '../tool-loop/budget-scene.ts';
import {
  createAgentWith,
  createDroppedEvent,
  createLongMessage,
  readCompactions,
  readDroppedSummaries,
  startSession,
} from './compaction-scene.ts';
import { withLiveState } from './live-state.ts';
import { createMemoryApp } from './memory-app.ts';

const usage = { inputTokens: 10, outputTokens: 5 };

describe('a summary that was paid for but cannot be used', () => {
  const unusable: [string, ScriptedReply, string][] = [
    ['is blank', { text: ' \n', usage }, 'blank'],
    ['is no shorter', { text: createLongMessage('z').repeat(9), usage }, 'no-shorter'],
  ];
  it.each(unusable)('is counted in the usage of its turn if it %s', async (_, reply, reason) => {
    const session = startSession(['A.', reply, 'B.'], { overTokens: 150, keepTurns: 0 });
    await session.send(createLongMessage('a'));
    expect(await session.send(createLongMessage('b'))).toMatchObject({
      outcome: 'completed',
      text: 'B.',
      usage: { inputTokens: 20, outputTokens: 10 },
    });
    expect(await readDroppedSummaries(session)).toEqual([
      createDroppedEvent({ reason, from: 7, tokens: 201 }, { usage }),
    ]);
    expect(session.shown()).toHaveLength(4);
  });

  it('is counted in the usage of its turn if the provider cut it off', async () => {
    const replies: ModelReply[] = [
      { text: 'A.', toolCalls: [], finish: 'stop', usage },
      { text: 'They', toolCalls: [], finish: 'content-filter', usage },
      { text: 'B.', toolCalls: [], finish: 'stop', usage },
    ];
    const ask = async (): Promise<ModelReply> => {
      const reply = replies.shift();
      if (!reply) throw new Error('The model has no more replies.');
      return reply;
    };
    const session = createTestSession(createAgentWith({ overTokens: 150, keepTurns: 0 }), {
      model: { name: 'filtered', ask },
    });
    await session.send(createLongMessage('a'));
    expect(await session.send(createLongMessage('b'))).toMatchObject({
      usage: { inputTokens: 20, outputTokens: 10 },
    });
    expect(await readDroppedSummaries(session)).toEqual([
      createDroppedEvent({ reason: 'cut-off', from: 7, tokens: 201 }, { usage }),
    ]);
  });

  it('frees the tokens that a limit reserved for it', async () => {
    const session = startSession(
      ['A.', { text: ' ', usage }, 'B.'],
      { overTokens: 150, keepTurns: 0 },
      { use: [budget({ tokens: 6_000 })] },
      true,
    );
    await session.send(createLongMessage('a'));
    await session.send(createLongMessage('b'));
    const types = (await session.events()).map(({ type }) => type);
    expect(types.slice(types.lastIndexOf('turn-started'))).toEqual([
      'turn-started',
      'module-event',
      'module-event',
      'module-event',
      'model-replied',
      'turn-ended',
    ]);
    // If both reservations still counted, the turn's own request would have fewer tokens.
    const asked = (await session.events()).flatMap(
      (event) => getReservation(event)?.reserved.outputTokens ?? [],
    );
    expect(asked.at(-1)).toBe(4_096);
  });
});

describe('a session after a dropped summary', () => {
  it('summarizes more messages in the next turn, even if the conversation has hardly grown', async () => {
    const asked: number[] = [];
    const session = startSession(['A.', 'B.', 'C.', 'D.'], {
      overTokens: 350,
      keepTurns: 1,
      // The summary is longer than these few words, so it is dropped.
      summarize: (messages) => {
        asked.push(messages.length);
        return 'What they had said when they had met, in a few words that are no fewer than their own.';
      },
    });
    await session.send('Hello.');
    await session.send(createLongMessage('b').repeat(4));
    await session.send('c');
    expect(await readDroppedSummaries(session)).toEqual([
      createDroppedEvent({ reason: 'no-shorter', from: 7, tokens: 403 }),
    ]);
    await session.send('d');
    expect(asked).toEqual([2, 4]);
    expect(await readCompactions(session)).toMatchObject([{ turns: 2 }]);
  });

  it('requests no other summary in the invocation that takes over the turn', async () => {
    let asked = 0;
    const summarize = (): string => {
      asked += 1;
      return '';
    };
    const replies: ScriptedReply[] = [
      'A.',
      async () => {
        while ((await readDroppedSummaries(session)).length === 0)
          await new Promise((resolve) => setTimeout(resolve, 1));
        session.kill();
        return 'Lost.';
      },
      'B.',
    ];
    const session = startSession(replies, { overTokens: 150, keepTurns: 0, summarize });
    await session.send(createLongMessage('a'));
    expect(await session.send(createLongMessage('b'))).toMatchObject({ outcome: 'completed', text: 'B.' });
    expect(asked).toBe(1);
    expect(await readDroppedSummaries(session)).toHaveLength(1);
  });

  it('is the same warm, cold and from its snapshot', async () => {
    const compaction = summarize({ overTokens: 150, keepTurns: 0, summarize: () => ' ' });
    const app = createMemoryApp({ replies: ['A.', 'B.'], use: [compaction] });
    const { agent, live } = withLiveState(app.agent);
    await app.say(createLongMessage('a'), { agent });
    const end = await app.say(createLongMessage('b'), { agent });
    expect(end.status).toBe('ended');
    expect(live()).toEqual(await app.state());
    expect(live().memories.get('compaction')).toEqual({ from: 5 });
    const { memories } = parseSnapshot(toSnapshot(await app.state()));
    expect(memories.get('compaction')).toEqual({ from: 5 });
  });
});
