import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { defineAgent, defineTool, text } from '../../../../src/index.ts';
import { answers } from '../../../../src/modules/answers/entry.ts';
import type { SessionPort } from '../../../../src/testing/entry.ts';
import { createObjectSession } from '../../../doors/durable-objects.ts';
import { toRow } from '../../../doors/journal.ts';
import { toReader } from '../../../doors/session.ts';
import { modelBySession, registerScript } from '../../../fixtures/scripts.ts';
import { createTestApp } from './app.ts';
import {
  createSessionPath,
  getSessionId,
  getSessionName,
  post,
  readAllEvents,
  readJson,
  SSE_HEADERS,
} from './client.ts';

const ask = defineTool({ name: 'ask', description: 'Asks.', run: () => 'never' });
/** The runner under test ignores turns of an agent with this name. */
const waitingAgent = defineAgent({
  name: 'agent',
  description: 'Waits.',
  instructions: '',
  use: [answers],
  tools: [
    {
      ...ask,
      call: async (_, call) => text((await call.ask({ for: 'decision', message: 'May I?' })).decision),
    },
  ],
  model: modelBySession,
});
const via = createTestApp({ agents: [waitingAgent] });
const KEY = { 'idempotency-key': 'k' };

/** The pending call as every response contains it. */
const createPending = (session: string, turn: unknown) => ({
  call: `${turn}.3.0`,
  question: 1,
  tool: 'ask',
  input: {},
  for: 'decision',
  message: 'May I?',
  allows: ['approve', 'edit', 'reject', 'exit'],
  schema: ask.inputSchema,
  links: { approvals: `${session}/approvals/${turn}.3.0` },
});

/** The response for a waiting turn, as a body or as the last event of a stream. */
const createView = (session: string, turn: unknown) => ({
  turn,
  loopId: turn,
  session: getSessionId(session),
  agent: 'agent',
  status: 'suspended',
  outcome: 'suspended',
  text: '',
  artifacts: [],
  usage: { inputTokens: 10, outputTokens: 5 },
  iterations: 1,
  toolCalls: 1,
  model: 'scripted',
  pending: [createPending(session, turn)],
});

describe('a turn that waits for a decision', () => {
  it('returns 202 with the address of its turn, and refuses the next message', async () => {
    const session = createSessionPath('agent');
    const { message } = registerScript({ calls: [{ name: 'ask' }] });
    const response = await post(session, { message: message() }, { via });
    expect(response.headers.has('preference-applied')).toBe(false);
    const { turn, ...rest } = await readJson(response);
    const location = `${session}/turns/${turn}`;
    expect([response.status, response.headers.get('location')]).toEqual([202, location]);
    expect({ turn, ...rest }).toEqual(createView(session, turn));
    expect((await readJson(await via(session))).pending).toEqual([createPending(session, turn)]);
    const refused = await post(session, { message: 'More' }, { via });
    expect(await readJson(refused)).toEqual({
      type: 'urn:holdfast:problem:turn-suspended',
      title: 'turn suspended',
      status: 409,
      detail:
        `Turn ${turn} waits for an answer from outside. Answer its pending calls, ` +
        'or send the message with ?pending=decline.',
      turn,
      pending: [createPending(session, turn)],
    });
  });

  it('reports the pending call at the end of its stream', async () => {
    const session = createSessionPath('agent');
    const { message } = registerScript({ calls: [{ name: 'ask' }] });
    const events = await readAllEvents(
      await post(session, { message: message() }, { headers: SSE_HEADERS, via }),
    );
    const { turn } = events[0]?.data ?? {};
    expect(events.slice(-2)).toEqual([
      expect.objectContaining({ id: 4, event: 'tool-call-suspended' }),
      { event: 'suspended', data: createView(session, turn) },
    ]);
  });

  it('returns the same response to a repeated message', async () => {
    const session = createSessionPath('agent');
    const body = { message: registerScript({ calls: [{ name: 'ask' }] }).message() };
    const first = await readJson(await post(session, body, { headers: KEY, via }));
    const again = await post(session, body, { headers: KEY, via });
    expect([again.status, again.headers.get('location'), await readJson(again)]).toEqual([
      202,
      `${session}/turns/${first.turn}`,
      first,
    ]);
    const streamed = await readAllEvents(
      await post(session, body, { headers: { ...KEY, ...SSE_HEADERS }, via }),
    );
    expect(streamed.map(({ id, event }) => [id, event])).toEqual([
      [2, 'turn-started'],
      [3, 'model-replied'],
      [4, 'tool-call-suspended'],
      [undefined, 'suspended'],
    ]);
    expect(streamed.at(-1)?.data).toEqual(first);
  });
});

describe('a turn that begins to wait in another invocation', () => {
  /** Resumes an accepted turn, and suspends it with an append of this many events. */
  async function suspendTurn(port: SessionPort, turn: string, events: number): Promise<void> {
    const leased = await port.resume({ nonce: 'n', turn, reader: toReader() });
    if (leased.status !== 'leased') throw new Error(`The lease was refused: ${leased.status}.`);
    const wait = toRow({ type: 'cancel-requested', turn });
    const rows = Array.from({ length: events }, () => wait);
    await port.append(leased.epoch, leased.page.head + 1, { events: rows, release: 'suspended' });
  }

  it.each([0, 1])('is reported to every joined client if %i events are stored', async (events) => {
    const session = createSessionPath('agent');
    const body = { message: 'Hello' };
    const accepted = await post(session, body, { headers: { ...KEY, prefer: 'respond-async' }, via });
    const { turn } = await readJson(accepted);
    const waiter = post(session, body, { headers: KEY, via });
    const stream = readAllEvents(await post(session, body, { headers: { ...KEY, ...SSE_HEADERS }, via }));
    const stub = env.SESSIONS.getByName(getSessionName(session));
    await expect.poll(() => runInDurableObject(stub, (_, state) => state.getWebSockets().length)).toBe(2);
    await suspendTurn(createObjectSession(env.SESSIONS, getSessionName(session)), String(turn), events);
    const response = await waiter;
    const usage = { inputTokens: 0, outputTokens: 0 };
    const nothing = { usage, iterations: 0, toolCalls: 0, model: null, pending: [] };
    const waits = { ...createView(session, turn), ...nothing };
    expect([response.status, await readJson(response)]).toEqual([202, waits]);
    expect((await stream).map(({ id, event }) => [id, event])).toEqual([
      [2, 'turn-started'],
      ...(events === 1 ? [[3, 'cancel-requested']] : []),
      [undefined, 'suspended'],
    ]);
  });
});
