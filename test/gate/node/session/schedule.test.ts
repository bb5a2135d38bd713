import { describe, expect, it } from 'vitest';
import { type CallContext, defineAgent, defineTool, type Tool } from '../../../../src/index.ts';
import type { SessionEvent } from '../../../../src/journal/entry.ts';
import { answers } from '../../../../src/modules/answers/entry.ts';
import { type LaterMessage, sendLater } from '../../../../src/modules/schedules/entry.ts';
import {
  createManualClock,
  createTestSession,
  type ScriptedReply,
  type SessionPort,
} from '../../../../src/testing/entry.ts';
import { MAX_WAITING } from '../../../doors/journal.ts';
import { MAX_WAITING_TURNS } from '../../../doors/ledger.ts';
import { getModelText } from '../../../doors/tools.ts';
import { createMemoryApp, type MemoryApp } from './memory-app.ts';

const HOUR_MS = 3_600_000;

/** A tool that runs this function. */
const createPlanTool = (run: (call: CallContext) => unknown, effect: 'read' | 'idempotent' = 'read'): Tool =>
  defineTool({ name: 'plan', description: 'Plans.', effect, run: (_, call) => run(call) });

const PLAN_REPLY: ScriptedReply = { calls: [{ name: 'plan' }] };

function createScene(
  run: (call: CallContext) => unknown,
  replies: readonly ScriptedReply[] = [PLAN_REPLY, 'Done.', 'Later.'],
  options: Partial<Parameters<typeof createMemoryApp>[0]> = {},
) {
  const clock = createManualClock(1_000_000);
  const appended: unknown[] = [];
  const wrap = (port: SessionPort): SessionPort => ({
    ...port,
    append: (epoch, from, change) => {
      if (change.scheduled) appended.push(change.scheduled);
      return port.append(epoch, from, change);
    },
  });
  const app = createMemoryApp({ tools: [createPlanTool(run)], replies, clock, wrap, ...options });
  return { app, clock, appended };
}

const readResults = async (app: MemoryApp): Promise<string[]> => {
  const page = await app.port.read({ from: 1, limit: 1_000 });
  return (page?.rows ?? [])
    .map(({ body }) => JSON.parse(body) as SessionEvent) // The event was stored in this form.
    .flatMap((event) => (event.type === 'tool-call-ended' ? getModelText(event.result) : []));
};

describe('a message that a call schedules', () => {
  it('is stored with the end of the call and starts its own turn at the scheduled time', async () => {
    let id = '';
    const { app, clock } = createScene(async (call) => {
      id = await sendLater(call, { message: 'Look again.', delaySeconds: 7_200 });
      return `It will be ${id}.`;
    });
    const end = await app.say('Go.');
    expect(end).toMatchObject({ status: 'ended', turn: { text: 'Done.' } });
    expect(id).toMatch(/^[0-9a-f]{16}$/);
    expect((await app.port.read({ from: 1 }))?.waiting).toEqual([{ turn: id, status: 'scheduled' }]);
    await clock.advance(2 * HOUR_MS - 1);
    expect(app.dispatched).toEqual([]);
    await clock.advance(1);
    await clock.advance(0);
    expect(app.dispatched).toEqual([id]);
    await app.run(await app.resume(id));
    const events = await app.events(id);
    expect(events[0]).toEqual({
      seq: expect.any(Number),
      at: clock.now(),
      type: 'turn-started',
      turn: id,
      loopId: id,
      message: 'Look again.',
      context: {},
      principal: { id: 'tester' },
      root: expect.any(String),
      generation: 1,
    });
    expect((await app.state()).turn).toMatchObject({ id, text: 'Later.' });
  });

  it('is sent for the principal who asked, with the context of their message', async () => {
    const { app, appended } = createScene((call) => sendLater(call, { message: 'Again.', delaySeconds: 1 }));
    await app.say('Go.');
    const [[scheduled]] = appended as [[{ started: { body: string }; after: number }]];
    expect(scheduled.after).toBe(1_000);
    expect(JSON.parse(scheduled.started.body)).toMatchObject({ context: {}, principal: { id: 'tester' } });
  });

  it('has the same id when the call runs again, and is not stored twice', async () => {
    const ids: string[] = [];
    const clock = createManualClock(1_000_000);
    let isCut = true;
    const app = createMemoryApp({
      tools: [
        createPlanTool(async (call) => {
          ids.push(await sendLater(call, { message: 'One.', delaySeconds: 60 }));
          ids.push(await sendLater(call, { message: 'Two.', delaySeconds: 30 }));
        }, 'idempotent'),
      ],
      replies: [PLAN_REPLY, 'Done.'],
      clock,
      leaseMs: 1_000,
      wrap: (port) => ({
        ...port,
        append: (epoch, from, change) =>
          isCut && change.scheduled ? new Promise(() => {}) : port.append(epoch, from, change),
      }),
    });
    const leased = await app.lease('Go.');
    void app.run(leased);
    await clock.advance(2_000);
    isCut = false;
    await app.run(await app.resume(leased.page.openTurn?.id ?? ''));
    expect(ids).toHaveLength(4);
    expect(ids.slice(2)).toEqual(ids.slice(0, 2));
    expect(new Set(ids).size).toBe(2);
    expect((await app.port.read({ from: 1 }))?.waiting?.map(({ turn }) => turn)).toEqual(ids.slice(0, 2));
  });

  it('is not sent if the call fails', async () => {
    const { app, appended } = createScene(async (call) => {
      await sendLater(call, { message: 'Never.', delaySeconds: 1 });
      throw new Error('no');
    });
    await app.say('Go.');
    expect([appended, (await app.port.read({ from: 1 }))?.waiting]).toEqual([[], []]);
  });

  it('is stored even if `run` does not await the call', async () => {
    const { app } = createScene((call) => {
      void sendLater(call, { message: 'Later.', delaySeconds: 1 });
      return 'planned';
    });
    await app.say('Go.');
    expect((await app.port.read({ from: 1 }))?.waiting).toHaveLength(1);
  });

  it.each<[string, unknown, string]>([
    ['blank', { message: ' ', delaySeconds: 1 }, 'The message must be text that is not blank.'],
    ['not a text', { message: 4, delaySeconds: 1 }, 'The message must be text that is not blank.'],
    [
      'too long',
      { message: 'x'.repeat(100_001), delaySeconds: 1 },
      'The message has 100001 characters, but can have at most 100000.',
    ],
    [
      'in the past',
      { message: 'A', delaySeconds: -1 },
      'delaySeconds is -1. It must be a number from 0 to 31536000 (365 days).',
    ],
    [
      'too far in the future',
      { message: 'A', delaySeconds: 31_536_001 },
      'delaySeconds is 31536001. It must be a number from 0 to 31536000 (365 days).',
    ],
    [
      'without a valid delay',
      { message: 'A', delaySeconds: Number.NaN },
      'delaySeconds is NaN. It must be a number from 0 to 31536000 (365 days).',
    ],
    [
      'delayed by a text',
      { message: 'A', delaySeconds: '60' },
      'delaySeconds is 60. It must be a number from 0 to 31536000 (365 days).',
    ],
  ])('is refused if it is %s', async (_, request, message) => {
    const { app } = createScene((call) => sendLater(call, request as LaterMessage));
    await app.say('Go.');
    expect(await readResults(app)).toEqual([`Error: ${message}`]);
  });

  it('is limited to twenty per turn, even if calls run in parallel', async () => {
    const batch: ScriptedReply = { calls: Array.from({ length: 12 }, () => ({ name: 'plan' })) };
    const { app } = createScene(
      (call) => sendLater(call, { message: 'A.', delaySeconds: 60 }),
      [batch, batch, 'Done.'],
      { limits: { maxScheduled: 'unlimited' } },
    );
    const end = await app.say('Go.');
    expect(end).toMatchObject({ status: 'ended', turn: { scheduled: 20 } });
    expect((await app.port.read({ from: 1 }))?.waiting).toHaveLength(20);
    const full =
      'Error: Not scheduled: the calls of this turn have scheduled 20 messages already, and no more may be in one turn.';
    expect((await readResults(app)).filter((text) => text === full)).toHaveLength(4);
  });

  it('counts once toward the limit if its call restarts after a decision', async () => {
    const tired = defineTool({
      name: 'plan',
      description: 'Plans.',
      effect: 'read',
      run: async (_, call) => {
        for (let i = 0; i < 20; i += 1) await sendLater(call, { message: 'A.', delaySeconds: 60 });
        await call.ask({ for: 'decision', message: 'All of them?' });
      },
    });
    const agent = defineAgent({
      name: 'a',
      description: 'A.',
      instructions: '',
      tools: [tired],
      use: [answers],
    });
    const session = createTestSession(agent, { replies: [PLAN_REPLY, 'Done.'] });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'suspended' });
    expect(await session.decide('plan', 'approve')).toMatchObject({ outcome: 'completed' });
    expect((await session.state()).turn).toMatchObject({ scheduled: 20 });
  });

  it('is refused if the maximum number of messages is already waiting', async () => {
    const scheduleMessages = async (call: CallContext): Promise<void> => {
      for (let i = 0; i < 20; i += 1) await sendLater(call, { message: 'A.', delaySeconds: HOUR_MS / 1_000 });
    };
    const { app } = createScene(
      scheduleMessages,
      Array.from({ length: 6 }, () => [PLAN_REPLY, 'Done.']).flat(),
    );
    for (let i = 0; i < 6; i += 1) await app.say('Go.');
    expect((await app.port.read({ from: 1 }))?.waiting).toHaveLength(MAX_WAITING.turns);
    expect((await readResults(app)).at(-1)).toBe(
      'Error: Not scheduled: 100 messages wait in this session already, and no more may. There is room when some of them were answered.',
    );
    expect(MAX_WAITING).toEqual(MAX_WAITING_TURNS);
  });

  it('counts toward the limit with messages that arrive during the turn and messages of parallel calls', async () => {
    const fill = async (port: SessionPort): Promise<void> => {
      const page = await port.read({ from: 1 });
      const [opening] = page?.rows ?? [];
      if (!opening) throw new Error('The session has no events.');
      for (let i = 0; i < 97; i += 1) {
        const started = { type: 'turn-started', turn: `w${i}`, body: '{}' };
        await port.accept({ turn: `w${i}`, opening, started, whenBusy: 'queue' });
      }
    };
    const clock = createManualClock(1_000_000);
    const app: MemoryApp = createMemoryApp({
      clock,
      tools: [
        defineTool({ name: 'fill', description: 'Fills.', effect: 'read', run: () => fill(app.port) }),
        // The start of the call is stored before it runs, and the response contains the number of waiting
        // turns.
        createPlanTool((call) => sendLater(call, { message: 'A.', delaySeconds: 60 }), 'idempotent'),
      ],
      replies: [
        { calls: [{ name: 'fill' }] },
        { calls: Array.from({ length: 5 }, () => ({ name: 'plan' })) },
        'Done.',
      ],
    });
    await app.say('Go.');
    // The commit that ended this turn also started the first waiting turn.
    expect((await app.port.read({ from: 1 }))?.waiting).toHaveLength(99);
    const told = (await readResults(app)).filter((text) =>
      text.startsWith('Error: Not scheduled: 100 messages'),
    );
    expect(told).toHaveLength(2);
  });

  it('is refused if the waiting messages would exceed ten million bytes', async () => {
    const heavy = { message: '€'.repeat(100_000), delaySeconds: HOUR_MS / 1_000 };
    const scheduleMessages = async (call: CallContext): Promise<void> => {
      for (let i = 0; i < 20; i += 1)
        await sendLater(call, heavy).catch((failure: Error) => call.say(failure.message));
    };
    const { app } = createScene(scheduleMessages, [PLAN_REPLY, 'Done.', PLAN_REPLY, 'Done.']);
    for (let i = 0; i < 2; i += 1) await app.say('Go.');
    const types = { names: ['message-sent'], until: Number.MAX_SAFE_INTEGER };
    const page = await app.port.read({ from: 1, types });
    // Each message has slightly more than 300,000 bytes.
    expect(page?.waiting).toHaveLength(33);
    const said = page?.rows.map(({ body }): unknown => JSON.parse(body).text);
    expect(said).toEqual(
      Array.from(
        { length: 7 },
        () =>
          'Not scheduled: the messages that wait in this session would weigh more than 10000000 bytes together. There is room when some of them were answered.',
      ),
    );
  });
});
