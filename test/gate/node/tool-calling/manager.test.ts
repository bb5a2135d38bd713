import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  type AnyTool,
  artifact,
  type CallContext,
  defineAgent,
  defineTool,
  exceptionProcessor,
  replan,
  ToolCallContext,
  ToolDefinitionError,
} from '../../../../src/index.ts';
import type { HistoryMessage } from '../../../../src/kinds/entry.ts';
import { defineAgenticTool, defineUnfolding } from '../../../../src/kinds/entry.ts';
import type { ModelMessage, ModelReply, RequestedCall } from '../../../../src/model/entry.ts';
import { defineManualTool } from '../../../../src/modules/answers/entry.ts';
import { inspect, type LoopMoments } from '../../../../src/modules/inspect/entry.ts';
import {
  chainResolvers,
  createToolCallingManager,
  defineToolCallingOptions,
  staticResolver,
  ToolCallingError,
  type ToolCallingManagerConfig,
} from '../../../../src/modules/tool-calling/entry.ts';
import { type ToolTable, toolsOf } from '../../../../src/modules/tool-objects/entry.ts';
import { createTestSession, scriptedModel } from '../../../../src/testing/entry.ts';
import { captureWarnings } from '../../../fixtures/warnings.ts';
import { createDiggingTool, createReadingTool } from '../tool-loop/scenes.ts';

const GO_MESSAGES: readonly ModelMessage[] = [{ role: 'user', text: 'Go.' }];

const createCall = (name: string, input = '', id = `p_${name}`): RequestedCall => ({ id, name, input });
const createReply = (...toolCalls: readonly RequestedCall[]): ModelReply => ({
  text: '',
  toolCalls,
  finish: 'tool-calls',
});

async function executeCalls(
  tools: readonly AnyTool[],
  calls: readonly RequestedCall[],
  config: ToolCallingManagerConfig = {},
  messages = GO_MESSAGES,
) {
  const options = defineToolCallingOptions({ tools });
  const result = await createToolCallingManager(config).executeToolCalls(
    messages,
    createReply(...calls),
    options,
  );
  return { ...result, texts: result.generations.map(({ text }) => text) };
}

const createFailingTool = (name: string, thrown: unknown = new Error('No.')) =>
  createReadingTool(name, () => {
    throw thrown;
  });

describe('resolveToolDefinitions', () => {
  const manager = createToolCallingManager({
    resolver: staticResolver([createReadingTool('b'), createReadingTool('c')]),
  });

  it('returns the definitions of the tools, and of the names that the resolver finds (SPM-01)', async () => {
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      input: v.object({ eur: v.number() }),
      run: () => 1,
    });
    const options = defineToolCallingOptions({ tools: [pay], toolNames: ['c', 'b'] });
    const empty = { type: 'object', properties: {} };
    expect(await manager.resolveToolDefinitions(options)).toMatchObject([
      {
        name: 'pay',
        description: 'Pays.',
        inputSchema: { type: 'object', properties: { eur: { type: 'number' } }, required: ['eur'] },
      },
      { name: 'c', description: 'Does.', inputSchema: empty },
      { name: 'b', description: 'Does.', inputSchema: empty },
    ]);
  });

  it('accepts names without tools (SPM-01)', async () => {
    const options = defineToolCallingOptions({ toolNames: ['b'] });
    expect((await manager.resolveToolDefinitions(options)).map(({ name }) => name)).toEqual(['b']);
  });

  it('ignores a name that one of the tools has (SPM-01)', async () => {
    const own = defineTool({ name: 'b', description: 'Mine.', run: () => 1 });
    const options = defineToolCallingOptions({ tools: [own], toolNames: ['b'] });
    expect(await manager.resolveToolDefinitions(options)).toMatchObject([
      { name: 'b', description: 'Mine.' },
    ]);
  });

  it('rejects for an unknown name, and logs a warning with possible reasons (SPM-01)', async () => {
    const warned = captureWarnings();
    const options = defineToolCallingOptions({ toolNames: ['mcp_search'] });
    const resolved = manager.resolveToolDefinitions(options);
    await expect(resolved).rejects.toThrow(ToolCallingError);
    await expect(resolved).rejects.toMatchObject({
      message: 'No tool found for tool name: mcp_search',
      problem: 'unknown-tool',
      tools: ['mcp_search'],
    });
    expect(warned).toContain(
      "holdfast: no tool named 'mcp_search' is known. If it comes from a model or an MCP server, its prefix may have changed.",
    );
  });
});

describe('a tool resolver', () => {
  it('finds a tool by its name in a list, and returns the last one if several match (SPM-19)', async () => {
    const [first, second] = [createReadingTool('a'), createReadingTool('a')];
    const resolver = staticResolver([first, second]);
    expect(await resolver('a')).toBe(second);
    expect(await resolver('toString')).toBeUndefined();
  });

  it('returns the first match of several resolvers, and asks no further ones (SPM-19)', async () => {
    const asked: string[] = [];
    const [a, b] = [createReadingTool('a'), createReadingTool('b')];
    const chain = chainResolvers(
      staticResolver([a]),
      async (name) => {
        asked.push(name);
        return name === 'b' ? b : undefined;
      },
      staticResolver([createReadingTool('a'), createReadingTool('b')]),
    );
    expect([await chain('a'), await chain('b'), await chain('c')]).toEqual([a, b, undefined]);
    expect(asked).toEqual(['b', 'c']);
  });
});

describe('executeToolCalls', () => {
  it('runs the calls of a reply, and returns the messages for the next model call (SPM-02, SPM-04)', async () => {
    const add = defineTool({
      name: 'add',
      description: 'Adds.',
      effect: 'read',
      input: v.object({ a: v.number(), b: v.number() }),
      run: ({ a, b }) => a + b,
    });
    const messages: readonly ModelMessage[] = [
      { role: 'system', text: 'You add.' },
      { role: 'user', text: '1 + 2, and 3 + 4?' },
    ];
    const calls = [createCall('add', '{"a":1,"b":2}', 'p1'), createCall('add', '{"a":3,"b":4}', 'p2')];
    const asked: ModelReply = { ...createReply(...calls), text: 'Let me add.' };
    const options = defineToolCallingOptions({ tools: [add] });
    const result = await createToolCallingManager().executeToolCalls(messages, asked, options);
    expect(result.history).toEqual([
      ...messages,
      { role: 'assistant', text: 'Let me add.', toolCalls: calls },
      { role: 'tool', id: 'p1', name: 'add', text: '3' },
      { role: 'tool', id: 'p2', name: 'add', text: '7' },
    ]);
    expect(result).toMatchObject({
      results: [
        { id: 'p1', name: 'add', input: '{"a":1,"b":2}', result: { type: 'text', content: '3' } },
        { id: 'p2', name: 'add', input: '{"a":3,"b":4}', result: { type: 'text', content: '7' } },
      ],
      returnDirect: false,
      hasToolCalls: true,
      needsModelCall: true,
    });
  });

  it('can be used in a loop of the program (SPM-17)', async () => {
    const model = scriptedModel([{ calls: [{ name: 'look' }] }, { calls: [{ name: 'look' }] }, 'Done.']);
    const manager = createToolCallingManager();
    const options = defineToolCallingOptions({
      tools: [createReadingTool('look')],
      internalToolExecutionEnabled: false,
    });
    const { signal } = new AbortController();
    let messages = GO_MESSAGES;
    for (;;) {
      const tools = await manager.resolveToolDefinitions(options);
      const answer = await model.ask({ messages, tools }, { signal });
      if (answer.toolCalls.length === 0) break;
      ({ history: messages } = await manager.executeToolCalls(messages, answer, options));
    }
    expect(model.requests.map((request) => request.messages.length)).toEqual([1, 3, 5]);
    expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(2);
  });

  it('uses the first choice with calls if there are several choices (SPM-02)', async () => {
    const options = defineToolCallingOptions({ tools: [createReadingTool('a'), createReadingTool('b')] });
    const replies = [
      { ...createReply(), text: 'Words.' },
      createReply(createCall('b')),
      createReply(createCall('a')),
    ];
    const { results } = await createToolCallingManager().executeToolCalls(GO_MESSAGES, replies, options);
    expect(results.map(({ name }) => name)).toEqual(['b']);
  });

  it('throws without messages, without a reply, or for a reply without a call (SPM-02, SPM-18)', async () => {
    const manager = createToolCallingManager();
    const execute = manager.executeToolCalls as (...given: unknown[]) => Promise<unknown>; // The types forbid these arguments.
    const options = defineToolCallingOptions();
    await expect(execute(null, createReply(createCall('a')), options)).rejects.toThrow(TypeError);
    await expect(execute([null], createReply(createCall('a')), options)).rejects.toThrow(
      new TypeError('A message in the conversation is null or undefined.'),
    );
    await expect(execute(GO_MESSAGES, null, options)).rejects.toThrow(
      new TypeError('The reply of the model is missing.'),
    );
    await expect(execute(GO_MESSAGES, createReply(), options)).rejects.toMatchObject({
      problem: 'no-tool-call',
      message: 'No tool call requested by the chat model',
    });
  });

  it('treats blank input as an empty object, and returns an error for input that is not JSON (SPM-03)', async () => {
    const tool = defineTool({
      name: 'echo',
      description: 'Echoes.',
      effect: 'read',
      input: v.object({ at: v.optional(v.string(), 'me') }),
      run: ({ at }) => at,
    });
    const { texts } = await executeCalls(
      [tool],
      [createCall('echo', ''), createCall('echo', '  '), createCall('echo', '{"at"')],
    );
    expect(texts).toEqual([
      'me',
      'me',
      "Error: The input of tool 'echo' is not valid JSON: it does not end with '}', so it may be cut off. Send one JSON object that matches its schema.",
    ]);
  });

  it.each<[unknown, string]>([
    [undefined, 'Done'],
    [null, ''],
    ['', ''],
    ['plain words', 'plain words'],
    [7, '7'],
    [{ a: [1] }, '{"a":[1]}'],
  ])('converts the value %j of a tool to the text %j (SPM-15)', async (value, text) => {
    expect(
      (await executeCalls([createReadingTool('tool', () => value)], [createCall('tool')])).texts,
    ).toEqual([text]);
  });

  it('returns artifacts beside the text', async () => {
    const { results } = await executeCalls(
      [createReadingTool('tool', () => artifact('One.', { n: 1 }))],
      [createCall('tool')],
    );
    expect(results[0]?.result).toMatchObject({ type: 'artifact', value: { n: 1 } });
    expect(results[0]?.result.text()).toBe('One.');
  });

  it('returns a frozen result (SPM-18)', async () => {
    const options = defineToolCallingOptions({ tools: [createReadingTool('a')] });
    const result = await createToolCallingManager().executeToolCalls(
      GO_MESSAGES,
      createReply(createCall('a')),
      options,
    );
    expect(() => (result.history as unknown[]).pop()).toThrow(TypeError);
    expect(() => (result.results as unknown[]).pop()).toThrow(TypeError);
    expect(() => Object.assign(result, { returnDirect: true })).toThrow(TypeError);
  });

  it('runs calls in parallel with separate timeouts, and calls with the same serial key one after another', async () => {
    const log: string[] = [];
    const createSlowTool = (name: string, serial?: string) =>
      createReadingTool(
        name,
        async () => {
          log.push(`${name} starts`);
          await hanging.promise; // By then the other call, which is first, would have started.
          log.push(`${name} ends`);
        },
        serial === undefined ? {} : { serial },
      );
    const hanging = Promise.withResolvers<void>();
    const hang = (): Promise<void> => {
      hanging.resolve();
      return new Promise(() => {});
    };
    const hangs = createReadingTool('hangs', hang, { timeout: 5 });
    const { texts } = await executeCalls(
      [createSlowTool('a', 's'), createSlowTool('b', 's'), hangs],
      [createCall('a'), createCall('b'), createCall('hangs')],
    );
    expect(log).toEqual(['a starts', 'a ends', 'b starts', 'b ends']);
    expect(texts).toEqual(['Done', 'Done', "Error: Tool 'hangs' did not answer within 5 ms."]);
  });
});

describe('a direct return', () => {
  const createDirectTool = (name: string) =>
    createReadingTool(name, () => `${name}!`, { returnDirect: true });

  it('requires that all calls return directly, or with the policy `any` one of them (SPM-05)', async () => {
    const tools = [createDirectTool('a'), createDirectTool('b'), createReadingTool('c')];
    const all = await executeCalls(tools, [createCall('b'), createCall('a')]);
    expect([all.returnDirect, all.needsModelCall, all.hasToolCalls]).toEqual([true, false, true]);
    const mixed = await executeCalls(tools, [createCall('a'), createCall('c')]);
    expect([mixed.returnDirect, mixed.needsModelCall, mixed.hasToolCalls]).toEqual([false, true, true]);
    const any = await executeCalls(tools, [createCall('a'), createCall('c')], { returnDirect: 'any' });
    expect([any.returnDirect, any.needsModelCall]).toEqual([true, false]);
  });

  it('contains the results of its own reply, but not those of an earlier reply (SPM-06, S4-22)', async () => {
    const earlier: readonly ModelMessage[] = [
      ...GO_MESSAGES,
      { role: 'assistant', text: '', toolCalls: [createCall('a', '{}', 'old')] },
      { role: 'tool', id: 'old', name: 'a', text: 'old result' },
    ];
    const { generations } = await executeCalls(
      [createDirectTool('a'), createDirectTool('b')],
      [createCall('a'), createCall('b')],
      {},
      earlier,
    );
    expect(generations).toEqual([
      { text: 'a!', finish: 'returnDirect', metadata: { toolId: 'p_a', toolName: 'a' } },
      { text: 'b!', finish: 'returnDirect', metadata: { toolId: 'p_b', toolName: 'b' } },
    ]);
  });

  it('contains only the results that returned directly, as in a session (SPM-06, LOOP-11, S4-22)', async () => {
    const tools = [createDirectTool('a'), createReadingTool('c'), createDirectTool('b')];
    const calls = [createCall('a'), createCall('c'), createCall('b')];
    const { generations, results } = await executeCalls(tools, calls, { returnDirect: 'any' });
    const agent = defineAgent({
      name: 'clerk',
      description: 'Answers.',
      instructions: '',
      tools,
      policies: { returnDirect: 'any' },
    });
    const session = createTestSession(agent, { replies: [{ calls }] });
    expect(generations.map(({ text }) => text)).toEqual(['a!', 'b!']);
    expect((await session.send('Go.')).text).toBe(generations.map(({ text }) => text).join('\n'));
    expect(results.map(({ name }) => name)).toEqual(['a', 'c', 'b']);
  });

  it('needs no further model call, like a signal and unlike any other result (SPM-07)', async () => {
    const { needsModelCall, signal } = await executeCalls(
      [createFailingTool('a', replan('Anew.'))],
      [createCall('a')],
    );
    expect([needsModelCall, signal]).toEqual([false, { type: 'replan', reason: 'Anew.' }]);
    expect((await executeCalls([createFailingTool('a')], [createCall('a')])).needsModelCall).toBe(true);
  });
});

describe('the execution of calls', () => {
  const createOptions = (enabled?: boolean | null) =>
    defineToolCallingOptions({ internalToolExecutionEnabled: enabled });

  it('applies to every reply with calls, unless the program executes them (SPM-08, SPM-17)', async () => {
    const { shouldExecute } = createToolCallingManager();
    expect([
      await shouldExecute(createOptions(), createReply(createCall('a'))),
      await shouldExecute(createOptions(null), createReply(createCall('a'))),
      await shouldExecute(createOptions(), createReply()),
      await shouldExecute(createOptions(false), createReply(createCall('a'))),
    ]).toEqual([true, true, false, false]);
  });

  it('can be decided for a whole reply (SPM-08)', async () => {
    const seen: unknown[] = [];
    const manager = createToolCallingManager({
      eligibility: {
        shouldExecute: async (given, { toolCalls }) => {
          seen.push(given);
          return toolCalls.length < 2;
        },
      },
    });
    const given = createOptions(false);
    expect(await manager.shouldExecute(given, [createReply(), createReply(createCall('a'))])).toBe(true);
    expect(await manager.shouldExecute(given, createReply(createCall('a'), createCall('b')))).toBe(false);
    expect(seen).toEqual([given, given]);
  });

  it('can be decided for each call, and a refused call gets an error result (SPM-08)', async () => {
    const config: ToolCallingManagerConfig = {
      eligibility: { isEligible: ({ name }, context) => name !== 'pay' || context.has('boss') },
    };
    const tools = [createReadingTool('pay'), createReadingTool('look')];
    const { texts, needsModelCall } = await executeCalls(
      tools,
      [createCall('pay'), createCall('look')],
      config,
    );
    expect(texts).toEqual(["Error: Tool 'pay' was not run: this call is not permitted.", 'look done']);
    expect(needsModelCall).toBe(true);
  });

  it('does not apply to tools that only the resolver knows (SPM-12)', async () => {
    const resolver = staticResolver([createReadingTool('hidden')]);
    const { texts } = await executeCalls([createReadingTool('look')], [createCall('hidden')], { resolver });
    expect(texts[0]).toMatch(/^Error: Tool 'hidden' does not exist\. Available tools: \[look\]\./);
  });

  it('applies to the resolver’s tools if `resolveUnlisted` is set (SPM-12)', async () => {
    const resolver = staticResolver([createReadingTool('hidden'), createReadingTool('look')]);
    const calls = [createCall('hidden'), createCall('look'), createCall('hidden'), createCall('nothing')];
    const { texts } = await executeCalls([createReadingTool('look', () => 'mine')], calls, {
      resolver,
      resolveUnlisted: true,
    });
    expect(texts.slice(0, 3)).toEqual(['hidden done', 'mine', 'hidden done']);
    expect(texts[3]).toMatch(/^Error: Tool 'nothing' does not exist\./);
  });

  it('has limits that count since the last user message (SPM-13)', async () => {
    const used: readonly ModelMessage[] = [
      { role: 'assistant', text: '', toolCalls: [createCall('a', '', 'x'), createCall('a', '', 'y')] },
      { role: 'tool', id: 'x', name: 'a', text: '1' },
      { role: 'tool', id: 'y', name: 'a', text: '2' },
    ];
    const config: ToolCallingManagerConfig = { limits: { callsPerTool: { a: 2 }, toolCalls: 4 } };
    const tools = [createReadingTool('a'), createReadingTool('b')];
    const fresh = await executeCalls(tools, [createCall('a'), createCall('b')], config, [
      ...used,
      ...GO_MESSAGES,
    ]);
    expect(fresh.texts).toEqual(['a done', 'b done']);
    const { texts } = await executeCalls(tools, [createCall('a'), createCall('b'), createCall('b')], config, [
      ...GO_MESSAGES,
      ...used,
    ]);
    expect(texts).toEqual([
      "Error: Tool call limit (2) exceeded for tool 'a'. No further calls to this tool are allowed in this turn.",
      'b done',
      'Error: Total tool call limit (4) exceeded for this turn. No further tool calls are allowed.',
    ]);
  });
});

describe('a tool that throws', () => {
  it('leads to an error result with its message, while other calls keep their results (SPM-10, SPM-11)', async () => {
    const { texts, signal } = await executeCalls(
      [createFailingTool('a'), createReadingTool('b')],
      [createCall('b'), createCall('a'), createCall('b')],
    );
    expect(texts).toEqual(['b done', 'Error: No.', 'b done']);
    expect(signal).toBeUndefined();
  });

  it('can end the loop of the program, while other calls keep their results (SPM-10, SPM-11)', async () => {
    const processor = exceptionProcessor({ rethrown: [TypeError] });
    const tools = [
      createFailingTool('a', new TypeError('The type is missing.')),
      createFailingTool('c'),
      createReadingTool('b'),
    ];
    const result = await executeCalls(tools, [createCall('b'), createCall('a'), createCall('c')], {
      exceptionProcessor: processor,
    });
    expect(result.texts).toEqual(['b done', 'Error: The type is missing.', 'Error: No.']);
    expect(result.signal).toEqual({ type: 'fail', reason: 'The type is missing.' });
    expect(result.needsModelCall).toBe(false);
  });
});

describe('a tool-calling manager', () => {
  it.each(['resolver', 'exceptionProcessor', 'use', 'eligibility'])(
    'throws if %s is null (SPM-09)',
    (setting) => {
      expect(() => createToolCallingManager({ [setting]: null })).toThrow(
        new TypeError(`createToolCallingManager: ${setting} must not be null.`),
      );
    },
  );

  it.each<[object, string]>([
    [
      { limits: { toolCalls: -1 } },
      "callLimits: toolCalls is -1. Use a positive whole number, or 'unlimited'.",
    ],
    [
      { limits: { callsPerTool: { look: 0 } } },
      "callLimits: callsPerTool.look is 0. Use a positive whole number, or 'unlimited'.",
    ],
  ])('throws for the invalid setting %j', (config, problem) => {
    expect(() => createToolCallingManager(config)).toThrow(
      new TypeError(`createToolCallingManager: ${problem}`),
    );
  });

  it('calls its inspectors (SPM-09)', async () => {
    const seen: LoopMoments['afterToolCall'][] = [];
    await executeCalls([createReadingTool('a')], [createCall('a')], {
      use: [inspect({ afterToolCall: (one) => void seen.push(one) })],
    });
    expect(seen).toMatchObject([{ call: { name: 'a' }, text: 'a done', iteration: 1 }]);
  });

  it('passes its context to a call, which is empty by default (SPA-08, SPA-09)', async () => {
    const seen: ToolCallContext[] = [];
    const tool = createReadingTool('a', ({ context }) => void seen.push(context));
    await executeCalls([tool], [createCall('a')]);
    const options = defineToolCallingOptions({ tools: [tool], toolContext: { tenant: 't1' } });
    await createToolCallingManager().executeToolCalls(GO_MESSAGES, createReply(createCall('a')), options);
    expect(seen[0]).toBe(ToolCallContext.EMPTY);
    expect(seen[1]?.toJSON()).toEqual({ tenant: 't1' });
  });

  it('passes the conversation with the reply itself to a call, even if the context is empty (SPA-08)', async () => {
    const seen: (readonly HistoryMessage[])[] = [];
    const tool = createReadingTool('a', ({ history }) => void seen.push(history()));
    const messages: readonly ModelMessage[] = [
      { role: 'system', text: 'You work.' },
      ...GO_MESSAGES,
      {
        role: 'assistant',
        text: '',
        toolCalls: [createCall('a', '{}', 'same'), createCall('a', '{}', 'same')],
      },
      { role: 'tool', id: 'same', name: 'a', text: 'first' },
      { role: 'tool', id: 'same', name: 'a', text: 'second' },
    ];
    await executeCalls([tool], [createCall('a')], {}, messages);
    const createTextResult = (content: string) => ({ type: 'text', content });
    expect(seen[0]).toEqual([
      { role: 'user', text: 'Go.' },
      {
        role: 'assistant',
        text: '',
        calls: [
          { id: 'same', name: 'a', input: '{}', result: createTextResult('first') },
          { id: 'same', name: 'a', input: '{}', result: createTextResult('second') },
        ],
      },
      { role: 'assistant', text: '', calls: [{ id: expect.any(String), name: 'a', input: '' }] },
    ]);
  });

  it('stores nothing, and a call can detect that it has no session', async () => {
    const seen: Pick<CallContext, 'inSession' | 'id' | 'idempotencyKey'>[] = [];
    const tool = createReadingTool('a', ({ inSession, id, idempotencyKey, state }) => {
      seen.push({ inSession, id, idempotencyKey });
      const before = state.get('n') ?? 'nothing';
      state.set('n', 1);
      return before;
    });
    const once = await executeCalls([tool], [createCall('a'), createCall('a')]);
    const again = await executeCalls([tool], [createCall('a')]);
    expect([...once.texts, ...again.texts]).toEqual(['nothing', 'nothing', 'nothing']);
    expect(seen.map(({ inSession }) => inSession)).toEqual([false, false, false]);
    expect(new Set(seen.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(3);
  });

  it('passes credentials to a call, and redacts them in results', async () => {
    const tell = createReadingTool('tell', ({ secrets }) => `The key is ${secrets.require('KEY')}.`);
    const { texts } = await executeCalls([tell], [createCall('tell')], { secrets: { KEY: 'sesame-open' } });
    expect(texts).toEqual(['The key is [secret KEY].']);
  });

  it('returns an error to a call that asks a question, because it cannot wait for the answer', async () => {
    const ask = createReadingTool(
      'ask',
      async (call) => (await call.ask({ for: 'decision', message: 'May I?' })).decision,
    );
    const manual = defineManualTool({ name: 'manual', description: 'Is run by the caller.' });
    const { texts } = await executeCalls(
      [ask, manual, createReadingTool('b')],
      [createCall('ask'), createCall('manual'), createCall('b')],
    );
    expect(texts).toEqual([
      "Error: Tool 'ask' asks a question, but only a session can wait for the answer.",
      "Error: Tool 'manual' asks a question, but only a session can wait for the answer.",
      'b done',
    ]);
  });

  it('runs nested loops with its model, and returns an error if it has none', async () => {
    const dig = createDiggingTool([createReadingTool('look')]);
    const model = scriptedModel([{ calls: [{ name: 'look' }] }, 'Dug.']);
    expect((await executeCalls([dig], [createCall('dig')], { model })).texts).toEqual(['completed: Dug.']);
    expect((await executeCalls([dig], [createCall('dig')])).texts).toEqual([
      'failed: This tool runs a loop of its own, but the tool-calling manager has no model for it.',
    ]);
  });

  it('unfolds a tool inside an agentic tool, but only lists the inner tools of its own unfolding tool (UNF-03)', async () => {
    const files = defineUnfolding({
      name: 'files',
      description: 'Works with files.',
      tools: [createReadingTool('list')],
    });
    const clerk = defineAgenticTool({
      name: 'clerk',
      description: 'Keeps the files.',
      input: v.object({}),
      tools: [files],
    });
    const model = scriptedModel([{ calls: [{ name: 'files' }] }, { calls: [{ name: 'list' }] }, 'Listed.']);
    expect((await executeCalls([clerk], [createCall('clerk')], { model })).texts).toEqual(['Listed.']);
    expect(model.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
      ['files'],
      ['files', 'list'],
      ['files', 'list'],
    ]);
    expect((await executeCalls([files], [createCall('files')])).texts).toEqual([
      "Tools now available: list. You MUST call one of these tools to complete the user's request. Do NOT respond with text — call a tool.",
    ]);
  });

  it('aborts running calls with the signal of the program, and starts no further calls', async () => {
    const stop = new AbortController();
    const ran: string[] = [];
    const step = createReadingTool(
      'step',
      ({ id, signal }) =>
        new Promise((_, reject) => {
          ran.push(id);
          signal.addEventListener('abort', () => reject(signal.reason));
          stop.abort(new Error('The program stops.'));
        }),
      { serial: 's' },
    );
    const options = defineToolCallingOptions({ tools: [step] });
    const { executeToolCalls } = createToolCallingManager();
    const run = executeToolCalls(GO_MESSAGES, createReply(createCall('step'), createCall('step')), {
      ...options,
      signal: stop.signal,
    });
    await expect(run).rejects.toThrow(new Error('The program stops.'));
    expect(ran).toHaveLength(1);
    const late = executeToolCalls(GO_MESSAGES, createReply(createCall('step')), {
      ...options,
      signal: stop.signal,
    });
    await expect(late).rejects.toThrow('The program stops.');
    expect(ran).toHaveLength(1);
  });
});

describe('the tools of an object for a manager', () => {
  class Clerk {
    static readonly tools = { greet: { description: 'Greets.', effect: 'read' } } satisfies ToolTable<Clerk>;
    greet() {
      return 'Hello.';
    }
    /** These members hold or return functions. They are not in the table, and are therefore not tools. */
    readonly later = () => 'a function';
    static helper = () => 'a function of the class';
    get handler() {
      return () => 'another function';
    }
    supply() {
      return () => 'a function';
    }
  }
  class Nobody {
    greet() {
      return 'Hello.';
    }
    readonly later = () => 'a function';
  }

  it('are only its described methods (SPM-16)', async () => {
    expect(toolsOf(new Clerk()).map(({ name }) => name)).toEqual(['greet']);
    expect((await executeCalls(toolsOf(new Clerk()), [createCall('greet')])).texts).toEqual(['Hello.']);
  });

  it('return a note instead of text if a method returns a function (SPM-16)', async () => {
    class Supplier {
      static readonly tools = { supply: { description: 'Supplies.', effect: 'read' } };
      supply() {
        return () => 'a function';
      }
    }
    expect((await executeCalls(toolsOf(new Supplier()), [createCall('supply')])).texts).toEqual([
      'Done\n(not shown: $ is a function)',
    ]);
  });

  it.each<[string, object]>([
    ['an object whose class describes no methods', new Nobody()],
    [
      'an object whose class has an empty table',
      new (class Empty {
        static readonly tools = {};
        greet() {}
      })(),
    ],
    ['a plain object', { greet: () => 'Hello.' }],
  ])('cannot come from %s (SPM-16)', (_, object) => {
    expect(() => toolsOf(object)).toThrow(/^No tools found on (Nobody|Empty|Object)\./);
  });

  it('must have unique names across objects and lists (SPM-16)', () => {
    const twice = 'Multiple tools with the same name (greet) found in ToolCallingOptions';
    const [one, other] = [toolsOf(new Clerk()), toolsOf(new Clerk())];
    expect(() => defineToolCallingOptions({ tools: [...one, ...other] })).toThrow(twice);
    expect(() => defineToolCallingOptions({ tools: [...one, createReadingTool('greet')] })).toThrow(twice);
  });

  it.each(['get weather', 'größe', 'a.b', 'a(b)', 'x'.repeat(65)])(
    'must not have the name %j, which some providers refuse (SPM-14)',
    (name) => {
      expect(() => createReadingTool(name)).toThrow(ToolDefinitionError);
    },
  );
});
