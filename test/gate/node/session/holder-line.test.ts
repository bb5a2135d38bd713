/** The connection of a lease holder to its object: when it is open, its cost, and its latency. */
import { beforeEach, describe, expect, it } from 'vitest';
import {
  type AnyTool,
  type CallContext,
  defineTool,
  type Effect,
  ToolCallContext,
} from '../../../../src/index.ts';
import {
  createManualClock,
  type ManualClock,
  type ScriptedReply,
  type SessionPort,
} from '../../../../src/testing/entry.ts';
import {
  checkAnswer,
  listOpenQuestions,
  Meter,
  postAnswer,
  type TurnHost,
  toTurnStart,
  UNLIMITED_PLATFORM,
} from '../../../doors/session.ts';
import { callTools } from '../tool-loop/scenes.ts';
import { advanceUntilSettled, LEASE_MS } from './former-holder.ts';
import { createMemoryApp, type MemoryApp } from './memory-app.ts';

const START = 1_000_000;

let clock: ManualClock;
/** The opened and `closed` connections, and the times of the lease renewals. */
let sent: { lines: string[]; renewals: number[] };
/** The ids of the inbox messages in the responses of the object. */
let brought: number[];
beforeEach(() => {
  clock = createManualClock(START);
  sent = { lines: [], renewals: [] };
  brought = [];
});

function recordInbox(port: SessionPort): SessionPort {
  const recordBrought = <T extends object>(answer: T): T => {
    const { inbox = [] } = answer as { readonly inbox?: readonly { readonly id: number }[] }; // Only some responses have one.
    brought.push(...inbox.map(({ id }) => id));
    return answer;
  };
  return {
    ...port,
    append: async (...change) => recordBrought(await port.append(...change)),
    async renew(...renewal) {
      sent.renewals.push(clock.now() - START);
      return recordBrought(await port.renew(...renewal));
    },
    async watch(watcher) {
      const index = sent.lines.push(watcher.holder === undefined ? 'reader' : 'holder') - 1;
      const line = await port.watch(watcher);
      const close = (): void => {
        sent.lines[index] = 'closed';
        line.close();
      };
      return { ...line, close };
    },
  };
}

const createApp = (
  tools: readonly AnyTool[],
  replies: readonly ScriptedReply[],
  wrap: (port: SessionPort) => SessionPort = (port) => port,
): MemoryApp =>
  createMemoryApp({ tools, replies, clock, leaseMs: LEASE_MS, wrap: (port) => recordInbox(wrap(port)) });

/** Starts a turn, and returns it once it can only continue by waiting. */
async function startRunning(app: MemoryApp, host: Partial<TurnHost> = {}) {
  const leased = await app.lease('Go.');
  const end = app.run(leased, host);
  await clock.advance(0);
  return { end, turn: leased.page.openTurn?.id ?? '' };
}

const neverResolve = (): Promise<never> => new Promise(() => {});

/** A function that delays its result by this time. */
const resolveAfter =
  <T>(ms: number, value: T) =>
  (): Promise<T> =>
    new Promise((resolve) => clock.after(ms, () => resolve(value)));

const createNamedTool = (
  run: (call: CallContext) => unknown,
  effect: Effect = 'read',
  name = 'look',
): AnyTool =>
  defineTool({ name, description: 'Does.', effect, timeout: 900_000, run: (_, call) => run(call) });

const cancel = (app: MemoryApp, turn: string): Promise<unknown> =>
  app.port.post({ kind: 'cancel', turn, body: '{}' });

/** Sends a message that steers the running turn. The model sees this text. */
const sendSteering = (app: MemoryApp, turn: string, message = `And ${turn}?`): Promise<unknown> => {
  const ids = [turn, `of ${turn}`];
  const start = { agent: app.agent.name, context: ToolCallContext.EMPTY, from: { id: 'ann' }, message };
  return app.port.accept({ ...toTurnStart(start, () => ids.shift() ?? ''), whenBusy: 'steer' });
};

/** The body of a late result, which is left for the holder of the turn. */
const createLateResultBody = (call: string): string =>
  JSON.stringify({ call, tool: 'look', input: '{}', result: { type: 'text', content: 'seen' } });

const CANCELLED_END = { status: 'ended', turn: { outcome: 'cancelled' } };

describe('the connection of a lease holder', () => {
  it('is not opened while every call of a turn takes under a second', async () => {
    const look = callTools('look');
    const app = createApp(
      [createNamedTool(resolveAfter(999, 'seen'))],
      [resolveAfter(999, look), resolveAfter(999, look), resolveAfter(999, 'Done.')],
    );
    const { end } = await startRunning(app);
    const before = clock.now();
    expect(await advanceUntilSettled(clock, end)).toMatchObject({
      turn: { outcome: 'completed', iterations: 3 },
    });
    expect(clock.now() - before).toBeGreaterThan(4_000);
    expect(sent).toEqual({ lines: [], renewals: [] });
  });

  it.each<[string, readonly AnyTool[], readonly ScriptedReply[]]>([
    ['model', [], [resolveAfter(1_000, 'Done.')]],
    ['tool', [createNamedTool(resolveAfter(1_000, 'seen'), 'once')], [callTools('look'), 'Done.']],
  ])(
    'is opened once if a %s call has run for a second, and closes with the turn',
    async (_, tools, replies) => {
      // Created inside the test, because each test has its own clock.
      const app = createApp(tools, replies);
      const { end } = await startRunning(app);
      await clock.advance(999);
      expect(sent.lines).toEqual([]);
      await clock.advance(1);
      expect(await advanceUntilSettled(clock, end)).toMatchObject({ turn: { outcome: 'completed' } });
      expect(sent).toEqual({ lines: ['closed'], renewals: [] });
    },
  );

  it.each<[string, readonly AnyTool[], readonly ScriptedReply[]]>([
    ['model', [], [neverResolve]],
    ['tool', [createNamedTool(neverResolve)], [callTools('look')]],
  ])('delivers a cancel to a %s call at once', async (_, tools, replies) => {
    const app = createApp(tools, replies);
    const { end, turn } = await startRunning(app);
    await clock.advance(3_000);
    await cancel(app, turn);
    expect(await advanceUntilSettled(clock, end, 1)).toMatchObject(CANCELLED_END);
    expect(sent).toEqual({ lines: ['closed'], renewals: [3_000] });
  });

  it('delivers earlier messages as soon as it opens, a second after the call has started', async () => {
    const app = createApp([], [neverResolve]);
    const { end, turn } = await startRunning(app);
    await cancel(app, turn);
    await clock.advance(999);
    expect(sent.renewals).toEqual([]);
    await clock.advance(1);
    expect(await advanceUntilSettled(clock, end, 1)).toMatchObject(CANCELLED_END);
    expect(sent).toEqual({ lines: ['closed'], renewals: [1_000] });
  });

  it('delivers a decision to a running call that waits for it', async () => {
    const askDecision = (call: CallContext) =>
      call.ask({ for: 'decision', meanwhile: 'running', message: 'May I?', expires: 600_000 });
    const app = createApp(
      [createNamedTool(async (call) => (await askDecision(call)).decision)],
      [callTools('look'), 'Done.'],
    );
    const { end, turn } = await startRunning(app);
    await clock.advance(2_000);
    const [question] = listOpenQuestions(await app.events(turn));
    if (!question) throw new Error('The turn has no open question.');
    const checked = checkAnswer(question, { decision: 'approve' }, { by: 'ann' });
    if (!checked.ok) throw new Error(checked.problems.join('; '));
    expect(await postAnswer(app, question, { answer: checked.value, hash: 'h' })).toBe('posted');
    expect(await advanceUntilSettled(clock, end, 1)).toMatchObject({ turn: { text: 'Done.' } });
    expect(sent).toEqual({ lines: ['closed'], renewals: [2_000] });
  });

  it('delivers a steering message during a model call, and the message is answered next', async () => {
    const app = createApp([], [resolveAfter(3_000, 'One.'), 'Two.']);
    const { end, turn } = await startRunning(app);
    await clock.advance(2_000);
    await sendSteering(app, 's1');
    await clock.advance(0);
    expect(sent.renewals).toEqual([2_000]);
    expect(await advanceUntilSettled(clock, end)).toMatchObject({
      turn: { id: turn, text: 'Two.', iterations: 2 },
    });
  });

  it('fetches all messages that arrive during a request with one further request', async () => {
    const answers: (() => void)[] = [];
    const withSlowRenewals = (port: SessionPort): SessionPort => ({
      ...port,
      async renew(...renewal) {
        const answer = await port.renew(...renewal);
        await new Promise<void>((resolve) => answers.push(resolve));
        return answer;
      },
    });
    const app = createApp([], [neverResolve], withSlowRenewals);
    await startRunning(app);
    await clock.advance(2_000);
    for (let i = 1; i <= 5; i += 1) {
      await sendSteering(app, `s${i}`);
      await clock.advance(10);
    }
    expect(sent.renewals).toEqual([2_000]);
    answers.shift()?.();
    await clock.advance(0);
    expect(sent.renewals).toEqual([2_000, 2_050]);
    answers.shift()?.();
    await clock.advance(1_000);
    expect(sent.renewals).toEqual([2_000, 2_050]);
    expect(brought).toEqual([1, 2, 3, 4, 5]);
  });

  it('is retried soon if the object could not be reached', async () => {
    let tries = 0;
    const app = createApp([], [neverResolve], (port) => ({
      ...port,
      renew: (...renewal) => {
        tries += 1;
        return tries < 3 ? Promise.reject(new Error('unreachable')) : port.renew(...renewal);
      },
    }));
    const { end, turn } = await startRunning(app);
    await clock.advance(2_000);
    await cancel(app, turn);
    expect(await advanceUntilSettled(clock, end, 4_000)).toMatchObject(CANCELLED_END);
    expect(sent.renewals.map((at) => at >= 2_000 && at < 6_000)).toEqual([true, true, true]);
  });

  it('delivers messages while an append is pending, but these requests do not extend the lease', async () => {
    let appends = 0;
    const app = createApp([createNamedTool(neverResolve)], [callTools('look')], (port) => ({
      ...port,
      append: (...change) => {
        appends += 1;
        return appends > 1 ? neverResolve() : port.append(...change);
      },
    }));
    const { end, turn } = await startRunning(app);
    await clock.advance(2_000);
    await app.port.post({ kind: 'late', turn, body: createLateResultBody(`${turn}.3.0`) });
    await clock.advance(5_000);
    await app.port.post({ kind: 'late', turn, body: createLateResultBody('c2') });
    expect(await advanceUntilSettled(clock, end, (LEASE_MS * 3) / 4 - 5_000)).toMatchObject({
      status: 'lost',
    });
    expect(sent.renewals.slice(0, 2)).toEqual([2_000, 7_000]);
  });

  it('counts as one of six connections: five calls run at the same time, and other calls wait', async () => {
    let started = 0;
    const ends: (() => void)[] = [];
    const look = createNamedTool(() => {
      started += 1;
      return new Promise<string>((resolve) => ends.push(() => resolve('seen')));
    });
    const app = createApp(
      [look],
      [resolveAfter(2_000, callTools(...Array.from({ length: 7 }, () => 'look'))), 'Done.'],
    );
    const { end } = await startRunning(app);
    await clock.advance(2_000);
    expect([started, sent.lines]).toEqual([5, ['holder']]);
    ends.shift()?.();
    await clock.advance(0);
    expect(started).toBe(6);
    while (started < 7 || ends.length > 0) {
      ends.shift()?.();
      await clock.advance(0);
    }
    expect(await advanceUntilSettled(clock, end)).toMatchObject({ turn: { text: 'Done.' } });
  });

  it('opens when one of six running calls ends; until then the holder polls every 1.2 s', async () => {
    let started = 0;
    const ends: (() => void)[] = [];
    const look = createNamedTool(() => {
      started += 1;
      return new Promise<string>((resolve) => ends.push(() => resolve('seen')));
    });
    const app = createApp([look], [callTools(...Array.from({ length: 8 }, () => 'look'))]);
    const { end, turn } = await startRunning(app);
    await clock.advance(5_000);
    expect([started, sent]).toEqual([6, { lines: [], renewals: [1_200, 2_400, 3_600, 4_800] }]);
    ends.shift()?.();
    await clock.advance(0);
    expect([started, sent.lines]).toEqual([6, ['holder']]);
    ends.shift()?.();
    await clock.advance(0);
    expect(started).toBe(7);
    sent.renewals = [];
    await clock.advance(3_000);
    expect(sent.renewals).toEqual([]);
    await cancel(app, turn);
    expect(await advanceUntilSettled(clock, end, 1)).toMatchObject(CANCELLED_END);
  });

  it('is reopened after it breaks; until then the holder polls every 1.2 s', async () => {
    let isGone = false;
    const app = createApp([], [neverResolve], (port) => ({
      ...port,
      watch: (watcher) => (isGone ? Promise.reject(new Error('unreachable')) : port.watch(watcher)),
    }));
    const { end, turn } = await startRunning(app);
    await clock.advance(2_000);
    expect(sent).toEqual({ lines: ['holder'], renewals: [] });
    isGone = true;
    app.sessions.restart('["owner","tester","s1"]');
    await clock.advance(3_000);
    const pauses = sent.renewals.map((at, i) => at - (sent.renewals[i - 1] ?? 2_000));
    expect(pauses.map((ms) => Math.round(ms / 100))).toEqual([0, 12, 12]);
    isGone = false;
    await clock.advance(10_000);
    // At most one, because renewals are a third of a term apart, as without a connection.
    sent.renewals = [];
    await clock.advance(6_000);
    expect(sent.renewals.length).toBeLessThanOrEqual(1);
    await cancel(app, turn);
    expect(await advanceUntilSettled(clock, end, 1)).toMatchObject(CANCELLED_END);
    expect(new Set(sent.lines)).toEqual(new Set(['holder', 'closed']));
  });

  it('is opened immediately if the object reports in its next response that a client reads the session', async () => {
    const app = createApp(
      [createNamedTool(resolveAfter(10, 'seen'), 'once')],
      [resolveAfter(10, callTools('look')), resolveAfter(900, 'Done.')],
    );
    const reader = await app.port.watch({ onNotice: () => {}, onClosed: () => {} });
    const { end } = await startRunning(app);
    expect(sent.lines).toEqual(['reader']);
    await clock.advance(10);
    expect(sent.lines).toEqual(['reader', 'holder']);
    reader.close();
    expect(await advanceUntilSettled(clock, end)).toMatchObject({ turn: { text: 'Done.' } });
    expect(sent).toEqual({ lines: ['closed', 'closed'], renewals: [] });
  });

  it('is not opened by an invocation near its request limit', async () => {
    const app = createApp([], [resolveAfter(5_000, 'Done.')]);
    const platform = { ...UNLIMITED_PLATFORM, internalSubrequests: 20 };
    let timers = 0;
    const counting = {
      ...clock,
      after(ms: number, run: () => void) {
        timers += 1;
        return clock.after(ms, run);
      },
    };
    const meter = new Meter(platform, () => clock.now());
    for (let i = 0; i < 9; i += 1) meter.spendInternal();
    const { end } = await startRunning(app, { meter, clock: counting });
    expect(await advanceUntilSettled(clock, end)).toMatchObject({ status: 'handed-over' });
    expect(timers).toBeLessThan(10);
    expect(sent).toEqual({ lines: [], renewals: [] });
  });

  it('is closed when the turn waits for an outside answer, so the object can hibernate', async () => {
    const ask = createNamedTool(
      async (call) => (await call.ask({ for: 'decision', message: 'May I?' })).decision,
    );
    const app = createApp([ask], [resolveAfter(2_000, callTools('look'))]);
    const { end } = await startRunning(app);
    expect(await advanceUntilSettled(clock, end)).toMatchObject({ status: 'suspended' });
    expect(sent).toEqual({ lines: ['closed'], renewals: [] });
  });

  it('stops the holder of an erased session', async () => {
    const app = createApp([], [neverResolve]);
    const { end } = await startRunning(app);
    await clock.advance(2_000);
    await app.port.erase();
    expect(await advanceUntilSettled(clock, end, 1)).toMatchObject({ status: 'lost' });
  });

  it('does not request messages that are for the next holder', async () => {
    const app = createApp([], [resolveAfter(2_000, 'Done.')]);
    const { end, turn } = await startRunning(app);
    await clock.advance(1_500);
    const start = {
      agent: app.agent.name,
      context: ToolCallContext.EMPTY,
      from: { id: 'ann' },
      message: 'Next.',
    };
    await app.port.accept({ ...toTurnStart(start, () => 't2'), whenBusy: 'queue' });
    await app.port.post({ kind: 'cancel', turn: 't2', body: '{}' });
    expect(await advanceUntilSettled(clock, end)).toMatchObject({ turn: { id: turn, outcome: 'completed' } });
    expect(sent).toEqual({ lines: ['closed'], renewals: [] });
  });
});

describe('a steering message', () => {
  it('is delivered to the holder once, and again to the next holder', async () => {
    const app = createApp(
      [createNamedTool(resolveAfter(500, 'seen'), 'once')],
      [resolveAfter(2_000, callTools('look')), resolveAfter(2_000, 'One.'), resolveAfter(2_000, 'Two.')],
    );
    const leave = new AbortController();
    const { end, turn } = await startRunning(app, { leave: leave.signal });
    await clock.advance(2_100);
    for (const next of ['s1', 's2']) await sendSteering(app, next);
    leave.abort();
    expect(await advanceUntilSettled(clock, end)).toMatchObject({ status: 'handed-over' });
    expect(brought).toEqual([1, 2]);
    brought = [];
    const leased = await app.resume(turn);
    expect(leased.inbox.map(({ id }) => id)).toEqual([1, 2]);
    expect(await advanceUntilSettled(clock, app.run(leased))).toMatchObject({ turn: { text: 'One.' } });
    expect(brought).toEqual([]);
    const steered = (await app.events(turn)).flatMap((event) =>
      event.type === 'turn-steered' ? [event.as] : [],
    );
    expect(steered).toEqual(['s1', 's2']);
  });

  it('is accepted only once from an older object that repeats it in every response', async () => {
    const createOlderPort = (port: SessionPort): SessionPort => ({
      ...port,
      append: (epoch, from, { inboxHeld: _, ...change }) => port.append(epoch, from, change),
      renew: (epoch) => port.renew(epoch),
      watch: ({ onNotice, onClosed }) =>
        port.watch({ onNotice: ({ unread: _, ...notice }) => onNotice(notice), onClosed }),
    });
    const app = createApp(
      [createNamedTool(resolveAfter(15_000, 'seen'), 'once')],
      [resolveAfter(2_000, callTools('look')), 'One.'],
      createOlderPort,
    );
    const { end, turn } = await startRunning(app);
    await clock.advance(1_500);
    await sendSteering(app, 's1');
    expect(await advanceUntilSettled(clock, end)).toMatchObject({ turn: { id: turn, text: 'One.' } });
    expect(brought.length).toBeGreaterThan(1);
    const steered = (await app.events(turn)).filter((event) => event.type === 'turn-steered');
    expect(steered).toHaveLength(1);
  });

  it('reaches the holder of an older object at the next lease renewal, like other inbox messages', async () => {
    const createOlderPort = (port: SessionPort): SessionPort => ({
      ...port,
      watch: ({ onNotice, onClosed }) =>
        port.watch({ onNotice: ({ unread: _, ...notice }) => onNotice(notice), onClosed }),
    });
    const app = createApp([], [neverResolve], createOlderPort);
    const { end, turn } = await startRunning(app);
    await clock.advance(2_000);
    await cancel(app, turn);
    expect(await advanceUntilSettled(clock, end, 10_000)).toMatchObject(CANCELLED_END);
    // As soon as the holder stops relying on responses to its pings.
    expect(sent.renewals.map((at) => Math.floor(at / 100))).toEqual([
      Math.floor(((1 / 3 + 1 / 12) * LEASE_MS) / 100),
    ]);
  });
});
