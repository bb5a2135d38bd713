import * as v from 'valibot';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type AnyTool, defineAgent, defineTool, type Effect, ModelError } from '../../../../src/index.ts';
import { defineAgenticTool } from '../../../../src/kinds/entry.ts';
import { toolFactory, toolMethod } from '../../../../src/modules/tool-objects/entry.ts';
import {
  type Clock,
  createManualClock,
  createTestSession,
  type ScriptedReply,
  scriptedModel,
  type TestSession,
} from '../../../../src/testing/entry.ts';

const createTestAgent = (...tools: readonly AnyTool[]) =>
  defineAgent({ name: 'clerk', description: 'Pays.', instructions: 'Pay what is asked.', tools });
const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  input: v.object({ number: v.string() }),
  run: ({ number }, call) => ({ paid: number, for: call.context.get('tenant') ?? 'nobody' }),
});
const asksToPay = { calls: [{ name: 'pay', input: { number: 'INV-17' } }] };

describe('a test session', () => {
  it('returns the same answer as POST .../messages', async () => {
    const session = createTestSession(createTestAgent(pay), { replies: [asksToPay, 'Paid.'] });
    const answer = await session.send('Pay INV-17.');
    expect(answer).toEqual({
      turn: expect.any(String),
      loopId: answer.turn,
      session: 'test',
      agent: 'clerk',
      outcome: 'completed',
      text: 'Paid.',
      artifacts: [{ call: `${answer.turn}.3.0`, tool: 'pay', value: { paid: 'INV-17', for: 'nobody' } }],
      usage: { inputTokens: 20, outputTokens: 10 },
      iterations: 2,
      toolCalls: 1,
      model: 'scripted',
    });
  });

  it('sends messages as the principal that the test sets, for all messages or for one', async () => {
    const who = defineTool({
      name: 'who',
      description: 'Who?',
      run: (_, { principal }) => ({ ...principal }),
    });
    const asks = { calls: [{ name: 'who' }] };
    const principal = { id: 'ana', tenant: 'acme', roles: ['chief'] };
    const others = { principal: { id: 'bob' } };
    const options = { replies: [asks, '1', asks, '2', asks, '3'], principal };
    const session = createTestSession(createTestAgent(who), options);
    const getArtifactValues = async (answer: Promise<{ artifacts: readonly { value: unknown }[] }>) =>
      (await answer).artifacts.map(({ value }) => value);
    expect(await getArtifactValues(session.send('Who?'))).toEqual([principal]);
    expect(await getArtifactValues(session.send('Who?', others))).toEqual([{ id: 'bob' }]);
    const { turn } = await session.post('Who?', others);
    expect(await getArtifactValues(session.answer(turn))).toEqual([{ id: 'bob' }]);
  });

  it('records the requests to the model and the journaled events', async () => {
    const session = createTestSession(createTestAgent(pay), { replies: [asksToPay, 'Paid.'], warm: true });
    await session.send('Pay INV-17.');
    expect(session.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([['pay'], ['pay']]);
    expect(session.requests[1]?.messages.slice(1)).toMatchObject([
      { role: 'user', text: 'Pay INV-17.' },
      { role: 'assistant', toolCalls: [{ name: 'pay', input: '{"number":"INV-17"}' }] },
      { role: 'tool', text: '{"paid":"INV-17","for":"nobody"}' },
    ]);
    expect(await readEventTypes(session)).toEqual([
      'session-opened',
      'turn-started',
      'model-replied',
      'tool-call-started',
      'tool-call-ended',
      'model-replied',
      'turn-ended',
    ]);
  });

  it('returns the same results in every run, with the same ids and idempotency keys', async () => {
    const keys: string[] = [];
    const key = defineTool({
      name: 'pay',
      description: 'Pays.',
      run: (_, call) => void keys.push(`${call.id} ${call.idempotencyKey}`),
    });
    for (let i = 0; i < 2; i += 1) {
      await createTestSession(createTestAgent(key), { replies: [asksToPay, 'Paid.'] }).send('Pay.');
    }
    expect(keys[1]).toBe(keys[0]);
  });

  it('returns why a turn has failed', async () => {
    const down = new ModelError('unauthorized', 'The key was refused.', { status: 401 });
    const session = createTestSession(createTestAgent(), { replies: [down, 'Hello again.'] });
    expect(await session.send('Hello?')).toMatchObject({
      outcome: 'failed',
      error: { type: 'model-failure', message: 'The key was refused.' },
    });
    expect(await session.send('Hello?')).toMatchObject({ outcome: 'completed', text: 'Hello again.' });
  });

  it('remembers earlier turns, even after a restart', async () => {
    const session = createTestSession(createTestAgent(), { replies: ['One.', 'Two.'] });
    await session.send('First');
    session.restart();
    await session.send('Second');
    expect(session.requests[1]?.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
    ]);
    expect((await session.state()).messages).toHaveLength(4);
  });

  it('passes its context to tools, which the context of a message overrides', async () => {
    const session = createTestSession(createTestAgent(pay), {
      replies: [asksToPay, 'Paid.', asksToPay, 'Paid.'],
      context: { tenant: 'acme' },
    });
    const values = [await session.send('Pay.'), await session.send('Pay.', { context: { tenant: 'bolt' } })];
    expect(values.map(({ artifacts }) => artifacts[0]?.value)).toMatchObject([
      { for: 'acme' },
      { for: 'bolt' },
    ]);
  });

  it('continues the loop that a message names', async () => {
    const session = createTestSession(createTestAgent(), { replies: ['Hello.'] });
    expect(await session.send('Hello?', { loopId: 'loop-1' })).toMatchObject({ loopId: 'loop-1' });
  });

  it('uses the model of its options instead of the agent’s model', async () => {
    const own = scriptedModel(['From its own.']);
    const agent = defineAgent({
      ...createTestAgent(),
      limits: undefined,
      context: undefined,
      output: undefined,
      model: own,
    });
    const session = createTestSession(agent, { model: scriptedModel(['From another.']) });
    expect(await session.send('Hello?')).toMatchObject({ text: 'From another.' });
    expect([own.requests.length, session.requests.length]).toEqual([0, 1]);
  });

  it('throws for a message while a turn runs', async () => {
    const session = createTestSession(createTestAgent(), { replies: ['Hello.'] });
    const first = session.send('Hello?');
    await expect(session.send('Are you there?')).rejects.toThrow(
      'The session did not accept the message (busy).',
    );
    expect(await first).toMatchObject({ outcome: 'completed' });
  });

  it('rejects a posted message that was not delivered because the clock has stopped', async () => {
    const late = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(late.signal);
    onTestFinished(() => timeout.mockRestore());
    const waits = defineTool({
      name: 'wait',
      description: 'Waits.',
      async run(): Promise<unknown> {
        const posting = session.post('And?', { whenBusy: 'steer' });
        await expect.poll(() => timeout.mock.calls).toEqual([[2_000]]);
        late.abort();
        return posting.catch((thrown: unknown) => String(thrown).replace(/turn \w+/, 'turn T'));
      },
    });
    const session: TestSession = createTestSession(createTestAgent(waits), {
      replies: [{ calls: [{ name: 'wait' }] }, 'Done.'],
      clock: createManualClock(),
    });
    void session.send('Wait.');
    const getLastText = (): unknown => session.requests[1]?.messages.at(-1)?.text;
    await expect
      .poll(getLastText)
      .toBe(
        'Error: The message of turn T was not received within 2000 ms: the running turn is stuck, or its clock is stopped. ' +
          'Advance a manual clock while `post` is awaited.',
      );
  });

  it('has no state and no events before its first message', async () => {
    const session = createTestSession(createTestAgent(), { replies: [] });
    await expect(session.state()).rejects.toThrow('No message has been sent to the session yet.');
    expect(await session.events()).toEqual([]);
  });
});

describe('the secrets of a test session', () => {
  const use = defineTool({
    name: 'pay',
    description: 'Pays.',
    effect: 'idempotent',
    run: (_, { secrets }) => `Paid with ${secrets.require('apiKey')}.`,
  });

  it('are created for the principal of the message, and are not exposed', async () => {
    const principals: unknown[] = [];
    const session = createTestSession(createTestAgent(use), {
      replies: [asksToPay, 'Paid.'],
      secrets: (principal) => {
        principals.push(principal);
        return { apiKey: 'key-zq4711', none: undefined };
      },
    });
    const answer = await session.send('Pay.');
    expect(principals).toEqual(Array(3).fill({ id: 'tester' })); // Once in each of three invocations, because another one resumes after each of the two replies.
    expect(session.requests[1]?.messages.at(-1)).toMatchObject({ text: 'Paid with [secret apiKey].' });
    expect(JSON.stringify([answer, await session.events(), session.requests])).not.toContain('zq4711');
  });

  it('are created again by the invocation that takes over after a kill', async () => {
    const used: string[] = [];
    let minted = 0;
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      effect: 'idempotent',
      run: (_, { secrets }) => {
        if (used.push(secrets.require('apiKey')) === 1) session.kill();
        return 'paid';
      },
    });
    const session: TestSession = createTestSession(createTestAgent(pay), {
      replies: [asksToPay, 'Done.'],
      clock: createManualClock(),
      secrets: async () => {
        minted += 1;
        return { apiKey: `key-zq4711-${minted}` };
      },
      warm: true,
    });
    expect(await session.send('Pay.')).toMatchObject({ outcome: 'completed' });
    expect(used).toEqual(['key-zq4711-1', 'key-zq4711-2']);
    expect(JSON.stringify([await session.events(), session.requests])).not.toContain('zq4711');
  });

  it('fail the turn without their error message if their function throws', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const session = createTestSession(createTestAgent(use), {
      replies: ['Hello.'],
      secrets: () => Promise.reject(new Error('key-zq4711 was refused')),
    });
    expect(await session.send('Pay.')).toMatchObject({
      outcome: 'failed',
      error: { type: 'internal', message: 'The turn failed inside the Worker.' },
    });
    expect(JSON.stringify(await session.events())).not.toContain('zq4711');
    expect([session.requests.length, log.mock.calls.length]).toEqual([0, 1]);
    log.mockRestore();
  });
});

describe('the invocations of a test session', () => {
  class Till {
    #sum = 0;
    readonly pay = toolMethod({ description: 'Pays.', effect: 'idempotent' }, (_, { secrets }) => {
      this.#sum += 1;
      return `${this.#sum} by ${secrets.require('key')}`;
    });
  }
  const playTurns = async (options: { readonly warm?: boolean }) => {
    let minted = 0;
    let tills = 0;
    const till = toolFactory(() => {
      tills += 1;
      return new Till();
    });
    const agent = defineAgent({ name: 'clerk', description: 'Pays.', instructions: 'Pay.', tools: [till] });
    tills = 0; // It was created once to find the names of its tools.
    const session = createTestSession(agent, {
      replies: [asksToPay, asksToPay, 'Paid.'],
      secrets: () => {
        minted += 1;
        return { key: `key-${minted}` };
      },
      ...options,
    });
    const { artifacts, ...answer } = await session.send('Pay twice.');
    expect(answer).toMatchObject({ outcome: 'completed', text: 'Paid.', iterations: 3 });
    const read = session.requests.at(-1)?.messages.flatMap(({ role, text }) => (role === 'tool' ? text : []));
    const yields = (await readEventTypes(session)).filter((type) => type === 'turn-yielded').length;
    return { requests: session.requests.length, minted, tills, read, yields };
  };

  it('end after each reply, so that secrets and factories are created again', async () => {
    expect(await playTurns({})).toEqual({
      requests: 3,
      minted: 4,
      tills: 2,
      read: ['1 by key-2', '1 by key-3'],
      yields: 3,
    });
  });

  it('continue for a whole turn if the test sets `warm: true`', async () => {
    expect(await playTurns({ warm: true })).toEqual({
      requests: 3,
      minted: 1,
      tills: 1,
      read: ['1 by key-1', '2 by key-1'],
      yields: 0,
    });
  });

  it('also end after a reply in a nested loop', async () => {
    const dig = defineAgenticTool({
      name: 'dig',
      description: 'Digs.',
      instructions: 'Dig.',
      tools: [pay],
    });
    const replies = [{ calls: [{ name: 'dig', input: { message: 'Dig.' } }] }, 'Dug.', 'Done.'];
    const session = createTestSession(createTestAgent(dig), { replies });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect((await readEventTypes(session)).filter((type) => type === 'turn-yielded')).toHaveLength(3);
    expect(session.requests.at(-1)?.messages.at(-1)?.text).toBe('Dug.');
  });

  it('continue one after another if the clock has stopped', async () => {
    const clock = createManualClock();
    const session = createTestSession(createTestAgent(pay), { replies: [asksToPay, 'Paid.'], clock });
    expect(await session.send('Pay INV-17.')).toMatchObject({ outcome: 'completed', text: 'Paid.' });
  });
});

describe('a test session whose Worker is killed', () => {
  /**
   * Returns a session whose tool kills the Worker after it acts, in its first `kills` runs (default: one).
   */
  function createDyingSession(
    effect: Effect,
    {
      kills = 1,
      reconciles = false,
      replies = [asksToPay, 'Done.'] as readonly ScriptedReply[],
      clock = createManualClock() as Clock,
      warm = false,
    } = {},
  ) {
    const ran: string[] = [];
    const act = defineTool({
      name: 'pay',
      description: 'Pays.',
      effect,
      run: (_, call) => {
        if (ran.push(call.id) <= kills) session.kill();
        return 'paid';
      },
      ...(reconciles && { reconcile: () => ({ done: 'was paid' }) }),
    } as Parameters<typeof defineTool>[0]); // Only a `once` tool can have a `reconcile`.
    const session = createTestSession(createTestAgent(act), { replies, clock, warm });
    return { session, ran };
  }
  const getLastResult = ({ requests }: TestSession): unknown => requests.at(-1)?.messages.at(-1);

  it('runs an interrupted idempotent call again with the same id', async () => {
    const { session, ran } = createDyingSession('idempotent', { kills: 2 });
    expect(await session.send('Pay.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect([ran.length, new Set(ran).size]).toEqual([3, 1]);
    expect(getLastResult(session)).toMatchObject({ role: 'tool', text: 'paid' });
  });

  it('repeats the model call of a read call, because the reply may not have been stored', async () => {
    const clock: Clock = { ...createManualClock(), soon: () => () => {} }; // Without waiting for it, no event is stored.
    const { session, ran } = createDyingSession('read', {
      replies: [asksToPay, asksToPay, 'Done.'],
      clock,
      warm: true,
    });
    expect(await session.send('Pay.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect([ran.length, session.requests.length]).toEqual([2, 3]);
  });

  it('reconciles an interrupted once call', async () => {
    const { session, ran } = createDyingSession('once', { reconciles: true });
    expect(await session.send('Pay.')).toMatchObject({ outcome: 'completed' });
    expect(ran).toHaveLength(1);
    expect(getLastResult(session)).toMatchObject({ role: 'tool', text: 'was paid' });
    expect(await readEventTypes(session)).toContain('turn-resumed');
  });

  it('reports an unknown outcome if the call cannot be reconciled', async () => {
    const { session, ran } = createDyingSession('once');
    expect(await session.send('Pay.')).toMatchObject({ outcome: 'completed' });
    expect(ran).toHaveLength(1);
    expect(getLastResult(session)).toMatchObject({ text: expect.stringContaining('is unknown') });
  });

  it('is killed once, even if the killed invocation calls kill repeatedly or never ends', async () => {
    const hang = defineTool({
      name: 'pay',
      description: 'Pays.',
      run: () => {
        session.kill();
        session.kill();
        return new Promise<never>(() => {});
      },
    });
    const session: TestSession = createTestSession(createTestAgent(hang), {
      replies: [asksToPay, 'Done.'],
      warm: true,
    });
    expect(await session.send('Pay.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect((await readEventTypes(session)).filter((type) => type === 'turn-resumed')).toHaveLength(1);
  });

  it('does not store later work of the killed invocation', async () => {
    const session: TestSession = createTestSession(createTestAgent(pay), {
      replies: [
        async () => {
          session.kill();
          return asksToPay;
        },
        'Done.',
      ],
      warm: true,
    });
    expect(await session.send('Pay.')).toMatchObject({ text: 'Done.', toolCalls: 0 });
    expect(await readEventTypes(session)).toEqual([
      'session-opened',
      'turn-started',
      'turn-resumed',
      'model-replied',
      'turn-ended',
    ]);
  });

  it('repeats the model call if its reply was lost', async () => {
    const session: TestSession = createTestSession(createTestAgent(), {
      replies: [
        () => {
          session.kill();
          return 'Lost.';
        },
        'Found.',
      ],
    });
    expect(await session.send('Hello?')).toMatchObject({ outcome: 'completed', text: 'Found.' });
  });

  it('abandons the turn after eight consecutive kills without progress', async () => {
    const { session, ran } = createDyingSession('idempotent', { kills: 9 });
    expect(await session.send('Pay.')).toMatchObject({ outcome: 'failed', error: { type: 'stuck' } });
    expect(ran).toHaveLength(8);
  });

  it('continues unchanged if no invocation is running', async () => {
    const session = createTestSession(createTestAgent(), { replies: ['One.', 'Two.'], warm: true });
    session.kill();
    await session.send('First');
    session.kill();
    expect(await session.send('Second')).toMatchObject({ text: 'Two.' });
    expect(await readEventTypes(session)).not.toContain('turn-resumed');
  });
});

const readEventTypes = async (session: TestSession): Promise<string[]> =>
  (await session.events()).map(({ type }) => type);
