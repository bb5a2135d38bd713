/** What a call answers that was told as unknown: journaled as a note, and shown to the model. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { TurnHost } from '../../src/session/run-turn.ts';
import { createManualClock, type ManualClock } from '../../src/testing/manual-clock.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { text } from '../../src/tools/results.ts';
import type { AnyTool } from '../../src/tools/tool.ts';
import { answers, LEASE_MS, passing } from './former-holder.ts';
import { settle } from './held.ts';
import { memoryApp } from './memory-app.ts';

const unknown = (tool: string): string =>
  `Error: The outcome of this call of '${tool}' is unknown: it was started, and no answer came back. It may have happened ` +
  'or not. Do not assume either, and do not repeat it: find out with another tool, or tell the user.';
const NOTE = "The call of 'pay' whose outcome was unknown has answered after all: paid";

let clock: ManualClock;
let answer: (words: string) => void;
let work: Promise<unknown>[];
let host: Partial<TurnHost>;
beforeEach(() => {
  clock = createManualClock(1_000_000);
  work = [];
  host = { waitUntil: (promise) => work.push(promise) };
});

/** Answers when the test says so, whatever its signal does. */
const pay = (more: { readonly timeout?: number; readonly effect?: 'idempotent' } = {}): AnyTool =>
  defineTool({
    name: 'pay',
    description: 'Pays.',
    ...more,
    run: () =>
      new Promise<string>((resolve) => {
        answer = resolve;
      }),
  });
const PAY = { calls: [{ name: 'pay' }] };

const types = async (app: ReturnType<typeof memoryApp>): Promise<readonly string[]> =>
  ((await app.port.read({ from: 1 }))?.rows ?? []).map(({ type }) => type);

describe('a once call that a cancel met', () => {
  /** Cancels a turn whose call goes on, and waits for its end. */
  async function cancelled(tools: readonly AnyTool[], replies = [PAY, 'Next.']) {
    const app = memoryApp({ tools, replies, clock, leaseMs: LEASE_MS });
    const leased = await app.lease('Go.');
    const end = app.run(leased, host);
    for (let i = 0; i < 5; i += 1) await settle();
    const turn = leased.page.openTurn?.id ?? '';
    await app.port.post('cancel', turn, '{}');
    expect(await passing(clock, end)).toMatchObject({ turn: { outcome: 'cancelled' } });
    return { app, turn };
  }

  it('keeps its invocation, and tells its result to the model of the next turn', async () => {
    const { app, turn } = await cancelled([pay()]);
    expect(answers((await app.state()).messages)).toEqual([['pay', unknown('pay')]]);
    expect(work.length).toBe(1);
    answer('paid');
    await Promise.all(work);
    expect((await types(app)).at(-1)).toBe('turn-ended');
    await passing(clock, app.say('And now?'));
    expect(app.model.requests[1]?.messages.slice(-2)).toEqual([
      { role: 'user', text: 'And now?' },
      { role: 'user', text: NOTE },
    ]);
    const next = (await app.state()).turn?.id ?? '';
    const notes = (await app.events(next)).map(({ event }) => event);
    expect(notes.find(({ type }) => type === 'late-result-received')).toMatchObject({
      turn: next,
      call: `${turn}.3.0`,
      tool: 'pay',
      result: { type: 'text', content: 'paid' },
    });
  });

  it('tells nothing when it gives no answer after all', async () => {
    const { app } = await cancelled([
      defineTool({
        name: 'pay',
        description: 'Pays.',
        run: () => new Promise((_, reject) => (answer = () => reject(new Error('stopped')))),
      }),
    ]);
    answer('');
    await Promise.all(work);
    await passing(clock, app.say('And now?'));
    expect(await types(app)).not.toContain('late-result-received');
  });

  it('inside a nested loop tells it to the turn', async () => {
    const dig: AnyTool = {
      name: 'dig',
      description: 'Digs.',
      inputSchema: { type: 'object' },
      effect: 'none',
      returnDirect: false,
      metadata: {},
      check: async (input) => ({ ok: true, value: input }),
      call: async (_, { nest }) =>
        text((await nest({ name: 'dig', instructions: '', message: 'Dig.', tools: [pay()] })).text),
    };
    const { app } = await cancelled([dig], [{ calls: [{ name: 'dig' }] }, PAY, 'Next.']);
    expect(answers((await app.state()).messages)).toEqual([['dig', unknown('dig')]]);
    answer('paid');
    await Promise.all(work);
    await passing(clock, app.say('And now?'));
    expect(app.model.requests[2]?.messages.at(-1)).toEqual({ role: 'user', text: NOTE });
  });

  it('whose session does not answer is told of in the log', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const app = memoryApp({
      tools: [pay()],
      replies: [PAY],
      clock,
      leaseMs: LEASE_MS,
      wrap: (port) => ({
        ...port,
        post: (kind, ...more) =>
          kind === 'late' ? Promise.reject(new Error('gone')) : port.post(kind, ...more),
      }),
    });
    const leased = await app.lease('Go.');
    const end = app.run(leased, host);
    for (let i = 0; i < 5; i += 1) await settle();
    const turn = leased.page.openTurn?.id ?? '';
    await app.port.post('cancel', turn, '{}');
    await passing(clock, end);
    answer('paid');
    await Promise.all(work);
    expect(log.mock.calls).toEqual([
      [`holdfast: the late result of call ${turn}.3.0 could not be kept`, new Error('gone')],
    ]);
    log.mockRestore();
  });
});

describe('a once call that timed out', () => {
  it('and answers while the turn goes on is journaled in it, and the model is asked again', async () => {
    let reply: (words: string) => void = () => {};
    const thinking = () => new Promise<string>((resolve) => (reply = resolve));
    const app = memoryApp({
      tools: [pay({ timeout: 1_000 })],
      replies: [PAY, thinking, 'It was paid.'],
      clock,
      leaseMs: LEASE_MS,
    });
    const end = app.run(await app.lease('Go.'), host);
    for (let i = 0; i < 20 && app.model.requests.length < 2; i += 1) await clock.advance(500);
    expect(app.model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', text: unknown('pay') });
    answer('paid');
    await settle();
    reply('I do not know.');
    expect(await passing(clock, end)).toMatchObject({ turn: { outcome: 'completed', text: 'It was paid.' } });
    expect(app.model.requests[2]?.messages.slice(-2)).toEqual([
      { role: 'assistant', text: 'I do not know.', toolCalls: [] },
      { role: 'user', text: NOTE },
    ]);
  });

  it('and answers when its turn has gone to another invocation is told to that one', async () => {
    const app = memoryApp({
      tools: [pay({ timeout: 1_000 })],
      replies: [PAY, () => new Promise(() => {}), 'It was paid.'],
      clock,
      leaseMs: LEASE_MS,
    });
    const leased = await app.lease('Go.');
    const leave = new AbortController();
    const first = app.run(leased, { ...host, leave: leave.signal });
    for (let i = 0; i < 20 && app.model.requests.length < 2; i += 1) await clock.advance(500);
    leave.abort();
    expect(await passing(clock, first)).toMatchObject({ status: 'handed-over' });
    answer('paid');
    await Promise.all(work);
    const turn = leased.page.openTurn?.id ?? '';
    expect(await passing(clock, app.run(await app.resume(turn)))).toMatchObject({ status: 'ended' });
    expect(app.model.requests[2]?.messages.at(-1)).toEqual({ role: 'user', text: NOTE });
  });
});
