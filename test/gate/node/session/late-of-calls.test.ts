/** Late results that are accepted: those of calls in doubt, and those of calls that are still open. */
import { beforeEach, describe, expect, it } from 'vitest';
import { type AnyTool, defineTool, text } from '../../../../src/index.ts';
import { nest } from '../../../../src/kinds/entry.ts';
import { decorate } from '../../../../src/modules/decorators/entry.ts';
import { createManualClock, type ManualClock } from '../../../../src/testing/entry.ts';
import {
  advanceUntilSettled,
  callEvents,
  callResults,
  LEASE_MS,
  leaveHolderSilent,
  takeOver,
} from './former-holder.ts';
import { withLiveState } from './live-state.ts';
import { createMemoryApp } from './memory-app.ts';

let clock: ManualClock;
let ran: string[];
beforeEach(() => {
  clock = createManualClock(1_000_000);
  ran = [];
});

type ReconciledVerdict = 'not-done' | { readonly done: string };

const createPayTool = ({
  reconcile,
}: {
  readonly reconcile?: () => Promise<ReconciledVerdict>;
} = {}): AnyTool =>
  defineTool({ name: 'pay', description: 'Pays.', run: () => void ran.push('pay'), reconcile });

const PAID_RESULT = { type: 'text', content: 'paid' } as const;
const createLateRow = (turn: string, call = 'c0') => ({
  kind: 'late' as const,
  turn,
  body: JSON.stringify({ call, tool: 'pay', input: '{}', result: PAID_RESULT }),
});

const readLateEvents = async (app: ReturnType<typeof createMemoryApp>) =>
  ((await app.port.read({ from: 1 }))?.rows ?? []).flatMap(({ type, body }) =>
    type === 'late-result-received' ? [JSON.parse(body)] : [],
  );

describe('a late result of a call whose outcome is known', () => {
  it('is dropped, and neither shown to the model nor journaled', async () => {
    const tools = [createPayTool({ reconcile: async () => ({ done: 'paid by card' }) })];
    const app = createMemoryApp({ tools, replies: ['Done.', 'Next.'], clock, leaseMs: LEASE_MS });
    const left = await leaveHolderSilent(app, callEvents(['pay', 'once']));
    await takeOver(app, clock, left);
    await app.port.post(createLateRow(left.turn));
    await advanceUntilSettled(clock, app.say('And now?'));
    expect(callResults((await app.state()).messages)).toEqual([['pay', 'paid by card']]);
    expect(app.model.requests[1]?.messages.at(-1)).toEqual({ role: 'user', text: 'And now?' });
    expect(await readLateEvents(app)).toEqual([]);
  });

  it('is dropped if it arrives a second time, even if the outcome was unknown before', async () => {
    const app = createMemoryApp({
      tools: [createPayTool()],
      replies: ['Hm.', 'Next.', 'Last.'],
      clock,
      leaseMs: LEASE_MS,
    });
    const left = await leaveHolderSilent(app, callEvents(['pay', 'once']));
    await takeOver(app, clock, left);
    await app.port.post(createLateRow(left.turn));
    await advanceUntilSettled(clock, app.say('And now?'));
    await app.port.post(createLateRow(left.turn));
    await advanceUntilSettled(clock, app.say('And then?'));
    expect(await readLateEvents(app)).toHaveLength(1);
    expect((await app.state()).inDoubt).toEqual(new Set());
  });

  it('is dropped if no journaled reply contains its call', async () => {
    const app = createMemoryApp({ replies: ['Hello.', 'Next.'], clock, leaseMs: LEASE_MS });
    const leased = await app.lease('Go.');
    await advanceUntilSettled(clock, app.run(leased));
    await app.port.post(createLateRow(leased.page.openTurn?.id ?? '', 'never'));
    await advanceUntilSettled(clock, app.say('And now?'));
    expect(await readLateEvents(app)).toEqual([]);
  });
});

describe('a late result of a call that is still open', () => {
  it('becomes the result of the call, which is neither reconciled nor run again', async () => {
    let reconciled = 0;
    const reconcile = async () => {
      reconciled += 1;
      return 'not-done' as const;
    };
    const app = createMemoryApp({
      tools: [createPayTool({ reconcile })],
      replies: ['Done.'],
      clock,
      leaseMs: LEASE_MS,
    });
    const left = await leaveHolderSilent(app, callEvents(['pay', 'once']));
    await app.port.post(createLateRow(left.turn));
    const { agent, live } = withLiveState(app.agent);
    expect(await takeOver(app, clock, left, { agent })).toMatchObject({ turn: { text: 'Done.' } });
    expect(callResults((await app.state()).messages)).toEqual([['pay', 'paid']]);
    expect(app.model.requests[0]?.messages.at(-1)).toMatchObject({ role: 'tool', text: 'paid' });
    expect([ran, reconciled]).toEqual([[], 0]);
    expect(await readLateEvents(app)).toMatchObject([{ open: true, call: 'c0', result: PAID_RESULT }]);
    expect(live()).toEqual(await app.state());
  });

  it('passes through the decorators of its tool, like any result', async () => {
    const tool = createPayTool();
    const counted = decorate(tool, {
      call: async (input, call) => text(`Receipt: ${(await tool.call(input, call)).content}`),
    });
    const app = createMemoryApp({ tools: [counted], replies: ['Done.'], clock, leaseMs: LEASE_MS });
    const left = await leaveHolderSilent(app, callEvents(['pay', 'once']));
    await app.port.post(createLateRow(left.turn));
    await takeOver(app, clock, left);
    expect(callResults((await app.state()).messages)).toEqual([['pay', 'Receipt: paid']]);
  });

  it('takes precedence over a `not-done` that `reconcile` returns later', async () => {
    const app = createMemoryApp({
      tools: [
        createPayTool({
          reconcile: async () => {
            await app.port.post(createLateRow(left.turn));
            await new Promise<void>((resolve) => clock.after(LEASE_MS / 2, resolve));
            return 'not-done';
          },
        }),
      ],
      replies: ['Done.'],
      clock,
      leaseMs: LEASE_MS,
    });
    const left = await leaveHolderSilent(app, callEvents(['pay', 'once']));
    await takeOver(app, clock, left);
    expect(callResults((await app.state()).messages)).toEqual([['pay', 'paid']]);
    expect(ran).toEqual([]);
  });

  it('is accepted even if its tool has been removed', async () => {
    const app = createMemoryApp({ tools: [], replies: ['Done.'], clock, leaseMs: LEASE_MS });
    const left = await leaveHolderSilent(app, callEvents(['pay', 'once']));
    await app.port.post(createLateRow(left.turn));
    await takeOver(app, clock, left);
    expect(callResults((await app.state()).messages)).toEqual([['pay', 'paid']]);
  });

  it('is accepted even if its turn is cancelled', async () => {
    const app = createMemoryApp({ tools: [createPayTool()], replies: [], clock, leaseMs: LEASE_MS });
    const left = await leaveHolderSilent(app, callEvents(['pay', 'once']));
    await app.port.post(createLateRow(left.turn));
    await app.port.post({ kind: 'cancel', turn: left.turn, body: '{}' });
    expect(await takeOver(app, clock, left)).toMatchObject({ turn: { outcome: 'cancelled' } });
    expect(callResults((await app.state()).messages)).toEqual([['pay', 'paid']]);
  });

  it('is accepted inside a nested loop', async () => {
    const dig: AnyTool = {
      ...createPayTool(),
      name: 'dig',
      effect: 'none',
      call: async (_, call) =>
        text(
          (await nest(call, { name: 'dig', instructions: '', message: 'Dig.', tools: [createPayTool()] }))
            .text,
        ),
    };
    const app = createMemoryApp({ tools: [dig], replies: ['Dug.', 'Done.'], clock, leaseMs: LEASE_MS });
    const left = await leaveHolderSilent(app, [
      ...callEvents(['dig']),
      { type: 'frame-started', frame: 'c0', name: 'dig', message: 'Dig.' },
      {
        type: 'model-replied',
        frame: 'c0',
        model: 'scripted',
        text: '',
        toolCalls: [{ id: 'd0', providerId: 'p', name: 'pay', input: '{}' }],
        finish: 'tool-calls',
      },
      { type: 'tool-call-started', frame: 'c0', call: 'd0', effect: 'once' },
    ]);
    await app.port.post(createLateRow(left.turn, 'd0'));
    await takeOver(app, clock, left);
    expect(app.model.requests[0]?.messages.at(-1)).toMatchObject({ role: 'tool', text: 'paid' });
    expect(callResults((await app.state()).messages)).toEqual([['dig', 'Dug.']]);
    expect(await readLateEvents(app)).toMatchObject([{ frame: 'c0', open: true }]);
  });

  it('is accepted while a decorator still handles the unknown outcome', async () => {
    const slow = Promise.withResolvers<string>();
    const tool = defineTool({ name: 'pay', description: 'Pays.', timeout: 1_000, run: () => slow.promise });
    const patient = decorate(tool, {
      call: async (input, call) => {
        const result = await tool.call(input, call);
        slow.resolve('paid');
        await new Promise<void>((resolve) => clock.after(2_000, resolve));
        return result;
      },
    });
    const replies = [{ calls: [{ name: 'pay' }] }, 'Done.'];
    const app = createMemoryApp({ tools: [patient], replies, clock, leaseMs: LEASE_MS });
    await advanceUntilSettled(clock, app.say('Go.'));
    expect(callResults((await app.state()).messages)).toEqual([['pay', 'paid']]);
    expect(app.model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', text: 'paid' });
  });
});
