import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { createHoldfast } from '../../../../src/create-holdfast.ts';
import { DEFAULT_PLATFORM, readPlatform } from '../../../doors/session.ts';
import { advanceTime } from '../../../fixtures/held-time.ts';
import { setLimits } from '../../../fixtures/platform.ts';
import { marathon } from '../../../fixtures/scripted-agent.ts';
import { createHeldReply, registerScript, waitUntil } from '../../../fixtures/scripts.ts';
import { createTestApp, wrapObjects } from './app.ts';
import {
  createSessionPath,
  followToEnd,
  getSessionId,
  post,
  readAllEvents,
  readJournal,
  readJson,
  readSentEvents,
  readUntil,
  SSE_HEADERS,
  send,
} from './client.ts';
import { createManualSession } from './time.ts';
import { createProblem } from './waiting.ts';

let lift = (): void => {};
afterEach(() => lift());

const add = { calls: [{ name: 'add', input: { a: 1, b: 2 } }] };
const createRecordReply = (note: string) => ({ calls: [{ name: 'record', input: { note } }] });

/** The time limit of an invocation in ms, which no test approaches. */
const WALL_MS = 30_000;

/** Three iterations, then a slow reply, in the first invocation and in the next. */
function startLongTurn() {
  const answer = createHeldReply('Done.');
  const replies = [add, createRecordReply('once only'), add, answer.reply, answer.reply];
  return { ...registerScript(...replies), answer };
}

describe('a client whose invocation must end before its turn', () => {
  it('receives the address of the answer', async () => {
    lift = setLimits({ wallMs: WALL_MS });
    const session = createManualSession('marathon');
    const { message, answer } = startLongTurn();
    const answering = post(session, { message: message() });
    await answer.asked();
    advanceTime(WALL_MS);
    const response = await answering;
    const body = await readJson(response);
    expect(response.status).toBe(202);
    expect(response.headers.get('location')).toBe(`${session}/turns/${body.turn}`);
    expect(response.headers.get('preference-applied')).toBe(null);
    expect(body).toEqual({
      turn: body.turn,
      session: getSessionId(session),
      agent: 'marathon',
      status: 'accepted',
    });
    answer.release();
    await followToEnd(session);
  });

  it('receives the position at which its stream continues, and misses no event', async () => {
    lift = setLimits({ wallMs: WALL_MS });
    const session = createManualSession('marathon');
    const { message, answer } = startLongTurn();
    const streaming = await post(session, { message: message() }, { headers: SSE_HEADERS });
    await answer.asked();
    advanceTime(WALL_MS);
    const sent = await readAllEvents(streaming);
    const last = sent.findLast(({ id }) => id !== undefined);
    const turn = String(sent[0]?.data.turn);
    expect(sent.at(-1)).toEqual({
      event: 'continues',
      data: {
        turn,
        answer: `${session}/turns/${turn}`,
        after: last?.id,
        events: `${session}/events?after=${last?.id}`,
      },
    });
    lift();
    answer.release();
    const rest = readSentEvents(await send(String(sent.at(-1)?.data.events), { headers: SSE_HEADERS }));
    const seen = [...sent, ...(await readUntil(rest, 'turn-ended'))].flatMap(({ id }) => id ?? []);
    await rest.return(undefined);
    // Event 1 opens the session, before the turn.
    expect(seen).toEqual(Array.from({ length: seen.length }, (_, i) => i + 2));
    expect(seen.at(-1)).toBe((await readJournal(session)).length);
  });

  it('waits for the answer without reading until it exists', async () => {
    const session = createSessionPath('marathon');
    const answer = createHeldReply('Done.');
    const key = { 'idempotency-key': crypto.randomUUID() };
    const body = { message: registerScript(add, add, add, answer.reply).message() };
    const first = post(session, body, { headers: key });
    await answer.asked();
    let reads = 0;
    const counting = createTestApp(
      { agents: [marathon] },
      {
        SESSIONS: wrapObjects((stub) => ({
          read: (query: Parameters<typeof stub.read>[0]) => {
            reads += 1;
            return stub.read(query);
          },
        })),
      },
    );
    const again = post(session, body, { headers: key, via: counting });
    await expect.poll(() => reads).toBe(1);
    answer.release();
    expect(await readJson(await again)).toEqual(await readJson(await first));
    expect(reads).toBe(2);
  });
});

describe('a client that waits for another request’s turn', () => {
  it('receives the address of the answer if its own invocation must end', async () => {
    const session = createManualSession('marathon');
    const answer = createHeldReply('Done.');
    const key = { 'idempotency-key': crypto.randomUUID() };
    const body = { message: registerScript(answer.reply).message() };
    const first = post(session, body, { headers: key });
    await answer.asked();
    let watches = 0;
    const limited = createTestApp(
      { agents: [marathon], limits: { wallMs: WALL_MS } },
      {
        SESSIONS: wrapObjects((stub) => ({
          fetch: (...request: Parameters<typeof stub.fetch>) => {
            watches += 1;
            return stub.fetch(...request);
          },
        })),
      },
    );
    const waiting = post(session, body, { headers: key, via: limited });
    await waitUntil(() => watches > 0);
    advanceTime(WALL_MS);
    const again = await waiting;
    expect([again.status, again.headers.get('location')]).toEqual([
      202,
      `${session}/turns/${(await readJson(again)).turn}`,
    ]);
    answer.release();
    expect((await first).status).toBe(200);
  });
});

describe('an event stream whose invocation must end', () => {
  it('reports the position at which to continue', async () => {
    const session = createSessionPath('marathon');
    const answers = Array.from({ length: 30 }, () => createHeldReply(add));
    const { message } = registerScript(...answers.map(({ reply }) => reply), 'Done.');
    const answering = post(session, { message: message() });
    await expect.poll(async () => (await send(session)).status).toBe(200);
    const limited = createTestApp({
      agents: [marathon],
      limits: { subrequests: 20, internalSubrequests: 20 },
    });
    const following = readAllEvents(await limited(`${session}/events`, { headers: SSE_HEADERS }));
    for (const { asked, release } of answers) {
      await asked();
      release();
    }
    const sent = await following;
    const after = sent.at(-2)?.id ?? 0;
    expect(sent.at(-1)).toEqual({
      event: 'continues',
      data: { after, events: `${session}/events?after=${after}` },
    });
    expect(sent.slice(0, -1).map(({ id }) => id)).toEqual(Array.from({ length: after }, (_, i) => i + 1));
    expect(await readJson(await answering)).toMatchObject({ text: 'Done.' });
  });
});

describe('the limits of a deployment', () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  afterAll(() => log.mockRestore());

  it.each([
    [{ SUBREQUESTS: '19' }, 'SUBREQUESTS is 19. It must be a whole number of at least 20.'],
    [{ SUBREQUESTS: 'many' }, 'SUBREQUESTS is "many". It must be a whole number of at least 20.'],
    [{ SUBREQUESTS: 50.5 }, 'SUBREQUESTS is 50.5. It must be a whole number of at least 20.'],
    [
      { INTERNAL_SUBREQUESTS: '-1' },
      'INTERNAL_SUBREQUESTS is "-1". It must be a whole number of at least 20.',
    ],
    [{ PLAN: 'gold' }, 'PLAN is "gold". It must be "free" or "paid".'],
    [{ LEASE_MS: '99' }, 'LEASE_MS is 99. It must be a whole number of at least 100.'],
    ...['abc', '-20000', '1e4', '20000ms'].map((LEASE_MS): [{ LEASE_MS: string }, string] => [
      { LEASE_MS },
      `LEASE_MS is "${LEASE_MS}". It must be a whole number of at least 100.`,
    ]),
    [
      { SESSION_BYTES: '16777216' },
      'SESSION_BYTES is 16777216. It must be a whole number of at least 17000000.',
    ],
    ...['10GB', '-5', 5.5].map((SESSION_BYTES): [{ SESSION_BYTES: unknown }, string] => [
      { SESSION_BYTES },
      `SESSION_BYTES is ${JSON.stringify(SESSION_BYTES)}. It must be a whole number of at least 17000000.`,
    ]),
    [{ WALL_MS: '1e5' }, 'WALL_MS is "1e5". It must be a whole number of at least 1000.'],
    [{ WALL_MS: true }, 'WALL_MS is true. It must be a whole number of at least 1000.'],
  ])('%j cause refusals of messages, are listed by /health, and are logged once', async (vars, detail) => {
    log.mockClear();
    const session = createSessionPath();
    const via = createTestApp({}, vars);
    for (const response of [await post(session, { message: 'Hello' }, { via }), await via('/health')])
      expect([response.status, await readJson(response)]).toEqual([
        500,
        createProblem('misconfigured', 500, detail),
      ]);
    expect((await send(session)).status).toBe(404);
    expect(log.mock.calls).toEqual([[`holdfast: ${detail}`]]);
  });

  it('are the vars, as text or numbers, if the code sets none', () => {
    expect(readPlatform({ SUBREQUESTS: ' 1000 ', WALL_MS: '' }, { wallMs: 5_000 })).toEqual({
      subrequests: 1_000,
      internalSubrequests: 1_000,
      wallMs: 5_000,
    });
    expect(readPlatform({})).toEqual(DEFAULT_PLATFORM);
  });

  it('default to the plan in the var PLAN, which defaults to free', () => {
    const free = { subrequests: 50, internalSubrequests: 1_000, wallMs: 840_000 };
    const paid = { subrequests: 10_000, internalSubrequests: 10_000, wallMs: 840_000 };
    expect([{}, { PLAN: '' }, { PLAN: 'free' }].map((env) => readPlatform(env))).toEqual([free, free, free]);
    expect(readPlatform({ PLAN: 'paid' })).toEqual(paid);
    expect(readPlatform({ PLAN: 'paid', SUBREQUESTS: '60' })).toEqual({ ...paid, subrequests: 60 });
  });

  it('are validated where the code declares them', () => {
    expect(() => createHoldfast({ agents: [marathon], limits: { subrequests: 19 } })).toThrow(
      'limits.subrequests is 19. It must be a whole number of at least 20.',
    );
  });
});
