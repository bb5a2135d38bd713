import { afterEach, describe, expect, it } from 'vitest';
import { type CallContext, defineAgent, defineTool } from '../../../../src/index.ts';
import { answers } from '../../../../src/modules/answers/entry.ts';
import type { ScriptedReply } from '../../../../src/testing/entry.ts';
import { handOvers } from '../../../fixtures/hand-overs.ts';
import { advanceTime } from '../../../fixtures/held-time.ts';
import {
  createHeldReply,
  modelBySession,
  registerScript,
  type ScriptedTurn,
  waitUntil,
} from '../../../fixtures/scripts.ts';
import { createTestApp, wrapObjects } from './app.ts';
import { getSessionId, post, readJournal, readJson, type Send } from './client.ts';
import {
  advanceClock,
  createManualSession,
  deliverToHolders,
  LONG_LEASE_MS,
  waitForStoredMessage,
} from './time.ts';
import { answer, createProblem } from './waiting.ts';

/** The timeouts of the tool's call and of an answer, in ms. */
const TIMEOUT = 10_000;
const EXPIRY_MS = 300_000;
/** The time, in ms, in which a stopped call may still return its result. */
const LAST_WORD = 5_000;

/** The calls that ran, the calls that were stopped, and whether these are held. */
const askingState = { ran: [] as string[], stopped: [] as string[], isHeld: false };
afterEach(() => {
  Object.assign(askingState, { ran: [], stopped: [], isHeld: false });
});

const SCHEMA = {
  type: 'object',
  properties: { name: { type: 'string', minLength: 2 } },
  required: ['name'],
} as const;

async function runBooking(_: unknown, call: CallContext): Promise<unknown> {
  askingState.ran.push(call.id);
  call.signal.addEventListener('abort', () => askingState.stopped.push(call.id));
  const { decision, input, expired } = await call.ask({
    for: 'decision',
    meanwhile: 'running',
    message: 'For whom?',
    schema: SCHEMA,
    expires: EXPIRY_MS,
  });
  await waitUntil(() => !askingState.isHeld);
  return { decision, ...(input && { input }), ...(expired && { expired }) };
}

// No runner has this agent, so its turns are not taken over.
const agent = defineAgent({
  name: 'agent',
  use: [answers],
  description: 'Books.',
  instructions: '',
  model: modelBySession,
  tools: [
    defineTool({ name: 'book', description: 'Books.', timeout: 2 * EXPIRY_MS, run: runBooking }),
    defineTool({ name: 'book_soon', description: 'Books.', timeout: TIMEOUT, run: runBooking }),
  ],
});
const send = createTestApp({ agents: [agent] });

interface AskingTurn {
  readonly session: string;
  readonly turn: string;
  readonly link: string;
  readonly pending: Record<string, unknown>;
  readonly answering: Promise<Response>;
  readonly model: ScriptedTurn['model'];
}

const readState = async (session: string): Promise<Record<string, unknown>> => readJson(await send(session));
const listPending = async (session: string): Promise<readonly Record<string, unknown>[]> => {
  const { pending } = await readState(session);
  return Array.isArray(pending) ? pending : [];
};

interface Scene {
  readonly tool?: string;
  readonly last?: ScriptedReply;
  readonly via?: Send;
}

/** A running turn whose call has asked. */
async function startAsking({ tool = 'book', last = 'Done.', via = send }: Scene = {}): Promise<AskingTurn> {
  const session = createManualSession('agent');
  const { message, model } = registerScript({ calls: [{ name: tool }] }, last);
  const answering = post(session, { message: message() }, { via });
  await expect.poll(() => listPending(session)).toHaveLength(1);
  const [pending] = await listPending(session);
  const { approvals: link } = Object(pending?.links);
  const turn = String((await readState(session)).openTurn);
  return { session, turn, link: String(link), pending: pending ?? {}, answering, model };
}

/** Calls to an overloaded object are not retried. */
const createCutError = (): Error => Object.assign(new Error('cut'), { overloaded: true });

/** The same app, with a connection to the objects that can be cut. */
const createLossyApp = (line: { isCut: boolean }) =>
  createTestApp(
    { agents: [agent] },
    {
      SESSIONS: wrapObjects((stub) => ({
        append: (...request: Parameters<typeof stub.append>) =>
          line.isCut ? Promise.reject(createCutError()) : stub.append(...request),
        renew: (...request: Parameters<typeof stub.renew>) =>
          line.isCut ? Promise.reject(createCutError()) : stub.renew(...request),
      })),
    },
  );

const decide = (path: string, body: unknown): Promise<Response> => answer(path, body, { via: send });

/** Sends an answer that is accepted, and lets the holder of the turn receive it. */
async function decideAndHear({ session, link }: AskingTurn, body: unknown): Promise<Response> {
  const deciding = decide(link, body);
  await waitForStoredMessage(session);
  deliverToHolders();
  return deciding;
}

describe('a call that asks while it runs', () => {
  it('is shown as pending while its turn runs, and continues with the decision', async () => {
    const asked = await startAsking();
    const { session, turn, pending, answering } = asked;
    expect(pending).toEqual({
      call: `${turn}.3.0`,
      question: 1,
      tool: 'book',
      input: {},
      for: 'decision',
      message: 'For whom?',
      allows: ['approve', 'edit', 'reject', 'exit'],
      schema: SCHEMA,
      expiresAt: expect.any(Number),
      links: { approvals: `${session}/approvals/${turn}.3.0` },
    });
    expect((await readState(session)).turn).toMatchObject({ turn, outcome: null });
    const decided = await decideAndHear(asked, { decision: 'edit', input: { name: 'Ann' } });
    expect([decided.status, await readJson(decided)]).toEqual([
      200,
      expect.objectContaining({ turn, session: getSessionId(session), outcome: 'completed', text: 'Done.' }),
    ]);
    expect(await readJson(await answering)).toMatchObject({
      outcome: 'completed',
      artifacts: [{ tool: 'book', value: { decision: 'edit', input: { name: 'Ann' } } }],
    });
    expect([askingState.ran, await listPending(session)]).toEqual([[`${turn}.3.0`], []]);
    const types = (await readJournal(session, send)).map(({ type }) => type);
    expect(types).not.toContain('turn-resumed');
  });

  it.each(['approve', 'reject', 'exit'] as const)('is shown to %s', async (decision) => {
    const asked = await startAsking();
    expect((await decideAndHear(asked, { decision })).status).toBe(200);
    expect(await readJson(await asked.answering)).toMatchObject({
      outcome: 'completed',
      text: 'Done.',
      artifacts: [{ value: { decision } }],
    });
  });

  it('does not use up its question for an invalid answer', async () => {
    const asked = await startAsking();
    const wrong = await decide(asked.link, { decision: 'edit', input: { name: 'A' } });
    expect([wrong.status, await readJson(wrong)]).toEqual([
      422,
      createProblem('invalid-body', 422, expect.any(String), {
        problems: ['input.name: String is too short (1 < 2).'],
      }),
    ]);
    await decideAndHear(asked, { decision: 'edit', input: { name: 'Al' } });
    expect(await readJson(await asked.answering)).toMatchObject({
      artifacts: [{ value: { input: { name: 'Al' } } }],
    });
  });

  it('continues with its fallback when its time is over, and then refuses answers', async () => {
    const { session, link, answering } = await startAsking();
    await advanceClock(session, EXPIRY_MS);
    await waitForStoredMessage(session);
    deliverToHolders();
    expect(await readJson(await answering)).toMatchObject({
      artifacts: [{ value: { decision: 'reject', expired: true } }],
    });
    expect(await readJson(await decide(link, { decision: 'approve' }))).toEqual(
      createProblem(
        'approval-expired',
        409,
        `The question has expired, so this answer comes too late. GET ${session} shows the state of the session.`,
      ),
    );
  });

  it('accepts only one answer', async () => {
    askingState.isHeld = true;
    const asked = await startAsking();
    const { session, link, answering } = asked;
    const first = decideAndHear(asked, { decision: 'approve' });
    await expect.poll(() => listPending(session)).toEqual([]);
    const second = await decide(link, { decision: 'reject' });
    expect([second.status, await readJson(second)]).toEqual([
      409,
      createProblem(
        'already-answered',
        409,
        `This question has already been answered. GET ${session} shows the state of the session.`,
      ),
    ]);
    askingState.isHeld = false;
    expect(await readJson(await first)).toMatchObject({ outcome: 'completed' });
    expect(await readJson(await answering)).toMatchObject({
      artifacts: [{ value: { decision: 'approve' } }],
    });
  });

  it('refuses answers after it has ended without an answer, during its turn and afterwards', async () => {
    const last = createHeldReply('Done.');
    const { session, link, answering } = await startAsking({ tool: 'book_soon', last: last.reply });
    advanceTime(TIMEOUT);
    await waitUntil(() => askingState.stopped.length > 0);
    advanceTime(LAST_WORD);
    await last.asked();
    await expect.poll(() => listPending(session)).toEqual([]);
    expect(await readJson(await decide(link, { decision: 'approve' }))).toEqual(
      createProblem(
        'call-over',
        409,
        `This call has ended without an answer. GET ${session} shows the state of the session.`,
      ),
    );
    last.release();
    expect(await readJson(await answering)).toMatchObject({ outcome: 'completed' });
    expect(await readJson(await decide(link, { decision: 'approve' }))).toEqual(
      createProblem(
        'turn-over',
        409,
        `The turn of this call has ended without an answer. GET ${session} shows the state of the session.`,
      ),
    );
    expect(askingState.ran).toHaveLength(1);
  });

  it('does not prevent its turn from being cancelled', async () => {
    const { session, answering } = await startAsking();
    expect((await send(`${session}/cancel`, { method: 'POST' })).status).toBe(202);
    deliverToHolders();
    await waitUntil(() => askingState.stopped.length > 0);
    advanceTime(LAST_WORD);
    expect(await readJson(await answering)).toMatchObject({ outcome: 'cancelled' });
    expect(await listPending(session)).toEqual([]);
  });

  it('leaves its session busy, not waiting, so that a message does not decline it', async () => {
    const asked = await startAsking();
    const { session, answering } = asked;
    const other = await send(`${session}/messages?pending=decline`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'And?' }),
    });
    expect([other.status, (await readJson(other)).type]).toEqual([409, 'urn:holdfast:problem:session-busy']);
    expect(await listPending(session)).toHaveLength(1);
    await decideAndHear(asked, { decision: 'approve' });
    expect(await readJson(await answering)).toMatchObject({ outcome: 'completed' });
  });
});

describe('a call that asked while it ran, and whose invocation is gone', () => {
  it('is unknown to the invocation that resumes the turn, and is not run again', async () => {
    const line = { isCut: false };
    const { session, turn, link, answering: lost, model } = await startAsking({ via: createLossyApp(line) });
    line.isCut = true;
    advanceTime(LONG_LEASE_MS);
    await advanceClock(session, 2 * LONG_LEASE_MS); // long enough that the next holder need not wait
    await expect.poll(() => handOvers.some((one) => one.turn === turn)).toBe(true);
    const decided = await decide(link, { decision: 'approve' });
    expect(await readJson(decided)).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(askingState.ran).toHaveLength(1);
    expect(model.requests[1]?.messages.at(-1)?.text).toMatch(
      /^Error: The outcome of this call of 'book' is unknown/,
    );
    expect(await readJson(await lost)).toMatchObject({ text: 'Done.' });
  });
});
