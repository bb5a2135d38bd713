import * as v from 'valibot';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type AnyTool,
  type CallContext,
  defineTool,
  type Effect,
  type Reconciliation,
} from '../../../../src/index.ts';
import { callLimits } from '../../../../src/modules/limits/entry.ts';
import { createManualClock, type ManualClock } from '../../../../src/testing/entry.ts';
import {
  advanceUntilSettled,
  callEvents,
  callResults,
  LEASE_MS,
  LONGEST_PAUSE,
  leaveHolderSilent,
  takeOver,
} from './former-holder.ts';
import { createMemoryApp } from './memory-app.ts';

const UNKNOWN_OUTCOME =
  "Error: The outcome of this call of 'pay' is unknown: it was started, and no answer came back. It may have happened " +
  'or not. Do not assume either, and do not repeat it: find out with another tool, or tell the user.';

let clock: ManualClock;
let ran: string[];
beforeEach(() => {
  clock = createManualClock(1_000_000);
  ran = [];
});

type ReconcileFunction = (input: unknown, call: CallContext) => Reconciliation | Promise<Reconciliation>;

const createPayTool = (reconcile?: ReconcileFunction): AnyTool =>
  defineTool({
    name: 'pay',
    description: 'Pays.',
    timeout: 3_000,
    reconcile,
    run: (_, call) => {
      ran.push(call.id);
      return 'paid';
    },
  });
const createNamedTool = (name: string, effect: 'read' | 'idempotent'): AnyTool =>
  defineTool({
    name,
    description: 'Does.',
    effect,
    run: (_, call) => {
      ran.push(`${call.id} ${call.idempotencyKey}`);
      return 'done';
    },
  });

const createApp = (...tools: AnyTool[]) =>
  createMemoryApp({ tools, replies: ['Done.'], clock, leaseMs: LEASE_MS });
type App = ReturnType<typeof createApp>;

async function resumeForResults(app: App, ...calls: readonly (readonly [string, Effect?])[]) {
  const end = await takeOver(app, clock, await leaveHolderSilent(app, callEvents(...calls)));
  expect(end).toMatchObject({ status: 'ended', turn: { outcome: 'completed', text: 'Done.' } });
  return callResults((await app.state()).messages);
}

describe('a `once` call without a recorded end', () => {
  it('has the result that its tool returns from `reconcile`, and does not run', async () => {
    const app = createApp(createPayTool(() => ({ done: { receipt: 7 } })));
    expect(await resumeForResults(app, ['pay', 'once'])).toEqual([['pay', '{"receipt":7}']]);
    expect(ran).toEqual([]);
  });

  it('runs again under the same id if `reconcile` returns `not-done`', async () => {
    const app = createApp(createPayTool(() => 'not-done'));
    expect(await resumeForResults(app, ['pay', 'once'])).toEqual([['pay', 'paid']]);
    expect(ran).toEqual(['c0']);
  });

  it('does not run again if it started with an invalid effect', async () => {
    // Earlier versions did not check effects from plain JavaScript.
    const begun = ['pay', 'Once' as Effect] as const;
    expect(await resumeForResults(createApp(createPayTool()), begun)).toEqual([['pay', UNKNOWN_OUTCOME]]);
    const reconciles = createApp(createPayTool(() => ({ done: 'paid before' })));
    expect(await resumeForResults(reconciles, begun)).toEqual([['pay', 'paid before']]);
    expect(ran).toEqual([]);
  });

  it.each<[unknown, string]>([
    ['Not-Done', 'Not-Done'],
    ['done', 'done'],
    [undefined, 'undefined'],
    [null, 'null'],
    [{ receipt: 7 }, '[object Object]'],
    [Symbol('not-done'), 'Symbol(not-done)'],
  ])('has an unknown outcome if `reconcile` returns %o, and the value is logged', async (answer, said) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const app = createApp(createPayTool(() => answer as never)); // as plain JavaScript may
    expect(await resumeForResults(app, ['pay', 'once'])).toEqual([['pay', UNKNOWN_OUTCOME]]);
    expect(ran).toEqual([]);
    expect(log.mock.calls).toEqual([
      [
        `holdfast: The reconcile of tool 'pay' returned '${said}', which is neither { done }, 'not-done' nor 'unknown'.`,
      ],
    ]);
    log.mockRestore();
  });

  it.each<[string, ReconcileFunction | undefined]>([
    ['cannot reconcile', undefined],
    ['does not know', () => 'unknown'],
    ['rejects', () => Promise.reject(new Error('down'))],
    [
      'throws',
      () => {
        throw new Error('down');
      },
    ],
    ['never answers', () => new Promise(() => {})],
  ])('has an unknown outcome if its tool %s', async (_, reconcile) => {
    expect(await resumeForResults(createApp(createPayTool(reconcile)), ['pay', 'once'])).toEqual([
      ['pay', UNKNOWN_OUTCOME],
    ]);
    expect(ran).toEqual([]);
  });

  it('is reconciled only after the former holder can no longer act: half a lease term after its deadline', async () => {
    const asked_: number[] = [];
    const app = createApp(
      createPayTool(() => {
        asked_.push(clock.now());
        return 'unknown';
      }),
    );
    const left = await leaveHolderSilent(app, callEvents(['pay', 'once']));
    const heard = clock.now();
    await takeOver(app, clock, left);
    expect(asked_).toHaveLength(1);
    expect((asked_[0] ?? 0) - heard).toBeGreaterThanOrEqual(LEASE_MS * 1.25);
    expect((asked_[0] ?? 0) - heard).toBeLessThan(LEASE_MS * 1.25 + 1_000);
  });

  it('is reconciled no earlier if another holder took over in between and handed over at once', async () => {
    const times: number[] = [];
    const app = createApp(
      createPayTool(() => {
        times.push(clock.now());
        return 'unknown';
      }),
    );
    const left = await leaveHolderSilent(app, callEvents(['pay', 'once']));
    const heard = clock.now();
    expect(await takeOver(app, clock, left, { leave: AbortSignal.abort() })).toMatchObject({
      status: 'handed-over',
    });
    await advanceUntilSettled(clock, app.run(await app.resume(left.turn)));
    expect((times[0] ?? 0) - heard).toBeGreaterThanOrEqual(LEASE_MS * 1.25);
  });

  it('waits once for all calls of a batch, which are then reconciled one by one', async () => {
    const app = createApp({ ...createPayTool(() => 'unknown'), serial: 'money' });
    const left = await leaveHolderSilent(app, callEvents(['pay', 'once'], ['pay', 'once'], ['pay', 'once']));
    const heard = clock.now();
    await takeOver(app, clock, left);
    expect(clock.now() - heard).toBeLessThan(LEASE_MS * 1.25 + 1_000);
  });

  it('does not run again if its tool is now a read', async () => {
    expect(await resumeForResults(createApp(createNamedTool('pay', 'read')), ['pay', 'once'])).toEqual([
      ['pay', UNKNOWN_OUTCOME],
    ]);
    expect(ran).toEqual([]);
  });

  it('has an unknown outcome if its tool is gone', async () => {
    expect(await resumeForResults(createApp(), ['pay', 'once'])).toEqual([['pay', UNKNOWN_OUTCOME]]);
  });

  it('has an unknown outcome if the schema now refuses its input', async () => {
    const input = v.object({ amount: v.number() });
    const stricter = defineTool({ name: 'pay', description: 'Pays.', input, run: () => 'paid' });
    expect(await resumeForResults(createApp(stricter), ['pay', 'once'])).toEqual([['pay', UNKNOWN_OUTCOME]]);
  });

  it('has an unknown outcome if a lower limit now refuses it', async () => {
    const app = createMemoryApp({
      tools: [createPayTool()],
      replies: ['Done.'],
      clock,
      leaseMs: LEASE_MS,
      use: [callLimits({ toolCalls: 1 })],
    });
    await takeOver(app, clock, await leaveHolderSilent(app, callEvents(['pay', 'once'], ['pay', 'once'])));
    expect(callResults((await app.state()).messages)).toEqual([
      ['pay', UNKNOWN_OUTCOME],
      ['pay', UNKNOWN_OUTCOME],
    ]);
  });
});

describe('another call without a recorded end', () => {
  it.each(['read', 'idempotent'] as const)('runs again under its id (%s)', async (effect) => {
    const app = createApp(createNamedTool('put', effect));
    const left = await leaveHolderSilent(app, callEvents(['put', effect]));
    await takeOver(app, clock, left);
    expect(ran).toEqual([expect.stringMatching(/^c0 [0-9a-f]{32}c0$/)]);
    const types = (await app.events(left.turn)).map(({ type }) => type);
    expect(types.filter((type) => type === 'tool-call-started')).toHaveLength(1);
    expect(callResults((await app.state()).messages)).toEqual([['put', 'done']]);
  });

  it('is journaled as `once` before it runs if its tool is now a `once` tool', async () => {
    const app = createApp(createPayTool());
    const left = await leaveHolderSilent(app, callEvents(['pay', 'read']));
    await takeOver(app, clock, left);
    const starts = (await app.events(left.turn)).flatMap((event) =>
      event.type === 'tool-call-started' ? [event.effect] : [],
    );
    expect(starts).toEqual(['read', 'once']);
    expect(ran).toEqual(['c0']);
  });

  it('has an unknown outcome if it was idempotent and its tool is gone', async () => {
    expect(await resumeForResults(createApp(), ['put', 'idempotent'])).toEqual([
      ['put', UNKNOWN_OUTCOME.replace('pay', 'put')],
    ]);
  });

  it('follows the tool-not-found policy if it was a read and its tool is gone', async () => {
    const [answer] = await resumeForResults(createApp(), ['look', 'read']);
    expect(answer?.[1]).toMatch(/^Error: Tool 'look' does not exist\./);
  });
});

describe('a take-over', () => {
  /** Several holders that crash as soon as they have taken over the turn. */
  async function crashImmediately(
    app: App,
    { turn }: { readonly turn: string },
    times: number,
  ): Promise<void> {
    for (let i = 0; i < times; i += 1) {
      await clock.advance(LEASE_MS + LONGEST_PAUSE);
      await app.resume(turn);
    }
    await clock.advance(LONGEST_PAUSE);
  }

  it('resumes the turn after seven crashes at one event', async () => {
    const app = createApp(createPayTool());
    const left = await leaveHolderSilent(app, []);
    await crashImmediately(app, left, 6);
    const end = await takeOver(app, clock, left);
    expect(end).toMatchObject({ status: 'ended', turn: { outcome: 'completed', text: 'Done.' } });
  });

  it('abandons the turn at the eighth attempt without progress, and names the last event', async () => {
    const app = createApp(createPayTool());
    const left = await leaveHolderSilent(app, callEvents(['pay', 'once']));
    await crashImmediately(app, left, 7);
    const end = await takeOver(app, clock, left);
    expect(end).toMatchObject({
      status: 'ended',
      turn: {
        outcome: 'failed',
        error: {
          type: 'stuck',
          message:
            'The turn was taken over 8 times without progress. Its last event is tool-call-started c0.',
        },
      },
    });
    expect(callResults((await app.state()).messages)).toEqual([['pay', UNKNOWN_OUTCOME]]);
    expect(await advanceUntilSettled(clock, app.say('And now?'))).toMatchObject({
      status: 'ended',
      turn: { outcome: 'completed' },
    });
  });

  /**
   * Several holders that crash after most of a lease term, as if the platform or a deployment stopped them.
   * The next one takes over.
   */
  async function cutOff(app: App, { turn }: { readonly turn: string }, times: number): Promise<void> {
    for (let i = 0; i < times; i += 1) {
      await clock.advance(LEASE_MS + LONGEST_PAUSE);
      const { epoch } = await app.resume(turn);
      await clock.advance(LEASE_MS * 0.7);
      await app.port.renew(epoch);
    }
    await clock.advance(LONGEST_PAUSE);
  }

  it('resumes the turn after several crashes of holders that have renewed their leases', async () => {
    const app = createApp(createPayTool());
    const left = await leaveHolderSilent(app, []);
    await cutOff(app, left, 3);
    const end = await takeOver(app, clock, left);
    expect(end).toMatchObject({ status: 'ended', turn: { outcome: 'completed', text: 'Done.' } });
  });

  it('abandons the turn after twenty attempts without progress, however they ended', async () => {
    const few = createApp(createPayTool());
    const before = await leaveHolderSilent(few, []);
    await cutOff(few, before, 18);
    expect(await takeOver(few, clock, before)).toMatchObject({ turn: { outcome: 'completed' } });
    const app = createApp(createPayTool());
    const left = await leaveHolderSilent(app, []);
    await cutOff(app, left, 19);
    const message = 'The turn was taken over 20 times without progress. Its last event is turn-started.';
    expect(await takeOver(app, clock, left)).toMatchObject({
      turn: { outcome: 'failed', error: { type: 'stuck', message } },
    });
  });

  it('abandons the turn after twenty consecutive invocations without room for progress', async () => {
    const idle = [
      { type: 'turn-yielded', reason: 'its invocation is near its limit of 50 subrequests' },
      { type: 'turn-resumed', cause: 'handed-over' },
    ] as const;
    const createInvocations = (count: number) => Array.from({ length: count }, () => idle).flat();
    const few = createApp(createPayTool());
    const goesOn = await takeOver(few, clock, await leaveHolderSilent(few, createInvocations(18)));
    expect(goesOn).toMatchObject({ status: 'ended', turn: { outcome: 'completed' } });
    const many = createApp(createPayTool());
    const end = await takeOver(many, clock, await leaveHolderSilent(many, createInvocations(20)));
    expect(end).toMatchObject({
      turn: {
        outcome: 'failed',
        error: {
          type: 'stuck',
          message: 'The turn was taken over 21 times without progress. Its last event is turn-yielded.',
        },
      },
    });
  });

  it('is journaled with its cause', async () => {
    const app = createApp(createPayTool());
    const left = await leaveHolderSilent(app, callEvents(['pay']));
    await takeOver(app, clock, left);
    expect(await app.events(left.turn)).toContainEqual({
      seq: expect.any(Number),
      at: expect.any(Number),
      type: 'turn-resumed',
      turn: left.turn,
      cause: 'expired',
    });
  });
});
