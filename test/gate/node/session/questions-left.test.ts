import { describe, expect, it } from 'vitest';
import { type AnyTool, type CallContext, defineTool } from '../../../../src/index.ts';
import type { SessionPort } from '../../../../src/testing/entry.ts';
import { collectQuestions } from '../../../doors/session.ts';
import { countTimers } from '../../../full/crash-matrix/lab/counted-clock.ts';
import { neverResolve } from '../tool-loop/outside.ts';
import {
  advanceUntilSettled,
  callEvents,
  LEASE_MS,
  leaveHolderSilent,
  takeOver,
  withoutPings,
} from './former-holder.ts';
import {
  ANSWER_SCHEMA,
  createApp,
  createAskingTool,
  decide,
  listEventTypes,
  QUESTION,
  readOpenQuestions,
  readResults,
  startTurn,
} from './running-questions.ts';

const describeUnknownOutcome = (tool: string): string =>
  `Error: The outcome of this call of '${tool}' is unknown: it was started, and no answer came back. It may have happened ` +
  'or not. Do not assume either, and do not repeat it: find out with another tool, or tell the user.';

describe('a suspended call with open questions', () => {
  it('stops its timers, and finds the answers when it restarts', async () => {
    const run = async (call: CallContext) => {
      const [first, second] = await Promise.all([
        call.ask(QUESTION),
        call.ask({ for: 'decision', message: 'Sure?' }),
      ]);
      return `${first.decision} ${second.decision}`;
    };
    const ran: string[] = [];
    const app = createApp([createAskingTool(run, { effect: 'idempotent', ran })]);
    const { clock: counting, timersLeft } = countTimers(app.clock);
    const { end, turn } = await startTurn(app, { clock: counting });
    expect(await advanceUntilSettled(app.clock, end)).toMatchObject({ status: 'suspended' });
    await app.clock.advance(1_000);
    expect(timersLeft()).toBe(0);
    await decide(app, turn, { decision: 'approve' });
    expect(await advanceUntilSettled(app.clock, app.run(await app.resume(turn)))).toMatchObject({
      status: 'suspended',
    });
    await decide(app, turn, { decision: 'reject' });
    expect(await advanceUntilSettled(app.clock, app.run(await app.resume(turn)))).toMatchObject({
      turn: { text: 'Done.' },
    });
    expect([ran.length, await readResults(app)]).toEqual([3, [['book', 'approve reject']]]);
  });
});

describe('a question from a running call', () => {
  it('is void after the tool’s timeout: the outcome is unknown, and a late result is shown in the next turn', async () => {
    const answer = Promise.withResolvers<string>();
    const said: unknown[] = [];
    const work: Promise<unknown>[] = [];
    const run = async (call: CallContext) => {
      await call.ask(QUESTION).catch((thrown: unknown) => said.push(thrown));
      return answer.promise;
    };
    const app = createApp([createAskingTool(run, { timeout: 10_000 })]);
    const { end, turn } = await startTurn(app, { waitUntil: (promise) => work.push(promise) });
    await app.clock.advance(10_000);
    expect(await advanceUntilSettled(app.clock, end)).toMatchObject({ turn: { text: 'Done.' } });
    expect(await readResults(app)).toEqual([['book', describeUnknownOutcome('book')]]);
    const question = [...collectQuestions(await app.events(turn)).values()].flat().at(0);
    expect(question?.standing).toBe('dropped');
    expect(said.map(String)).toEqual([`Error: Call ${turn}.3.0 has ended, and cannot ask any more.`]);
    answer.resolve('booked');
    await Promise.all(work);
    await advanceUntilSettled(app.clock, app.say('And?'));
    expect(app.model.requests.at(-1)?.messages.at(-1)).toEqual({
      role: 'user',
      text: "The call of 'book' with the input {}, whose outcome was unknown, has answered after all: booked",
    });
  });

  it('does not keep its turn from being cancelled', async () => {
    const app = createApp([createAskingTool()]);
    const { end, turn } = await startTurn(app);
    await app.port.post({ kind: 'cancel', turn, body: '{}' });
    await app.clock.advance(LEASE_MS / 3 + 100);
    expect(await advanceUntilSettled(app.clock, end)).toMatchObject({ turn: { outcome: 'cancelled' } });
    expect(await readResults(app)).toEqual([['book', describeUnknownOutcome('book')]]);
    expect(await readOpenQuestions(app, turn)).toEqual([]);
  });

  it('is void if its holder is gone: the outcome of the call is unknown at once, and the call does not run again', async () => {
    const ran: string[] = [];
    const app = createApp([createAskingTool(undefined, { ran })], ['Done.']);
    const wait = { for: 'decision', message: 'Whose?', allows: ['approve'], schema: ANSWER_SCHEMA } as const;
    const left = await leaveHolderSilent(app, [
      ...callEvents(['book', 'once']),
      {
        type: 'tool-call-suspended',
        call: 'c0',
        wait: { ...wait, expires: 3_600_000, onExpiry: 'approve', binding: 'b' },
      },
    ]);
    expect(await takeOver(app, app.clock, left)).toMatchObject({ status: 'ended', turn: { text: 'Done.' } });
    expect([ran, await readResults(app)]).toEqual([[], [['book', describeUnknownOutcome('book')]]]);
    expect(await readOpenQuestions(app, left.turn)).toEqual([]);
  });

  /** Runs a turn until its call has asked and its holder, cut off, loses the lease. */
  async function orphanCall(tool: AnyTool) {
    const app = createApp([tool]);
    const line = { isCut: false };
    const port: SessionPort = {
      ...app.port,
      ...withoutPings(app.port, () => line.isCut),
      append: (...request) => (line.isCut ? neverResolve() : app.port.append(...request)),
      renew: (epoch) => (line.isCut ? neverResolve() : app.port.renew(epoch)),
    };
    const { end, turn } = await startTurn(app, { port });
    line.isCut = true;
    await app.clock.advance(LEASE_MS + 1);
    expect(await advanceUntilSettled(app.clock, end)).toMatchObject({ status: 'lost' });
    return { app, turn };
  }

  it('stays open if its holder is gone and its call is idempotent, and the call restarts with the answer', async () => {
    const run = async (call: CallContext) => (await call.ask(QUESTION)).decision;
    const ran: string[] = [];
    const { app, turn } = await orphanCall(createAskingTool(run, { effect: 'idempotent', ran }));
    expect(await advanceUntilSettled(app.clock, app.run(await app.resume(turn)))).toMatchObject({
      status: 'suspended',
    });
    await decide(app, turn, { decision: 'approve' });
    expect(await advanceUntilSettled(app.clock, app.run(await app.resume(turn)))).toMatchObject({
      turn: { text: 'Done.' },
    });
    expect([ran.length, await readResults(app)]).toEqual([2, [['book', 'approve']]]);
  });

  it('is not asked again by a `once` call that certainly did not run, and its answer still counts', async () => {
    const ran: string[] = [];
    const booking = defineTool({
      name: 'book',
      description: 'Books.',
      timeout: 300_000,
      run: async (_, call) => {
        ran.push(call.id);
        return (await call.ask(QUESTION)).decision;
      },
      reconcile: () => 'not-done',
    });
    const { app, turn } = await orphanCall(booking);
    const again = app.run(await app.resume(turn));
    await app.clock.advance(0);
    await app.clock.advance(LEASE_MS / 4);
    expect(await readOpenQuestions(app, turn)).toHaveLength(1);
    expect(
      listEventTypes(await app.events(turn)).filter((type) => type === 'tool-call-suspended'),
    ).toHaveLength(1);
    await decide(app, turn, { decision: 'approve' });
    expect(await advanceUntilSettled(app.clock, again)).toMatchObject({ turn: { text: 'Done.' } });
    expect([ran.length, await readResults(app)]).toEqual([2, [['book', 'approve']]]);
  });

  it('is void if the restarted call asks another question instead', async () => {
    let times = 0;
    const booking = defineTool({
      name: 'book',
      description: 'Books.',
      timeout: 300_000,
      run: async (_, call) => {
        times += 1;
        return (await call.ask({ ...QUESTION, message: `Whose ${times}?` })).decision;
      },
      reconcile: () => 'not-done',
    });
    const { app, turn } = await orphanCall(booking);
    const again = app.run(await app.resume(turn));
    await app.clock.advance(0);
    await app.clock.advance(LEASE_MS / 4);
    await decide(app, turn, { decision: 'approve' });
    expect(await advanceUntilSettled(app.clock, again)).toMatchObject({ turn: { text: 'Done.' } });
    expect(await readResults(app)).toEqual([
      [
        'book',
        "Error: Tool 'book' has changed since this was asked, so the decision no longer applies. Call it again to ask again.",
      ],
    ]);
  });
});
