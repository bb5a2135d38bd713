/** Tests copies of tools that run their own loops, and the context that such tools declare. */

import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  type Agent,
  type AnyTool,
  artifact,
  defineDomainType,
  defineTool,
  type Json,
  ToolCallContext,
  ToolDefinitionError,
  toolProvider,
} from '../../../../src/index.ts';
import {
  addTools,
  chainFrom,
  chaining,
  defineAgenticTool,
  defineInjectionStrategy,
  definePlaybook,
  defineStateMachine,
  defineSubagent,
  type LoopView,
  noChange,
  startingIn,
  withContext,
  withInstructions,
  withLimits,
  withModel,
  withSettings,
  withTools,
  withUse,
} from '../../../../src/kinds/entry.ts';
import { requireApproval, withName, withParameter } from '../../../../src/modules/decorators/entry.ts';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import { budget } from '../../../../src/modules/limits/entry.ts';
import { toolTable } from '../../../../src/modules/tool-objects/entry.ts';
import { createTestSession, type ScriptedReply, scriptedModel } from '../../../../src/testing/entry.ts';
import { RENAME_FIRST_TWO } from '../../../fixtures/rename.ts';
import { callTools, createAgent, createAnsweringTool, getResults, TASK_SCHEMA } from './scenes.ts';

const look = createAnsweringTool('look', 'seen');
const find = createAnsweringTool('find', 'found');
const base = { description: 'Works.', input: jsonSchema(TASK_SCHEMA), instructions: 'Work.' };
const clerk = createAgent('work', [look], { context: { desk: 'agent', floor: 'agent' } });

/** Each kind of tool that runs its own loop, with its factory. */
const KINDS: readonly (readonly [kind: string, make: (more?: object) => AnyTool])[] = [
  ['an agentic tool', (more) => defineAgenticTool({ ...base, name: 'work', tools: [look], ...more })],
  ['a playbook', (more) => definePlaybook({ ...base, name: 'work', tools: [look], locked: [], ...more })],
  [
    'a state machine',
    (more) =>
      defineStateMachine({ ...base, name: 'work', initial: 'open', states: { open: [look] }, ...more }),
  ],
  ['a subagent', (more) => defineSubagent({ input: jsonSchema(TASK_SCHEMA), agent: clerk, ...more })],
  [
    'a subagent given by name',
    (more) => defineSubagent({ input: jsonSchema(TASK_SCHEMA), agent: 'work', ...more }),
  ],
];

const work = callTools(['work', { task: 'Go.' }]);

async function runTurn(tool: AnyTool, inside: readonly ScriptedReply[], more = {}) {
  const replies = [work, ...inside, 'Done.'];
  const boss = createAgent('boss', [tool], { context: { user: 'ann' } });
  const session = createTestSession(() => boss, { replies, agents: [clerk], ...more });
  const answer = await session.send('Go.', { context: { floor: 'message' } });
  return { session, answer, inner: session.requests[1], read: getResults(session) };
}

/** A tool that returns the context of its call, without the id of the loop. */
const tell = defineTool({
  name: 'tell',
  description: 'Tells.',
  effect: 'read',
  run: (_, { context }) => JSON.stringify({ ...context.toJSON(), 'holdfast.loopId': undefined }),
});

const getToolNames = (request: { readonly tools: readonly { readonly name: string }[] } | undefined) =>
  request?.tools.map(({ name }) => name);

describe.each(KINDS)('a copy of %s', (_, make) => {
  it('can have more tools, including those of objects and providers (S0-081)', async () => {
    class Shed {
      static readonly tools = toolTable<Shed>({ dig: { description: 'Digs.' } });
      dig() {
        return 'dug';
      }
    }
    const more = withTools(withTools(make(), find), new Shed(), toolProvider({ toolsNow: () => [tell] }));
    const { inner, read } = await runTurn(more, [callTools('find', 'look', 'dig'), 'Found.']);
    expect(getToolNames(inner)?.toSorted()).toEqual(['dig', 'find', 'look', 'tell']);
    expect(read.at(-1)).toBe('Found.');
  });

  it('can have another model, even one that the environment chooses (S0-081)', async () => {
    const other = scriptedModel(['Other.'], { name: 'other' });
    const { session, read } = await runTurn(withModel(make(), other), []);
    expect([session.requests.length, other.requests.length, read]).toEqual([2, 1, ['Other.']]);
    const made = await runTurn(
      withModel(make(), () => other),
      ['Of whoever runs the loop around.'],
    );
    expect(made.read).toEqual(['Of whoever runs the loop around.']);
  });

  it('can have other instructions, even ones that depend on its input (S0-081)', async () => {
    const fixed = await runTurn(withInstructions(make(), 'Do it well.'), ['Found.']);
    expect(fixed.inner?.messages[0]?.text).toMatch(/^Do it well\./);
    const made = withInstructions(make(), ({ path }, input) => `${path}: ${JSON.stringify(input)}`);
    const { inner } = await runTurn(made, ['Found.']);
    expect(inner?.messages[0]?.text).toMatch(/^boss\/work: {"task":"Go\."}/);
  });

  it('can add values to its own context, which then overrides the context of the outer loop (S0-015, S0-081)', async () => {
    const own = make({ context: { desk: 'own', lamp: 'own', floor: 'own', user: 'own' } });
    const copy = withContext(
      withContext(own, { desk: 'copy', hat: 'copy' }),
      ToolCallContext.of({ hat: 'last' }),
    );
    const { session } = await runTurn(withTools(copy, tell), [callTools('tell'), 'Found.']);
    const read = session.requests[2]?.messages.at(-1)?.text ?? '';
    expect(JSON.parse(read)).toEqual({
      desk: 'copy',
      lamp: 'own',
      floor: 'own',
      user: 'own',
      hat: 'last',
    });
  });

  it('can build its context from its input and from the outer loop (S0-015, S0-081)', async () => {
    const own = make({
      context: (input: unknown, view: LoopView) => ({ asked: input as Json, path: view.path }),
    });
    const copy = withContext(own, (input, { context }) => ({
      floor: `over ${context.get('floor')}`,
      copy: Boolean(input),
    }));
    const { session } = await runTurn(withTools(copy, tell), [callTools('tell'), 'Found.']);
    expect(JSON.parse(session.requests[2]?.messages.at(-1)?.text ?? '')).toMatchObject({
      asked: { task: 'Go.' },
      path: 'boss',
      floor: 'over message',
      copy: true,
      user: 'ann',
    });
  });

  it.each([
    [
      'a promise',
      async () => ({ desk: 1 }),
      "Tool 'work': its context returned a promise, but must be synchronous.",
    ],
    ['not an object', () => 'desk', "Tool 'work': its context returned 'desk', but must return an object."],
    [
      'not JSON',
      () => ({ desk: () => 1 }),
      "Tool 'work': The tool-call context's 'desk' is not JSON: at `$` it is a function.",
    ],
  ])('returns an error result if its context is %s (S0-015)', async (_, context, message) => {
    const { read, answer } = await runTurn(make({ context }), []);
    expect([read, answer.outcome]).toEqual([[`Error: ${message}`], 'completed']);
  });

  it('can have other limits (S0-081)', async () => {
    const brief = withLimits(make(), { iterations: 1 });
    const { read, session } = await runTurn(brief, [callTools('look'), 'In short.']);
    const inside = (await session.events()).flatMap((event) =>
      event.type === 'model-replied' && event.frame !== undefined ? [event.last ?? false] : [],
    );
    expect([inside, read]).toEqual([[false, true], ['In short.']]);
    expect(() => withLimits(make(), { iterations: Number.NaN })).toThrow(
      expect.objectContaining({ name: 'ToolDefinitionError', field: 'limits.iterations' }),
    );
  });

  it('can have more settings, which override the original settings (S0-081)', async () => {
    const strict = withSettings(withSettings(make(), { temperature: 1, seed: 7 }), { temperature: 0 });
    const { inner } = await runTurn(strict, ['Found.']);
    expect(inner?.settings).toMatchObject({ temperature: 0, seed: 7 });
    expect(() => withSettings(make(), { temperatur: 0 } as never)).toThrow(
      expect.objectContaining({ name: 'ToolDefinitionError', field: 'settings.temperatur' }),
    );
  });

  it('can use more modules, including chaining and strategies (S0-081)', async () => {
    const Lamp = defineDomainType({
      name: 'Lamp',
      schema: v.object({ lit: v.boolean() }),
      tools: ({ lit }) => [
        defineTool({ name: 'dim', description: 'Dims.', effect: 'read', run: () => `was ${lit}` }),
      ],
    });
    const lamp = createAnsweringTool('lamp', artifact('A lamp.', Lamp, { lit: true }));
    const adds = defineInjectionStrategy({
      name: 'adds',
      evaluate: ({ lastCall }) => (lastCall.tool === 'dim' ? addTools([find]) : noChange),
    });
    const chained = withUse(withUse(withTools(make(), lamp), chaining([chainFrom(Lamp)])), adds);
    const createBoss = () => createAgent('boss', [chained]);
    const replies = [work, callTools('lamp'), callTools('dim'), callTools('find'), 'Found.', 'Done.'];
    const session = createTestSession(createBoss, { replies, agents: [clerk] });
    const { artifacts } = await session.send('Go.');
    const inside = session.requests[4]?.messages.flatMap((one) => (one.role === 'tool' ? one.text : []));
    expect(inside).toEqual(['A lamp.', 'was true', 'found']);
    expect(artifacts.length).toBeLessThanOrEqual(1);
  });

  it('passes the parameters from `withParameter` to its loop, its instructions and its context (S0-081)', async () => {
    const more = withParameter(make(), 'mood', v.pipe(v.string(), v.toUpperCase()));
    const told = withInstructions(more, (_, { mood }) => `Be ${mood}.`);
    const copy = withContext(withTools(told, tell), (input) => ({ mood: input.mood }));
    const asked = callTools(['work', { task: 'Go.', mood: 'calm' }]);
    const session = createTestSession(() => createAgent('boss', [copy]), {
      replies: [asked, callTools('tell'), 'Found.', 'Done.'],
      agents: [clerk],
    });
    await session.send('Go.');
    const [system, user] = session.requests[1]?.messages ?? [];
    expect(system?.text).toMatch(/^Be CALM\./);
    expect(JSON.parse(user?.text ?? '')).toEqual({ task: 'Go.', mood: 'calm' });
    expect(JSON.parse(session.requests[2]?.messages.at(-1)?.text ?? '')).toMatchObject({ mood: 'CALM' });
    expect(getResults(session)).toEqual(['Found.']);
  });

  it('leaves the original unchanged, and keeps its name, description and input (S0-081)', async () => {
    const tool = make();
    const before = { ...tool, inner: [...(tool.inner ?? [])] };
    const copy = withContext(withInstructions(withTools(tool, find), 'Else.'), { desk: 'copy' });
    expect({ ...tool, inner: [...(tool.inner ?? [])] }).toEqual(before);
    expect(copy).not.toBe(tool);
    for (const key of ['name', 'description', 'inputSchema', 'effect', 'metadata'] as const) {
      expect(copy[key], key).toEqual(tool[key]);
    }
    const { inner } = await runTurn(tool, ['Found.']);
    expect(getToolNames(inner)).toEqual(['look']);
    expect((await runTurn(withName(copy, 'work'), ['Found.'])).inner?.messages[0]?.text).toMatch(/^Else\./);
  });

  it('is refused if the original is decorated or if an override is invalid', () => {
    const decorated = requireApproval(make(), 'May I?');
    expect(() => withModel(decorated, scriptedModel([]))).toThrow(
      expect.objectContaining({
        name: 'ToolDefinitionError',
        field: 'model',
        message:
          "Tool 'work': it was not returned by defineAgenticTool, definePlaybook, defineStateMachine or " +
          'defineSubagent. Decorate the result of withModel instead.',
      }),
    );
    const noModel: unknown = 'gpt-5';
    expect(() => withModel(make(), noModel as never)).toThrow(
      /^Tool 'work': it has 'gpt-5' as its 'model'. Use a model/,
    );
    expect(() => withContext(make(), { desk: 1n as never })).toThrow(
      "Tool 'work': The tool-call context's 'desk' is not JSON: at `$` it is a bigint.",
    );
    expect(() => withTools(make(), find, createAnsweringTool('find', 'else'))).toThrow(ToolDefinitionError);
  });
});

describe.each(KINDS)('%s with its own context', (kind, make) => {
  const declared = { desk: 'own', floor: 'own' };

  it('keeps its context when another invocation resumes inside the loop, warm or cold', async () => {
    const seen: unknown[] = [];
    const watch = defineTool({
      name: 'watch',
      description: 'Watches.',
      effect: 'read',
      run: (_, { context }) => void seen.push([context.get('desk'), context.get('floor')]),
    });
    for (const warm of [true, false]) {
      const tool = withTools(make({ context: declared }), watch);
      const { answer } = await runTurn(tool, [callTools('watch'), callTools('watch'), 'Found.'], { warm });
      expect(answer).toMatchObject({ outcome: 'completed', toolCalls: 3 });
    }
    expect(seen).toEqual(Array.from({ length: 4 }, () => ['own', 'own']));
  });

  it('does not store its context in the journal', async () => {
    const { session } = await runTurn(make({ context: { desk: 'a secret of nobody' } }), [
      callTools('look'),
      'Found.',
    ]);
    expect(JSON.stringify(await session.events())).not.toContain('a secret of nobody');
  });

  it('is refused if a context value is not JSON', () => {
    expect(() => make({ context: { desk: () => 1 } })).toThrow(
      "Tool 'work': The tool-call context's 'desk' is not JSON: at `$` it is a function.",
    );
    expect(kind).not.toBe('');
  });
});

describe('the context of a nested loop', () => {
  it('contains the context of all outer loops, which its own context overrides (S0-015)', async () => {
    const inner = defineAgenticTool({
      ...base,
      name: 'inner',
      tools: [tell],
      context: { desk: 'inner', lamp: 'inner' },
    });
    const tool = defineAgenticTool({ ...base, name: 'work', tools: [inner], context: { desk: 'outer' } });
    const { session } = await runTurn(tool, [
      callTools(['inner', { task: 'Go.' }]),
      callTools('tell'),
      'Inner.',
      'Outer.',
    ]);
    expect(JSON.parse(session.requests[3]?.messages.at(-1)?.text ?? '')).toMatchObject({
      desk: 'inner',
      lamp: 'inner',
    });
  });
});

describe('a copy of a state machine', () => {
  it('starts in the given state, and has instructions that depend on its state', async () => {
    const machine = defineStateMachine({
      ...base,
      name: 'work',
      initial: 'open',
      states: { open: [look], shut: [find] },
    });
    const copy = withInstructions(
      startingIn(withTools(machine, tell), 'shut'),
      (_, __, state) => `It is ${state}.`,
    );
    const { inner, session } = await runTurn(withContext(copy, { desk: 'copy' }), [
      callTools('find', 'tell'),
      'Found.',
    ]);
    expect(inner?.messages[0]?.text).toMatch(/^It is shut\./);
    expect(JSON.parse(session.requests[2]?.messages.at(-1)?.text ?? '')).toMatchObject({ desk: 'copy' });
  });
});

describe('a copy of a subagent', () => {
  it("is refused if it adds a tool with the name of one of the agent's tools", async () => {
    const twice = createAnsweringTool('look', 'else');
    expect(() => withTools(defineSubagent({ agent: clerk }), twice)).toThrow(
      `Tool 'work': it cannot have these tools: Duplicate tool name: 'look'${RENAME_FIRST_TWO}.`,
    );
    const { read } = await runTurn(
      withTools(defineSubagent({ agent: 'work', input: jsonSchema(TASK_SCHEMA) }), twice),
      [],
    );
    expect(read).toEqual([
      "Error: Agent 'work' and its subagent 'work' both have a tool 'look'. Rename one.",
    ]);
  });

  it('answers in the output form of its agent, even if its instructions are replaced', async () => {
    const form = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] } as const;
    const biller: Agent = createAgent('work', [], { output: jsonSchema(form) });
    const copy = withInstructions(
      defineSubagent({ agent: biller, input: jsonSchema(TASK_SCHEMA) }),
      () => 'Bill it.',
    );
    const { inner, read } = await runTurn(copy, ['{"total": 3}']);
    expect(inner?.messages[0]?.text).toMatch(/^Bill it\.\n\n.*total/s);
    expect(read).toEqual(['{"total":3}']);
  });

  it('can replace the output form of its agent, even if the agent is referenced by name (S0-062)', async () => {
    const Bill = defineDomainType({ name: 'Bill', schema: v.object({ total: v.number() }) });
    const biller: Agent = createAgent('work', [], { output: v.object({ sum: v.number() }) });
    for (const asked of [biller, 'work']) {
      const copy = withInstructions(
        defineSubagent({ agent: asked, input: jsonSchema(TASK_SCHEMA), output: Bill }),
        'Bill it.',
      );
      const { inner, read, answer } = await runTurn(copy, ['{"sum": 3}', '{"total": 3}'], {
        agents: [biller],
      });
      expect(inner?.output?.schema).toMatchObject({ required: ['total'] });
      expect([read, answer.artifactsOf(Bill)]).toEqual([['{"total":3}'], [{ total: 3 }]]);
      expect(answer.artifacts).toMatchObject([{ type: 'Bill' }]);
    }
    expect(() => defineSubagent({ agent: 'work', output: v.string() as never })).toThrow(
      expect.objectContaining({ name: 'ToolDefinitionError', field: 'output' }),
    );
  });

  it('keeps the limits of its agent if its model is replaced', () => {
    const costly = createAgent('work', [], {
      use: [budget({ cost: 1 })],
      model: { ...scriptedModel([]), prices: { input: 1, output: 1 } },
    });
    expect(() => withModel(defineSubagent({ agent: costly }), scriptedModel([], { name: 'free' }))).toThrow(
      expect.objectContaining({ name: 'ToolDefinitionError', field: 'use' }),
    );
  });
});
