/** Kills the built Worker between a question and its decision. A separate process counts the effects. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  type Client,
  openSession,
  type PendingCall,
} from '../../../src/examples/demo/client.ts';
import { type CountedEffects, countEffects } from '../../../src/examples/demo/counted-effects.ts';
import { withTimeLimit } from '../../../src/examples/demo/ports.ts';
import { type KillableWorker, startKillable } from './killable-worker.ts';

let directory: string;
let effects: CountedEffects;
let worker: KillableWorker;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'holdfast-approvals-'));
  effects = await countEffects(join(directory, 'effects.jsonl'));
});
afterAll(async () => {
  await worker.kill();
  effects.stop();
  await rm(directory, { recursive: true, force: true, maxRetries: 3 });
});

async function start(vars: Readonly<Record<string, string>> = {}): Promise<void> {
  worker = await startKillable('src/worker.ts', {
    storage: join(directory, 'storage'),
    vars: { MODEL: 'offline', LEASE_MS: '300', SHOP_URL: effects.url, ...vars },
  });
}

const open = (session: string): Client => openSession(worker.url, session, 'refunds');

interface WaitingTurn {
  readonly turn: string;
  readonly pending: PendingCall;
}

/** Requests a refund, which then waits for its decision. */
async function requestRefund(session: string): Promise<WaitingTurn> {
  const { turn, outcome, pending = [] } = await open(session).send('Please refund order 1002');
  const [only] = pending;
  if (!only) throw new Error(`The turn has no pending call: ${outcome}.`);
  expect(only.message).toBe(
    'Refund 118.50 euro for order 1002 (2 x Mooring line, 20 m, 1 x Storm lantern) to Iker Sola?',
  );
  expect(readExecutedInputs(turn)).toEqual([]);
  return { turn, pending: only };
}

/** Returns the refunds that a turn has caused, including repeats. */
const readExecutedInputs = (turn: string): unknown[] =>
  effects
    .executions()
    .filter(({ call }) => call.startsWith(`${turn}.`))
    .map(({ what }) => JSON.parse(what));

describe('an approval that was waiting when its Worker was killed', () => {
  const sessions = ['approve', 'edit', 'reject', 'exit', 'twice', 'again'] as const;
  const waiting = new Map<string, WaitingTurn>();
  const waitForPending = (session: (typeof sessions)[number]): WaitingTurn => {
    const one = waiting.get(session);
    if (!one) throw new Error(`The session '${session}' has no pending call.`);
    return one;
  };
  beforeAll(async () => {
    await start();
    for (const session of sessions) waiting.set(session, await requestRefund(session));
    await worker.kill();
    await start();
  });

  it('runs the call once if it is approved (AEA-12)', async () => {
    const { turn, pending } = waitForPending('approve');
    const answer = await open('approve').decide(pending, { decision: 'approve' });
    expect(answer).toMatchObject({ turn, outcome: 'completed' });
    expect(answer.text).toContain('amount: 118.5');
    expect(readExecutedInputs(turn)).toEqual([{ orderId: 1002, amount: 118.5 }]);
  });

  it('runs the call once with the edited input', async () => {
    const { turn, pending } = waitForPending('edit');
    const input = { orderId: 1002, amount: 100 };
    const answer = await open('edit').decide(pending, { decision: 'edit', input });
    expect(answer).toMatchObject({ turn, outcome: 'completed' });
    expect(readExecutedInputs(turn)).toEqual([input]);
  });

  it.each([
    ['reject', 'completed'],
    ['exit', 'cancelled'],
  ] as const)(
    'does not run the call after the decision %s, and the turn ends as %s',
    async (decision, outcome) => {
      const { turn, pending } = waitForPending(decision);
      const answer = await open(decision).decide(pending, { decision, reason: 'Not today.' });
      expect(answer).toMatchObject({ turn, outcome });
      expect(readExecutedInputs(turn)).toEqual([]);
    },
  );

  it('runs the call once if several decisions arrive, at the same time and later', async () => {
    const { turn, pending } = waitForPending('twice');
    const approve = (): Promise<Answer> => open('twice').decide(pending, { decision: 'approve' });
    const settled = await Promise.allSettled([approve(), approve(), approve()]);
    expect(settled.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected']);
    await expect(approve()).rejects.toThrow('POST returned 409');
    await expect(open('twice').decide(pending, { decision: 'reject' })).rejects.toThrow('POST returned 409');
    expect(readExecutedInputs(turn)).toEqual([{ orderId: 1002, amount: 118.5 }]);
  });

  it('runs the call once if the Worker is killed again during the call', async () => {
    const { turn, pending } = waitForPending('again');
    const hold = await effects.hold('refunds');
    const lost = open('again')
      .decide(pending, { decision: 'approve' })
      .catch(() => 'lost');
    await withTimeLimit(10_000, 'the refund reaches the shop', hold.reached);
    await worker.kill();
    hold.release();
    expect(await lost).toBe('lost');
    await start();
    const events = await open('again').turnEnded(0);
    expect(events.at(-1)).toMatchObject({ type: 'turn-ended', outcome: 'completed' });
    expect(readExecutedInputs(turn)).toEqual([{ orderId: 1002, amount: 118.5 }]);
  });

  it('does not run the call after it expired, and rejects later decisions', async () => {
    await worker.kill();
    await start({ REFUND_EXPIRES_MS: '2500' });
    const { turn, pending } = await requestRefund('expiry');
    await worker.kill();
    await start();
    const events = await open('expiry').turnEnded(0);
    expect(events.at(-1)).toMatchObject({ type: 'turn-ended', outcome: 'completed' });
    expect(events.filter(({ type }) => type === 'tool-call-answered')).toMatchObject([
      { answer: { decision: 'reject', expired: true } },
    ]);
    await expect(open('expiry').decide(pending, { decision: 'approve' })).rejects.toThrow(
      'POST returned 409',
    );
    expect(readExecutedInputs(turn)).toEqual([]);
  });
});
