/** The path from the end of a turn to the receiver, in memory and with a manual clock. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { DueRow, LogEntry } from '../../../../../src/create-holdfast.ts';
import type { ModuleUse } from '../../../../../src/index.ts';
import { defineAgent, defineTool } from '../../../../../src/index.ts';
import { answers } from '../../../../../src/modules/answers/entry.ts';
import { requireApproval } from '../../../../../src/modules/decorators/entry.ts';
import {
  type OutgoingWebhookConfig,
  outgoingWebhook,
} from '../../../../../src/modules/outgoing-webhooks/entry.ts';
import {
  createManualClock,
  createMemorySessions,
  type ScriptedReply,
  scriptedModel,
} from '../../../../../src/testing/entry.ts';
import { collectAppModules, runDueRow } from '../../../../doors/agent.ts';
import { ASKING } from '../../../../doors/openapi.ts';
import { toSessionName } from '../../../../doors/session.ts';
import { createTurnSteps } from '../../../../doors/testing.ts';
import { STANDARD_SECRET } from '../../../../fixtures/signed.ts';

const START = Date.UTC(2026, 10, 23, 9);
const HOUR_MS = 3_600_000;

afterEach(() => void vi.unstubAllGlobals());

const pay = defineTool({ name: 'pay', description: 'Pays.', run: () => 'Paid.' });
const read = defineTool({ name: 'read', description: 'Reads.', run: () => 'x'.repeat(300_000) });

interface AppSetting {
  readonly replies?: readonly ScriptedReply[];
  readonly webhooks?: readonly ModuleUse[];
  readonly env?: Readonly<Record<string, unknown>>;
}

interface StopOptions {
  readonly turn: string;
  /** The event at which the turn stopped. */
  readonly seq: number;
  readonly later?: number;
  readonly attempt?: number;
}

const createWebhook = (config: Partial<OutgoingWebhookConfig> = {}): ModuleUse =>
  outgoingWebhook({ url: 'https://alerts.example/', secret: 'SECRET', ...config });

/** An app with one session in memory, and a receiver that returns the next of `statuses`, or 204. */
function createApp(setting: AppSetting = {}) {
  const { replies = ['Done.'], webhooks = [createWebhook()], env = { SECRET: STANDARD_SECRET } } = setting;
  const clock = createManualClock(START);
  const sent: { readonly at: number; readonly id: string | null; readonly body: unknown }[] = [];
  const statuses: number[] = [];
  vi.stubGlobal('fetch', async (_: string, { headers, body }: RequestInit) => {
    const id = new Headers(headers).get('webhook-id');
    sent.push({ at: (clock.now() - START) / 1000, id, body: JSON.parse(String(body)) });
    return new Response(null, { status: statuses.shift() ?? 204 });
  });
  const logged: LogEntry[] = [];
  const over: DueRow[] = [];
  const name = toSessionName({ owner: { id: 'ann' }, agent: 'clerk', session: 's1' });
  const agent = defineAgent({
    name: 'clerk',
    description: 'Pays.',
    instructions: '',
    tools: [requireApproval(pay, () => 'May I pay?'), read],
    model: scriptedModel(replies),
  });
  const deployed = [...webhooks];
  const host = {
    modules: { uses: deployed },
    session: () => port,
    clock,
    log: (entry: LogEntry) => void logged.push(entry),
    answers: ASKING.of(answers),
  };
  const sessions = createMemorySessions({
    clock,
    leaseMs: 20_000,
    dispatch: () => {},
    due: (row) => runDueRow({ host, env }, row).finally(() => over.push(row)),
  });
  const port = sessions.session(name);
  const modules = collectAppModules({ use: webhooks, agents: [agent] });
  const steps = createTurnSteps({
    port,
    agent,
    modules,
    uses: webhooks,
    model: scriptedModel([]),
    clock,
    log: () => {},
  });
  return {
    ...{ clock, sent, statuses, logged, over, deployed, port, steps, name },
    /** Delivers a turn's stop to the webhook as the object would, `later` ms after the start. */
    tell({ later = 0, attempt = 1, turn, seq }: StopOptions) {
      const at: typeof clock = { ...clock, now: () => START + later };
      const row = { module: 'outgoing-webhooks', key: 'outgoing', ref: JSON.stringify([turn, seq]) };
      return runDueRow({ host: { ...host, clock: at }, env }, { name, attempt, ...row });
    },
    /** Runs a turn, and returns its id. */
    async say(message: string, base?: string): Promise<string> {
      const leased = await steps.begin({ message, base });
      if (leased.status !== 'leased') throw new Error(`The lease was refused: ${leased.status}.`);
      await steps.run(leased);
      return leased.page.openTurn?.id ?? '';
    },
    /** Advances the clock, and expects that this many rows have been due in total. */
    async wait(ms: number, rows: number): Promise<void> {
      await clock.advance(ms);
      expect(over).toHaveLength(rows);
    },
  };
}

const PAY_REPLY: ScriptedReply = { calls: [{ name: 'pay', input: {} }] };
const READ_REPLY: ScriptedReply = { calls: [{ name: 'read', input: {} }] };

describe('an outgoing webhook', () => {
  it('has links with the base path of the request, even if a later invocation sends it', async () => {
    const { say, wait, sent } = createApp({ replies: [PAY_REPLY] });
    const turn = await say('Pay.', '/ai');
    await wait(0, 1);
    expect(sent.map(({ body }) => Object(body).data)).toMatchObject([
      {
        links: { turn: `/ai/agents/clerk/sessions/s1/turns/${turn}` },
        pending: [{ links: { approvals: `/ai/agents/clerk/sessions/s1/approvals/${turn}.3.0` } }],
      },
    ]);
  });

  it('reports an ended turn with the same body as GET', async () => {
    const { say, wait, sent, logged } = createApp();
    const turn = await say('Hello');
    await wait(0, 1);
    expect(sent).toEqual([
      {
        at: 0,
        id: expect.stringMatching(/^msg_[0-9a-f]{32}$/),
        body: {
          type: 'turn.ended',
          timestamp: '2026-11-23T09:00:00.000Z',
          data: {
            owner: { id: 'ann' },
            agent: 'clerk',
            session: 's1',
            turn,
            status: 'ended',
            outcome: 'completed',
            links: { turn: `/agents/clerk/sessions/s1/turns/${turn}` },
            loopId: turn,
            text: 'Done.',
            artifacts: [],
            usage: { inputTokens: 10, outputTokens: 5 },
            iterations: 1,
            toolCalls: 0,
            model: 'scripted',
          },
        },
      },
    ]);
    expect(logged).toEqual([]);
  });

  it('reports a suspended turn with its answer URL even if the turn has ended since, and then reports its end', async () => {
    const { say, wait, sent, port, steps } = createApp({ replies: [PAY_REPLY, 'Done.'] });
    const turn = await say('Pay');
    await port.post({ kind: 'cancel', turn, body: '{}' });
    const leased = await steps.resume(turn);
    if (leased.status !== 'leased') expect.fail(leased.status);
    await steps.run(leased);
    await wait(0, 2);
    const [first, second] = sent;
    expect(second?.body).toMatchObject({ type: 'turn.ended', data: { turn, outcome: 'cancelled' } });
    expect(first?.body).toMatchObject({
      type: 'turn.suspended',
      data: {
        status: 'suspended',
        outcome: 'suspended',
        pending: [
          {
            call: `${turn}.3.0`,
            tool: 'pay',
            message: 'May I pay?',
            links: { approvals: `/agents/clerk/sessions/s1/approvals/${turn}.3.0` },
          },
        ],
      },
    });
  });

  it('reports a failed turn with the type of the error, without text of the thrown error', async () => {
    const thrown = new TypeError('password=hunter2');
    const { say, wait, sent } = createApp({
      replies: [
        () => {
          throw thrown;
        },
      ],
    });
    await say('Hello');
    await wait(0, 1);
    expect(sent.map(({ body }) => body)).toMatchObject([
      {
        type: 'turn.failed',
        data: { status: 'failed', outcome: 'failed', error: { type: 'model-failure' } },
      },
    ]);
    expect(JSON.stringify(sent)).not.toContain('hunter2');
  });

  it.each([
    ['failed', []],
    ['ended', ['turn.ended']],
    ['suspended', []],
  ] as const)('is sent only for the events that it subscribes to: %s', async (on, types) => {
    const { say, wait, sent, logged } = createApp({ webhooks: [createWebhook({ on: [on] })] });
    await say('Hello');
    await wait(0, types.length);
    expect(sent.map(({ body }) => Object(body).type)).toEqual(types);
    expect(logged).toEqual([]);
  });

  it('is not sent for the turns of other agents', async () => {
    const webhooks = [
      createWebhook({ agents: ['other'] }),
      createWebhook({ name: 'of-clerk', agents: ['clerk'] }),
    ];
    const { say, wait, over } = createApp({ webhooks });
    await say('Hello');
    await wait(0, 1);
    expect(over.map(({ key }) => key)).toEqual(['of-clerk']);
  });

  it('is sent for its own events if the app has several webhooks', async () => {
    const webhooks = [
      createWebhook({ name: 'b' }),
      createWebhook({ name: 'never', on: ['failed'] }),
      createWebhook({ name: 'a' }),
    ];
    const { say, wait, over } = createApp({ webhooks });
    await say('Hello');
    await wait(0, 2);
    expect(over.map(({ key }) => key).sort()).toEqual(['a', 'b']);
  });

  it.each([
    ['failed', []],
    ['ended', ['turn.ended']],
  ] as const)(
    'is sent only for its own events if a later invocation releases the ended turn: %s',
    async (on, types) => {
      const { clock, steps, port, wait, sent } = createApp({ webhooks: [createWebhook({ on: [on] })] });
      const leased = await steps.begin({ message: 'Hello' });
      if (leased.status !== 'leased') expect.fail(leased.status);
      const { epoch, page } = leased;
      const turn = page.openTurn?.id ?? '';
      const body = JSON.stringify({ v: 1, type: 'turn-ended', turn, outcome: 'completed' });
      await port.append(epoch, page.head + 1, { events: [{ type: 'turn-ended', turn, body }] });
      await clock.advance(20_001);
      const next = await steps.resume(turn);
      if (next.status !== 'leased') expect.fail(next.status);
      await steps.run(next);
      await wait(0, types.length);
      expect(sent.map(({ body }) => Object(body).type)).toEqual(types);
    },
  );

  it('omits the answer of a turn if the answer is too large for a receiver', async () => {
    const { say, wait, sent } = createApp({ replies: ['x'.repeat(300_000)] });
    const turn = await say('Read');
    await wait(0, 1);
    expect(sent.map(({ body }) => Object(body).data)).toEqual([
      {
        owner: { id: 'ann' },
        agent: 'clerk',
        session: 's1',
        turn,
        status: 'ended',
        outcome: 'completed',
        links: { turn: `/agents/clerk/sessions/s1/turns/${turn}` },
        shortened: true,
      },
    ]);
  });

  it('contains the whole answer even if the tools have read large data', async () => {
    const { say, wait, sent } = createApp({ replies: [READ_REPLY, 'Read.'] });
    await say('Read');
    await wait(0, 1);
    expect(sent.map(({ body }) => Object(body).data)).toMatchObject([{ text: 'Read.' }]);
  });
});

describe('a receiver that does not accept a message', () => {
  const formatMissedLine = (rest: string) =>
    `outgoing webhook 'outgoing' missed a message about a turn, ${rest}`;

  it('receives it ten times under one id, with the pauses of Standard Webhooks and one log line per attempt', async () => {
    const { say, wait, sent, statuses, logged, clock } = createApp();
    statuses.push(...Array.from({ length: 20 }, () => 500));
    const turn = await say('Hello');
    const pauses = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
    for (const [done, seconds] of pauses.entries()) await wait(seconds * 1_000, done + 1);
    await clock.advance(48 * HOUR_MS);
    const sums = pauses.map((_, i) => pauses.slice(0, i + 1).reduce((sum, one) => sum + one, 0));
    expect(sent.map(({ at }) => at)).toEqual(sums);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
    expect(new Set(sent.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    const again = pauses.slice(1).map((pause) => ({
      level: 'warn',
      event: 'webhook-not-delivered',
      message: formatMissedLine(`which is tried again in ${pause} s: it answered 500`),
      ...{ owner: { id: 'ann' }, agent: 'clerk', session: 's1', turn },
    }));
    const last = formatMissedLine('which is dropped: it answered 500');
    expect(logged).toEqual([...again, { ...again[0], level: 'error', message: last }]);
  });

  it('receives later messages in order after one is abandoned, and a message close to four days old once more', async () => {
    const { say, wait, sent, statuses, logged } = createApp();
    statuses.push(...Array.from({ length: 11 }, () => 500));
    const first = await say('One');
    const second = await say('Two');
    const pauses = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000];
    for (const [done, seconds] of pauses.entries()) await wait(seconds * 1_000, done + 1);
    expect(new Set(sent.map(({ body }) => Object(body).data.turn))).toEqual(new Set([first]));
    // The tenth attempt ends the first message. The second message, then 76 hours old, follows immediately
    // and is retried until it is four days old.
    await wait(86_400_000, 11);
    expect(sent.slice(10).map(({ body }) => Object(body).data.turn)).toEqual([second]);
    expect(logged.slice(-2)).toMatchObject([
      { turn: first, message: formatMissedLine('which is dropped: it answered 500') },
      { turn: second, message: formatMissedLine('which is tried again in 5 s: it answered 500') },
    ]);
    await wait(5_000, 12);
    expect(new Set(sent.slice(10).map(({ id }) => id)).size).toBe(1);
  });

  it.each([
    ['the next pause', 500, {}, { again: 5_000 }],
    ['the time that it requests', 429, { 'retry-after': '120' }, { again: 120_000 }],
    ['the next pause if it requests a shorter one', 429, { 'retry-after': '2' }, { again: 5_000 }],
    ['at most a day', 503, { 'retry-after': String(72 * 3600) }, { again: 24 * HOUR_MS }],
    ['the rest of the session if it is gone', 410, {}, 'forget'],
  ])('is not called again for %s', async (_, status, headers, became) => {
    const { say, tell } = createApp();
    const turn = await say('Hello');
    vi.stubGlobal('fetch', async () => new Response(null, { status, headers }));
    expect(await tell({ turn, seq: 4 })).toEqual(became);
  });

  it('receives no more messages that are older than four days', async () => {
    const { say, tell } = createApp();
    const turn = await say('Hello');
    vi.stubGlobal('fetch', async () => new Response(null, { status: 500 }));
    expect(await tell({ turn, seq: 4, later: 96 * HOUR_MS - 5_000 })).toEqual({ again: 5_000 });
    expect(await tell({ turn, seq: 4, later: 96 * HOUR_MS - 4_999 })).toBe('done');
  });

  it('receives no more messages for a session if it is gone, with one log line', async () => {
    const { say, wait, sent, statuses, logged, clock } = createApp();
    statuses.push(500, 410);
    const turn = await say('One');
    await wait(0, 1);
    await say('Two');
    await wait(5_000, 2);
    await clock.advance(96 * HOUR_MS);
    expect(sent).toHaveLength(2);
    expect(logged.slice(1)).toEqual([
      {
        level: 'error',
        event: 'webhook-not-delivered',
        message: formatMissedLine('as well as the other messages of this session: it answered 410'),
        ...{ owner: { id: 'ann' }, agent: 'clerk', session: 's1', turn },
      },
    ]);
    await say('Three');
    await wait(0, 3);
    expect(sent).toHaveLength(3);
  });

  it('receives the messages that an older version had to send, at any later time', async () => {
    const { say, wait, sent, logged, deployed } = createApp();
    const [webhook = expect.fail('There is no webhook.')] = deployed;
    const turn = await say('One');
    deployed.length = 0;
    await wait(0, 1);
    await say('Two');
    for (const [offers, hours] of [1, 2, 4, 8, 16, 24, 24].entries()) await wait(hours * HOUR_MS, offers + 2);
    expect(sent).toEqual([]);
    expect(logged).toEqual(
      Array.from({ length: 8 }, () => ({
        level: 'warn',
        event: 'module-missing',
        message:
          "work of module 'outgoing-webhooks' (key 'outgoing') is not done: this deployment does not use it",
        ...{ owner: { id: 'ann' }, agent: 'clerk', session: 's1' },
      })),
    );
    deployed.push(webhook);
    await wait(24 * HOUR_MS, 10);
    expect(sent.map(({ body }) => Object(body).data.turn)).toEqual([turn, expect.any(String)]);
    expect(logged).toHaveLength(8);
  });

  it('does not receive the message again after ten attempts without an outcome, and the session is not read', async () => {
    const { say, tell, sent, logged } = createApp();
    const turn = await say('Hello');
    expect(await tell({ turn, seq: 4, attempt: 11 })).toBe('done');
    expect(sent).toEqual([]);
    expect(logged.map((entry) => Object(entry).message)).toEqual([
      formatMissedLine('which is dropped: it was tried ten times without an outcome'),
    ]);
  });

  it('receives a message twice under one id if its acknowledgement was lost', async () => {
    const { say, wait, tell, sent } = createApp();
    const turn = await say('Hello');
    await wait(0, 1);
    await tell({ turn, seq: 4, attempt: 2 });
    expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
    expect(sent).toHaveLength(2);
  });

  it('receives no message for a session that was erased before the delivery', async () => {
    const { say, port, tell, sent, logged } = createApp();
    const turn = await say('Hello');
    await port.erase();
    expect(await tell({ turn, seq: 4 })).toBe('done');
    expect([sent, logged]).toEqual([[], []]);
  });

  it('receives a message later if code of the app throws, which is logged', async () => {
    const thrown = new RangeError('the region is unknown');
    const url = (): string => {
      throw thrown;
    };
    const { say, wait, logged } = createApp({ webhooks: [createWebhook({ url })] });
    await say('Hello');
    await wait(0, 1);
    const message = formatMissedLine('which is tried again in 5 s: it could not be called');
    expect(logged).toMatchObject([{ message, thrown }]);
  });
});
