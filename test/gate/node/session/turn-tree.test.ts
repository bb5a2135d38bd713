import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CallContext, defineTool, type Tool, ToolCallContext } from '../../../../src/index.ts';
import type { SessionEvent } from '../../../../src/journal/entry.ts';
import { budget } from '../../../../src/modules/limits/entry.ts';
import { sendLater } from '../../../../src/modules/schedules/entry.ts';
import { createManualClock, type ScriptedReply } from '../../../../src/testing/entry.ts';
import { createEmptyState, parseSnapshot, reduce, toSnapshot } from '../../../doors/journal.ts';
import { toTurnStart } from '../../../doors/session.ts';
import { CALL_ORIGINS, getModelText } from '../../../doors/tools.ts';
import { createMemoryApp, type MemoryApp } from './memory-app.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockReturnValue();
});

afterEach(() => {
  vi.restoreAllMocks();
});

const createPlanTool = (run: (call: CallContext) => unknown): Tool =>
  defineTool({ name: 'plan', description: 'Plans.', effect: 'read', run: (_, call) => run(call) });

const PLAN_REPLY: ScriptedReply = { calls: [{ name: 'plan' }] };

/** Schedules this many messages, and returns the refusals. */
const scheduleTurns =
  (count: number) =>
  async (call: CallContext): Promise<string> => {
    const refusals: string[] = [];
    for (let i = 0; i < count; i += 1)
      await sendLater(call, { message: 'On.', delaySeconds: 1 }).catch(({ message }: Error) =>
        refusals.push(message),
      );
    return refusals.join('\n');
  };

/** An app whose turns each call the tool once. `runAll` runs every turn that becomes due. */
function createScene(
  run: (call: CallContext) => unknown,
  options: Partial<Parameters<typeof createMemoryApp>[0]> = {},
) {
  const clock = createManualClock(1_000_000);
  const replies = Array.from({ length: 2_000 }, () => [PLAN_REPLY, 'Done.']).flat();
  const app = createMemoryApp({ tools: [createPlanTool(run)], replies, clock, ...options });
  const runAll = async (ms = 1_000): Promise<number> => {
    for (let turns = 0; ; turns += 1) {
      await clock.advance(ms);
      const open = (await app.port.read({ from: 1, limit: 1 }))?.openTurn;
      if (!open) return turns;
      await app.run(await app.resume(open.id));
    }
  };
  return { app, clock, runAll };
}

const readEvents = async ({ port }: MemoryApp): Promise<readonly SessionEvent[]> => {
  const page = await port.read({ from: 1, limit: 10_000 });
  return (page?.rows ?? []).map(({ body, type }) => ({ ...JSON.parse(body), type }) as SessionEvent); // The event was stored in this form.
};

const readResults = async (app: MemoryApp): Promise<string[]> =>
  (await readEvents(app)).flatMap((event) =>
    event.type === 'tool-call-ended' ? getModelText(event.result) : [],
  );

const describeRefusal = (count: number): string =>
  `Not scheduled: turns have started ${count} turns since the last message of a person, and no more can start before a person sends a message.`;

const USED_TOKENS = { inputTokens: 900, outputTokens: 100 };

/** Replies that each use a thousand tokens. */
const createCostlyReplies = (turns: number): ScriptedReply[] =>
  Array.from({ length: turns }, () => [
    { ...PLAN_REPLY, usage: USED_TOKENS },
    { text: 'Done.', usage: USED_TOKENS },
  ]).flat();

const sumTokens = async (app: MemoryApp): Promise<number> => {
  const { usage } = await app.state();
  return usage.inputTokens + usage.outputTokens;
};

describe('a tree of turns', () => {
  it('is limited to twenty scheduled turns, even if each turn schedules twenty', async () => {
    const warned = vi.spyOn(console, 'warn').mockReturnValue();
    const { app, runAll } = createScene(scheduleTurns(20));
    await app.say('Go.');
    const { turn: root } = await app.state();
    expect(await runAll()).toBe(20);
    const told = (await readResults(app)).flatMap((text) => text.split('\n')).filter((text) => text !== '');
    expect(told).toHaveLength(20 * 20);
    expect(new Set(told)).toEqual(new Set([describeRefusal(20)]));
    expect(warned).toHaveBeenCalledTimes(20);
    const { turn } = await app.state();
    expect(turn).toMatchObject({ root: root?.id, generation: 1 });
    expect(warned.mock.lastCall).toEqual([
      'holdfast: the turn cannot schedule more turns: turns have started 20 turns since the last message of a person. ' +
        'Raise `limits.maxScheduled` of its agent.',
    ]);
  });

  it('is limited to the number of turns that the agent sets', async () => {
    const { app, runAll } = createScene(scheduleTurns(3), { limits: { maxScheduled: 5 } });
    await app.say('Go.');
    expect(await runAll()).toBe(5);
  });

  it('starts a new count with each message of a person', async () => {
    const { app, runAll } = createScene(scheduleTurns(2), { limits: { maxScheduled: 4 } });
    await app.say('Go.');
    expect(await runAll()).toBe(4);
    await app.say('And again.');
    expect(await runAll()).toBe(4);
  });

  it('shares one token budget, and the turn that exceeds it reports the limit', async () => {
    const { app, runAll } = createScene(scheduleTurns(1), {
      use: [budget({ tokens: 5_000 })],
      replies: createCostlyReplies(40),
    });
    await app.say('Go.');
    await runAll();
    expect(await sumTokens(app)).toBeLessThanOrEqual(5_000);
    const { turn } = await app.state();
    expect(turn).toMatchObject({
      outcome: 'limit-reached',
      generation: 2,
      limit: { kind: 'tokens', most: 5_000 },
    });
  });

  it('shares one cost budget, and the turn that exceeds it reports the limit', async () => {
    const modelOptions = { prices: { input: 1_000, output: 1_000 } };
    const options = { use: [budget({ cost: 5 })], replies: createCostlyReplies(40), modelOptions };
    const { app, runAll } = createScene(scheduleTurns(1), options);
    await app.say('Go.');
    await runAll();
    const { usage, turn } = await app.state();
    expect(usage.cost).toBeLessThanOrEqual(5);
    expect(turn).toMatchObject({ outcome: 'limit-reached', limit: { kind: 'cost', most: 5 } });
  });

  it('has a full budget again after a message of a person', async () => {
    const { app, runAll } = createScene(scheduleTurns(1), {
      use: [budget({ tokens: 5_000 })],
      replies: createCostlyReplies(40),
    });
    await app.say('Go.');
    await runAll();
    await app.say('And again.');
    expect((await app.state()).turn).toMatchObject({ outcome: 'completed' });
  });

  it('counts the usage of all its turns toward a budget, but shows a call only the usage of its own turn', async () => {
    const seen: unknown[] = [];
    const run = async (call: CallContext): Promise<void> => {
      seen.push([call.process?.budget.tokens?.used, call.process?.used.tokens]);
      await scheduleTurns(1)(call);
    };
    const options = {
      use: [budget({ tokens: 50_000 })],
      replies: createCostlyReplies(40),
      limits: { maxGenerations: 1 },
    };
    const { app, runAll } = createScene(run, options);
    await app.say('Go.');
    await runAll();
    expect(seen).toEqual([
      [1_000, 1_000],
      [3_000, 1_000],
    ]);
  });

  it('is the same in a snapshot and in a fold of the journal', async () => {
    const { app, clock } = createScene(scheduleTurns(3), { replies: createCostlyReplies(40) });
    await app.say('Go.');
    await clock.advance(1_000);
    const state = createEmptyState();
    for (const [index, event] of (await readEvents(app)).entries())
      reduce(state, { ...event, seq: index + 1 });
    expect([...state.trees.values()]).toEqual([{ count: 3, pending: 2, tokens: 2_000 }]);
    const ended = createEmptyState();
    const events = await readEvents(app);
    const end = events.findIndex(({ type }) => type === 'turn-ended');
    for (const [index, event] of events.slice(0, end + 1).entries())
      reduce(ended, { ...event, seq: index + 1 });
    const restored = parseSnapshot(toSnapshot(ended));
    expect([restored.trees, restored.recurring]).toEqual([ended.trees, ended.recurring]);
    expect(restored.turn).toMatchObject({ root: ended.turn?.root, before: ended.turn?.before });
  });

  it('is forgotten after a hundred newer trees without waiting turns', () => {
    const state = createEmptyState();
    for (let i = 0; i < 150; i += 1) {
      const place = { root: `r${i}`, generation: 1, count: 1 };
      reduce(state, { ...createTurnStarted(`t${i}`), ...place, seq: i + 1 });
    }
    expect(state.trees.size).toBe(100);
    expect([state.trees.has('r49'), state.trees.has('r50')]).toEqual([false, true]);
  });

  it.each<[string, SessionEvent, object]>([
    [
      'starts again when a person steers a turn',
      createTurnSteered({}),
      { root: 't1', generation: 0, before: 0 },
    ],
    [
      'takes the place of the sender when a call of another session steers a turn',
      createTurnSteered({ root: 'r', generation: 7, count: 9 }),
      { root: 'r', generation: 7 },
    ],
    ['starts again when a person decides about a call', callDecided({}), { root: 't1', generation: 0 }],
    [
      'stays the same when a call of another session decides about a call',
      callDecided({ inCall: true }),
      { root: 'r', generation: 5 },
    ],
  ])('%s', (_, event, turn) => {
    const state = createEmptyState();
    const first = { ...createTurnStarted('t1'), root: 'r', generation: 5, count: 5 };
    for (const [index, one] of [first, event].entries()) reduce(state, { ...one, seq: index + 1 });
    expect(state.turn).toMatchObject(turn);
  });
});

const createTurnStarted = (turn: string): Extract<SessionEvent, { type: 'turn-started' }> => ({
  type: 'turn-started',
  turn,
  loopId: turn,
  message: 'On.',
  context: {},
  principal: { id: 'tester' },
});

function createTurnSteered(place: object): SessionEvent {
  return {
    type: 'turn-steered',
    turn: 't1',
    as: 't2',
    message: 'Hm.',
    principal: { id: 'tester' },
    ...place,
  };
}

function callDecided(how: object): SessionEvent {
  const answer = { type: 'decision' as const, decision: 'approve' as const, by: 'tester', ...how };
  return { type: 'tool-call-answered', turn: 't1', call: 't1.2.0', answer };
}

const recurringMessage = { message: 'Next night.', delaySeconds: 60, recurring: true };

describe('a recurring run', () => {
  it('can be scheduled by the previous run any number of times, each with its own budget', async () => {
    const run = (call: CallContext): Promise<string> => sendLater(call, recurringMessage);
    const options = {
      use: [budget({ tokens: 5_000 })],
      replies: createCostlyReplies(31),
      limits: { maxGenerations: 1, maxScheduled: 1 },
    };
    const { app, clock } = createScene(run, options);
    await app.say('Go.');
    for (let night = 0; night < 30; night += 1) {
      await clock.advance(60_000);
      await clock.advance(0);
      const open = (await app.port.read({ from: 1, limit: 1 }))?.openTurn;
      await app.run(await app.resume(open?.id ?? ''));
      const { turn } = await app.state();
      expect(turn).toMatchObject({ id: open?.id, root: open?.id, generation: 0, outcome: 'completed' });
    }
    expect((await app.port.read({ from: 1 }))?.waiting).toHaveLength(1);
    const { trees, recurring } = await app.state();
    expect([trees.size, recurring]).toEqual([0, expect.any(String)]);
  });

  it('is unique: another one is refused in the same call, in the same turn and in a later turn', async () => {
    const run = async (call: CallContext): Promise<string> => {
      const said = [];
      for (let i = 0; i < 2; i += 1)
        said.push(await sendLater(call, recurringMessage).catch(({ message }: Error) => message));
      return said.join('\n');
    };
    const replies = [PLAN_REPLY, PLAN_REPLY, 'Done.', PLAN_REPLY, 'Done.'];
    const { app } = createScene(run, { replies });
    await app.say('Go.');
    await app.say('Once more.');
    const [id] = ((await app.port.read({ from: 1 }))?.waiting ?? []).map(({ turn }) => turn);
    const known =
      `Not scheduled: a recurring run waits in this session already (turn ${id}), and only one may. Cancel that one first, ` +
      'or leave it.';
    const beside =
      'Not scheduled: a recurring run waits in this session already, and only one may. Cancel that one first, or leave it.';
    expect((await readResults(app)).flatMap((text) => text.split('\n'))).toEqual([
      id,
      beside,
      known,
      known,
      known,
      known,
    ]);
    expect((await app.port.read({ from: 1 }))?.waiting).toHaveLength(1);
  });

  it('can be scheduled again after it is cancelled', async () => {
    const { app, clock } = createScene((call) => sendLater(call, recurringMessage), {
      replies: [PLAN_REPLY, 'Done.', PLAN_REPLY, 'Done.'],
    });
    await app.say('Go.');
    const { recurring = '' } = await app.state();
    await app.port.post({ kind: 'cancel', turn: recurring, body: '{}' });
    await clock.advance(0);
    await app.run(await app.resume(recurring));
    expect(await app.state()).toMatchObject({ recurring: undefined, turn: { outcome: 'cancelled' } });
    await app.say('Once more.');
    expect((await app.state()).recurring).toEqual(expect.any(String));
  });

  it('is refused in a turn that another turn has started', async () => {
    const run = (call: CallContext): Promise<string> =>
      sendLater(call, call.history().length < 3 ? { message: 'On.', delaySeconds: 1 } : recurringMessage);
    const { app, runAll } = createScene(run);
    await app.say('Go.');
    expect(await runAll()).toBe(1);
    expect((await readResults(app)).at(-1)).toBe(
      'Error: Not scheduled: another turn has started this one. Only a turn that a person or the app has started, or a recurring run, ' +
        'may schedule a recurring run.',
    );
  });

  it.each<[object, string]>([
    [{ delaySeconds: 59 }, 'delaySeconds is 59. For a recurring run, it must be 60 or more.'],
    [{ recurring: 'daily' }, 'recurring is daily. It must be true or false.'],
  ])('is refused with %o', async (wrong, message) => {
    const { app } = createScene((call) => sendLater(call, { ...recurringMessage, ...wrong }));
    await app.say('Go.');
    expect((await readResults(app)).slice(0, 1)).toEqual([`Error: ${message}`]);
  });
});

/** Two sessions that send each other messages through the environment of their calls. */
function playPingPong(each: number, options: Partial<Parameters<typeof createMemoryApp>[0]> = {}) {
  const refusals: string[] = [];
  const sendTo = (other: () => MemoryApp) => async (call: CallContext) => {
    for (let i = 0; i < each; i += 1) {
      try {
        const start = {
          agent: 'tester',
          message: 'Your turn.',
          context: ToolCallContext.EMPTY,
          from: call.principal,
          // A copy of the environment is bound to the same call.
          place: CALL_ORIGINS.originOf({ ...call.env })?.send(),
        };
        await other().port.accept({ ...toTurnStart(start, () => crypto.randomUUID()), whenBusy: 'queue' });
      } catch (failure) {
        refusals.push((failure as Error).message);
      }
    }
  };
  const one: ReturnType<typeof createScene> = createScene(
    sendTo(() => two.app),
    options,
  );
  const two: ReturnType<typeof createScene> = createScene(
    sendTo(() => one.app),
    options,
  );
  const runAll = async (): Promise<number> => {
    let turns = 0;
    for (let last = -1; last < turns; ) {
      last = turns;
      turns += (await one.runAll()) + (await two.runAll());
    }
    return turns;
  };
  return { one: one.app, two: two.app, runAll, refusals };
}

describe('two sessions that answer each other', () => {
  it('end after eight turns in a row', async () => {
    const { one, two, runAll, refusals } = playPingPong(1);
    await one.say('Go.');
    expect(await runAll()).toBe(8);
    expect(refusals).toEqual([
      'Not sent: 8 turns in a row, including this one, were scheduled by a turn, and no more can start before a person sends a message.',
    ]);
    const { turn: root } = await one.state();
    expect((await two.state()).turn?.root).toBe(root?.root);
  });

  it('start at most twenty turns each, even if each turn sends two messages', async () => {
    const { one, runAll, refusals } = playPingPong(2, { limits: { maxGenerations: 'unlimited' } });
    await one.say('Go.');
    expect(await runAll()).toBeLessThanOrEqual(40);
    expect(refusals.at(-1)).toBe(describeRefusal(20).replace('scheduled', 'sent'));
  });

  it('count a message even if the call that sent it fails', async () => {
    const run = (call: CallContext): never => {
      CALL_ORIGINS.originOf(call.env)?.send();
      throw new Error('no');
    };
    const { app } = createScene(run, { replies: [PLAN_REPLY, 'Done.'] });
    await app.say('Go.');
    expect((await readEvents(app)).find(({ type }) => type === 'tool-call-ended')).toMatchObject({ sent: 1 });
    expect([...(await app.state()).trees.values()]).toMatchObject([{ count: 1, pending: 0 }]);
  });
});
