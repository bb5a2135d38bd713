/** Calls inside a nested loop when the call that opened the loop ends. */
import { beforeEach, describe, expect, it } from 'vitest';
import { type AnyTool, defineTool, text } from '../../../../src/index.ts';
import type { StoredEvent } from '../../../../src/journal/entry.ts';
import { decorate, requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { createManualClock, type ManualClock } from '../../../../src/testing/entry.ts';
import { createDiggingTool } from '../tool-loop/scenes.ts';
import { advanceUntilSettled, callEvents, LEASE_MS, leaveHolderSilent, takeOver } from './former-holder.ts';
import { withLiveState } from './live-state.ts';
import { createMemoryApp, type MemoryApp } from './memory-app.ts';

let clock: ManualClock;
beforeEach(() => {
  clock = createManualClock(1_000_000);
});

const createDigTool = (name: string, tools: readonly AnyTool[]): AnyTool => ({
  ...createDiggingTool(tools, { name }),
  name,
});
const createPayTool = (): AnyTool => defineTool({ name: 'pay', description: 'Pays.', run: () => 'paid' });
const DIG_REPLY = { calls: [{ name: 'dig' }] };
const PAY_REPLY = { calls: [{ name: 'pay' }] };

/** The loop, call id and reason of each ended call, in order. */
const listEnds = (events: readonly StoredEvent[]) =>
  events.flatMap((event) =>
    event.type === 'tool-call-ended'
      ? [[event.frame ?? '', event.call, event.result.type === 'error' ? event.result.reason : 'ok']]
      : [],
  );

/**
 * The events of a holder interrupted inside two nested loops, where one call waits and another has started.
 */
const createDeepEvents = () =>
  [
    ...callEvents(['dig']),
    { type: 'frame-started', frame: 'c0', name: 'dig', message: 'Dig.' },
    {
      type: 'model-replied',
      frame: 'c0',
      model: 'scripted',
      text: '',
      toolCalls: [{ id: 'd0', providerId: 'p', name: 'deeper', input: '{}' }],
      finish: 'tool-calls',
    },
    { type: 'frame-started', frame: 'd0', parent: 'c0', name: 'deeper', message: 'Dig.' },
    {
      type: 'model-replied',
      frame: 'd0',
      model: 'scripted',
      text: '',
      toolCalls: [
        { id: 'e0', providerId: 'p', name: 'pay', input: '{}' },
        { id: 'e1', providerId: 'q', name: 'ask', input: '{}' },
      ],
      finish: 'tool-calls',
    },
    { type: 'tool-call-started', frame: 'd0', call: 'e0', effect: 'once' },
    {
      type: 'tool-call-suspended',
      frame: 'd0',
      call: 'e1',
      wait: {
        for: 'decision',
        message: 'Ask?',
        allows: ['approve', 'reject', 'exit'],
        schema: {},
        onExpiry: 'reject',
        binding: 'b',
      },
    },
  ] as const;

describe('a call that ends before its nested loop', () => {
  it('ends the open calls inside that loop first, starting with the innermost', async () => {
    const app = createMemoryApp({ tools: [], replies: ['Gone.'], clock, leaseMs: LEASE_MS });
    const left = await leaveHolderSilent(app, createDeepEvents());
    const { agent, live } = withLiveState(app.agent);
    expect(await takeOver(app, clock, left, { agent })).toMatchObject({ turn: { outcome: 'completed' } });
    expect(listEnds(await app.events(left.turn))).toEqual([
      ['d0', 'e0', 'unknown-outcome'],
      ['d0', 'e1', 'cancelled'],
      ['c0', 'd0', 'unknown-outcome'],
      ['', 'c0', 'unknown-outcome'],
    ]);
    expect((await app.state()).inDoubt).toEqual(new Set(['e0', 'd0', 'c0']));
    expect(live()).toEqual(await app.state());
  });

  it('ends the turn if the decision about an inner call is to exit', async () => {
    const app = createMemoryApp({ tools: [], replies: ['Never.'], clock, leaseMs: LEASE_MS });
    const left = await leaveHolderSilent(app, createDeepEvents());
    const answer = { type: 'decision', decision: 'exit', reason: 'Enough.', by: 'ann' } as const;
    const body = JSON.stringify({ wait: 'e1#0', answer });
    await app.port.post({ kind: 'answer', turn: left.turn, body });
    const end = await takeOver(app, clock, left);
    const signal = { type: 'exit', reason: 'Enough.' };
    expect(end).toMatchObject({ turn: { outcome: 'cancelled', signal } });
    expect(app.model.requests).toEqual([]);
    expect(listEnds(await app.events(left.turn)).slice(1)).toEqual([
      ['d0', 'e1', 'declined'],
      ['c0', 'd0', 'unknown-outcome'],
      ['', 'c0', 'unknown-outcome'],
    ]);
  });
});

/** Decides the waiting calls with these names, in order. */
async function decide(app: MemoryApp, turn: string, decision: 'approve' | 'exit', at: number) {
  const waits = (await app.events(turn)).flatMap((event) =>
    event.type === 'tool-call-suspended' ? [`${event.call}#0`] : [],
  );
  const answer = { type: 'decision', decision, by: 'ann' };
  await app.port.post({ kind: 'answer', turn, body: JSON.stringify({ wait: waits[at], answer }) });
  return advanceUntilSettled(clock, app.run(await app.resume(turn)));
}

describe('an exit inside a nested loop', () => {
  it.each([0, 1])('ends the turn while another loop waits (exit in loop %i)', async (at) => {
    const guarded = [requireApproval(createPayTool(), 'Pay?')];
    const app = createMemoryApp({
      tools: [createDigTool('dig', guarded), createDigTool('dive', guarded)],
      replies: [{ calls: [{ name: 'dig' }, { name: 'dive' }] }, PAY_REPLY, PAY_REPLY],
      clock,
      leaseMs: LEASE_MS,
    });
    const leased = await app.lease('Go.');
    const turn = leased.page.openTurn?.id ?? '';
    expect(await advanceUntilSettled(clock, app.run(leased))).toMatchObject({ status: 'suspended' });
    expect(await decide(app, turn, 'exit', at)).toMatchObject({
      status: 'ended',
      turn: { outcome: 'cancelled', signal: { type: 'exit' } },
    });
    const all = listEnds(await app.events(turn));
    expect(all).toHaveLength(4);
    expect(
      all
        .filter(([frame]) => frame !== '')
        .map(([, , why]) => why)
        .sort(),
    ).toEqual(['cancelled', 'declined']);
  });

  it('ends the turn while another loop waits in its own nested loop', async () => {
    const guarded = [requireApproval(createPayTool(), 'Pay?')];
    const app = createMemoryApp({
      tools: [createDigTool('dig', guarded), createDigTool('dive', [createDigTool('deeper', guarded)])],
      replies: [
        { calls: [{ name: 'dig' }, { name: 'dive' }] },
        ({ tools }) => ({ calls: [{ name: tools?.[0]?.name ?? '' }] }),
        ({ tools }) => ({ calls: [{ name: tools?.[0]?.name ?? '' }] }),
        PAY_REPLY,
      ],
      clock,
      leaseMs: LEASE_MS,
    });
    const leased = await app.lease('Go.');
    const turn = leased.page.openTurn?.id ?? '';
    expect(await advanceUntilSettled(clock, app.run(leased))).toMatchObject({ status: 'suspended' });
    expect(await decide(app, turn, 'exit', 0)).toMatchObject({ turn: { outcome: 'cancelled' } });
    expect((await app.state()).messages.at(-1)).toMatchObject({ calls: [{ ended: {} }, { ended: {} }] });
  });
});

describe('a tool that does not wait for its nested loop', () => {
  /** Returns after a second without waiting for its nested loop. */
  const createImpatientTool = (tool: AnyTool): AnyTool =>
    decorate(tool, {
      call: (input, call) =>
        Promise.race([
          tool.call(input, call),
          new Promise<ReturnType<typeof text>>((resolve) => clock.after(1_000, () => resolve(text('Left.')))),
        ]),
    });

  it('ends the inner calls with its own call, and later journals only late results of calls in doubt', async () => {
    const gate = Promise.withResolvers<string>();
    const slow = defineTool({ name: 'pay', description: 'Pays.', timeout: 900_000, run: () => gate.promise });
    const app = createMemoryApp({
      tools: [createImpatientTool(createDiggingTool([slow]))],
      replies: [DIG_REPLY, PAY_REPLY, () => new Promise(() => {}), 'Well.'],
      clock,
      leaseMs: LEASE_MS,
    });
    const leased = await app.lease('Go.');
    const turn = leased.page.openTurn?.id ?? '';
    const leave = new AbortController();
    const end = app.run(leased, { leave: leave.signal });
    for (let i = 0; i < 20 && app.model.requests.length < 3; i += 1) await clock.advance(500);
    gate.resolve('paid');
    await clock.advance(500);
    leave.abort();
    await advanceUntilSettled(clock, end);
    expect(await advanceUntilSettled(clock, app.run(await app.resume(turn)))).toMatchObject({
      status: 'ended',
    });
    const events = await app.events(turn);
    const [inner] = listEnds(events);
    expect(listEnds(events)).toEqual([
      [inner?.[0], inner?.[1], 'unknown-outcome'],
      ['', inner?.[0], 'ok'],
    ]);
    const after = events.slice(events.findLastIndex(({ type }) => type === 'tool-call-ended') + 1);
    expect(after.filter((event) => 'frame' in event)).toEqual([]);
    expect(after).toContainEqual(
      expect.objectContaining({
        type: 'late-result-received',
        call: inner?.[1],
        result: { type: 'text', content: 'paid' },
      }),
    );
  });

  it('has no more effects inside after its call has ended', async () => {
    const ran: string[] = [];
    const reply = Promise.withResolvers<typeof PAY_REPLY>();
    const once = defineTool({ name: 'pay', description: 'Pays.', run: () => void ran.push('pay') });
    const app = createMemoryApp({
      tools: [createImpatientTool(createDiggingTool([once]))],
      replies: [DIG_REPLY, () => reply.promise, () => new Promise(() => {})],
      clock,
      leaseMs: LEASE_MS,
    });
    const leased = await app.lease('Go.');
    const leave = new AbortController();
    const end = app.run(leased, { leave: leave.signal });
    for (let i = 0; i < 20 && app.model.requests.length < 3; i += 1) await clock.advance(500);
    reply.resolve(PAY_REPLY);
    await clock.advance(1_000);
    leave.abort();
    await advanceUntilSettled(clock, end);
    expect(ran).toEqual([]);
    const events = await app.events(leased.page.openTurn?.id ?? '');
    expect(events.filter((event) => event.type === 'model-replied' && event.frame !== undefined)).toEqual([]);
  });
});
