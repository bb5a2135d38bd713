import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { StoredEvent } from '../../src/journal/events.ts';
import type { SessionPort } from '../../src/journal/session-port.ts';
import { checkDecision, type SentDecision } from '../../src/session/check-answer.ts';
import { postAnswer } from '../../src/session/post-answer.ts';
import { openQuestions, questionsOf } from '../../src/session/questions.ts';
import type { TurnHost } from '../../src/session/run-turn.ts';
import { createManualClock, type ManualClock } from '../../src/testing/manual-clock.ts';
import { requireApproval } from '../../src/tools/approvals/require-approval.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { Secrets } from '../../src/tools/secrets.ts';
import type { AnyTool, Effect, RunningDecisionRequest, ToolCall } from '../../src/tools/tool.ts';
import { counted } from '../crash-matrix/lab/counted-clock.ts';
import { never } from '../tool-loop/outside.ts';
import { calls, digs } from '../tool-loop/scenes.ts';
import { answers, asked, LEASE_MS, leftBehind, passing, takenOver } from './former-holder.ts';
import { settle } from './held.ts';
import { type MemoryApp, memoryApp } from './memory-app.ts';

let clock: ManualClock;
let ran: string[];
beforeEach(() => {
  clock = createManualClock(1_000_000);
  ran = [];
});

const SCHEMA = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const QUESTION: RunningDecisionRequest = { message: 'Whose?', schema: SCHEMA, expires: 30_000 };

/** A tool that acts, and then asks this. */
const asks = (
  run: (call: ToolCall) => unknown = (call) => call.decideWhileRunning(QUESTION),
  more: { name?: string; effect?: Exclude<Effect, 'none'>; timeout?: number } = {},
): AnyTool => {
  const { name = 'book', effect = 'once', timeout = 300_000 } = more;
  const acts = (_: unknown, call: ToolCall) => {
    ran.push(call.id);
    return run(call);
  };
  return defineTool({ name, description: 'Books.', effect, timeout, run: acts });
};

const appWith = (tools: readonly AnyTool[], replies = [calls('book'), 'Done.']) =>
  memoryApp({ tools, replies: [...replies, 'Later.'], clock, leaseMs: LEASE_MS });

const ANSWERS = [
  ['A?', 'approve'],
  ['B?', 'reject'],
  ['C?', 'exit'],
] as const;

/** Asks three questions at once. */
const three = (call: ToolCall) =>
  Promise.all(
    ANSWERS.map(async ([message]) => {
      const { decision } = await call.decideWhileRunning({ ...QUESTION, message });
      return `${message} ${decision}`;
    }),
  );

/** A turn that runs, once its calls have asked what they ask. */
async function running(app: MemoryApp, host: Partial<TurnHost> = {}) {
  const leased = await app.lease('Go.');
  const end = app.run(leased, host);
  for (let i = 0; i < 5; i += 1) await settle();
  return { end, turn: leased.page.openTurn?.id ?? '' };
}

const open = async (app: MemoryApp, turn: string) => openQuestions(await app.events(turn));

/** Sends a decision about the first open question, and lets the holder hear of it. */
async function decide(app: MemoryApp, turn: string, sent: SentDecision): Promise<string> {
  const [question] = await open(app, turn);
  if (!question) throw new Error('Nothing is asked.');
  const checked = checkDecision(question.wait, sent, 'ann');
  if (!checked.ok) throw new Error(checked.problems.join('; '));
  const posted = await postAnswer(app, question, { answer: checked.answer, hash: question.id });
  await clock.advance(LEASE_MS / 3 + 100);
  return posted;
}

const typesOf = (events: readonly StoredEvent[]): readonly string[] => events.map(({ event }) => event.type);
const results = async (app: MemoryApp) => answers((await app.state()).messages);

const unknown = (tool: string): string =>
  `Error: The outcome of this call of '${tool}' is unknown: it was started, and no answer came back. It may have happened ` +
  'or not. Do not assume either, and do not repeat it: find out with another tool, or tell the user.';

describe('a once call that asks while it runs', () => {
  it('stays where it is, and goes on with the decision', async () => {
    const app = appWith([asks()]);
    const { end, turn } = await running(app);
    expect(await open(app, turn)).toMatchObject([
      { call: { name: 'book' }, wait: { message: 'Whose?', schema: SCHEMA, expires: 30_000 } },
    ]);
    expect(await app.port.read({ from: 1 })).toMatchObject({ openTurn: { state: 'running' } });
    expect(await decide(app, turn, { decision: 'edit', input: { name: 'Ann' }, reason: 'Mine.' })).toBe(
      'posted',
    );
    expect(await passing(clock, end)).toMatchObject({ status: 'ended', turn: { text: 'Done.' } });
    const edit = { type: 'decision', decision: 'edit', input: { name: 'Ann' }, reason: 'Mine.', by: 'ann' };
    expect(await results(app)).toEqual([['book', JSON.stringify(edit)]]);
    expect(typesOf(await app.events(turn))).toEqual([
      'turn-started',
      'model-replied',
      'tool-call-started',
      'tool-call-suspended',
      'tool-call-answered',
      'tool-call-ended',
      'model-replied',
      'turn-ended',
    ]);
    expect(ran).toHaveLength(1);
  });

  it.each(['approve', 'reject', 'exit'] as const)('is told to %s, and its turn goes on', async (decision) => {
    const app = appWith([asks(async (call) => (await call.decideWhileRunning(QUESTION)).decision)]);
    const { end, turn } = await running(app);
    await decide(app, turn, { decision });
    expect(await passing(clock, end)).toMatchObject({ turn: { outcome: 'completed', text: 'Done.' } });
    expect(await results(app)).toEqual([['book', decision]]);
  });

  it.each([
    [undefined, 'reject'],
    ['approve', 'approve'],
    ['exit', 'exit'],
  ] as const)('that nobody answers in time is decided by onExpiry: %s', async (onExpiry, decision) => {
    const app = appWith([asks((call) => call.decideWhileRunning({ ...QUESTION, onExpiry }))]);
    const { end, turn } = await running(app);
    await clock.advance(29_000);
    expect(await open(app, turn)).toHaveLength(1);
    await clock.advance(1_000 + LEASE_MS / 3 + 100);
    expect(await passing(clock, end)).toMatchObject({ turn: { text: 'Done.' } });
    const expired = { type: 'decision', decision, expired: true };
    expect(await results(app)).toEqual([['book', JSON.stringify(expired)]]);
  });

  it('is asked about one question after another, and gives each its own answer', async () => {
    const app = appWith([asks(three)]);
    const { end, turn } = await running(app);
    for (const [message, decision] of ANSWERS) {
      expect((await open(app, turn)).map(({ wait }) => wait.message)).toEqual([message]);
      await decide(app, turn, { decision });
    }
    await passing(clock, end);
    expect(await results(app)).toEqual([['book', '["A? approve","B? reject","C? exit"]']]);
  });

  it('gives no question the answer of another, whichever is put first', async () => {
    const hash = crypto.subtle.digest.bind(crypto.subtle);
    const slowly = vi.spyOn(crypto.subtle, 'digest').mockImplementation(async (how, data) => {
      const hashed = await hash(how, data);
      if (new TextDecoder().decode(data as ArrayBuffer).includes('A?')) await settle(); // texts are hashed
      return hashed;
    });
    onTestFinished(() => slowly.mockRestore());
    const app = appWith([asks(three)]);
    const { end, turn } = await running(app);
    for (const [message, decision] of ANSWERS) {
      expect((await open(app, turn)).map(({ wait }) => wait.message)).toEqual([message]);
      await decide(app, turn, { decision });
    }
    await passing(clock, end);
    expect(await results(app)).toEqual([['book', '["A? approve","B? reject","C? exit"]']]);
  });

  it('is asked beside another one', async () => {
    const app = appWith([asks(), asks(undefined, { name: 'rent' })], [calls('book', 'rent'), 'Done.']);
    const { end, turn } = await running(app);
    expect((await open(app, turn)).map(({ call }) => call.name)).toEqual(['book', 'rent']);
    await decide(app, turn, { decision: 'approve' });
    expect((await open(app, turn)).map(({ call }) => call.name)).toEqual(['rent']);
    await decide(app, turn, { decision: 'reject' });
    await passing(clock, end);
    expect(await results(app)).toMatchObject([
      ['book', '{"type":"decision","decision":"approve","by":"ann"}'],
      ['rent', '{"type":"decision","decision":"reject","by":"ann"}'],
    ]);
  });

  it('does not keep a sibling from being asked about, nor end with it', async () => {
    const approved = requireApproval(
      asks(() => 'rented', { name: 'rent' }),
      'Rent?',
    );
    const app = appWith([asks(), approved], [calls('book', 'rent'), 'Done.']);
    const { end, turn } = await running(app);
    await decide(app, turn, { decision: 'approve' });
    expect(await passing(clock, end)).toMatchObject({ status: 'suspended' });
    expect((await open(app, turn)).map(({ wait }) => wait.message)).toEqual(['Rent?']);
    expect((await results(app))[0]).toEqual(['book', '{"type":"decision","decision":"approve","by":"ann"}']);
  });

  it('asks from inside a nested loop', async () => {
    const app = appWith([digs([asks()])], [calls('dig'), calls('book'), 'Dug.', 'Done.']);
    const { end, turn } = await running(app);
    await decide(app, turn, { decision: 'approve' });
    expect(await passing(clock, end)).toMatchObject({ turn: { text: 'Done.' } });
    expect(await results(app)).toEqual([['dig', 'completed: Dug.']]);
  });

  it('asks after it was approved, too', async () => {
    const app = appWith([
      requireApproval(
        asks(async (call) => (await call.decideWhileRunning(QUESTION)).decision),
        'Book?',
      ),
    ]);
    const { end, turn } = await running(app);
    expect(await passing(clock, end)).toMatchObject({ status: 'suspended' });
    await decide(app, turn, { decision: 'approve' });
    const again = app.run(await app.resume(turn));
    for (let i = 0; i < 5; i += 1) await settle();
    await decide(app, turn, { decision: 'reject' });
    expect(await passing(clock, again)).toMatchObject({ turn: { text: 'Done.' } });
    expect(await results(app)).toEqual([['book', 'reject']]);
    const numbered = questionsOf(await app.events(turn));
    expect([...numbered.values()].flat().map(({ number, standing }) => [number, standing])).toEqual([
      [1, 'answered'],
      [2, 'answered'],
    ]);
  });

  it('journals nothing of a secret', async () => {
    const app = appWith([
      asks((call) =>
        call.decideWhileRunning({ ...QUESTION, message: `Is ${call.secrets.require('PIN')} right?` }),
      ),
    ]);
    const { turn } = await running(app, { secrets: () => Secrets.of({ PIN: '1234567' }) });
    expect((await open(app, turn)).map(({ wait }) => wait.message)).toEqual(['Is [secret PIN] right?']);
    expect(JSON.stringify(await app.port.read({ from: 1 }))).not.toContain('1234567');
  });
});

describe('a call that asks while it runs, and cannot', () => {
  it.each([
    [
      undefined,
      "Error: Tool 'book' asks while it runs, and does not say for how long it waits: give expires, in ms.",
    ],
    [0, 'Error: A question cannot expire after 0 ms: leave expires out to wait for ever.'],
    [Number.NaN, 'Error: A question cannot expire after NaN ms: leave expires out to wait for ever.'],
  ])('since it expires after %s ms, fails', async (expires, said) => {
    const question = { ...QUESTION, expires } as RunningDecisionRequest; // as code without types may
    const app = appWith([asks((call) => call.decideWhileRunning(question))]);
    const { end } = await running(app);
    expect(await passing(clock, end)).toMatchObject({ turn: { text: 'Done.' } });
    expect(await results(app)).toEqual([['book', said]]);
  });

  it('since its run is over, puts no question', async () => {
    const left: { asking?: Promise<unknown> } = {};
    const app = appWith([
      asks((call) => {
        setTimeout(() => {
          left.asking = call.decideWhileRunning(QUESTION).catch(String);
        });
        return 'booked';
      }),
    ]);
    const { end, turn } = await running(app);
    await passing(clock, end);
    expect(await left.asking).toBe(`Error: Call ${turn}.3.0 has ended, and asks nobody any more.`);
    expect(typesOf(await app.events(turn))).not.toContain('tool-call-suspended');
  });
});

describe('a call that asks while it runs, and is suspended', () => {
  it('looks for no answer any more, and finds it when it begins anew', async () => {
    const { clock: counting, timersLeft } = counted(clock);
    const run = async (call: ToolCall) => {
      const [first, second] = await Promise.all([
        call.decideWhileRunning(QUESTION),
        call.decide({ message: 'Sure?' }),
      ]);
      return `${first.decision} ${second.decision}`;
    };
    const app = appWith([asks(run, { effect: 'idempotent' })]);
    const { end, turn } = await running(app, { clock: counting });
    expect(await passing(clock, end)).toMatchObject({ status: 'suspended' });
    await clock.advance(1_000);
    expect(timersLeft()).toBe(0);
    await decide(app, turn, { decision: 'approve' });
    expect(await passing(clock, app.run(await app.resume(turn)))).toMatchObject({ status: 'suspended' });
    await decide(app, turn, { decision: 'reject' });
    expect(await passing(clock, app.run(await app.resume(turn)))).toMatchObject({ turn: { text: 'Done.' } });
    expect([ran.length, await results(app)]).toEqual([3, [['book', 'approve reject']]]);
  });
});

describe('a question of a running call', () => {
  it('is nobody’s once the tool’s timeout has passed: the call is unknown, and its late result is told', async () => {
    const answer = Promise.withResolvers<string>();
    const said: unknown[] = [];
    const work: Promise<unknown>[] = [];
    const run = async (call: ToolCall) => {
      await call.decideWhileRunning(QUESTION).catch((thrown: unknown) => said.push(thrown));
      return answer.promise;
    };
    const app = appWith([asks(run, { timeout: 10_000 })]);
    const { end, turn } = await running(app, { waitUntil: (promise) => work.push(promise) });
    await clock.advance(10_000);
    expect(await passing(clock, end)).toMatchObject({ turn: { text: 'Done.' } });
    expect(await results(app)).toEqual([['book', unknown('book')]]);
    const question = [...questionsOf(await app.events(turn)).values()].flat().at(0);
    expect(question?.standing).toBe('dropped');
    expect(said.map(String)).toEqual([`Error: Call ${turn}.3.0 has ended, and asks nobody any more.`]);
    answer.resolve('booked');
    await Promise.all(work);
    await passing(clock, app.say('And?'));
    expect(app.model.requests.at(-1)?.messages.at(-1)).toEqual({
      role: 'user',
      text: "The call of 'book' with the input {}, whose outcome was unknown, has answered after all: booked",
    });
  });

  it('does not keep its turn from being cancelled', async () => {
    const app = appWith([asks()]);
    const { end, turn } = await running(app);
    await app.port.post('cancel', turn, '{}');
    await clock.advance(LEASE_MS / 3 + 100);
    expect(await passing(clock, end)).toMatchObject({ turn: { outcome: 'cancelled' } });
    expect(await results(app)).toEqual([['book', unknown('book')]]);
    expect(await open(app, turn)).toEqual([]);
  });

  it('is moot when its holder is gone: the call is unknown at once, and does not run again', async () => {
    const app = appWith([asks()], ['Done.']);
    const wait = { for: 'decision', message: 'Whose?', allows: ['approve'], schema: SCHEMA } as const;
    const left = await leftBehind(app, [
      ...asked(['book', 'once']),
      {
        type: 'tool-call-suspended',
        call: 'c0',
        wait: { ...wait, expires: 3_600_000, onExpiry: 'approve', binding: 'b' },
      },
    ]);
    expect(await takenOver(app, clock, left)).toMatchObject({ status: 'ended', turn: { text: 'Done.' } });
    expect([ran, await results(app)]).toEqual([[], [['book', unknown('book')]]]);
    expect(await open(app, left.turn)).toEqual([]);
  });

  /** A call of this effect that has asked, whose holder is gone; and what another holder makes of it. */
  async function orphaned(tool: AnyTool) {
    const app = appWith([tool]);
    const line = { isCut: false };
    const port: SessionPort = {
      ...app.port,
      append: (...request) => (line.isCut ? never() : app.port.append(...request)),
      renew: (epoch) => (line.isCut ? never() : app.port.renew(epoch)),
    };
    const { end, turn } = await running(app, { port });
    line.isCut = true;
    await clock.advance(LEASE_MS + 1);
    expect(await passing(clock, end)).toMatchObject({ status: 'lost' });
    return { app, turn };
  }

  it('of an idempotent call is waited for, when its holder is gone: the call begins anew with the answer', async () => {
    const run = async (call: ToolCall) => (await call.decideWhileRunning(QUESTION)).decision;
    const { app, turn } = await orphaned(asks(run, { effect: 'idempotent' }));
    expect(await passing(clock, app.run(await app.resume(turn)))).toMatchObject({ status: 'suspended' });
    await decide(app, turn, { decision: 'approve' });
    expect(await passing(clock, app.run(await app.resume(turn)))).toMatchObject({ turn: { text: 'Done.' } });
    expect([ran.length, await results(app)]).toEqual([2, [['book', 'approve']]]);
  });

  it('is not put twice by a once call that certainly did not happen, and is its own', async () => {
    const booking = defineTool({
      name: 'book',
      description: 'Books.',
      timeout: 300_000,
      run: async (_, call) => {
        ran.push(call.id);
        return (await call.decideWhileRunning(QUESTION)).decision;
      },
      reconcile: () => 'not-done',
    });
    const { app, turn } = await orphaned(booking);
    const again = app.run(await app.resume(turn));
    for (let i = 0; i < 5; i += 1) await settle();
    await clock.advance(LEASE_MS / 4);
    expect(await open(app, turn)).toHaveLength(1);
    expect(typesOf(await app.events(turn)).filter((type) => type === 'tool-call-suspended')).toHaveLength(1);
    await decide(app, turn, { decision: 'approve' });
    expect(await passing(clock, again)).toMatchObject({ turn: { text: 'Done.' } });
    expect([ran.length, await results(app)]).toEqual([2, [['book', 'approve']]]);
  });

  it('is void for another question that the call puts in its place when it begins anew', async () => {
    let times = 0;
    const booking = defineTool({
      name: 'book',
      description: 'Books.',
      timeout: 300_000,
      run: async (_, call) => {
        times += 1;
        return (await call.decideWhileRunning({ ...QUESTION, message: `Whose ${times}?` })).decision;
      },
      reconcile: () => 'not-done',
    });
    const { app, turn } = await orphaned(booking);
    const again = app.run(await app.resume(turn));
    await clock.advance(LEASE_MS / 2);
    await decide(app, turn, { decision: 'approve' });
    expect(await passing(clock, again)).toMatchObject({ turn: { text: 'Done.' } });
    expect(await results(app)).toEqual([
      [
        'book',
        "Error: Tool 'book' has changed since this was asked, so what was decided does not hold for it. Call it again to ask again.",
      ],
    ]);
  });
});
