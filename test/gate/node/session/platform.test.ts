import { describe, expect, it } from 'vitest';
import { type ChatModel, defineTool, type Tool } from '../../../../src/index.ts';
import { createManualClock, type ScriptedReply, type SessionPort } from '../../../../src/testing/entry.ts';
import { Meter, type Platform, type TurnEnd, UNLIMITED_PLATFORM } from '../../../doors/session.ts';
import {
  advanceUntilSettled,
  callEvents,
  callResults,
  LEASE_MS,
  leaveHolderSilent,
  takeOver,
  withoutPings,
} from './former-holder.ts';
import { createMemoryApp, type MemoryApp } from './memory-app.ts';

const HIGH_LIMITS = { iterations: 1_000 };

/** Counts every message to the session, independently of the meter. */
function createCounter() {
  let messages = 0;
  const wrap = (port: SessionPort): SessionPort =>
    new Proxy(port, {
      get: (target, key, self) => {
        const send: unknown = Reflect.get(target, key, self);
        if (typeof send !== 'function') return send;
        return (...args: unknown[]) => {
          messages += 1;
          return Reflect.apply(send, target, args);
        };
      },
    });
  return { wrap, messages: () => messages };
}

/** The requests and outcome of one invocation. */
interface RunOutcome {
  readonly end: TurnEnd['status'];
  /**
   * The requests to its session or those to models and tools, whichever are more. A scene limits both
   * equally.
   */
  readonly requests: number;
}

interface DriveResult {
  readonly app: MemoryApp;
  readonly invocations: readonly RunOutcome[];
}

interface DriveOptions {
  readonly replies: readonly ScriptedReply[];
  readonly tools?: readonly Tool[];
  readonly platform: Partial<Platform>;
  /** The requests that tools have made so far. */
  readonly made?: () => number;
  readonly port?: (port: SessionPort) => SessionPort;
  /** The requests that each invocation has made before its turn. */
  readonly spent?: number;
  /** The number of these that left the platform. */
  readonly asked?: number;
}

/** Runs a turn through as many invocations as necessary, each with its own platform. */
async function driveTurn({
  replies,
  tools = [],
  platform,
  made = () => 0,
  port,
  spent = 1,
  asked: askedBefore = 0,
}: DriveOptions): Promise<DriveResult> {
  const { wrap, messages } = createCounter();
  const app = createMemoryApp({
    replies,
    tools,
    limits: HIGH_LIMITS,
    wrap: (inner) => wrap(port ? port(inner) : inner),
  });
  const invocations: RunOutcome[] = [];
  const countOutsideRequests = (): number => app.model.requests.length + made();
  let turn = '';
  while (invocations.length < 200) {
    const before = [messages(), countOutsideRequests()] as const;
    const leased = turn === '' ? await app.lease('Go.') : await app.resume(turn);
    turn = leased.page.openTurn?.id ?? '';
    const { subrequests: internalSubrequests = Infinity } = platform;
    const meter = new Meter({ ...UNLIMITED_PLATFORM, internalSubrequests, ...platform }, () => Date.now());
    meter.spend(askedBefore);
    for (let i = askedBefore; i < spent; i += 1) meter.spendInternal();
    const { status } = await app.run(leased, { meter });
    const requests = Math.max(messages() - before[0], countOutsideRequests() - before[1]);
    invocations.push({ end: status, requests });
    if (status !== 'handed-over') break;
  }
  return { app, invocations };
}

/** A tool that counts its calls. */
function createCountingTool(
  name: string,
  more: { effect?: 'read' | 'idempotent'; subrequests?: number } = {},
) {
  const calls: string[] = [];
  const config = {
    name,
    description: 'Counts.',
    run: (_: unknown, call: { id: string }) => calls.push(call.id),
  };
  const { effect, subrequests } = more;
  const tool = effect
    ? defineTool({ ...config, effect, subrequests })
    : defineTool({ ...config, subrequests });
  return { tool, calls };
}

const callBatch = (name: string, size = 1): ScriptedReply => ({
  calls: Array.from({ length: size }, () => ({ name })),
});

const readEventTypes = async (app: MemoryApp): Promise<string[]> => {
  const page = await app.port.read({ from: 1, limit: 10_000 });
  return (page?.rows ?? []).map(({ type }) => type);
};

describe('an invocation near its limit of subrequests', () => {
  it.each(['read', 'idempotent', 'once'] as const)(
    'hands over a long turn of %s calls, and never makes more than 40 requests',
    async (effect) => {
      const { tool, calls } = createCountingTool('count', effect === 'once' ? {} : { effect });
      const replies = [...Array.from({ length: 99 }, () => callBatch('count', 2)), 'Done.'];
      const scene = { replies, tools: [tool], platform: { subrequests: 40 }, made: () => calls.length };
      const { app, invocations } = await driveTurn(scene);
      expect(invocations.at(-1)?.end).toBe('ended');
      expect(Math.max(...invocations.map(({ requests }) => requests))).toBeLessThanOrEqual(40);
      expect(new Set(calls).size).toBe(198);
      expect(calls.length).toBe(198);
      expect((await app.state()).turn).toMatchObject({
        outcome: 'completed',
        iterations: 100,
        toolCalls: 198,
      });
    },
  );

  it('finishes the started calls of a batch and leaves the others to the next invocation', async () => {
    const { tool, calls } = createCountingTool('count');
    const scene = {
      replies: [callBatch('count', 60), 'Done.'],
      tools: [tool],
      platform: { subrequests: 40 },
    };
    const { app, invocations } = await driveTurn({ ...scene, made: () => calls.length });
    expect(invocations.length).toBeGreaterThan(2);
    expect(Math.max(...invocations.map(({ requests }) => requests))).toBeLessThanOrEqual(40);
    expect(calls.length).toBe(60);
    expect(new Set(calls).size).toBe(60);
    const types = await readEventTypes(app);
    for (const type of ['tool-call-started', 'tool-call-ended']) {
      expect(types.filter((one) => one === type).length).toBe(60);
    }
    expect(types.filter((one) => one === 'turn-yielded').length).toBe(invocations.length - 1);
  });

  it('logs why it was handed over', async () => {
    const { tool } = createCountingTool('count');
    const replies = [...Array.from({ length: 20 }, () => callBatch('count')), 'Done.'];
    const { app } = await driveTurn({ replies, tools: [tool], platform: { subrequests: 40 } });
    const turn = (await app.state()).turn?.id ?? '';
    const yielded = (await app.events(turn)).filter((event) => event.type === 'turn-yielded');
    expect(yielded[0]).toMatchObject({
      reason: 'its invocation is near its limit of 40 subrequests',
    });
  });

  it('counts the declared requests of a tool before it runs', async () => {
    const { tool, calls } = createCountingTool('import', { subrequests: 20 });
    const scene = {
      replies: [callBatch('import', 3), 'Done.'],
      tools: [tool],
      platform: { subrequests: 40 },
    };
    const { invocations } = await driveTurn({ ...scene, made: () => 20 * calls.length });
    expect(calls.length).toBe(3);
    expect(invocations.map(({ end }) => end)).toEqual(['handed-over', 'handed-over', 'ended']);
    expect(Math.max(...invocations.map(({ requests }) => requests))).toBeLessThanOrEqual(40);
  });

  it('ends a turn as misconfigured if its tool needs more requests than any invocation may make', async () => {
    const { tool, calls } = createCountingTool('import', { subrequests: 29 });
    const { app } = await driveTurn({
      replies: [callBatch('import')],
      tools: [tool],
      platform: { subrequests: 40 },
    });
    expect(calls).toEqual([]);
    expect((await app.state()).turn).toMatchObject({
      outcome: 'failed',
      error: {
        type: 'misconfigured',
        message:
          'A call may make 29 requests, and an invocation has room for 28. Raise SUBREQUESTS if the plan allows more.',
      },
    });
  });
});

/** A session that is read in very small pages. */
const readInSmallPages = (port: SessionPort): SessionPort => ({
  ...port,
  begin: (request) => port.begin({ ...request, reader: { ...request.reader, maxBytes: 1 } }),
  resume: (request) => port.resume({ ...request, reader: { ...request.reader, maxBytes: 1 } }),
  read: (query) => port.read({ ...query, maxBytes: 1 }),
});

describe('a turn that is always near a limit', () => {
  it('makes progress in every invocation, and completes', async () => {
    const { tool, calls } = createCountingTool('count', { effect: 'read' });
    const replies = [callBatch('count', 2), callBatch('count'), 'Done.'];
    const platform = { subrequests: 20, internalSubrequests: 1_000 };
    const { app, invocations } = await driveTurn({ replies, tools: [tool], platform, asked: 15 });
    expect([invocations.length, invocations.at(-1)?.end]).toEqual([7, 'ended']);
    expect([calls.length, app.model.requests.length]).toEqual([3, 3]);
  });

  it('starts one call in every invocation, even if other code has used some of its requests', async () => {
    const { tool, calls } = createCountingTool('count');
    const replies = [callBatch('count', 2), 'Done.'];
    const scene = { replies, tools: [tool], platform: { subrequests: 20 }, spent: 14 };
    const { app, invocations } = await driveTurn(scene);
    expect(invocations.map(({ end }) => end)).toEqual([...Array(4).fill('handed-over'), 'ended']);
    expect([calls.length, app.model.requests.length]).toEqual([2, 2]);
  });

  it('continues even if an invocation needs nearly all its requests to read the session', async () => {
    const { tool } = createCountingTool('count', { effect: 'read' });
    const replies = [callBatch('count'), callBatch('count'), 'Done.'];
    const { app, invocations } = await driveTurn({
      replies,
      tools: [tool],
      platform: { subrequests: 24 },
      port: readInSmallPages,
    });
    expect(invocations.at(-1)?.end).toBe('ended');
    expect((await app.state()).turn).toMatchObject({ outcome: 'completed', text: 'Done.' });
  });

  it('ends as failed with the reason if no invocation can read its session', async () => {
    const { tool } = createCountingTool('count', { effect: 'read' });
    const replies = [...Array.from({ length: 20 }, () => callBatch('count')), 'Done.'];
    const { app, invocations } = await driveTurn({
      replies,
      tools: [tool],
      platform: { subrequests: 20 },
      port: readInSmallPages,
    });
    expect(invocations.at(-1)?.end).toBe('lost');
    const { turn } = await app.state();
    expect(turn).toMatchObject({
      outcome: 'failed',
      error: {
        type: 'misconfigured',
        message:
          'The session is too long to be read by one invocation, which has 20 subrequests ' +
          'to the platform itself. Raise INTERNAL_SUBREQUESTS if the plan allows more, or begin another session.',
      },
    });
    expect(
      await app.port.resume({
        nonce: 'n',
        turn: turn?.id ?? '',
        reader: { reducer: 0, messageTypes: [], maxBytes: 1 },
      }),
    ).toEqual({
      status: 'not-open',
    });
  });
});

describe('a turn that no invocation could read', () => {
  it('reports a call that may have run as unknown, and the other calls as not run', async () => {
    const clock = createManualClock(1_000_000);
    const tools = ['pay', 'put', 'look', 'rest'].map((name) =>
      defineTool({ name, description: 'Works.', run: () => 'worked' }),
    );
    let isLong = true;
    const app = createMemoryApp({
      tools,
      replies: ['Next.', 'Last.'],
      clock,
      leaseMs: LEASE_MS,
      wrap: (port) => ({
        ...port,
        read: (query) => port.read(isLong ? { ...query, limit: 1 } : query),
        resume: (request) =>
          port.resume(isLong ? { ...request, reader: { ...request.reader, maxBytes: 1 } } : request),
      }),
    });
    const yields = Array.from({ length: 20 }, () => ({ type: 'turn-yielded', reason: 'x' }) as const);
    const calls = callEvents(['pay', 'once'], ['put', 'idempotent'], ['look', 'read'], ['rest']);
    const left = await leaveHolderSilent(app, [...yields, ...calls]);
    const meter = new Meter({ ...UNLIMITED_PLATFORM, internalSubrequests: 20 }, () => clock.now());
    expect(await takeOver(app, clock, left, { meter })).toMatchObject({ status: 'lost' });
    isLong = false; // The newer deployment may make more requests.
    const describeUnknownOutcome = (tool: string): string =>
      `Error: The outcome of this call of '${tool}' is unknown: it was started, and no answer came back. It may have ` +
      'happened or not. Do not assume either, and do not repeat it: find out with another tool, or tell the user.';
    const told = [
      ['pay', describeUnknownOutcome('pay')],
      ['put', describeUnknownOutcome('put')],
      ['look', "Error: The call of 'look' was cut short."],
      ['rest', "Error: The call of 'rest' was not run."],
    ];
    await advanceUntilSettled(clock, app.say('And now?'));
    expect(callResults((await app.state()).messages)).toEqual(told);
    expect(getResultTexts(app)).toEqual(told.map(([, text]) => text));
  });

  it('ends as cancelled if a caller cancels it', async () => {
    const clock = createManualClock(1_000_000);
    const app = createMemoryApp({
      replies: [],
      clock,
      leaseMs: LEASE_MS,
      wrap: (port) => ({
        ...port,
        read: (query) => port.read({ ...query, limit: 1 }),
        resume: (request) => port.resume({ ...request, reader: { ...request.reader, maxBytes: 1 } }),
      }),
    });
    const left = await leaveHolderSilent(
      app,
      Array.from({ length: 20 }, () => ({ type: 'turn-yielded', reason: 'x' }) as const),
    );
    await app.port.post({ kind: 'cancel', turn: left.turn, body: '{}' });
    const meter = new Meter({ ...UNLIMITED_PLATFORM, internalSubrequests: 20 }, () => clock.now());
    expect(await takeOver(app, clock, left, { meter })).toMatchObject({ status: 'lost' });
    expect((await app.state()).turn).toMatchObject({ outcome: 'cancelled' });
  });
});

/** The call results in the model's last request. */
const getResultTexts = ({ model }: MemoryApp): string[] =>
  (model.requests.at(-1)?.messages ?? []).flatMap(({ role, text }) => (role === 'tool' ? [text] : []));

/** Advances the clock until a promise settles. */
async function advanceUntil<T>(clock: ReturnType<typeof createManualClock>, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settling = promise.finally(() => {
    isSettled = true;
  });
  for (let left = 1_000; !isSettled && left > 0; left -= 1) await clock.advance(1_000);
  return settling;
}

describe('an invocation near its time limit', () => {
  const createSlowTool = (ms: number, clock: ReturnType<typeof createManualClock>, timeout?: number) =>
    defineTool({
      name: 'wait',
      description: 'Waits.',
      effect: 'read',
      timeout,
      run: () => new Promise<string>((resolve) => clock.after(ms, () => resolve('waited'))),
    });

  /** Runs one invocation of a new turn. Returns its end, and how long it took. */
  async function runOnce(
    app: MemoryApp,
    clock: ReturnType<typeof createManualClock>,
    platform: Partial<Platform>,
  ) {
    const began = clock.now();
    const meter = new Meter({ ...UNLIMITED_PLATFORM, ...platform }, () => clock.now());
    const { status } = await advanceUntil(clock, app.say('Go.', { meter }));
    return { status, ms: clock.now() - began };
  }

  it('hands over half a minute before the limit', async () => {
    const clock = createManualClock(1_000_000);
    const replies = Array.from({ length: 20 }, () => callBatch('wait'));
    const app = createMemoryApp({ replies, tools: [createSlowTool(20_000, clock)], clock });
    expect(await runOnce(app, clock, { wallMs: 120_000 })).toEqual({ status: 'handed-over', ms: 100_000 });
  });

  it('does not start a call that may take longer than the time left', async () => {
    const clock = createManualClock(1_000_000);
    const replies = Array.from({ length: 20 }, () => callBatch('wait'));
    const app = createMemoryApp({ replies, tools: [createSlowTool(20_000, clock, 200_000)], clock });
    // 200 s never fit, but the time left is assumed to be at least half of an invocation's total.
    expect(await runOnce(app, clock, { wallMs: 120_000 })).toEqual({ status: 'handed-over', ms: 80_000 });
  });

  it('leaves an unfinished reply to the next invocation if it has made progress before', async () => {
    const clock = createManualClock(1_000_000);
    const app = createMemoryApp({
      replies: [callBatch('wait'), () => new Promise(() => {}), 'Done.'],
      tools: [createSlowTool(20_000, clock)],
      clock,
    });
    expect(await runOnce(app, clock, { wallMs: 120_000 })).toEqual({ status: 'handed-over', ms: 110_000 });
    expect(app.model.requests.length).toBe(2);
  });
});

describe('a slow reply', () => {
  it('is left to another invocation before lease renewals use up the subrequests', async () => {
    const clock = createManualClock(1_000_000);
    const { wrap, messages } = createCounter();
    const { tool } = createCountingTool('count', { effect: 'read' });
    const replies = [callBatch('count'), () => new Promise<string>(() => {})];
    const app = createMemoryApp({
      replies,
      tools: [tool],
      clock,
      wrap: (port) => wrap({ ...port, ...withoutPings(port) }),
    });
    const meter = new Meter({ ...UNLIMITED_PLATFORM, internalSubrequests: 30 }, () => clock.now());
    expect(await advanceUntil(clock, app.say('Go.', { meter }))).toMatchObject({ status: 'handed-over' });
    expect(messages()).toBeGreaterThan(10);
    expect(messages()).toBeLessThanOrEqual(30);
  });
});

describe('the two budgets of an invocation', () => {
  it('hand over a turn that has used its outside requests, even if session requests are left', async () => {
    const { tool, calls } = createCountingTool('count', { effect: 'read' });
    const replies = [...Array.from({ length: 39 }, () => callBatch('count')), 'Done.'];
    const platform = { subrequests: 50, internalSubrequests: 1_000 };
    const { app, invocations } = await driveTurn({
      replies,
      tools: [tool],
      platform,
      made: () => calls.length,
    });
    expect(invocations.length).toBe(3);
    expect((await app.state()).turn).toMatchObject({ outcome: 'completed', iterations: 40 });
  });

  it('let a watcher continue without outside requests left, but not without session requests left', () => {
    const meter = new Meter({ ...UNLIMITED_PLATFORM, subrequests: 20, internalSubrequests: 20 }, () => 0);
    meter.spend(20);
    expect([meter.nearLimit(), meter.nearEnd]).toEqual(['20 subrequests', undefined]);
    for (let i = 0; i < 18; i += 1) meter.spendInternal();
    expect(meter.nearEnd).toBe('20 subrequests to the platform itself');
  });
});

describe('a retried model call', () => {
  it.each(['rate-limited', 'server-error', undefined] as const)(
    'counts each attempt after the failure %s toward the request limit',
    async (failed) => {
      const app = createMemoryApp({ replies: [] });
      const createAsk =
        (tries: number): ChatModel['ask'] =>
        async (_, { again }) => {
          for (let i = 0; i < tries; i += 1) await again?.(failed);
          return { text: 'Done.', toolCalls: [], finish: 'stop' };
        };
      const endAfter = async (tries: number): Promise<TurnEnd['status']> => {
        const meter = new Meter({ ...UNLIMITED_PLATFORM, subrequests: 20 }, () => 0);
        const agent = { ...app.agent, model: { name: 'tried', ask: createAsk(tries) } };
        return (await app.say('Go.', { agent, meter })).status;
      };
      // Twelve requests are reserved.
      expect([await endAfter(7), await endAfter(8)]).toEqual(['ended', 'handed-over']);
    },
  );
});
