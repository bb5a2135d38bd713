/** Late results of calls that were reported as unknown. They are journaled, and shown to the model. */
import { object, string } from 'valibot';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type AnyTool, defineTool, ModelError, text } from '../../../../src/index.ts';
import { nest } from '../../../../src/kinds/entry.ts';
import { createManualClock, type ManualClock, type ScriptedReply } from '../../../../src/testing/entry.ts';
import type { TurnHost } from '../../../doors/session.ts';
import { advanceUntilSettled, callResults, LEASE_MS } from './former-holder.ts';
import { withLiveState } from './live-state.ts';
import { createMemoryApp } from './memory-app.ts';

const describeUnknownOutcome = (tool: string): string =>
  `Error: The outcome of this call of '${tool}' is unknown: it was started, and no answer came back. It may have happened ` +
  'or not. Do not assume either, and do not repeat it: find out with another tool, or tell the user.';
const LATE_NOTE =
  "The call of 'pay' with the input {}, whose outcome was unknown, has answered after all: paid";

let clock: ManualClock;
let answer: (words: string) => void;
let work: Promise<unknown>[];
let host: Partial<TurnHost>;
beforeEach(() => {
  clock = createManualClock(1_000_000);
  work = [];
  host = { waitUntil: (promise) => work.push(promise) };
});

/** A tool that ignores its signal, and returns when the test calls `answer`. */
const createPayTool = (more: { readonly timeout?: number; readonly effect?: 'idempotent' } = {}): AnyTool =>
  defineTool({
    name: 'pay',
    description: 'Pays.',
    ...more,
    run: () =>
      new Promise<string>((resolve) => {
        answer = resolve;
      }),
  });
const PAY_REPLY = { calls: [{ name: 'pay' }] };

const readEventTypes = async (app: ReturnType<typeof createMemoryApp>): Promise<readonly string[]> =>
  ((await app.port.read({ from: 1 }))?.rows ?? []).map(({ type }) => type);

describe('a cancelled `once` call', () => {
  /** Cancels a turn whose call continues, and waits for its end. */
  async function playCancelledTurn(
    tools: readonly AnyTool[],
    replies: readonly ScriptedReply[] = [PAY_REPLY, 'Next.'],
  ) {
    const app = createMemoryApp({ tools, replies, clock, leaseMs: LEASE_MS });
    const leased = await app.lease('Go.');
    const end = app.run(leased, host);
    await clock.advance(0);
    const turn = leased.page.openTurn?.id ?? '';
    await app.port.post({ kind: 'cancel', turn, body: '{}' });
    expect(await advanceUntilSettled(clock, end)).toMatchObject({ turn: { outcome: 'cancelled' } });
    return { app, turn };
  }

  it('keeps its invocation alive, and the next turn shows its result to the model', async () => {
    const { app, turn } = await playCancelledTurn([createPayTool()]);
    expect(callResults((await app.state()).messages)).toEqual([['pay', describeUnknownOutcome('pay')]]);
    expect(work.length).toBe(1);
    answer('paid');
    await Promise.all(work);
    expect((await readEventTypes(app)).at(-1)).toBe('turn-ended');
    await advanceUntilSettled(clock, app.say('And now?'));
    expect(app.model.requests[1]?.messages.slice(-2)).toEqual([
      { role: 'user', text: 'And now?' },
      { role: 'user', text: LATE_NOTE },
    ]);
    const next = (await app.state()).turn?.id ?? '';
    const notes = await app.events(next);
    expect(notes.find(({ type }) => type === 'late-result-received')).toMatchObject({
      turn: next,
      call: `${turn}.3.0`,
      tool: 'pay',
      input: '{}',
      result: { type: 'text', content: 'paid' },
    });
  });

  it('shows the model only the beginning of a result that is too long', async () => {
    const refused = new ModelError('context-length', 'Too long.', { length: { sent: 9, most: 9 } });
    const { app } = await playCancelledTurn([createPayTool()], [PAY_REPLY, refused, 'Next.']);
    const long = 'paid '.repeat(2_000);
    answer(long);
    await Promise.all(work);
    const { agent, live } = withLiveState(app.agent);
    const end = await advanceUntilSettled(clock, app.say('And now?', { agent }));
    expect(end).toMatchObject({ turn: { outcome: 'completed', text: 'Next.' } });
    const next = (await app.state()).turn?.id ?? '';
    const cut = (await app.events(next)).flatMap((event) =>
      event.type === 'conversation-cut' ? [event] : [],
    );
    expect(cut).toMatchObject([{ turns: 1, results: expect.any(Number) }]);
    const [{ results: characters = 0 } = {}] = cut;
    const whole = LATE_NOTE.replace(/paid$/, long);
    expect(app.model.requests[2]?.messages.at(-1)).toEqual({
      role: 'user',
      text: `${whole.slice(0, characters)}\n... [shortened: ${characters} of ${whole.length} characters are shown]`,
    });
    expect(live()).toEqual(await app.state());
  });

  it('shows the model no result if it never returns one', async () => {
    const { app } = await playCancelledTurn([
      defineTool({
        name: 'pay',
        description: 'Pays.',
        run: () => new Promise((_, reject) => (answer = () => reject(new Error('stopped')))),
      }),
    ]);
    answer('');
    await Promise.all(work);
    await advanceUntilSettled(clock, app.say('And now?'));
    expect(await readEventTypes(app)).not.toContain('late-result-received');
  });

  it('shows its result to the model of the turn if it ran inside a nested loop', async () => {
    const dig: AnyTool = {
      name: 'dig',
      description: 'Digs.',
      inputSchema: { type: 'object' },
      effect: 'none',
      returnDirect: false,
      metadata: {},
      check: async (input) => ({ ok: true, value: input }),
      call: async (_, call) =>
        text(
          (await nest(call, { name: 'dig', instructions: '', message: 'Dig.', tools: [createPayTool()] }))
            .text,
        ),
    };
    const { app } = await playCancelledTurn([dig], [{ calls: [{ name: 'dig' }] }, PAY_REPLY, 'Next.']);
    expect(callResults((await app.state()).messages)).toEqual([['dig', describeUnknownOutcome('dig')]]);
    answer('paid');
    await Promise.all(work);
    await advanceUntilSettled(clock, app.say('And now?'));
    expect(app.model.requests[2]?.messages.at(-1)).toEqual({ role: 'user', text: LATE_NOTE });
  });

  it('logs its result if its session does not respond', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const app = createMemoryApp({
      tools: [createPayTool()],
      replies: [PAY_REPLY],
      clock,
      leaseMs: LEASE_MS,
      wrap: (port) => ({
        ...port,
        post: (message) => (message.kind === 'late' ? Promise.reject(new Error('gone')) : port.post(message)),
      }),
    });
    const leased = await app.lease('Go.');
    const end = app.run(leased, host);
    await clock.advance(0);
    const turn = leased.page.openTurn?.id ?? '';
    await app.port.post({ kind: 'cancel', turn, body: '{}' });
    await advanceUntilSettled(clock, end);
    answer('paid');
    await Promise.all(work);
    expect(log.mock.calls).toEqual([
      [`holdfast: the late result of call ${turn}.3.0 could not be kept`, new Error('gone')],
    ]);
    log.mockRestore();
  });
});

describe('a late result', () => {
  /** A tool whose calls return when the test resolves them, by amount. */
  const createPayingTool = (told: Map<string, (words: string) => void>): AnyTool =>
    defineTool({
      name: 'pay',
      description: 'Pays.',
      timeout: 1_000,
      input: object({ amount: string() }),
      run: ({ amount }) => new Promise<string>((resolve) => told.set(amount, resolve)),
    });

  /**
   * Returns the notes that the model reads about calls that return, in the order of `answering`, after being
   * reported as unknown.
   */
  async function collectNotes(
    amounts: readonly string[],
    answering: readonly string[],
  ): Promise<readonly string[]> {
    const told = new Map<string, (words: string) => void>();
    const calls = amounts.map((amount) => ({ name: 'pay', input: { amount } }));
    const replies = [{ calls }, 'I do not know.', 'Next.'];
    const app = createMemoryApp({ tools: [createPayingTool(told)], replies, clock, leaseMs: LEASE_MS });
    await advanceUntilSettled(clock, app.run(await app.lease('Go.'), host));
    for (const amount of answering) {
      told.get(amount)?.(`paid as ${amount.slice(0, 4)}`);
      await clock.advance(0);
    }
    await advanceUntilSettled(clock, app.say('And now?'));
    const shown = app.model.requests[2]?.messages ?? [];
    return shown.flatMap(({ role, text: words }) => (role === 'user' ? words : [])).slice(2);
  }

  it('is shown with the input of its call, because another call to the tool may be in doubt too', async () => {
    expect(await collectNotes(['5 EUR', '7 EUR'], ['7 EUR', '5 EUR'])).toEqual([
      'The call of \'pay\' with the input {"amount":"7 EUR"}, whose outcome was unknown, has answered after all: paid as 7 EU',
      'The call of \'pay\' with the input {"amount":"5 EUR"}, whose outcome was unknown, has answered after all: paid as 5 EU',
    ]);
  });

  it('is shown with the first 200 characters of a long input', async () => {
    const long = `1${'0'.repeat(1_000)}`;
    expect(await collectNotes([long], [long])).toEqual([
      `The call of 'pay' with the input {"amount":"1${'0'.repeat(187)}…, whose outcome was unknown, has answered after all: paid as 1000`,
    ]);
  });
});

describe('a `once` call that timed out', () => {
  it('is shown to the model with its late result if the result arrives while the turn still runs', async () => {
    let reply: (words: string) => void = () => {};
    const thinkUntilReply = () => new Promise<string>((resolve) => (reply = resolve));
    const app = createMemoryApp({
      tools: [createPayTool({ timeout: 1_000 })],
      replies: [PAY_REPLY, thinkUntilReply, 'It was paid.'],
      clock,
      leaseMs: LEASE_MS,
    });
    const end = app.run(await app.lease('Go.'), host);
    for (let i = 0; i < 20 && app.model.requests.length < 2; i += 1) await clock.advance(500);
    expect(app.model.requests[1]?.messages.at(-1)).toMatchObject({
      role: 'tool',
      text: describeUnknownOutcome('pay'),
    });
    answer('paid');
    await clock.advance(0);
    reply('I do not know.');
    expect(await advanceUntilSettled(clock, end)).toMatchObject({
      turn: { outcome: 'completed', text: 'It was paid.' },
    });
    expect(app.model.requests[2]?.messages.slice(-2)).toEqual([
      { role: 'assistant', text: 'I do not know.', toolCalls: [] },
      { role: 'user', text: LATE_NOTE },
    ]);
  });

  it('is shown with its late result by the next invocation if its turn was handed over', async () => {
    const app = createMemoryApp({
      tools: [createPayTool({ timeout: 1_000 })],
      replies: [PAY_REPLY, () => new Promise(() => {}), 'It was paid.'],
      clock,
      leaseMs: LEASE_MS,
    });
    const leased = await app.lease('Go.');
    const leave = new AbortController();
    const first = app.run(leased, { ...host, leave: leave.signal });
    for (let i = 0; i < 20 && app.model.requests.length < 2; i += 1) await clock.advance(500);
    leave.abort();
    expect(await advanceUntilSettled(clock, first)).toMatchObject({ status: 'handed-over' });
    answer('paid');
    await Promise.all(work);
    const turn = leased.page.openTurn?.id ?? '';
    expect(await advanceUntilSettled(clock, app.run(await app.resume(turn)))).toMatchObject({
      status: 'ended',
    });
    expect(app.model.requests[2]?.messages.at(-1)).toEqual({ role: 'user', text: LATE_NOTE });
  });

  it('is reported to the model as finished even if its result is too long to store', async () => {
    const app = createMemoryApp({
      tools: [createPayTool()],
      replies: [PAY_REPLY, 'Next.'],
      clock,
      leaseMs: LEASE_MS,
    });
    const leased = await app.lease('Go.');
    const end = app.run(leased, host);
    await clock.advance(0);
    await app.port.post({ kind: 'cancel', turn: leased.page.openTurn?.id ?? '', body: '{}' });
    await advanceUntilSettled(clock, end);
    answer('x'.repeat(9_000_000));
    await Promise.all(work);
    await advanceUntilSettled(clock, app.say('And now?'));
    expect(app.model.requests.at(-1)?.messages.at(-1)?.text).toBe(
      "The call of 'pay' with the input {}, whose outcome was unknown, has answered after all: Error: Tool 'pay' ran and " +
        'finished, but its result and what it changed, of 9000035 characters, are over the limit of 8388608 and were not ' +
        'kept. Do not repeat what it has done; if it only reads, ask it for less.',
    );
  });

  it('is shown with its late result only once, even if the result was both stored and posted', async () => {
    let posted = 0;
    const app = createMemoryApp({
      tools: [createPayTool({ timeout: 1_000 })],
      replies: [PAY_REPLY, () => new Promise(() => {}), 'It was paid.', 'Next.'],
      clock,
      leaseMs: LEASE_MS,
      wrap: (port) => ({
        ...port,
        append: async (epoch, from, change) => {
          const stored = await port.append(epoch, from, change);
          if (change.events.every(({ type }) => type !== 'late-result-received')) return stored;
          throw new Error('the response was lost');
        },
        post: (message) => {
          if (message.kind === 'late') posted += 1;
          return port.post(message);
        },
      }),
    });
    const leased = await app.lease('Go.');
    const first = app.run(leased, host);
    for (let i = 0; i < 20 && app.model.requests.length < 2; i += 1) await clock.advance(500);
    answer('paid');
    expect(await advanceUntilSettled(clock, first)).toMatchObject({ status: 'lost' });
    await Promise.all(work);
    expect(posted).toBe(1);
    await clock.advance(LEASE_MS);
    await advanceUntilSettled(clock, app.run(await app.resume(leased.page.openTurn?.id ?? '')));
    await advanceUntilSettled(clock, app.say('And now?'));
    expect(app.model.requests.at(-1)?.messages.filter(({ text: words }) => words === LATE_NOTE)).toEqual([
      { role: 'user', text: LATE_NOTE },
    ]);
    expect((await readEventTypes(app)).filter((type) => type === 'late-result-received').length).toBe(1);
  });
});
