/**
 * Messages that reach a running turn over its holder's line. Without it, these leases would delay them by
 * twenty seconds.
 */
import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { type CallContext, defineAgent, defineTool } from '../../../../src/index.ts';
import { answers } from '../../../../src/modules/answers/entry.ts';
import { advanceTime } from '../../../fixtures/held-time.ts';
import { createHeldReply, modelBySession, registerScript, waitUntil } from '../../../fixtures/scripts.ts';
import { createTestApp, wrapObjects } from './app.ts';
import { createSessionPath, getSessionName, post, readJournal, readJson, type Send } from './client.ts';
import { LONG_LEASE_MS, MANUAL_DELIVERY } from './time.ts';
import { answer } from './waiting.ts';

/** Whether the tools run, and whether they were stopped. */
const tools = { run: false, stopped: false };
beforeEach(() => {
  Object.assign(tools, { run: false, stopped: false });
});

const TIMEOUT = 300_000;

async function dig(_: unknown, { signal }: CallContext): Promise<string> {
  signal.addEventListener('abort', () => {
    tools.stopped = true;
  });
  tools.run = true;
  await waitUntil(() => tools.stopped);
  return 'dug';
}

async function ask(_: unknown, call: CallContext): Promise<string> {
  tools.run = true;
  return (await call.ask({ for: 'decision', meanwhile: 'running', message: 'May I?', expires: TIMEOUT }))
    .decision;
}

const digger = defineAgent({
  name: 'digger',
  description: 'Digs.',
  instructions: '',
  use: [answers],
  model: modelBySession,
  tools: [
    defineTool({ name: 'dig', description: 'Digs.', effect: 'read', timeout: TIMEOUT, run: dig }),
    defineTool({ name: 'ask', description: 'Asks.', effect: 'idempotent', timeout: TIMEOUT, run: ask }),
  ],
});

interface LinePlace {
  readonly session: string;
  readonly via: Send;
  /** The ids of the messages that lease renewals returned. */
  readonly brought: readonly number[];
}

function createPlace(): LinePlace {
  const brought: number[] = [];
  const SESSIONS = wrapObjects((stub) => ({
    async renew(...renewal: Parameters<typeof stub.renew>) {
      const answered = await stub.renew(...renewal);
      if (answered.status === 'renewed') brought.push(...answered.inbox.map(({ id }) => id));
      return answered;
    },
  }));
  const via = createTestApp({ agents: [digger] }, { SESSIONS });
  return { session: createSessionPath('digger', MANUAL_DELIVERY), via, brought };
}

/** Returns the number of the object's open lines, of its holder and of its readers. */
const countLines = (session: string): Promise<readonly number[]> =>
  runInDurableObject(env.SESSIONS.getByName(getSessionName(session)), (_, state) =>
    ['holder', 'reader'].map((tag) => state.getWebSockets(tag).length),
  );

/** Advances the clock by a second, after which the lease holder has a line. */
async function waitForLine({ session }: LinePlace): Promise<void> {
  expect(await countLines(session)).toEqual([0, 0]);
  advanceTime(1_000);
  await expect.poll(() => countLines(session), { timeout: 15_000 }).toEqual([1, 0]);
}

/** Returns a turn's outcome, and checks that it took far less time than until the next lease renewal. */
async function readPromptOutcome(
  answering: Promise<Response>,
  began: number,
): Promise<Record<string, unknown>> {
  const told = await readJson(await answering);
  expect(Date.now() - began).toBeLessThan(LONG_LEASE_MS / 3 - 2_000);
  return told;
}

describe('a lease holder’s connection', () => {
  it('delivers a cancel to a slow model call', async () => {
    const at = createPlace();
    const slow = createHeldReply('Never.');
    const began = Date.now();
    const answering = post(at.session, { message: registerScript(slow.reply).message() }, at);
    await slow.asked();
    await waitForLine(at);
    expect((await at.via(`${at.session}/cancel`, { method: 'POST' })).status).toBe(202);
    expect(await readPromptOutcome(answering, began)).toMatchObject({ outcome: 'cancelled' });
    expect([slow.aborted(), at.brought]).toEqual([true, [1]]);
    await expect.poll(() => countLines(at.session), { timeout: 15_000 }).toEqual([0, 0]);
  });

  it('delivers a cancel to a slow tool call', async () => {
    const at = createPlace();
    const began = Date.now();
    const answering = post(
      at.session,
      { message: registerScript({ calls: [{ name: 'dig' }] }).message() },
      at,
    );
    await waitUntil(() => tools.run);
    await waitForLine(at);
    await at.via(`${at.session}/cancel`, { method: 'POST' });
    expect(await readPromptOutcome(answering, began)).toMatchObject({ outcome: 'cancelled' });
    expect([tools.stopped, at.brought]).toEqual([true, [1]]);
  });

  it('delivers a decision to a call that waits for it while it runs', async () => {
    const at = createPlace();
    const began = Date.now();
    const { message } = registerScript({ calls: [{ name: 'ask' }] }, 'Done.');
    const answering = post(at.session, { message: message() }, at);
    await waitUntil(() => tools.run);
    await waitForLine(at);
    const { pending } = await readJson(await at.via(at.session));
    const [{ links }] = pending as [{ links: { approvals: string } }];
    expect((await answer(links.approvals, { decision: 'approve' }, at)).status).toBe(200);
    expect(await readPromptOutcome(answering, began)).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(at.brought).toEqual([1]);
  });

  it('delivers a steering message to a slow model call, and the turn answers it', async () => {
    const at = createPlace();
    const slow = createHeldReply('One.');
    const began = Date.now();
    const { message, model } = registerScript(slow.reply, 'Two.');
    const answering = post(at.session, { message: message() }, at);
    await slow.asked();
    await waitForLine(at);
    const steered = await at.via(`${at.session}/messages?whenBusy=steer`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer: 'respond-async' },
      body: JSON.stringify({ message: 'And two?' }),
    });
    expect(await readJson(steered)).toMatchObject({ status: 'steering' });
    await waitUntil(() => at.brought.length === 1);
    slow.release();
    expect(await readPromptOutcome(answering, began)).toMatchObject({ outcome: 'completed', text: 'Two.' });
    expect(model.requests).toHaveLength(2);
    const types = (await readJournal(at.session, at.via)).map(({ type }) => type);
    expect(types.filter((type) => type === 'turn-started' || type === 'turn-steered')).toEqual([
      'turn-started',
      'turn-steered',
    ]);
  });
});
