/** The parts of a stopping turn's report that concern work with an unknown outcome. */
import { beforeEach, describe, expect, it } from 'vitest';
import { type AnyTool, defineTool, text } from '../../../../src/index.ts';
import { nest } from '../../../../src/kinds/entry.ts';
import { createManualClock, type ManualClock, type SessionPort } from '../../../../src/testing/entry.ts';
import { type ReadQuery, toRow } from '../../../doors/journal.ts';
import {
  advanceUntilSettled,
  callEvents,
  callResults,
  LEASE_MS,
  leaveHolderSilent,
} from './former-holder.ts';
import { createMemoryApp } from './memory-app.ts';

const describeUnknownOutcome = (tool: string): string =>
  `Error: The outcome of this call of '${tool}' is unknown: it was started, and no answer came back. It may have happened ` +
  'or not. Do not assume either, and do not repeat it: find out with another tool, or tell the user.';

const neverResolve = (): Promise<never> => new Promise(() => {});

let clock: ManualClock;
beforeEach(() => {
  clock = createManualClock(1_000_000);
});

describe('a cancel', () => {
  it('leaves the call of a nested loop in doubt if the loop has had an effect', async () => {
    const paid: string[] = [];
    const pay = defineTool({ name: 'pay', description: 'Pays.', run: (_, { id }) => paid.push(id) });
    const dig: AnyTool = {
      name: 'dig',
      description: 'Digs.',
      inputSchema: { type: 'object' },
      effect: 'none',
      returnDirect: false,
      metadata: {},
      check: async (input) => ({ ok: true, value: input }),
      call: async (_, call) =>
        text((await nest(call, { name: 'dig', instructions: '', message: 'Dig.', tools: [pay] })).text),
    };
    const replies = [{ calls: [{ name: 'dig' }] }, { calls: [{ name: 'pay' }] }, neverResolve];
    const app = createMemoryApp({ tools: [dig], replies, clock, leaseMs: LEASE_MS });
    const leased = await app.lease('Go.');
    const end = app.run(leased);
    await clock.advance(0);
    expect(paid.length).toBe(1);
    await app.port.post({ kind: 'cancel', turn: leased.page.openTurn?.id ?? '', body: '{}' });
    expect(await advanceUntilSettled(clock, end)).toMatchObject({ turn: { outcome: 'cancelled' } });
    expect(callResults((await app.state()).messages)).toEqual([['dig', describeUnknownOutcome('dig')]]);
  });

  it('does not wait for a decorator that never settles', async () => {
    const odd: AnyTool = {
      name: 'odd',
      description: 'Thinks.',
      inputSchema: { type: 'object' },
      effect: 'once',
      returnDirect: false,
      metadata: {},
      check: async (input) => ({ ok: true, value: input }),
      call: neverResolve,
    };
    const app = createMemoryApp({
      tools: [odd],
      replies: [{ calls: [{ name: 'odd' }] }],
      clock,
      leaseMs: LEASE_MS,
    });
    const leased = await app.lease('Go.');
    const end = app.run(leased);
    await clock.advance(0);
    await app.port.post({ kind: 'cancel', turn: leased.page.openTurn?.id ?? '', body: '{}' });
    expect(await advanceUntilSettled(clock, end)).toMatchObject({ turn: { outcome: 'cancelled' } });
    expect(callResults((await app.state()).messages)).toEqual([
      ['odd', "Error: The call of 'odd' was cancelled before it ran."],
    ]);
  });

  it('waits for `reconcile` no longer than for the result of an aborted call', async () => {
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      timeout: 600_000,
      run: () => Promise.reject(new Error('Network connection lost.')),
      reconcile: neverResolve,
    });
    const app = createMemoryApp({
      tools: [pay],
      replies: [{ calls: [{ name: 'pay' }] }],
      clock,
      leaseMs: LEASE_MS,
    });
    const leased = await app.lease('Go.');
    const began = clock.now();
    const end = app.run(leased);
    await clock.advance(0);
    await app.port.post({ kind: 'cancel', turn: leased.page.openTurn?.id ?? '', body: '{}' });
    expect(await advanceUntilSettled(clock, end)).toMatchObject({ turn: { outcome: 'cancelled' } });
    expect(clock.now() - began).toBeLessThan(LEASE_MS / 3 + 6_000);
    expect(callResults((await app.state()).messages)).toEqual([['pay', describeUnknownOutcome('pay')]]);
  });
});

describe('a take-over', () => {
  it('keeps its lease while it reads a long journal', async () => {
    // Each page takes a quarter of a lease term, so all pages take longer than a term.
    const withSlowReads = (port: SessionPort): SessionPort => ({
      ...port,
      read: async (query: ReadQuery) => {
        await new Promise<void>((resolve) => clock.after(LEASE_MS / 4, resolve));
        return port.read({ ...query, limit: 2 });
      },
    });
    const app = createMemoryApp({ replies: ['Hello.'], clock, leaseMs: LEASE_MS, wrap: withSlowReads });
    const leased = await app.lease('Go.');
    const turn = leased.page.openTurn?.id ?? '';
    const resumed = Array.from({ length: 12 }, () => toRow({ type: 'turn-resumed', turn, cause: 'expired' }));
    await app.port.append(leased.epoch, 3, { events: resumed, release: 'yielded' });
    const taken = await app.resume(turn);
    const first = { ...taken, page: { ...taken.page, rows: taken.page.rows.slice(0, 2), next: 3 } };
    expect(await advanceUntilSettled(clock, app.run(first))).toMatchObject({
      turn: { outcome: 'completed', text: 'Hello.' },
    });
  });

  it('releases a lease that remained after the end of its turn', async () => {
    const app = createMemoryApp({ replies: [], clock, leaseMs: LEASE_MS });
    const leased = await app.lease('Go.');
    const turn = leased.page.openTurn?.id ?? '';
    const ended = toRow({ type: 'turn-ended', turn, outcome: 'completed' });
    await app.port.append(leased.epoch, 3, { events: [ended] });
    await clock.advance(LEASE_MS + 1);
    expect(await app.run(await app.resume(turn))).toMatchObject({ status: 'ended' });
    expect(await app.port.read({ from: 1 })).toMatchObject({ head: 3, openTurn: null });
  });
});

describe('a `once` call that continues after its timeout', () => {
  it('keeps its own result if it returns during `reconcile`, and ignores a `not-done` from `reconcile`', async () => {
    const paid: string[] = [];
    const sleep = (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      timeout: 1_000,
      run: async (_, { id }) => {
        await sleep(6_500); // later than the timeout and the wait that follows it
        paid.push(id);
        return 'paid';
      },
      reconcile: async () => {
        const isPaid = paid.length > 0;
        await sleep(900);
        return isPaid ? { done: 'paid' } : 'not-done';
      },
    });
    const replies = [{ calls: [{ name: 'pay' }] }, 'Done.'];
    const app = createMemoryApp({ tools: [pay], replies, clock, leaseMs: LEASE_MS });
    expect(await advanceUntilSettled(clock, app.run(await app.lease('Go.')))).toMatchObject({
      status: 'ended',
    });
    expect([paid.length, callResults((await app.state()).messages)]).toEqual([1, [['pay', 'paid']]]);
  });
});

describe('a cancelled turn', () => {
  const createHangingTool = (name: string): AnyTool => ({
    name,
    description: 'Hangs.',
    inputSchema: { type: 'object' },
    effect: 'read',
    serial: 'one',
    returnDirect: false,
    metadata: {},
    check: async (input) => ({ ok: true, value: input }),
    call: neverResolve,
  });

  it('does not start calls that are queued behind its running call', async () => {
    const first = {
      ...defineTool({ name: 'first', description: 'Runs.', effect: 'read', run: neverResolve }),
      serial: 'one',
    };
    const replies = [{ calls: [{ name: 'first' }, { name: 'second' }] }];
    const app = createMemoryApp({
      tools: [first, createHangingTool('second')],
      replies,
      clock,
      leaseMs: LEASE_MS,
    });
    const leased = await app.lease('Go.');
    const end = app.run(leased);
    await clock.advance(0);
    await app.port.post({ kind: 'cancel', turn: leased.page.openTurn?.id ?? '', body: '{}' });
    expect(await advanceUntilSettled(clock, end)).toMatchObject({ turn: { outcome: 'cancelled' } });
    expect(callResults((await app.state()).messages)).toEqual([
      ['first', "Error: The call of 'first' was cancelled."],
      ['second', "Error: The call of 'second' was cancelled before it ran."],
    ]);
  });

  it('journals no event for a call that it abandoned, even while an event about that call is being sent', async () => {
    const gates = {
      nest: (): void => {},
      look: (): void => {},
      renew: (): void => {},
      append: (): void => {},
    };
    let isHolding = false;
    const waitAt = (gate: keyof typeof gates) =>
      new Promise<void>((resolve) => {
        gates[gate] = resolve;
      });
    const dig: AnyTool = {
      ...createHangingTool('dig'),
      serial: undefined,
      call: async (_, call) => {
        await waitAt('nest');
        return text((await nest(call, { name: 'dig', instructions: '', message: 'Dig.', tools: [] })).text);
      },
    };
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      effect: 'read',
      timeout: 900_000,
      run: () => waitAt('look'),
    });
    const wrap = (port: SessionPort): SessionPort => ({
      ...port,
      renew: async (epoch) => {
        const answer = await port.renew(epoch);
        await waitAt('renew');
        return answer;
      },
      append: async (...request) => {
        const answer = await port.append(...request);
        if (isHolding) await waitAt('append');
        return answer;
      },
    });
    const replies = [{ calls: [{ name: 'dig' }, { name: 'look' }] }];
    const app = createMemoryApp({ tools: [dig, look], replies, clock, leaseMs: LEASE_MS, wrap });
    const leased = await app.lease('Go.');
    const end = app.run(leased);
    await clock.advance(0);
    await app.port.post({ kind: 'cancel', turn: leased.page.openTurn?.id ?? '', body: '{}' });
    await clock.advance(LEASE_MS / 3 + 1); // A renewal is in flight. Its response contains the cancel.
    isHolding = true;
    gates.look(); // The sibling has ended, and its append is in flight.
    await clock.advance(0);
    gates.renew(); // The turn is cancelled, but its end waits for that append.
    await clock.advance(0);
    gates.nest();
    await clock.advance(0);
    isHolding = false;
    gates.append();
    expect(await end).toMatchObject({ turn: { outcome: 'cancelled' } });
    const rows = (await app.port.read({ from: 1 }))?.rows ?? [];
    expect(rows.at(-1)?.type).toBe('turn-ended');
    expect(rows.map(({ type }) => type)).not.toContain('frame-started');
  });

  it('reports the outcome of a call as unknown if it was started with an effect, even if its tool is now a read', async () => {
    const put = defineTool({
      name: 'put',
      description: 'Puts.',
      effect: 'read',
      timeout: 900_000,
      run: neverResolve,
    });
    const app = createMemoryApp({ tools: [put], replies: [], clock, leaseMs: LEASE_MS });
    const left = await leaveHolderSilent(app, callEvents(['put', 'idempotent']));
    await clock.advance(LEASE_MS + 1);
    const end = app.run(await app.resume(left.turn));
    await clock.advance(0);
    await app.port.post({ kind: 'cancel', turn: left.turn, body: '{}' });
    expect(await advanceUntilSettled(clock, end)).toMatchObject({ turn: { outcome: 'cancelled' } });
    expect(callResults((await app.state()).messages)).toEqual([
      ['put', "Error: The call of 'put' was cancelled while it ran. It may have taken effect."],
    ]);
  });
});
