import { describe, expect, it } from 'vitest';
import { ToolConfigurationError } from '../../../../src/index.ts';
import { InterruptionError } from '../../../doors/loop.ts';
import { Meter, type TurnEnd, type TurnHost, UNLIMITED_PLATFORM } from '../../../doors/session.ts';
import { captureWarnings } from '../../../fixtures/warnings.ts';
import { advanceUntilSettled, LEASE_MS, withoutPings } from '../session/former-holder.ts';
import { type ClockedApp, createClockedApp } from '../session/memory-app.ts';
import {
  captureErrors,
  createApp,
  DISCOVERY_ERROR,
  getMessages,
  getOfferedTools,
  readEvents,
  readListingEvents,
} from './discovery-scene.ts';
import { createOutsideSource, neverResolve } from './outside.ts';

describe('a tool source that hangs', () => {
  /** Starts a turn whose source hangs. */
  async function startHanging(host: Partial<TurnHost> = {}) {
    const hangs = Promise.withResolvers<void>();
    const good = createOutsideSource('bank', () => ['pay']);
    const source = createOutsideSource('shop', (n) => {
      hangs.resolve();
      return n === 1 ? neverResolve() : ['buy'];
    });
    const line = { isCut: false };
    const app = createClockedApp({
      tools: [source.provider, good.provider],
      replies: ['Hello.'],
      leaseMs: LEASE_MS,
      wrap: (port) => ({
        ...port,
        ...withoutPings(port, () => line.isCut),
        renew: (epoch) => (line.isCut ? neverResolve() : port.renew(epoch)),
      }),
    });
    const leased = await app.lease('Hi.');
    const end = app.run(leased, host);
    await hangs.promise;
    await app.clock.advance(0);
    return { app, end, turn: leased.page.openTurn?.id ?? '', source, good, line };
  }

  it('does not prevent a cancellation of the turn', async () => {
    const { app, end, turn } = await startHanging();
    await app.port.post({ kind: 'cancel', turn, body: '{}' });
    await app.clock.advance(LEASE_MS / 3 + 1);
    expect(await advanceUntilSettled(app.clock, end, 0)).toMatchObject({
      status: 'ended',
      turn: { outcome: 'cancelled' },
    });
    expect(await readListingEvents(app)).toEqual([]);
  });

  it('does not keep a lease that was lost', async () => {
    const { app, end, turn, source, line } = await startHanging();
    line.isCut = true;
    await app.clock.advance((LEASE_MS * 3) / 4 + 1);
    expect(await advanceUntilSettled(app.clock, end, 0)).toMatchObject({ status: 'lost' });
    line.isCut = false;
    await app.clock.advance(LEASE_MS / 4);
    expect(await advanceUntilSettled(app.clock, app.run(await app.resume(turn)))).toMatchObject({
      turn: { text: 'Hello.' },
    });
    expect([getOfferedTools(app), source.asked()]).toEqual([[['buy', 'pay']], 2]);
  });

  it('does not prevent a hand-over, after which the other sources are not asked again', async () => {
    const client = new AbortController();
    const { app, end, turn, source, good } = await startHanging({ leave: client.signal });
    client.abort();
    await app.clock.advance(20_000);
    expect(await advanceUntilSettled(app.clock, end, 0)).toMatchObject({ status: 'handed-over' });
    const next = await app.resume(turn);
    expect(await advanceUntilSettled(app.clock, app.run(next))).toMatchObject({ turn: { text: 'Hello.' } });
    expect(getOfferedTools(app)).toEqual([['buy', 'pay']]);
    expect([source.asked(), good.asked()]).toEqual([2, 1]);
  });

  it('is abandoned after two minutes', async () => {
    const logged = captureErrors();
    const { app, end } = await startHanging();
    await app.clock.advance(119_999);
    expect(app.model.requests).toEqual([]);
    await app.clock.advance(1);
    expect(await advanceUntilSettled(app.clock, end, 0)).toMatchObject({ turn: { text: 'Hello.' } });
    expect([getOfferedTools(app), getMessages(logged)]).toEqual([[['pay']], [DISCOVERY_ERROR]]);
  });

  it('is abandoned if it takes longer than announced, and another source can use its connection', async () => {
    const logged = captureErrors();
    const slow = Array.from({ length: 6 }, (_, n) =>
      createOutsideSource(`s${n}`, (_n, { ask }) => ask({ subrequests: 1, ms: 3_000 }, neverResolve)),
    );
    const good = createOutsideSource('shop', (_, { ask }) =>
      ask({ subrequests: 1, ms: 3_000 }, async () => ['buy']),
    );
    const app = createApp(
      [...slow, good].map(({ provider }) => provider),
      ['Hello.'],
    );
    const end = app.say('Hi.');
    await app.clock.advance(2_999);
    expect(app.model.requests).toEqual([]);
    await app.clock.advance(1);
    expect(await advanceUntilSettled(app.clock, end, 0)).toMatchObject({ turn: { text: 'Hello.' } });
    expect(getOfferedTools(app)).toEqual([['buy']]);
    expect(logged.map(([, thrown]) => String(thrown))).toEqual(
      slow.map(() => 'TimeoutError: 3000 ms are over.'),
    );
  });
});

describe('an invocation with little time left', () => {
  const NEEDS = { subrequests: 20, ms: 1_000 };
  const createAskingSource = (key: string, name: string) =>
    createOutsideSource(key, (_, { ask }) => ask(NEEDS, async () => [name]));

  /** Runs a turn in several invocations, each with this number of subrequests. */
  async function driveTurn(app: ClockedApp, subrequests: number): Promise<readonly TurnEnd['status'][]> {
    const createHost = (): Partial<TurnHost> => ({
      meter: new Meter({ ...UNLIMITED_PLATFORM, subrequests }, () => app.clock.now()),
    });
    let leased = await app.lease('Hi.');
    const turn = leased.page.openTurn?.id ?? '';
    const ends: TurnEnd['status'][] = [];
    while (ends.length < 8) {
      const { status } = await advanceUntilSettled(app.clock, app.run(leased, createHost()));
      ends.push(status);
      if (status === 'ended') return ends;
      leased = await app.resume(turn);
    }
    return ends;
  }

  it('leaves the remaining sources to the next invocation, which does not request known tools again', async () => {
    const sources = [createAskingSource('shop', 'buy'), createAskingSource('bank', 'pay')];
    const app = createApp(
      sources.map(({ provider }) => provider),
      ['Hello.'],
    );
    expect(await driveTurn(app, 50)).toEqual(['handed-over', 'ended']);
    expect(getOfferedTools(app)).toEqual([['buy', 'pay']]);
    expect(sources.map((source) => source.asked())).toEqual([1, 2]);
    expect((await readEvents(app)).find(({ type }) => type === 'turn-yielded')).toMatchObject({
      reason: 'its invocation is near its limit of 50 subrequests',
    });
  });

  it('hands over at most twice without a reply, and then calls the model with the known tools', async () => {
    captureErrors();
    const warned = captureWarnings();
    const down = createOutsideSource('bank', (_, { ask }) =>
      ask(NEEDS, () => Promise.reject(new Error('down'))),
    );
    const sources = [down, createAskingSource('a', 'one'), createAskingSource('b', 'two')];
    const app = createApp(
      sources.map(({ provider }) => provider),
      ['Hello.', 'Hello again.'],
    );
    expect(await driveTurn(app, 50)).toEqual(['handed-over', 'handed-over', 'ended']);
    expect(getOfferedTools(app)).toEqual([[]]);
    expect(warned).toEqual(['holdfast: tools are not discovered: 2 invocations made no progress']);
  });

  it('stores results once if two sources found the same tools', async () => {
    const twice = [createOutsideSource('shop', () => ['buy']), createOutsideSource('shop', () => ['buy'])];
    const app = createApp(
      twice.map(({ provider }) => provider),
      ['Hello.'],
    );
    expect(await driveTurn(app, 50)).toEqual(['ended']);
    expect(await readListingEvents(app)).toHaveLength(1);
  });

  it('treats a source as failed if no invocation has enough time for it', async () => {
    const logged = captureErrors();
    const huge = createOutsideSource('bank', (_, { ask }) =>
      ask({ subrequests: 39, ms: 1 }, async () => ['pay']),
    );
    const app = createApp([huge.provider], ['Hello.']);
    expect(await driveTurn(app, 50)).toEqual(['ended']);
    expect(logged).toEqual([[DISCOVERY_ERROR, expect.any(ToolConfigurationError)]]);
  });

  it('hands over if a source asks for it, and keeps the results of other sources', async () => {
    const hands = createOutsideSource('bank', (n) => {
      if (n === 1) throw new InterruptionError('handed-over', 'enough');
      return ['pay'];
    });
    const good = createOutsideSource('shop', () => ['buy']);
    const app = createApp([hands.provider, good.provider], ['Hello.']);
    expect(await driveTurn(app, 50)).toEqual(['handed-over', 'ended']);
    expect([getOfferedTools(app), good.asked()]).toEqual([[['buy', 'pay']], 1]);
  });
});
