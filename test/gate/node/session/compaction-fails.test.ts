import { describe, expect, it } from 'vitest';
import { type ChatModel, defineTool, ModelError } from '../../../../src/index.ts';
import type { HistoryMessage } from '../../../../src/kinds/entry.ts';
import { type SummaryOptions, summarize } from '../../../../src/modules/compaction/entry.ts';
import {
  createManualClock,
  createTestSession,
  type ScriptedReply,
  scriptedModel,
} from '../../../../src/testing/entry.ts';
import { Meter, UNLIMITED_PLATFORM } from '../../../doors/session.ts';
import {
  captureErrors,
  createAgentWith,
  createDroppedEvent,
  createLongMessage,
  readCompactions,
  readDroppedSummaries,
  startSession,
} from './compaction-scene.ts';
import { createMemoryApp } from './memory-app.ts';

describe('a summary that fails', () => {
  const failing: [string, SummaryOptions['summarize'], string][] = [
    [
      'throws',
      () => {
        throw new TypeError('a secret of the user');
      },
      'a TypeError was thrown.',
    ],
    ['rejects', () => Promise.reject('a secret of the user'), 'a string was thrown.'],
  ];
  it.each(failing)(
    'leaves all messages in the conversation, and the turn continues, if the summary function %s',
    async (_, summarize, reason) => {
      const log = captureErrors();
      const session = startSession(['A.', 'B.'], {
        overTokens: 150,
        keepTurns: 0,
        summarize,
      } as SummaryOptions);
      await session.send(createLongMessage('a'));
      expect(await session.send(createLongMessage('b'))).toMatchObject({ outcome: 'completed', text: 'B.' });
      expect(session.shown()).toHaveLength(4);
      expect(await readCompactions(session)).toEqual([]);
      expect(log()).toEqual([[`holdfast: a conversation was not compacted, and stays whole: ${reason}`]]);
    },
  );

  const unusable: [string, SummaryOptions['summarize'], string][] = [
    ['is blank', () => ' \n', 'blank'],
    ['is not text', () => 7 as never, 'blank'],
    ['is longer', () => createLongMessage('z').repeat(9), 'no-shorter'],
  ];
  it.each(unusable)('is dropped, and the journal records why, if it %s', async (_, summarize, reason) => {
    const session = startSession(['A.', 'B.'], {
      overTokens: 150,
      keepTurns: 0,
      summarize,
    } as SummaryOptions);
    await session.send(createLongMessage('a'));
    expect(await session.send(createLongMessage('b'))).toMatchObject({ outcome: 'completed', text: 'B.' });
    expect(session.shown()).toHaveLength(4);
    expect(await readCompactions(session)).toEqual([]);
    expect(await readDroppedSummaries(session)).toEqual([
      createDroppedEvent({ reason, from: 7, tokens: 201 }),
    ]);
  });

  it('leaves all messages in the conversation if the model returns no text, and the next turn requests it again', async () => {
    const log = captureErrors();
    const refused = new ModelError('rate-limited', 'The model is busy.');
    const session = startSession(['A.', refused, 'B.', 'Sum.', 'C.'], { overTokens: 150, keepTurns: 0 });
    await session.send(createLongMessage('a'));
    expect(await session.send(createLongMessage('b'))).toMatchObject({ outcome: 'completed', text: 'B.' });
    expect(log()).toEqual([
      ['holdfast: a conversation was not compacted, and stays whole: The model is busy.'],
    ]);
    await session.send('c');
    expect(await readCompactions(session)).toMatchObject([{ turns: 1, summary: 'Sum.' }]);
  });

  it('is awaited for at most one minute', async () => {
    const clock = createManualClock();
    const waiting = Promise.withResolvers<AbortSignal>();
    const summarize: SummaryOptions['summarize'] = (_, signal) => {
      waiting.resolve(signal);
      return new Promise(() => {});
    };
    const agent = createAgentWith({ overTokens: 150, keepTurns: 0, summarize });
    const session = createTestSession(agent, { replies: ['A.', 'B.'], clock });
    await session.send(createLongMessage('a'));
    const answer = session.send(createLongMessage('b'));
    const signal = await waiting.promise;
    await clock.advance(59_999);
    expect(signal.aborted).toBe(false);
    await clock.advance(1);
    expect(await answer).toMatchObject({ outcome: 'completed', text: 'B.' });
    expect(signal.aborted).toBe(true);
    expect(await readDroppedSummaries(session)).toEqual([
      createDroppedEvent({ reason: 'late', from: 7, tokens: 201 }),
    ]);
  });
});

it('a model call for a summary uses the timeout of its agent', async () => {
  const log = captureErrors();
  const clock = createManualClock();
  const agent = createAgentWith(
    { overTokens: 150, keepTurns: 0 },
    { settings: { timeout: { total: 5_000 } } },
  );
  const script = scriptedModel(['A.', 'B.']);
  let asked = 0;
  const model: ChatModel = {
    ...script,
    ask: (request, options) => {
      asked += 1;
      return asked === 2 ? new Promise(() => {}) : script.ask(request, options);
    },
  };
  const session = createTestSession(agent, { model, clock });
  await session.send(createLongMessage('a'));
  const answer = session.send(createLongMessage('b'));
  await clock.advance(4_999);
  expect([asked, log()]).toEqual([2, []]);
  await clock.advance(1);
  expect(await answer).toMatchObject({ outcome: 'completed', text: 'B.' });
  const why = "The model 'scripted' did not answer within 5000 ms.";
  expect(log()).toEqual([[`holdfast: a conversation was not compacted, and stays whole: ${why}`]]);
});

describe('a failing summary of a conversation that does not fit without it', () => {
  it('is skipped by the third invocation, which ends the turn', async () => {
    captureErrors();
    const clock = createManualClock();
    let asked = 0;
    const fail = () => {
      asked += 1;
      throw new TypeError('The model is down.');
    };
    const compaction = summarize({ overTokens: 150, keepTurns: 0, summarize: fail });
    const app = createMemoryApp({ replies: ['A.', 'B.'], use: [compaction], clock });
    await app.say(createLongMessage('a'));
    const ends: string[] = [];
    let leased = await app.lease(createLongMessage('b'));
    const turn = leased.page.openTurn?.id ?? '';
    while (ends.length < 5 && ends.at(-1) !== 'ended') {
      const meter = new Meter({ ...UNLIMITED_PLATFORM, subrequests: 20 }, () => clock.now());
      meter.spend(7); // A summary and a reply would together exceed the limit by one request.
      ends.push((await app.run(leased, { meter })).status);
      if (ends.at(-1) !== 'ended') leased = await app.resume(turn);
    }
    expect([ends, asked]).toEqual([['handed-over', 'handed-over', 'ended'], 2]);
    expect((await app.state()).turn).toMatchObject({ outcome: 'completed', text: 'B.' });
  });
});

describe('a compaction interrupted by a crash', () => {
  it('requests its summary again if the summary was not stored', async () => {
    const replies: ScriptedReply[] = [
      'A.',
      () => {
        session.kill();
        return 'Lost.';
      },
      'Sum.',
      'B.',
    ];
    const session = startSession(replies, { overTokens: 150, keepTurns: 0 });
    await session.send(createLongMessage('a'));
    expect(await session.send(createLongMessage('b'))).toMatchObject({ outcome: 'completed', text: 'B.' });
    expect((await readCompactions(session)).map(({ summary }) => summary)).toEqual(['Sum.']);
  });

  it('applies its summary once if the summary was stored before the crash', async () => {
    const act = defineTool({ name: 'act', description: 'Acts.', effect: 'idempotent', run: () => 'done' });
    let isKilled = false;
    const replies: ScriptedReply[] = [
      'A.',
      'Sum.',
      { calls: [{ name: 'act' }] },
      () => {
        if (isKilled) return 'B.';
        isKilled = true;
        session.kill();
        return 'Lost.';
      },
      'B.',
    ];
    const session = startSession(replies, { overTokens: 150, keepTurns: 0 }, { tools: [act] });
    await session.send(createLongMessage('a'));
    expect(await session.send(createLongMessage('b'))).toMatchObject({ outcome: 'completed', text: 'B.' });
    expect(await readCompactions(session)).toHaveLength(1);
    const roles = session.shown()?.map(({ role, text }) => `${role} ${text.slice(0, 7)}`);
    expect(roles).toEqual(['system Work.', 'user Summary', 'user b b b b', 'assistant ', 'tool done']);
  });

  it('does not replace one summary with another, even if the kept messages alone are too long', async () => {
    const written: number[] = [];
    const summarize = (messages: readonly HistoryMessage[]): string =>
      `Sum ${written.push(messages.length)}.`;
    const replies: ScriptedReply[] = [
      'A.',
      async () => {
        while ((await readCompactions(session)).length === 0)
          await new Promise((resolve) => setTimeout(resolve, 1));
        session.kill();
        return 'Lost.';
      },
      'B.',
    ];
    const session = startSession(replies, { overTokens: 90, keepTurns: 0, summarize });
    await session.send(createLongMessage('a'));
    expect(await session.send(createLongMessage('b'))).toMatchObject({ outcome: 'completed', text: 'B.' });
    expect(written).toEqual([2]);
  });

  it('is skipped by the third invocation after two were killed while they wrote the summary', async () => {
    let tries = 0;
    const summarize = (): Promise<string> => {
      tries += 1;
      session.kill();
      return new Promise(() => {});
    };
    const session = startSession(['A.', 'B.'], { overTokens: 150, keepTurns: 0, summarize });
    await session.send(createLongMessage('a'));
    expect(await session.send(createLongMessage('b'))).toMatchObject({ outcome: 'completed', text: 'B.' });
    expect(tries).toBe(2);
    expect(session.shown()).toHaveLength(4);
  });
});
