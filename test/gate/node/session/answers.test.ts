import { describe, expect, it } from 'vitest';
import { type AnyTool, defineAgent, defineTool } from '../../../../src/index.ts';
import { answers } from '../../../../src/modules/answers/entry.ts';
import { decorate } from '../../../../src/modules/decorators/entry.ts';
import {
  createManualClock,
  createTestSession,
  type SessionPort,
  type TestSession,
} from '../../../../src/testing/entry.ts';
import type { AppendData } from '../../../doors/journal.ts';
import { listOpenQuestions, postAnswer } from '../../../doors/session.ts';
import { askFirst } from '../../../fixtures/asks-first.ts';
import { advanceUntilSettled, LEASE_MS } from './former-holder.ts';
import { createMemoryApp, type MemoryApp } from './memory-app.ts';
import {
  approve,
  BOTH_CALLS,
  createActingTools,
  hasOpenQuestion,
  openTurn,
  readEventTypes,
} from './waits.ts';

describe('an answer', () => {
  it('leads to a new invocation if it arrives between the end of the loop and the release of the lease', async () => {
    const { did, pay, note } = createActingTools();
    let answerNow: (() => Promise<void>) | undefined;
    const wrap = (port: SessionPort): SessionPort => ({
      ...port,
      append: async (epoch: number, from: number, change: AppendData) => {
        const { release, ...stored } = change;
        if (release !== 'suspended') return port.append(epoch, from, change);
        // Store the waiting call first, so that it can be answered.
        await port.append(epoch, from, stored);
        await answerNow?.();
        return port.append(epoch, from + stored.events.length, { events: [], release });
      },
    });
    const app = createMemoryApp({ tools: [askFirst(pay), note], replies: [BOTH_CALLS, 'Done.'], wrap });
    answerNow = async () => approve(app, await openTurn(app));
    expect(await app.say('Go.')).toMatchObject({ status: 'suspended' });
    const turn = await openTurn(app);
    await expect.poll(() => app.dispatched).toEqual([turn]);
    expect(did).toEqual(['note']);
    expect(await app.run(await app.resume(turn))).toMatchObject({ status: 'ended', turn: { text: 'Done.' } });
    expect(did).toEqual(['note', 'pay']);
  });

  it('resumes the turn if it arrives after the release, and each sibling call runs exactly once', async () => {
    const { did, pay, note } = createActingTools();
    const app = createMemoryApp({ tools: [askFirst(pay), note], replies: [BOTH_CALLS, 'Done.'] });
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

  it('is processed by the lease holder, without a new invocation, if it arrives while a sibling call runs', async () => {
    const clock = createManualClock();
    const { did, pay } = createActingTools();
    const slow = defineTool({
      name: 'note',
      description: 'Takes its time.',
      timeout: 10 * LEASE_MS,
      run: async () => {
        while (!(await hasOpenQuestion(app))) await new Promise<void>((resolve) => clock.after(1, resolve));
        await approve(app, await openTurn(app));
        // Long enough for the holder to renew its lease and receive the answer with the response.
        await new Promise<void>((resolve) => clock.after(LEASE_MS, resolve));
        return `note ${did.push('note')}`;
      },
    });
    const tools = [askFirst(pay), slow];
    const app: MemoryApp = createMemoryApp({
      tools,
      replies: [BOTH_CALLS, 'Done.'],
      clock,
      leaseMs: LEASE_MS,
    });
    expect(await advanceUntilSettled(clock, app.say('Go.'))).toMatchObject({
      status: 'ended',
      turn: { text: 'Done.' },
    });
    expect([did, app.dispatched]).toEqual([['note', 'pay'], []]);
    const types = await readEventTypes(app, (await app.state()).turn?.id ?? '');
    expect(types.filter((type) => type === 'turn-resumed')).toEqual([]);
  });

  it('is left to the next lease holder if it arrives when the last sibling call ends', async () => {
    const { did, pay } = createActingTools();
    const last = defineTool({
      name: 'note',
      description: 'Ends right after the answer.',
      run: async () => {
        while (!(await hasOpenQuestion(app))) await new Promise<void>((resolve) => setTimeout(resolve, 0));
        await approve(app, await openTurn(app));
        return `note ${did.push('note')}`;
      },
    });
    const app: MemoryApp = createMemoryApp({ tools: [askFirst(pay), last], replies: [BOTH_CALLS, 'Done.'] });
    const end = await app.say('Go.');
    if (end.status !== 'ended') {
      expect(await app.run(await app.resume(await openTurn(app)))).toMatchObject({ status: 'ended' });
    }
    expect(did).toEqual(['note', 'pay']);
  });

  it('leaves the turn waiting if another call still waits, and neither call runs (AEA-12)', async () => {
    const { did, pay, note } = createActingTools();
    const app = createMemoryApp({ tools: [askFirst(pay), askFirst(note)], replies: [BOTH_CALLS, 'Done.'] });
    await app.say('Go.');
    const turn = await openTurn(app);
    const [first, second] = listOpenQuestions(await app.events(turn));
    if (!first || !second) throw new Error('The turn does not have two open questions.');
    const answer = { type: 'decision', decision: 'approve' } as const;
    await postAnswer(app, second, { answer, hash: 'h' });
    expect(await app.run(await app.resume(turn))).toMatchObject({ status: 'suspended' });
    expect(did).toEqual([]);
    await postAnswer(app, first, { answer, hash: 'h' });
    expect(await app.run(await app.resume(turn))).toMatchObject({ status: 'ended' });
    expect(did.toSorted()).toEqual(['note', 'pay']);
  });

  it('is accepted once if it is sent again because the first response was lost', async () => {
    const { did, pay } = createActingTools();
    const app = createMemoryApp({ tools: [askFirst(pay)], replies: [{ calls: [{ name: 'pay' }] }, 'Done.'] });
    await app.say('Go.');
    const turn = await openTurn(app);
    const [question] = listOpenQuestions(await app.events(turn));
    if (!question) throw new Error('The turn has no open question.');
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

describe('an answer about a tool that has since changed', () => {
  it.each(['before it was sent', 'after it was sent'])(
    'has no effect, and the model can ask again, if the tool changed %s',
    async (when) => {
      const { did, pay } = createActingTools();
      const app = createMemoryApp({
        tools: [askFirst(pay)],
        replies: [{ calls: [{ name: 'pay' }] }, 'Done.'],
      });
      await app.say('Go.');
      const turn = await openTurn(app);
      const [question] = listOpenQuestions(await app.events(turn));
      if (!question) throw new Error('The turn has no open question.');
      const inputSchema = { type: 'object', properties: { amount: { type: 'number' } } };
      const agent = { ...app.agent, tools: [askFirst({ ...pay, inputSchema })] };
      const sent = { answer: { type: 'decision', decision: 'approve' }, hash: 'h' } as const;
      const at = when === 'before it was sent' ? agent : app.agent;
      const posted = await postAnswer({ port: app.port, agent: at }, question, sent);
      expect(posted).toBe(at === agent ? 'void' : 'posted');
      expect(await app.run(await app.resume(turn), { agent })).toMatchObject({ status: 'ended' });
      expect(app.model.requests.at(-1)?.messages.at(-1)).toMatchObject({
        text:
          "Error: Tool 'pay' has changed since this was asked, so the decision no longer applies. " +
          'Call it again to ask again.',
      });
      expect(did).toEqual([]);
    },
  );
});

describe('an answer whose Worker is killed', () => {
  it('is found by the invocation that the alarm starts, if the kill precedes the resumption (AEA-12)', async () => {
    const { did, pay } = createActingTools();
    const clock = createManualClock();
    const app = createMemoryApp({
      tools: [askFirst(pay)],
      replies: [{ calls: [{ name: 'pay' }] }, 'Done.'],
      clock,
      leaseMs: LEASE_MS,
    });
    await advanceUntilSettled(clock, app.say('Go.'));
    const turn = await openTurn(app);
    await approve(app, turn);
    app.sessions.restart('["owner","tester","s1"]');
    await clock.advance(1);
    expect(app.dispatched).toEqual([turn]);
    const end = advanceUntilSettled(clock, app.run(await app.resume(turn)));
    expect(await end).toMatchObject({ status: 'ended', turn: { text: 'Done.' } });
    expect(did).toEqual(['pay']);
  });

  it.each([0, 1, 2, 3])(
    'acts at most once after a kill at its append %i, and the result states whether the outcome is unknown',
    async (position) => {
      for (const isStored of [false, true]) {
        const { did, pay } = createActingTools();
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
        const app = createMemoryApp({ tools: [askFirst(pay)], replies, clock, leaseMs: LEASE_MS, wrap });
        await advanceUntilSettled(clock, app.say('Go.'));
        const turn = await openTurn(app);
        await approve(app, turn);
        appends = 0;
        const leased = await app.resume(turn);
        await advanceUntilSettled(clock, app.run(leased));
        appends = Number.NEGATIVE_INFINITY;
        await clock.advance(2 * LEASE_MS);
        const next = await app.port.resume({
          nonce: 'n',
          turn,
          reader: { reducer: 1, messageTypes: [], maxBytes: 1e6 },
        });
        if (next.status === 'leased') await advanceUntilSettled(clock, app.run(next));
        const { outcome, text: answer } = (await app.state()).turn ?? {};
        expect([outcome, answer]).toEqual(['completed', 'Done.']);
        const told = app.model.requests.at(-1)?.messages.at(-1)?.text ?? '';
        if (told === 'pay 1') expect(did).toEqual(['pay']);
        else
          expect([told, did.length]).toEqual([
            expect.stringContaining('is unknown'),
            expect.toBeOneOf([0, 1]),
          ]);
        const types = await readEventTypes(app, turn);
        expect(types.filter((type) => type === 'tool-call-answered')).toHaveLength(1);
      }
    },
  );

  it('is read again after a kill if the call had already read it, and the call runs once', async () => {
    const { did, pay } = createActingTools();
    let found = 0;
    const asks: AnyTool = decorate(pay, {
      uses: [answers],
      async call(input, call) {
        await call.ask({ for: 'decision', message: 'May I?' });
        found += 1;
        if (found === 1) session.kill();
        return pay.call(input, call);
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
