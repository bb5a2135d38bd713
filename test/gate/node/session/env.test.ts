/** The part of the Worker's environment that tools receive, and how it is kept secret. */
import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../../../src/create-holdfast.ts';
import { type AnyTool, defineAgent, defineTool } from '../../../../src/index.ts';
import { defineAgenticTool, defineSubagent } from '../../../../src/kinds/entry.ts';
import { toAiTools } from '../../../../src/modules/ai-sdk-tools/entry.ts';
import {
  createToolCallingManager,
  defineToolCallingOptions,
} from '../../../../src/modules/tool-calling/entry.ts';
import { callTool, createTestSession, scriptedModel } from '../../../../src/testing/entry.ts';

const SHOP_KEY = 'a-key-of-the-shop';
/** A binding, a secret and a var. */
const env = { DB: { rows: () => ['ann', 'bob'] }, SHOP_API_KEY: SHOP_KEY, REGION: 'weur' };

/** Gives the environment a type that these tests do not declare. */
const asBindings = (given: object): typeof env => given as typeof env; // Each test here passes this environment.

const createNamedTool = (name: string, run: (given: typeof env) => unknown): AnyTool =>
  defineTool({ name, description: 'Reads.', run: (_, call) => run(asBindings(call.env)) });

const list = createNamedTool('list', ({ DB }) => DB.rows());
const callTools = (name: string) => ({ calls: [{ name }] });
const createTestAgent = (...tools: readonly AnyTool[]) =>
  defineAgent({ name: 'clerk', description: 'Reads.', instructions: '', tools });

describe('the bindings of the Worker', () => {
  it('are available to a tool that a test calls directly', async () => {
    expect((await callTool(list, {}, { env })).content).toBe('["ann","bob"]');
  });

  it('are available in a turn, inside an agentic tool and inside a subagent', async () => {
    const model = scriptedModel([callTools('list'), 'Listed.']);
    const nested = defineAgenticTool({ name: 'nested', description: 'Asks.', tools: [list], model });
    const other = {
      ...createTestAgent(list),
      name: 'other',
      model: scriptedModel([callTools('list'), 'Listed.']),
    };
    const session = createTestSession(createTestAgent(list, nested, defineSubagent({ agent: other })), {
      env,
      replies: [
        { calls: [{ name: 'list' }, { name: 'nested' }, { name: 'other', input: { message: 'Go.' } }] },
        'Done.',
      ],
    });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed' });
    const read = (await session.events()).flatMap((event) =>
      event.type === 'tool-call-ended' && event.result.type === 'artifact' ? [event.result.value] : [],
    );
    // The subagent returns the result of its own call.
    expect(read).toEqual(Array(4).fill(['ann', 'bob']));
  });

  it('are available in a program that calls the model itself', async () => {
    const manager = createToolCallingManager({ env });
    const reply = {
      text: '',
      toolCalls: [{ id: '1', name: 'list', input: '{}' }],
      finish: 'tool-calls',
    } as const;
    const { results } = await manager.executeToolCalls(
      [],
      reply,
      defineToolCallingOptions({ tools: [list] }),
    );
    expect(results[0]?.result.content).toBe('["ann","bob"]');
  });

  it('are available in a program that uses the AI SDK', async () => {
    const { list: given } = toAiTools([list], { env });
    const options = { toolCallId: '1', messages: [], context: undefined } as const;
    expect(await given?.execute?.({}, options as never)).toMatchObject({ text: '["ann","bob"]' });
  });

  it('are an empty object if the caller passed no bindings', async () => {
    expect(
      (
        await callTool(
          createNamedTool('count', (given) => Object.keys(given).length),
          {},
        )
      ).content,
    ).toBe('0');
  });
});

describe('the environment', () => {
  it('is shown only as names if a tool returns all of it', async () => {
    const all = createNamedTool('all', (given) => ({ given }));
    expect((await callTool(all, {}, { env })).content).toBe('{"given":["DB","SHOP_API_KEY","REGION"]}');
    expect((await callTool(createNamedTool('text', String), {}, { env })).content).toBe('[object Object]');
  });

  it('is redacted if a tool returns or throws a credential, but a plain variable is kept', async () => {
    const lines: LogEntry[] = [];
    const leaks = createNamedTool(
      'leaks',
      ({ SHOP_API_KEY, REGION }) => `Bearer ${SHOP_API_KEY} in ${REGION}`,
    );
    const throws = createNamedTool('throws', ({ SHOP_API_KEY }) => {
      throw new Error(`401 for ${SHOP_API_KEY}`);
    });
    const session = createTestSession(createTestAgent(leaks, throws), {
      env,
      log: (line) => lines.push(line),
      replies: [{ calls: [{ name: 'leaks' }, { name: 'throws' }] }, 'Done.'],
    });
    await session.send('Go.');
    expect(session.requests.at(-1)?.messages.slice(-2)).toMatchObject([
      { text: 'Bearer [secret SHOP_API_KEY] in weur' },
      { text: expect.stringContaining('401 for [secret SHOP_API_KEY]') },
    ]);
    expect(lines.map(({ event }) => event)).toEqual(['tool-threw', 'turn']);
    expect(JSON.stringify([await session.events(), lines, session.requests])).not.toContain(SHOP_KEY);
    expect(lines[0]).not.toHaveProperty('thrown', expect.anything());
  });

  it('is redacted if a URL contains a password, but a key that is not a secret is kept', async () => {
    const given = {
      DATABASE_URL: 'postgres://shop:pass-word@db.example/orders',
      SITE: 'https://shop.example:8443/a@b',
      PRIMARY_KEY: 'orderId',
      STRIPE_PUBLISHABLE_KEY: 'pk_live_4711',
      SORTKEY_1: 'created',
    };
    const leaks = defineTool({
      name: 'leaks',
      description: 'Reads.',
      run: (_, call) => Object.values({ ...call.env }).join(' '),
    });
    const session = createTestSession(createTestAgent(leaks), {
      env: given,
      replies: [callTools('leaks'), 'Done.'],
    });
    await session.send('Go.');
    expect(session.requests.at(-1)?.messages.at(-1)?.text).toBe(
      '[secret DATABASE_URL] https://shop.example:8443/a@b orderId pk_live_4711 created',
    );
  });

  it('cannot be changed by one tool for another', async () => {
    const change = createNamedTool('change', (given) => Object.assign(given, { REGION: 'mine' }));
    expect((await callTool(change, {}, { env })).content).toContain(
      "Cannot assign to read only property 'REGION'",
    );
    expect(env.REGION).toBe('weur');
  });
});
