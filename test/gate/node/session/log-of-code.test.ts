/** Errors in an app's own code outside of its tools: they are logged, and secrets in them are redacted. */
import * as v from 'valibot';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { LogEntry } from '../../../../src/create-holdfast.ts';
import {
  type AgentConfig,
  artifact,
  defineAgent,
  defineDomainType,
  defineTool,
  fallback,
  ModelError,
} from '../../../../src/index.ts';
import {
  chainFrom,
  chaining,
  defineInjectionStrategy,
  definePlaybook,
  defineUnfolding,
  progressTool,
  when,
} from '../../../../src/kinds/entry.ts';
import {
  conditionalReplan,
  sinkArtifacts,
  withEventPublication,
} from '../../../../src/modules/decorators/entry.ts';
import {
  createToolCallingManager,
  defineToolCallingOptions,
} from '../../../../src/modules/tool-calling/entry.ts';
import { defineTransformer } from '../../../../src/modules/transformers/entry.ts';
import { createTestSession, type ScriptedReply, scriptedModel } from '../../../../src/testing/entry.ts';

const SECRET_KEY = 'sk-0123456789';
const throwSecret = (): never => {
  throw new Error(`401 for ${SECRET_KEY}`);
};

const Customer = defineDomainType({
  name: 'Customer',
  schema: v.object({ id: v.string() }),
  tools: () => [defineTool({ name: 'call', description: 'Calls.', run: () => 'ok' })],
});
const get = defineTool({
  name: 'get',
  description: 'Gets.',
  effect: 'read',
  output: Customer,
  run: () => artifact('Ann', { id: 'c1' }),
});
const files = defineUnfolding({
  name: 'files',
  description: 'Files.',
  input: v.object({ folder: v.string() }),
  select: () => [],
});
const desk = definePlaybook({
  name: 'desk',
  description: 'Helps.',
  tools: [get],
  locked: [
    {
      tool: defineTool({ name: 'pay', description: 'Pays.', run: () => 'paid' }),
      unlockedBy: when(throwSecret),
    },
  ],
});

const getReply: ScriptedReply = { calls: [{ name: 'get' }] };
const usualReplies = [getReply, 'Done.'];
const tools = [get];
const promises = (async () => true) as unknown as () => boolean;

const level = 'error';

it.each<
  [
    what: string,
    config: Partial<AgentConfig<string>>,
    replies: readonly ScriptedReply[],
    line: Partial<LogEntry> & { readonly stack?: string },
  ]
>([
  [
    'a sink that throws',
    { tools: [sinkArtifacts(get, throwSecret)] },
    usualReplies,
    { level, message: "a sink of tool 'get' failed", stack: 'Error: 401 for [secret key]' },
  ],
  [
    'a publisher that throws',
    { tools: [withEventPublication(get, ({ type }) => (type === 'request' ? throwSecret() : undefined))] },
    usualReplies,
    { level, message: "the watcher of tool 'get' failed", stack: 'Error: 401 for [secret key]' },
  ],
  [
    'a replan decider that throws',
    { tools: [conditionalReplan(get, throwSecret)] },
    usualReplies,
    { level, message: "the replan decider of tool 'get' failed", stack: 'Error: 401 for [secret key]' },
  ],
  [
    'a strategy that throws',
    { tools, use: [defineInjectionStrategy({ name: 'late', evaluate: throwSecret })] },
    usualReplies,
    { level, message: "the strategy 'late' threw in evaluate", stack: 'Error: 401 for [secret key]' },
  ],
  [
    'a condition of a chained type that throws',
    { tools, use: [chaining([chainFrom(Customer, { when: throwSecret })])] },
    usualReplies,
    {
      level,
      message: "whether a 'Customer' is chained could not be decided, so it is not",
      stack: 'Error: 401 for [secret key]',
    },
  ],
  [
    'a condition of a chained type that returns a promise',
    { tools, use: [chaining([chainFrom(Customer, { when: promises })])] },
    usualReplies,
    {
      level,
      message: "`when` of the chained type 'Customer' returns a promise, but must be synchronous",
    },
  ],
  [
    'an unlock condition that throws',
    { tools: [desk] },
    [{ calls: [{ name: 'desk' }] }, { calls: [{ name: 'pay' }] }, 'Nothing.', 'Done.'],
    {
      level,
      message: "an unlock condition of tool 'pay' threw",
      stack: 'Error: 401 for [secret key]',
    },
  ],
  [
    'an unfolding tool without tools for an input',
    { tools: [files] },
    [{ calls: [{ name: 'files', input: { folder: 'a' } }] }, 'Done.'],
    { level: 'warn', message: "the unfolding tool 'files' has no tools for the input of a call" },
  ],
  [
    'a transformer that throws',
    { tools, use: [defineTransformer({ name: 'cut', result: throwSecret })] },
    usualReplies,
    {
      level,
      message: "the transformer 'cut' failed; its input stays unchanged",
      stack: 'Error: 401 for [secret key]',
    },
  ],
  [
    'a transformer that returns an invalid value',
    { tools, use: [defineTransformer({ name: 'cut', result: promises as never })] },
    usualReplies,
    {
      level,
      message: "the transformer 'cut' failed; its input stays unchanged",
      stack: 'TypeError: The result and the input differ in type.',
    },
  ],
])('%s is logged without secrets', async (_, config, replies, expected) => {
  const spies = (['error', 'warn', 'log', 'debug'] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation(() => undefined),
  );
  onTestFinished(() => void vi.restoreAllMocks());
  const lines: LogEntry[] = [];
  const agent = defineAgent({ name: 'clerk', description: 'Works.', instructions: 'Work.', ...config });
  const log = (entry: LogEntry) => void lines.push(entry);
  await createTestSession(agent, { replies, log, secrets: () => ({ key: SECRET_KEY }) }).send('Go.');
  const { stack, ...line } = expected;
  expect(lines.find(({ event }) => event === 'other')).toMatchObject({
    ...line,
    agent: 'clerk',
    session: 'test',
    turn: 'id2',
    ...(stack !== undefined && { stack: expect.stringMatching(`^${stack.replaceAll(/[[\].]/g, '\\$&')}\n`) }),
  });
  expect(JSON.stringify(lines)).not.toContain(SECRET_KEY);
  expect(spies.flatMap((spy) => spy.mock.calls)).toEqual([]);
});

it('a fallback from one model to another is logged', async () => {
  const lines: LogEntry[] = [];
  const busy = scriptedModel([new ModelError('rate-limited', 'Too many.', { status: 429 })], { name: 'a' });
  const model = fallback([busy, scriptedModel(['Done.'], { name: 'b' })]);
  const agent = defineAgent({ name: 'clerk', description: 'Works.', instructions: 'Work.' });
  await createTestSession(agent, { model, log: (entry) => void lines.push(entry) }).send('Go.');
  expect(lines[0]).toMatchObject({
    level: 'warn',
    event: 'other',
    message: "the model 'a' failed (rate-limited); 'b' is asked instead",
    turn: 'id2',
  });
});

it('a call outside a session is logged to the log of its manager', async () => {
  const lines: LogEntry[] = [];
  const manager = createToolCallingManager({ log: (entry) => void lines.push(entry) });
  const reply = {
    text: '',
    toolCalls: [{ id: 'c1', name: 'progress', input: '{"status":"Working."}' }],
    finish: 'tool-calls',
  } as const;
  await manager.executeToolCalls([], reply, defineToolCallingOptions({ tools: [progressTool()] }));
  await expect(
    manager.resolveToolDefinitions(defineToolCallingOptions({ toolNames: ['ghost'] })),
  ).rejects.toThrow('No tool found for tool name: ghost');
  expect(lines).toEqual([
    {
      level: 'warn',
      event: 'other',
      message: 'progress was reported outside a session, so no one sees it.',
    },
    {
      level: 'warn',
      event: 'other',
      message:
        "no tool named 'ghost' is known. If it comes from a model or an MCP server, its prefix may have changed.",
    },
  ]);
});
