import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../src/agent/define-agent.ts';
import type { Change, SessionPort } from '../../src/journal/session-port.ts';
import { postAnswer } from '../../src/session/post-answer.ts';
import { openQuestions } from '../../src/session/questions.ts';
import { createManualClock } from '../../src/testing/manual-clock.ts';
import { createTestSession, type TestSession } from '../../src/testing/test-session.ts';
import { decorate } from '../../src/tools/decorate.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { text } from '../../src/tools/results.ts';
import type { AnyTool } from '../../src/tools/tool.ts';
import { asksFirst } from '../fixtures/asks-first.ts';
import { LEASE_MS, passing } from './former-holder.ts';
import { type MemoryApp, memoryApp } from './memory-app.ts';

const both = { calls: [{ name: 'pay' }, { name: 'note' }] };

/** A tool that acts once, and one that acts beside it; what each did. */
function world() {
  const did: string[] = [];
  const acting = (name: string) =>
    defineTool({ name, description: 'Acts.', run: () => `${name} ${did.push(name)}` });
  return { did, pay: acting('pay'), note: acting('note') };
}

/** Approves everything that the app's turn waits for, by so many posts as there are questions. */
async function approve({ port, agent, events }: Pick<MemoryApp, 'port' | 'agent' | 'events'>, turn: string) {
  for (const question of openQuestions(await events(turn))) {
    const answer = { type: 'decision', decision: 'approve', by: 'ann' } as const;
    expect(await postAnswer({ port, agent }, question, { answer, hash: question.id })).toBe('posted');
  }
}

const openTurn = async ({ port }: MemoryApp): Promise<string> =>
  (await port.read({ from: 1, limit: 1 }))?.openTurn?.id ?? '';

const typesOf = async (app: MemoryApp, turn: string): Promise<string[]> =>
  (await app.events(turn)).map(({ event }) => event.type);

describe('an answer that comes', () => {
  it('between the stop of the loop and the release of the lease finds the turn another holder', async () => {
    const { did, pay, note } = world();
    let answerNow: (() => Promise<void>) | undefined;
    const wrap = (port: SessionPort): SessionPort => ({
      ...port,
      append: async (epoch: number, from: number, change: Change) => {
        const { release, ...stored } = change;
        if (release !== 'suspended') return port.append(epoch, from, change);
        // What waits is stored first, else nobody could have answered it.
        await port.append(epoch, from, stored);
        await answerNow?.();
        return port.append(epoch, from + stored.events.length, { events: [], release });
      },
    });
    const app = memoryApp({ tools: [asksFirst(pay), note], replies: [both, 'Done.'], wrap });
    answerNow = async () => approve(app, await openTurn(app));
    expect(await app.say('Go.')).toMatchObject({ status: 'suspended' });
    const turn = await openTurn(app);
    await expect.poll(() => app.dispatched).toEqual([turn]);
    expect(did).toEqual(['note']);
    expect(await app.run(await app.resume(turn))).toMatchObject({ status: 'ended', turn: { text: 'Done.' } });
    expect(did).toEqual(['note', 'pay']);
  });

  it('after the release frees the turn, whose siblings are not run again and not lost', async () => {
    const { did, pay, note } = world();
    const app = memoryApp({ tools: [asksFirst(pay), note], replies: [both, 'Done.'] });
    await app.say('Go.');
    const turn = await openTurn(app);
    await approve(app, turn);
    expect(await app.run(await app.resume(turn))).toMatchObject({ status: 'ended', turn: { text: 'Done.' } });
    expect(did).toEqual(['note', 'pay']);
    const shown = app.model.requests.at(-1)?.messages.slice(-2);
    expect(shown).toMatchObject([
      { role: 'tool', text: 'pay 2' },
      { role: 'tool', text: 'note 1' },
    ]);
  });

  it('while a sibling runs is taken by the holder, which goes on by itself', async () => {
    const clock = createManualClock();
    const { did, pay } = world();
    const slow = defineTool({
      name: 'note',
      description: 'Takes its time.',
      timeout: 10 * LEASE_MS,
      run: async () => {
        await approve(app, await openTurn(app));
        // Long enough for the holder to renew its lease, with which it hears of the answer.
        await new Promise<void>((resolve) => clock.after(LEASE_MS, resolve));
        return `note ${did.push('note')}`;
      },
    });
    const tools = [asksFirst(pay), slow];
    const app: MemoryApp = memoryApp({ tools, replies: [both, 'Done.'], clock, leaseMs: LEASE_MS });
    expect(await passing(clock, app.say('Go.'))).toMatchObject({ status: 'ended', turn: { text: 'Done.' } });
    expect([did, app.dispatched]).toEqual([['note', 'pay'], []]);
    const types = await typesOf(app, (await app.state()).turn?.id ?? '');
    expect(types.filter((type) => type === 'turn-resumed')).toEqual([]);
  });

  it('with the last word of a sibling is left to the next holder', async () => {
    const { did, pay } = world();
    const last = defineTool({
      name: 'note',
      description: 'Ends right after the answer.',
      run: async () => {
        await approve(app, await openTurn(app));
        return `note ${did.push('note')}`;
      },
    });
    const app: MemoryApp = memoryApp({ tools: [asksFirst(pay), last], replies: [both, 'Done.'] });
    const end = await app.say('Go.');
    if (end.status !== 'ended') {
      expect(await app.run(await app.resume(await openTurn(app)))).toMatchObject({ status: 'ended' });
    }
    expect(did).toEqual(['note', 'pay']);
  });

  it('for the first of two leaves the turn waiting for the second, and runs neither (AEA-12)', async () => {
    const { did, pay, note } = world();
    const app = memoryApp({ tools: [asksFirst(pay), asksFirst(note)], replies: [both, 'Done.'] });
    await app.say('Go.');
    const turn = await openTurn(app);
    const [first, second] = openQuestions(await app.events(turn));
    if (!first || !second) throw new Error('Two calls wait.');
    const answer = { type: 'decision', decision: 'approve' } as const;
    await postAnswer(app, second, { answer, hash: 'h' });
    expect(await app.run(await app.resume(turn))).toMatchObject({ status: 'suspended' });
    expect(did).toEqual([]);
    await postAnswer(app, first, { answer, hash: 'h' });
    expect(await app.run(await app.resume(turn))).toMatchObject({ status: 'ended' });
    expect(did.toSorted()).toEqual(['note', 'pay']);
  });

  it('twice, of which one was lost on its way to the journal, is taken once', async () => {
    const { did, pay } = world();
    const app = memoryApp({ tools: [asksFirst(pay)], replies: [{ calls: [{ name: 'pay' }] }, 'Done.'] });
    await app.say('Go.');
    const turn = await openTurn(app);
    const [question] = openQuestions(await app.events(turn));
    if (!question) throw new Error('A call waits.');
    const yes = { answer: { type: 'decision', decision: 'approve' }, hash: 'yes' } as const;
    const no = { answer: { type: 'decision', decision: 'reject' }, hash: 'no' } as const;
    expect(await postAnswer(app, question, yes)).toBe('posted');
    expect(await postAnswer(app, question, yes)).toBe('known');
    expect(await postAnswer(app, question, no)).toBe('answered');
    await app.run(await app.resume(turn));
    expect(await postAnswer(app, question, no)).toBe('answered');
    expect(did).toEqual(['pay']);
  });
});

describe('an answer for a tool that has changed since', () => {
  it.each(['before it is sent', 'after it was sent'])(
    'acts on nothing, and the model may ask again: %s',
    async (when) => {
      const { did, pay } = world();
      const app = memoryApp({ tools: [asksFirst(pay)], replies: [{ calls: [{ name: 'pay' }] }, 'Done.'] });
      await app.say('Go.');
      const turn = await openTurn(app);
      const [question] = openQuestions(await app.events(turn));
      if (!question) throw new Error('A call waits.');
      const inputSchema = { type: 'object', properties: { amount: { type: 'number' } } };
      const agent = { ...app.agent, tools: [asksFirst({ ...pay, inputSchema })] };
      const sent = { answer: { type: 'decision', decision: 'approve' }, hash: 'h' } as const;
      const at = when === 'before it is sent' ? agent : app.agent;
      const posted = await postAnswer({ port: app.port, agent: at }, question, sent);
      expect(posted).toBe(at === agent ? 'void' : 'posted');
      expect(await app.run(await app.resume(turn), { agent })).toMatchObject({ status: 'ended' });
      expect(app.model.requests.at(-1)?.messages.at(-1)).toMatchObject({
        text:
          "Error: Tool 'pay' has changed since this was asked, so what was decided does not hold for it. " +
          'Call it again to ask again.',
      });
      expect(did).toEqual([]);
    },
  );
});

describe('an answer whose Worker is lost', () => {
  it('before it goes on with the turn is found by whoever the alarm sends (AEA-12)', async () => {
    const { did, pay } = world();
    const clock = createManualClock();
    const app = memoryApp({
      tools: [asksFirst(pay)],
      replies: [{ calls: [{ name: 'pay' }] }, 'Done.'],
      clock,
      leaseMs: LEASE_MS,
    });
    await passing(clock, app.say('Go.'));
    const turn = await openTurn(app);
    await approve(app, turn);
    app.sessions.restart('["owner","tester","s1"]');
    await clock.advance(1);
    expect(app.dispatched).toEqual([turn]);
    const end = passing(clock, app.run(await app.resume(turn)));
    expect(await end).toMatchObject({ status: 'ended', turn: { text: 'Done.' } });
    expect(did).toEqual(['pay']);
  });

  it.each([0, 1, 2, 3])('at its append %i acts at most once, and says what is known', async (position) => {
    for (const isStored of [false, true]) {
      const { did, pay } = world();
      const clock = createManualClock();
      let appends = Number.NEGATIVE_INFINITY;
      const wrap = (port: SessionPort): SessionPort => ({
        ...port,
        renew: (epoch) => (appends > position ? Promise.reject(new Error('lost')) : port.renew(epoch)),
        append: async (epoch, from, change) => {
          appends += 1;
          if (appends <= position) return port.append(epoch, from, change);
          if (isStored && appends === position + 1) await port.append(epoch, from, change);
          throw new Error('lost');
        },
      });
      const calls = { calls: [{ name: 'pay' }] };
      const replies = [calls, 'Done.', 'Done.'];
      const app = memoryApp({ tools: [asksFirst(pay)], replies, clock, leaseMs: LEASE_MS, wrap });
      await passing(clock, app.say('Go.'));
      const turn = await openTurn(app);
      await approve(app, turn);
      appends = 0;
      const leased = await app.resume(turn);
      await passing(clock, app.run(leased));
      appends = Number.NEGATIVE_INFINITY;
      await clock.advance(2 * LEASE_MS);
      const next = await app.port.resume({
        nonce: 'n',
        turn,
        reader: { reducer: 1, messageTypes: [], maxBytes: 1e6 },
      });
      if (next.status === 'leased') await passing(clock, app.run(next));
      const { outcome, text: answer } = (await app.state()).turn ?? {};
      expect([outcome, answer]).toEqual(['completed', 'Done.']);
      const told = app.model.requests.at(-1)?.messages.at(-1)?.text ?? '';
      if (told === 'pay 1') expect(did).toEqual(['pay']);
      else
        expect([told, did.length]).toEqual([expect.stringContaining('is unknown'), expect.toBeOneOf([0, 1])]);
      const types = await typesOf(app, turn);
      expect(types.filter((type) => type === 'tool-call-answered')).toHaveLength(1);
    }
  });

  it('after the call has found it is found again, and the call runs once', async () => {
    const { did, pay } = world();
    let found = 0;
    const asks: AnyTool = decorate(pay, {
      async call(input, invocation) {
        await invocation.decide({ message: 'May I?' });
        found += 1;
        if (found === 1) session.kill();
        return pay.call(input, invocation);
      },
    });
    const agent = defineAgent({ name: 'tester', description: 'Tests.', instructions: '', tools: [asks] });
    const session: TestSession = createTestSession(agent, {
      replies: [{ calls: [{ name: 'pay' }] }, 'Done.'],
      clock: createManualClock(),
    });
    await session.send('Go.');
    expect(await session.decide('pay', 'approve')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect([found, did]).toEqual([2, ['pay']]);
  });
});

describe('a call that waits inside a nested loop', () => {
  /** A tool whose nested loop holds others. */
  const dig = (began: string[], tools: readonly AnyTool[]): AnyTool => ({
    name: 'dig',
    description: 'Digs.',
    inputSchema: { type: 'object', properties: {} },
    effect: 'none',
    returnDirect: false,
    metadata: {},
    check: async (input) => ({ ok: true, value: input }),
    call: async (_, invocation) => {
      began.push('dig');
      const frame = { name: 'dig', instructions: '', message: 'Dig.', tools };
      return text((await invocation.nest(frame)).text);
    },
  });

  it('is decided as any other, and the turn goes on inside that loop (AEA-12)', async () => {
    const { did, pay, note } = world();
    const began: string[] = [];
    const agent = defineAgent({
      name: 'tester',
      description: 'Tests.',
      instructions: '',
      tools: [dig(began, [asksFirst(pay)]), note],
    });
    const outer = { calls: [{ name: 'dig' }, { name: 'note' }] };
    const replies = [outer, { calls: [{ name: 'pay' }] }, 'Dug.', 'Done.'];
    const session = createTestSession(agent, { replies });
    const answer = await session.send('Go.');
    expect(answer).toMatchObject({
      outcome: 'suspended',
      pending: [{ call: expect.any(String), tool: 'pay', message: 'May I pay?' }],
    });
    expect(did).toEqual(['note']);
    session.restart();
    expect(await session.decide('pay', 'approve')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect([did, began.length]).toEqual([['note', 'pay'], 2]);
    const tools = session.requests.at(-1)?.messages.filter(({ role }) => role === 'tool');
    expect(tools).toMatchObject([{ text: 'Dug.' }, { text: 'note 1' }]);
  });

  it('expires as any other', async () => {
    const { did, pay } = world();
    const clock = createManualClock();
    const inner = asksFirst(pay, { expires: 1_000 });
    const agent = defineAgent({
      name: 'tester',
      description: 'Tests.',
      instructions: '',
      tools: [dig([], [inner])],
    });
    const replies = [{ calls: [{ name: 'dig' }] }, { calls: [{ name: 'pay' }] }, 'Refused.', 'Done.'];
    const session = createTestSession(agent, { replies, clock });
    await session.send('Go.');
    await clock.advance(1_000);
    expect(await session.settled()).toMatchObject({ outcome: 'completed' });
    expect(did).toEqual([]);
    expect(session.requests[2]?.messages.at(-1)).toMatchObject({ role: 'tool', text: 'Error: No.' });
  });

  it('is named with the others that wait, outermost first, each in source order', async () => {
    const { pay, note } = world();
    const agent = defineAgent({
      name: 'tester',
      description: 'Tests.',
      instructions: '',
      tools: [dig([], [asksFirst(pay)]), asksFirst(note)],
    });
    const outer = { calls: [{ name: 'dig' }, { name: 'note' }] };
    const session = createTestSession(agent, { replies: [outer, { calls: [{ name: 'pay' }] }] });
    await session.send('Go.');
    expect((await session.pending()).map(({ tool }) => tool)).toEqual(['note', 'pay']);
  });
});

describe('a turn that is cancelled while a call waits', () => {
  const cancel = async (app: MemoryApp, body: unknown): Promise<unknown[]> => {
    const turn = await openTurn(app);
    expect(await app.port.post('cancel', turn, JSON.stringify(body))).toBe('posted');
    expect(await app.run(await app.resume(turn))).toMatchObject({
      status: 'ended',
      turn: { outcome: 'cancelled' },
    });
    return (await app.events(turn)).flatMap(({ event }): unknown[] =>
      event.type === 'tool-call-answered'
        ? [event.answer]
        : event.type === 'tool-call-ended'
          ? [event.result]
          : [],
    );
  };
  const manual = defineTool({ name: 'note', description: 'Notes.' });

  it('declines everything, by whom it was said, in one note', async () => {
    const { did, pay } = world();
    const app = memoryApp({ tools: [asksFirst(pay), manual], replies: [both, 'Next.'] });
    await app.say('Go.');
    const lost = "No result of 'note' was sent: a new message came instead. It may have run or not.";
    const result = { type: 'error', message: lost, reason: 'declined' };
    expect(await cancel(app, { declinedBy: 'ann' })).toEqual([
      { type: 'decision', decision: 'reject', reason: 'A new message came instead.', by: 'ann' },
      { type: 'result', result, by: 'ann' },
      {
        type: 'error',
        message: "This call of 'pay' was declined and did not run. Reason: A new message came instead.",
        reason: 'declined',
      },
      result,
    ]);
    expect([did, app.model.requests.length]).toEqual([[], 1]);
  });

  it('goes on when it was to be declined, and was answered before', async () => {
    const { did, pay } = world();
    const app = memoryApp({ tools: [asksFirst(pay)], replies: [{ calls: [{ name: 'pay' }] }, 'Done.'] });
    await app.say('Go.');
    const turn = await openTurn(app);
    await approve(app, turn);
    expect(await app.port.post('cancel', turn, JSON.stringify({ declinedBy: 'ann' }))).toBe('posted');
    expect(await app.run(await app.resume(turn))).toMatchObject({ turn: { outcome: 'completed' } });
    expect(did).toEqual(['pay']);
  });

  it('says of a call that nobody declined that it was cancelled', async () => {
    const { pay } = world();
    const app = memoryApp({ tools: [asksFirst(pay)], replies: [{ calls: [{ name: 'pay' }] }] });
    await app.say('Go.');
    expect(await cancel(app, {})).toEqual([
      { type: 'error', message: "The call of 'pay' was cancelled before it ran.", reason: 'cancelled' },
    ]);
  });

  it('keeps the result that came before the cancel: the caller did run the tool', async () => {
    const app = memoryApp({ tools: [manual], replies: [{ calls: [{ name: 'note' }] }] });
    await app.say('Go.');
    const [question] = openQuestions(await app.events(await openTurn(app)));
    if (!question) throw new Error('A call waits.');
    const answer = { type: 'result', result: { type: 'text', content: 'Noted.' }, by: 'ann' } as const;
    await postAnswer(app, question, { answer, hash: 'h' });
    expect(await cancel(app, {})).toEqual([answer, answer.result]);
  });
});
