/**
 * A `reconcile` that returns not-done must first check the call's age, because its request may still arrive.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { type AnyTool, type CallContext, defineTool, type Reconciliation } from '../../../../src/index.ts';
import { createManualClock, type ManualClock, type SessionPort } from '../../../../src/testing/entry.ts';
import {
  advanceUntilSettled,
  callEvents,
  callResults,
  LEASE_MS,
  leaveHolderSilent,
  withoutPings,
} from './former-holder.ts';
import { createMemoryApp, type MemoryApp } from './memory-app.ts';

const UNKNOWN_OUTCOME =
  "Error: The outcome of this call of 'pay' is unknown: it was started, and no answer came back. It may have happened " +
  'or not. Do not assume either, and do not repeat it: find out with another tool, or tell the user.';

/** No request takes longer to arrive, in ms. */
const MAX_REQUEST_MS = 60_000;
/** The time that the request of this test takes to arrive, in ms. */
const DELIVERY_MS = 40_000;

const START = 1_000_000;

type ReconcileFunction = (call: CallContext) => Reconciliation;

let clock: ManualClock;
/** The times at which payments arrived. */
let paid: number[];
/**
 * The epochs of invocations that are cut off. The session receives no messages from them, but their requests
 * still arrive.
 */
let cutOff: Set<number>;
/** The calls that `reconcile` received. */
let told: { readonly age: number; readonly startedAt: number }[];
beforeEach(() => {
  clock = createManualClock(START);
  [paid, cutOff, told] = [[], new Set(), []];
});

const lookAtBank: ReconcileFunction = () => (paid.length > 0 ? { done: 'was paid' } : 'not-done');
const reconcileOldCalls: ReconcileFunction = (call) => {
  const found = lookAtBank(call);
  return found === 'not-done' && call.now() - call.startedAt < MAX_REQUEST_MS ? 'unknown' : found;
};

function createSlowPayTool(reconcile: ReconcileFunction): AnyTool {
  const payLate = (): Promise<string> =>
    new Promise((resolve) => {
      clock.after(DELIVERY_MS, () => {
        paid.push(clock.now() - START);
        resolve('paid');
      });
    });
  return defineTool({
    name: 'pay',
    description: 'Pays.',
    timeout: 2 * MAX_REQUEST_MS,
    run: payLate,
    reconcile: (_, call) => {
      told.push({ age: call.now() - call.startedAt, startedAt: call.startedAt });
      return reconcile(call);
    },
  });
}

function createApp(tool: AnyTool): MemoryApp {
  const callUnlessCutOff = <T>(epoch: number, call: () => Promise<T>): Promise<T> =>
    cutOff.has(epoch) ? Promise.reject(new Error('unreachable')) : call();
  const wrap = (port: SessionPort): SessionPort => ({
    ...port,
    watch: (watcher) => withoutPings(port, () => cutOff.has(watcher.holder ?? 0)).watch(watcher),
    append: (epoch, from, change) => callUnlessCutOff(epoch, () => port.append(epoch, from, change)),
    renew: (epoch) => callUnlessCutOff(epoch, () => port.renew(epoch)),
  });
  const replies = [{ calls: [{ name: 'pay' }] }, 'Done.'];
  return createMemoryApp({ tools: [tool], replies, clock, leaseMs: LEASE_MS, wrap });
}

/** Starts a turn whose invocation is cut off while its request is in transit. */
async function killWhilePaying(app: MemoryApp): Promise<string> {
  const leased = await app.lease('Pay.');
  void app.run(leased);
  await clock.advance(0);
  cutOff.add(leased.epoch);
  return leased.page.openTurn?.id ?? '';
}

/**
 * Takes over the turn after its lease has expired. Runs it to its end, and waits until every request has
 * arrived.
 */
async function takeOver(app: MemoryApp, turn: string): Promise<void> {
  await clock.advance(LEASE_MS);
  await advanceUntilSettled(clock, app.run(await app.resume(turn)), 300_000);
  await clock.advance(MAX_REQUEST_MS);
}

const readStarts = async (app: MemoryApp, turn: string): Promise<number[]> =>
  (await app.events(turn)).flatMap(({ type, at }) => (type === 'tool-call-started' ? at : []));

describe('a request that is still in transit when its call is reconciled, 25 s after the start', () => {
  it('pays twice if the tool returns `not-done` before the request arrives', async () => {
    const app = createApp(createSlowPayTool(lookAtBank));
    await takeOver(app, await killWhilePaying(app));
    expect(told.map(({ age }) => age)).toEqual([25_000]);
    expect(paid).toEqual([40_000, 65_000]);
  });

  it('pays once if the tool returns `unknown` for such a recent call', async () => {
    const app = createApp(createSlowPayTool(reconcileOldCalls));
    await takeOver(app, await killWhilePaying(app));
    expect(told.map(({ age }) => age)).toEqual([25_000]);
    expect(paid).toEqual([40_000]);
    expect(callResults((await app.state()).messages)).toEqual([['pay', UNKNOWN_OUTCOME]]);
  });

  it('is found if the turn is taken over later', async () => {
    const app = createApp(createSlowPayTool(reconcileOldCalls));
    const turn = await killWhilePaying(app);
    await clock.advance(MAX_REQUEST_MS);
    await takeOver(app, turn);
    expect(paid).toEqual([40_000]);
    expect(callResults((await app.state()).messages)).toEqual([['pay', 'was paid']]);
  });
});

describe('`startedAt`', () => {
  it('is the time of the journaled start if another invocation started the call', async () => {
    const app = createApp(createSlowPayTool(() => 'unknown'));
    await clock.advance(1_234);
    const turn = await killWhilePaying(app);
    await takeOver(app, turn);
    expect(await readStarts(app, turn)).toEqual([START + 1_234]);
    expect(told.map(({ startedAt }) => startedAt)).toEqual([START + 1_234]);
  });

  it('is the time of the last start, which is journaled again if a call runs again after `not-done`', async () => {
    const app = createApp(createSlowPayTool(() => (told.length === 1 ? 'not-done' : 'unknown')));
    const turn = await killWhilePaying(app);
    await clock.advance(LEASE_MS);
    const second = await app.resume(turn);
    void app.run(second);
    await clock.advance(LEASE_MS / 2);
    cutOff.add(second.epoch);
    await takeOver(app, turn);
    expect(await readStarts(app, turn)).toEqual([START, START + 25_000]);
    expect(told.map(({ startedAt }) => startedAt)).toEqual([START, START + 25_000]);
    expect(callResults((await app.state()).messages)).toEqual([['pay', UNKNOWN_OUTCOME]]);
  });

  it('is the time on the invocation’s own clock if that invocation started the call', async () => {
    const run = (): Promise<never> =>
      new Promise((_, reject) => clock.after(700, () => reject(new Error('Network connection lost.'))));
    const lost = defineTool({
      name: 'pay',
      description: 'Pays.',
      run,
      reconcile: (_, call) => {
        told.push({ age: call.now() - call.startedAt, startedAt: call.startedAt });
        return 'unknown';
      },
    });
    const app = createApp(lost);
    const own = { ...clock, now: () => clock.now() + 90_000 };
    await advanceUntilSettled(clock, app.run(await app.lease('Pay.'), { clock: own }));
    expect(told).toEqual([{ age: 700, startedAt: START + 90_000 }]);
  });

  it('is the time of the take-over if that invocation runs the call again', async () => {
    const app = createApp(createSlowPayTool(() => 'unknown'));
    const { turn, leased } = await leaveHolderSilent(app, callEvents(['pay', 'idempotent']));
    cutOff.add(leased.epoch);
    await takeOver(app, turn);
    expect(told).toEqual([{ age: LEASE_MS / 4, startedAt: START + LEASE_MS }]);
  });
});
