import { describe, expect, it } from 'vitest';
import { defineTool, ToolCallContext } from '../../../../src/index.ts';
import { summarize } from '../../../../src/modules/compaction/entry.ts';
import { requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { createManualClock, type ScriptedReply } from '../../../../src/testing/entry.ts';
import { type LeaseGrant, toSnapshot } from '../../../doors/journal.ts';
import { foldAll, foldLeased, toReader, toTurnStart } from '../../../doors/session.ts';
import { captureErrors, createLongMessage, joinFirstWords, SHOWN_SUMMARY } from './compaction-scene.ts';
import { createMemoryApp, type MemoryApp } from './memory-app.ts';

const wait = requireApproval(
  defineTool({ name: 'wait', description: 'Waits.', run: () => 'done' }),
  () => 'Go on?',
);

/** A session with one turn per letter, compacted whenever it exceeds two turns. */
async function playTalk(words: string, more: readonly ScriptedReply[] = []): Promise<MemoryApp> {
  const replies = [...[...words].map((word) => `${word.toUpperCase()}.`), ...more];
  const compaction = summarize({ overTokens: 250, keepTurns: 1, summarize: joinFirstWords });
  const app = createMemoryApp({ replies, use: [compaction], clock: createManualClock(1_000) });
  for (const word of words) expect(await app.say(createLongMessage(word))).toMatchObject({ status: 'ended' });
  return app;
}

/** Leases the session for a deployment with another reducer. */
const leaseForOther = ({ port, agent }: MemoryApp): Promise<unknown> => {
  const ids = ['other-turn', 'other-incarnation'];
  const from = { id: 'tester' };
  const start = { agent: agent.name, message: 'next', context: ToolCallContext.EMPTY, from };
  const reader = { ...toReader(), reducer: toReader().reducer + 1 };
  return port.begin({ nonce: 'other', start: toTurnStart(start, () => ids.shift() ?? ''), reader });
};

describe('a compacted session', () => {
  it('has the same state warm, cold, from its snapshot, and with a reducer that ignores the snapshot', async () => {
    const app = await playTalk('abcde');
    const cold = (await app.state()).seq;
    const leased = await app.lease('next');
    const snapshot = leased.snapshot;
    // The invocation that ran the last turn made the snapshot from its own state.
    const before = await foldAll(limitReads(app, cold), app.modules.memories);
    expect(snapshot?.seq).toBe(cold);
    expect(snapshot?.body).toBe(before && toSnapshot(before.state));
    const fromSnapshot = await foldLeased(app.port, leased, app.modules);
    expect(fromSnapshot.state).toEqual(await app.state());
    expect(fromSnapshot.state.messages.map(({ text }) => text.split(' ')[0])).toEqual([
      'Summary',
      'd',
      'D.',
      'e',
      'E.',
      'next',
    ]);

    const other = await playTalk('abcde');
    const whole = (await leaseForOther(other)) as LeaseGrant; // No other invocation holds it.
    expect(whole).toMatchObject({ status: 'leased', snapshot: null, covered: [] });
    expect((await foldLeased(other.port, whole, app.modules)).state).toEqual(await other.state());
  });

  it('starts with the summary and the kept messages, and omits earlier messages', async () => {
    const app = await playTalk('abcde');
    const leased = await app.lease('next');
    expect(leased.snapshot?.messagesFrom).toBe((await app.state()).cut?.from);
    const bodies = leased.covered.flatMap(
      (text) => JSON.parse(text) as { type: string; message?: string; text?: string }[],
    );
    const said = bodies.filter(({ type }) => type !== 'conversation-cut');
    expect(said.map(({ message, text }) => (message ?? text)?.split(' ')[0])).toEqual(['d', 'D.', 'e', 'E.']);
    expect(leased.page.rows.map(({ type }) => type)).toEqual(['turn-started']);
  });

  it('is read in pages if the kept messages are too large for one response', async () => {
    const app = await playTalk('abcde');
    const leased = await app.lease('next');
    const small = await app.port.resume({
      nonce: 'again',
      turn: leased.page.openTurn?.id ?? '',
      reader: { ...toReader(), maxBytes: 100 },
    });
    expect(small.status).toBe('busy');
    const first = leased.snapshot?.messagesFrom ?? 0;
    const types = { names: toReader().messageTypes, until: leased.snapshot?.seq ?? 0 };
    const page = await app.port.read({ from: first, types, maxBytes: 100 });
    if (!page) throw new Error('There is no session.');
    const folded = await foldLeased(app.port, { snapshot: leased.snapshot, covered: [], page }, app.modules);
    expect(folded.state).toEqual(await app.state());
  });

  it('is the same after its object restarts, with all events kept', async () => {
    const app = await playTalk('abc', ['D.']);
    app.sessions.restart('["owner","tester","s1"]');
    await app.say('d');
    const { messages } = await app.state();
    expect(messages[0]?.text).toBe(`${SHOWN_SUMMARY}Sum of 2: a A.`);
    const page = await app.port.read({ from: 1 });
    expect(page?.rows.map(({ type }) => type).filter((type) => type === 'turn-started')).toHaveLength(4);
  });
});

describe('a turn that does not start when its message arrives', () => {
  it('compacts when it starts after waiting in the queue', async () => {
    const app = await playTalk('ab', [
      async () => {
        const start = {
          agent: 'tester',
          message: 'c',
          context: ToolCallContext.EMPTY,
          from: { id: 'tester' },
        };
        const ids = ['queued', 'not-used'];
        const queued = toTurnStart(start, () => ids.shift() ?? '');
        expect(await app.port.accept({ ...queued, whenBusy: 'queue' })).toMatchObject({ status: 'queued' });
        return `X. ${createLongMessage('x')}`;
      },
      'C.',
    ]);
    await app.say(createLongMessage('x'));
    expect(await app.run(await app.resume('queued'))).toMatchObject({ status: 'ended' });
    expect((await app.state()).messages.map(({ text }) => text.split(' ')[0])).toEqual([
      'Summary',
      'x',
      'X.',
      'c',
      'C.',
    ]);
  });

  it('does not compact when it resumes after a wait, even if the conversation has become too long', async () => {
    const replies: ScriptedReply[] = [
      'A.',
      { text: createLongMessage('w'), calls: [{ name: 'wait' }] },
      'B.',
    ];
    const compaction = summarize({ overTokens: 150, keepTurns: 0, summarize: joinFirstWords });
    const app = createMemoryApp({ replies, use: [compaction], tools: [wait] });
    await app.say(createLongMessage('a'));
    const end = await app.say('b');
    expect(end.status).toBe('suspended');
    const turn = (await app.state()).turn?.id ?? '';
    await app.port.post({ kind: 'cancel', turn, body: '{}' });
    await app.run(await app.resume(turn));
    expect((await app.state()).cut).toBeUndefined();
  });

  it('stops if it is cancelled while its summary is being written', async () => {
    const log = captureErrors();
    const asked = Promise.withResolvers<void>();
    const write = (): Promise<string> => {
      asked.resolve();
      return new Promise(() => {});
    };
    const clock = createManualClock(1_000);
    const app = createMemoryApp({
      replies: ['A.'],
      clock,
      use: [summarize({ overTokens: 50, keepTurns: 0, summarize: write })],
    });
    await app.say(createLongMessage('a'));
    const leased = await app.lease(createLongMessage('b'));
    const running = app.run(leased);
    await asked.promise;
    await app.port.post({ kind: 'cancel', turn: leased.page.openTurn?.id ?? '', body: '{}' });
    await clock.advance(7_000);
    expect(await running).toMatchObject({ status: 'ended', turn: { outcome: 'cancelled' } });
    expect((await app.state()).cut).toBeUndefined();
    expect(log()).toEqual([]);
  });
});

/** The events of the session up to a sequence number. */
const limitReads = ({ port }: MemoryApp, until: number): Pick<MemoryApp['port'], 'read'> => ({
  async read(query) {
    const page = await port.read(query);
    return page && { ...page, rows: page.rows.filter(({ seq }) => seq <= until) };
  },
});
