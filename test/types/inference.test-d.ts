/**
 * The types inferred for each `define*` function: the literal name, the input for each kind of schema, the
 * output, and the parameters of functions in the literal. Each function has a section that begins with its
 * name, and contains a compile error.
 */

import { type } from 'arktype';
import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import type { TurnStream } from '../../src/create-holdfast.ts';
import { createHoldfast } from '../../src/create-holdfast.ts';
import {
  type Agent,
  type AnyTool,
  type CallContext,
  type DomainType,
  defineAgent,
  defineDomainType,
  defineTextTool,
  defineTool,
  type InputDeclaration,
  type InputOf,
  type ModuleUse,
  type Tool,
  type ToolGroup,
} from '../../src/index.ts';
import type { HistoryCall, HistoryMessage } from '../../src/kinds/entry.ts';
import {
  after,
  defineAgenticTool,
  defineInjectionStrategy,
  definePipeline,
  definePlaybook,
  defineStateMachine,
  defineSubagent,
  defineUnfolding,
  noChange,
  type Playbook,
  type StateMachine,
  type UnfoldingTool,
} from '../../src/kinds/entry.ts';
import {
  defineMcpEndpoint,
  defineMcpPrompt,
  defineMcpResource,
  type McpPrompt,
  type McpResource,
} from '../../src/mcp/server/entry.ts';
import { defineMcpClient, defineMcpToolGroup, type McpClient } from '../../src/mcp/tools/entry.ts';
import { defineModule, defineRoute } from '../../src/module.ts';
import { defineManualTool } from '../../src/modules/answers/entry.ts';
import { jsonSchema } from '../../src/modules/json-schema/entry.ts';
import { defineSchedule } from '../../src/modules/schedules/entry.ts';
import { defineToolCallingOptions, type ToolCallingOptions } from '../../src/modules/tool-calling/entry.ts';
import { defineReference, defineToolGroup, type ToolReference } from '../../src/modules/tool-groups/entry.ts';
import { toolMethod, toolsOf } from '../../src/modules/tool-objects/entry.ts';
import {
  defineTransformer,
  slidingWindow,
  type TransformScope,
  truncateToolResults,
} from '../../src/modules/transformers/entry.ts';
import { type Delivery, defineWebhook, verified, type Webhook } from '../../src/modules/webhooks/entry.ts';

const base = { description: 'Works.' };
const VALIBOT = v.object({ at: v.pipe(v.string(), v.toDate()) });
const ZOD = z.object({ id: z.number() });
const ARKTYPE = type({ id: 'string' });
const JSON_SCHEMA = jsonSchema({
  type: 'object',
  properties: { id: { type: 'string' }, top: { enum: [1, 2] } },
  required: ['id'],
});
type JsonSchemaOutput = { id: string; top?: 1 | 2 };
const look = defineTool({ ...base, name: 'look', run: () => 'seen' });

/** The inferred input for each kind of input declaration. */
type Inputs = readonly [
  { at: Date },
  { id: number },
  { id: string },
  JsonSchemaOutput,
  Record<string, never>,
];
expectTypeOf<
  readonly [
    InputOf<typeof VALIBOT>,
    InputOf<typeof ZOD>,
    InputOf<typeof ARKTYPE>,
    InputOf<typeof JSON_SCHEMA>,
    InputOf<undefined>,
  ]
>().branded.toEqualTypeOf<Inputs>();

// defineTool: an inline schema is inferred like a constant.
const tool = defineTool({
  ...base,
  name: 'tool',
  input: jsonSchema({
    type: 'object',
    properties: { id: { type: 'string' }, top: { enum: [1, 2] } },
    required: ['id'],
  }),
  run(input, call) {
    expectTypeOf(input).branded.toEqualTypeOf<JsonSchemaOutput>();
    expectTypeOf(call).toEqualTypeOf<CallContext>();
    return { found: input.id };
  },
});
expectTypeOf(tool).branded.toEqualTypeOf<Tool<'tool', JsonSchemaOutput, { found: string }>>();
expectTypeOf(defineTool({ ...base, name: 'zod', input: ZOD, run: async ({ id }) => id })).toEqualTypeOf<
  Tool<'zod', { id: number }, number>
>();
// @ts-expect-error: the schema has no such key
defineTool({ ...base, name: 'tool', input: ZOD, run: ({ at }) => at });

// defineManualTool: the input of its schema.
expectTypeOf(
  defineManualTool({ name: 'ask', description: 'Asks.', input: v.object({ what: v.string() }) }),
).toEqualTypeOf<Tool<'ask', { what: string }>>();
// @ts-expect-error: the caller runs it
defineManualTool({ name: 'both', description: 'Asks.', run: () => 'ok' });

// defineTextTool
const shoutTool = defineTextTool({ ...base, name: 'shout', run: (words) => ({ loud: words.toUpperCase() }) });
expectTypeOf(shoutTool).toEqualTypeOf<Tool<'shout', string, { loud: string }>>();
// @ts-expect-error: its input is text
defineTextTool({ ...base, name: 'shout', run: (words: number) => words });

// toolMethod and toolsOf
expectTypeOf(toolMethod({ ...base, input: ARKTYPE }, ({ id }) => id)).toEqualTypeOf<
  ({ id }: { id: string }) => string
>();
expectTypeOf(toolsOf({ one: { ...base, input: VALIBOT, run: ({ at }) => at.getTime() } })).toEqualTypeOf<
  readonly Tool<'one', { at: Date }, number>[]
>();
// @ts-expect-error: the schema has no such key
toolsOf({ one: { ...base, input: ZOD, run: ({ at }) => at } });

// defineAgent: its output types its answers.
expectTypeOf(defineAgent({ ...base, name: 'a', instructions: '' })).toEqualTypeOf<Agent<'a'>>();
const biller = defineAgent({
  ...base,
  name: 'biller',
  instructions: '',
  output: v.object({ total: v.number() }),
});
expectTypeOf(biller).toEqualTypeOf<Agent<'biller', { total: number }>>();
const typist = defineAgent({
  ...base,
  name: 'typist',
  instructions: '',
  output: jsonSchema({
    type: 'object',
    properties: { id: { type: 'string' }, top: { enum: [1, 2] } },
    required: ['id'],
  }),
});
expectTypeOf(typist).branded.toEqualTypeOf<Agent<'typist', JsonSchemaOutput>>();
// @ts-expect-error: an output is a schema
defineAgent({ ...base, name: 'a', instructions: '', output: 'text' });

// defineDomainType
const Bill = defineDomainType({
  name: 'Bill',
  schema: v.object({ at: v.pipe(v.string(), v.toDate()) }),
  id: ({ at }) => at.toISOString(),
});
expectTypeOf(Bill).toEqualTypeOf<DomainType<'Bill', { at: Date }, { at: string }>>();
// @ts-expect-error: a bill has no such key
defineDomainType({ name: 'Bill', schema: VALIBOT, id: ({ total }) => total });

// defineToolGroup
expectTypeOf(defineToolGroup({ ...base, role: 'web', tools: [look] })).toEqualTypeOf<ToolGroup<'web'>>();
// @ts-expect-error: it has tools
defineToolGroup({ ...base, role: 'web' });

// defineReference
expectTypeOf(
  defineReference({ ...base, name: 'manual', notes: 'Quote it.', tools: [look] }),
).toEqualTypeOf<ToolReference>();
// @ts-expect-error: it has notes
defineReference({ ...base, name: 'manual', tools: [look] });

// defineAgenticTool, definePlaybook, defineStateMachine: the input of each kind of schema, and the parameters of instructions.
const createAgenticTool = <const D extends InputDeclaration>(input: D) =>
  defineAgenticTool({ ...base, name: 'agentic', input, tools: [look] });
expectTypeOf(createAgenticTool(VALIBOT)).toEqualTypeOf<Tool<'agentic', { at: Date }, unknown>>();
expectTypeOf(createAgenticTool(JSON_SCHEMA)).branded.toEqualTypeOf<
  Tool<'agentic', JsonSchemaOutput, unknown>
>();
defineAgenticTool({
  ...base,
  name: 'agentic',
  input: jsonSchema({ type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }),
  instructions: (_, { id }) => id,
  tools: [look],
});
// @ts-expect-error: the schema has no such key
defineAgenticTool({ ...base, name: 'a', input: ZOD, instructions: (_, { at }) => at, tools: [look] });
const playbook = definePlaybook({
  ...base,
  name: 'playbook',
  input: jsonSchema({ type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }),
  key: ({ id }) => id,
  tools: [look],
  locked: [{ tool: tool, unlockedBy: after('look') }],
});
expectTypeOf(playbook).branded.toEqualTypeOf<Playbook<'playbook', { id: string }>>();
definePlaybook({
  ...base,
  name: 'playbook',
  tools: [look],
  // @ts-expect-error: it has no such tool
  locked: [{ tool, unlockedBy: after('lok') }],
});
const machine = defineStateMachine({
  ...base,
  name: 'machine',
  input: jsonSchema({ type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }),
  key: ({ id }) => id,
  initial: 'on',
  states: { on: [{ tool: look, to: 'off' }], off: [] },
});
expectTypeOf(machine).branded.toEqualTypeOf<StateMachine<'machine', { id: string }, 'on' | 'off'>>();
// @ts-expect-error: it has no such state
defineStateMachine({ ...base, name: 'machine', initial: 'of', states: { on: [look], off: [] } });

// defineSubagent: its name and output default to those of the agent.
expectTypeOf(defineSubagent({ agent: biller })).toEqualTypeOf<
  Tool<'biller', { readonly message: string }, { total: number }>
>();
expectTypeOf(defineSubagent({ agent: biller, name: 'bill', input: JSON_SCHEMA })).branded.toEqualTypeOf<
  Tool<'bill', JsonSchemaOutput, { total: number }>
>();
// @ts-expect-error: a tool is not an agent
defineSubagent({ agent: look });

// defineUnfolding: its selector receives its input.
expectTypeOf(defineUnfolding({ ...base, name: 'files', tools: [look] })).toEqualTypeOf<
  UnfoldingTool<'files', Record<string, never>>
>();
const unfolding = defineUnfolding({
  ...base,
  name: 'files',
  input: jsonSchema({ type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }),
  select: ({ id }) => (id === '' ? [] : [look]),
});
expectTypeOf(unfolding).branded.toEqualTypeOf<UnfoldingTool<'files', { id: string }>>();
// @ts-expect-error: the schema has no such key
defineUnfolding({ ...base, name: 'files', input: ZOD, select: ({ at }) => at });

// definePipeline: the first step's input, and the last one's output.
expectTypeOf(definePipeline({ name: 'both', steps: [tool, shoutTool] })).branded.toEqualTypeOf<
  Tool<'both', JsonSchemaOutput, { loud: string }>
>();
// @ts-expect-error: a number is not a step
definePipeline({ steps: [7] });

// defineInjectionStrategy
const strategy = defineInjectionStrategy({
  name: 'all',
  evaluate({ tools }) {
    expectTypeOf(tools).toEqualTypeOf<readonly AnyTool[]>();
    return noChange;
  },
});
expectTypeOf(strategy).toEqualTypeOf<ModuleUse>();
// @ts-expect-error: it cannot be asynchronous
defineInjectionStrategy({ name: 'all', evaluate: async () => noChange });

// defineModule: the types of its state and of the facts that change it.
const visits = defineModule({
  name: 'visits',
  state: { initial: 0, apply: (count: number, fact: { readonly by: number }) => count + fact.by },
});
expectTypeOf(visits.recall).returns.toEqualTypeOf<number>();
visits.use({
  async prepare(loop) {
    visits.remember(loop, { by: 1 });
    // @ts-expect-error: there is no such fact
    visits.remember(loop, { by: 'one' });
  },
});

// defineToolCallingOptions
expectTypeOf(defineToolCallingOptions({ tools: [look] })).toEqualTypeOf<ToolCallingOptions>();
// @ts-expect-error: a name is not a tool
defineToolCallingOptions({ tools: ['look'] });

// defineSchedule
const daily = {
  cron: '0 6 * * *',
  agent: 'a',
  owner: { tenant: 'acme' },
  session: 's',
  message: 'Go.',
} as const;
expectTypeOf(defineSchedule({ name: 'daily', ...daily })).toEqualTypeOf<ModuleUse>();
createHoldfast({ agents: [biller], use: [defineSchedule({ name: 'daily', ...daily })] });
// @ts-expect-error: the agent is a name
defineSchedule({ name: 'daily', ...daily, agent: 7 });

// defineTransformer: the parameters of its functions.
const shouting = defineTransformer({
  name: 'shouting',
  messages: (messages, scope) => {
    expectTypeOf(messages).toEqualTypeOf<readonly HistoryMessage[]>();
    expectTypeOf(scope).toEqualTypeOf<TransformScope>();
    return messages;
  },
  result: (text, call) => {
    expectTypeOf(call).toEqualTypeOf<HistoryCall>();
    return `${call.name}: ${text.toUpperCase()}`;
  },
  reply: (text) => text.toUpperCase(),
});
const transformed = { name: 'clerk', description: 'Pays.', instructions: 'Pay.' };
expectTypeOf(shouting).toEqualTypeOf<ModuleUse>();
expectTypeOf(slidingWindow({ maxMessages: 5 })).toEqualTypeOf<ModuleUse>();
expectTypeOf(
  truncateToolResults({ maxLength: 5, marker: (shown, all) => `${shown}/${all}` }),
).toEqualTypeOf<ModuleUse>();

defineAgent({ ...transformed, use: [shouting, slidingWindow({ maxMessages: 5 }), truncateToolResults()] });
// @ts-expect-error: the option is `use`
defineAgent({ ...transformed, transformers: [shouting] });
// @ts-expect-error: a transformer has a name
defineTransformer({ reply: (text) => text });
// @ts-expect-error: a transformer of results returns text
defineTransformer({ name: 'half', result: (text) => text.length });
// @ts-expect-error: the number of messages is missing
slidingWindow({});

// defineWebhook: its mapping receives the payload that its verifier returns.
const webhook = defineWebhook({
  name: 'own',
  agent: 'a',
  verify: () => verified('1', { total: 7 }),
  start(delivery) {
    expectTypeOf(delivery).toEqualTypeOf<Delivery<{ total: number }>>();
    return { session: 's', message: String(delivery.payload.total) };
  },
});
expectTypeOf(webhook).toEqualTypeOf<Webhook<'own'>>();
// @ts-expect-error: the agent is missing
defineWebhook({ name: 'own', verify: () => verified('1', 7), start: () => ({ session: 's', message: 'x' }) });

// defineMcpClient, defineMcpToolGroup, defineMcpPrompt, defineMcpResource and defineMcpEndpoint
const client = defineMcpClient({ name: 'files', url: 'https://files.example/mcp' });
expectTypeOf(client).toEqualTypeOf<McpClient<'files'>>();
// @ts-expect-error: the address is missing
defineMcpClient({ name: 'files' });
expectTypeOf(defineMcpToolGroup({ ...base, role: 'files', clients: [client] })).toEqualTypeOf<
  ToolGroup<'files'>
>();
// @ts-expect-error: a name is not a client
defineMcpToolGroup({ ...base, role: 'files', clients: ['files'] });
const prompt = defineMcpPrompt({
  ...base,
  name: 'sum_up',
  arguments: [{ name: 'topic', required: true }],
  messages: ({ topic }) => topic,
});
expectTypeOf(prompt).toEqualTypeOf<McpPrompt<'sum_up'>>();
// @ts-expect-error: there is no such argument
defineMcpPrompt({ ...base, name: 'p', arguments: [{ name: 'topic' }], messages: ({ tpoic }) => tpoic });
const resource = defineMcpResource({
  ...base,
  name: 'order',
  uri: 'orders://{order}',
  read: ({ order }) => order,
});
expectTypeOf(resource).toEqualTypeOf<McpResource<'orders://{order}'>>();
// @ts-expect-error: there is no such variable
defineMcpResource({ ...base, name: 'order', uri: 'orders://{order}', read: ({ oder }) => oder });
expectTypeOf(
  defineMcpEndpoint({ tools: [look], prompts: [prompt], resources: [resource] }),
).toEqualTypeOf<ModuleUse>();
// @ts-expect-error: a name is not a tool
defineMcpEndpoint({ tools: ['look'] });

// defineRoute, whose handlers receive the names in their paths
const own = defineModule({ name: 'own' });
const surface = own.use({
  routes: [
    defineRoute({
      method: 'POST',
      path: '/own/{agent}/{session}',
      async handle(asked, named) {
        expectTypeOf(named.agent).toEqualTypeOf<string>();
        // @ts-expect-error: the path has no such name
        named.turn;
        const stream = await asked.session(named).stream('Hello');
        expectTypeOf(stream).toEqualTypeOf<TurnStream>();
        return new Response();
      },
    }),
  ],
});
expectTypeOf(surface).toEqualTypeOf<ModuleUse>();
own.use({
  // @ts-expect-error: there is no such method
  routes: [{ method: 'PUT', path: '/own', handle: () => new Response() }],
});
