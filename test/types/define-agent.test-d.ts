import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import {
  type Agent,
  type AgentSettings,
  type AnyTool,
  type ChatModel,
  defineAgent,
  defineTool,
  fallback,
  type Json,
} from '../../src/index.ts';
import type { ModelOfEnv } from '../../src/model/entry.ts';
import { type Retention, retain } from '../../src/modules/app/entry.ts';
import { summarize } from '../../src/modules/compaction/entry.ts';
import { jsonSchema } from '../../src/modules/json-schema/entry.ts';
import { callLimits } from '../../src/modules/limits/entry.ts';
import { defineReference, type Reference } from '../../src/modules/tool-groups/entry.ts';
import { createTestSession, scriptedModel } from '../../src/testing/entry.ts';

const base = { description: 'Pays.', instructions: 'Pay what is asked.' };
const pay = defineTool({ name: 'pay', description: 'Pays.', run: () => 'paid' });

// The name is a literal, and an agent of any name fits a list of agents.
const clerk = defineAgent({ ...base, name: 'clerk', tools: [pay] });
expectTypeOf(clerk).toEqualTypeOf<Agent<'clerk'>>();
expectTypeOf(clerk.name).toEqualTypeOf<'clerk'>();
expectTypeOf(clerk.tools).toEqualTypeOf<readonly AnyTool[]>();
export const agents: readonly Agent[] = [clerk, defineAgent({ ...base, name: 'other', tools: [] })];

// @ts-expect-error: a name is not a model
defineAgent({ ...base, name: 'named', model: 'gpt-5' });
// @ts-expect-error: a promise is not a tool
defineAgent({ ...base, name: 'promised', tools: [Promise.resolve(pay)] });
// @ts-expect-error: a list, not an object
defineAgent({ ...base, name: 'table', tools: { pay } });
// @ts-expect-error: a typo
defineAgent({ ...base, name: 'slip', instrutions: 'Pay.' });
// @ts-expect-error: a name is not a tool
defineAgent({ ...base, name: 'names', tools: ['pay'] });

// Optional properties accept undefined.
defineAgent({ ...base, name: 'absent', tools: [], model: undefined, limits: undefined, context: undefined });
defineAgent({
  ...base,
  name: 'partly',
  tools: [],
  limits: { iterations: undefined },
  use: [callLimits({ toolCalls: 3 })],
});

defineAgent({
  ...base,
  name: 'none',
  tools: undefined,
  use: undefined,
  output: undefined,
});

// A function creates a module from the options of a compaction.
defineAgent({ ...base, name: 'long', use: [summarize({ overTokens: 10_000 })] });
// @ts-expect-error: options are not a module
defineAgent({ ...base, name: 'options', use: [{ overTokens: 10_000 }] });

// The retention of a session is in days, fractions included.
const kept: readonly Retention[] = [
  'forever',
  { days: 30 },
  { days: 0.5 },
  { days: 90, fileDays: 7 },
  { fileDays: 7 },
];
for (const retention of kept) defineAgent({ ...base, name: 'kept', use: [retain(retention)] });
// @ts-expect-error: no such unit
retain({ ms: 1 });
// @ts-expect-error: it says neither how long sessions nor how long files are kept
retain({});
// @ts-expect-error: no unit
retain(30);

// The media types of files that its messages can contain. `defineAgent` checks them at run time.
defineAgent({ ...base, name: 'accepts', accepts: ['image/*', 'application/pdf'] });
defineAgent({ ...base, name: 'no-files', accepts: [] });
defineAgent({ ...base, name: 'as-its-model', accepts: undefined });
// @ts-expect-error: the media types are a list
defineAgent({ ...base, name: 'one', accepts: 'image/*' });
expectTypeOf(clerk.accepts).toEqualTypeOf<readonly string[] | undefined>();

// The tool choice is for the first model call, or for every one.
const settings: AgentSettings = { temperature: 0, reasoning: 'max', maxOutputTokens: undefined };
const choices = [
  'auto',
  'required',
  'none',
  { tool: 'pay' },
  { first: 'none' },
  { every: { tool: 'pay' } },
] as const;
for (const toolChoice of choices)
  defineAgent({ ...base, name: 'set', settings: { ...settings, toolChoice } });
// @ts-expect-error: there is no such effort
defineAgent({ ...base, name: 'effort', settings: { reasoning: 'lots' } });
// @ts-expect-error: there is no such setting
defineAgent({ ...base, name: 'typo', settings: { temprature: 0 } });
// @ts-expect-error: there is no such choice
defineAgent({ ...base, name: 'choice', settings: { toolChoice: { last: 'none' } } });

// The model can depend on the environment, and can be one of several.
const model = scriptedModel([]);
defineAgent({
  ...base,
  name: 'env',
  model: (env) => {
    expectTypeOf(env).toEqualTypeOf<Readonly<Record<string, unknown>>>();
    return fallback([model, model]);
  },
});
// @ts-expect-error: the environment is not a model
defineAgent({ ...base, name: 'no-model', model: (env) => env });
// An agent has separate fields for a model and for a function that returns one.
expectTypeOf(clerk.model).toEqualTypeOf<ChatModel | undefined>();
expectTypeOf(clerk.modelOf).toEqualTypeOf<ModelOfEnv | undefined>();

// The answers have the type of the schema's output, or of any record for JSON Schema.
const Bill = v.object({ total: v.number(), due: v.optional(v.string()), lines: v.array(v.string()) });
const biller = defineAgent({ ...base, name: 'biller', output: Bill });
type BillType = { total: number; due?: string | undefined; lines: string[] };
expectTypeOf(biller).toEqualTypeOf<Agent<'biller', BillType>>();
const byJsonSchema = defineAgent({ ...base, name: 'json', output: jsonSchema({ type: 'object' }) });
expectTypeOf(byJsonSchema).toEqualTypeOf<Agent<'json', Record<string, unknown>>>();
export const all: readonly Agent[] = [clerk, biller, byJsonSchema];

// A test session's answers have this type if it is JSON.
export async function checkAnswers() {
  const bill = await createTestSession(biller, { replies: [] }).send('Bill me.');
  expectTypeOf(bill.object).toEqualTypeOf<BillType | undefined>();
  const words = await createTestSession(clerk, { replies: [] }).send('Hello');
  expectTypeOf(words.object).toEqualTypeOf<Json | undefined>();
  const dated = defineAgent({
    ...base,
    name: 'dated',
    output: v.object({ at: v.pipe(v.string(), v.toDate()) }),
  });
  expectTypeOf<typeof dated>().toEqualTypeOf<Agent<'dated', { at: Date }>>();
  const date = await createTestSession(dated, { replies: [] }).send('When?');
  expectTypeOf(date.object).toEqualTypeOf<Json | undefined>();
}

// An agent's tools can include a reference.
const handbook: Reference = { name: 'handbook', description: 'Rules.', notes: 'Numbered.', tools: [pay] };
defineAgent({ ...base, name: 'reading', tools: [defineReference(handbook)] });

// @ts-expect-error a reference has notes
defineReference({ name: 'r', description: 'R.', tools: [] });

// @ts-expect-error references are among the tools
defineAgent({ ...base, name: 'option', references: [handbook] });

// @ts-expect-error an output is a schema
defineAgent({ ...base, name: 'no-schema', output: 'a bill' });

// @ts-expect-error an agent needs instructions
defineAgent({ name: 'mute', description: 'Says nothing.', tools: [] });

// @ts-expect-error a tool is made by defineTool
defineAgent({ ...base, name: 'bare', tools: [{ name: 'pay', description: 'Pays.', run: () => 'paid' }] });

// @ts-expect-error there is no limit of that name
defineAgent({ ...base, name: 'typo', tools: [], limits: { toolcalls: 3 } });

// @ts-expect-error the context is JSON
defineAgent({ ...base, name: 'dated', tools: [], context: { since: () => 1 } });

// @ts-expect-error an agent is never mutated
clerk.tools = [];

// The policy determines whether a turn without a loop id gets a generated one.
defineAgent({ name: 'a', description: 'x', instructions: 'x', tools: [], policies: { loopIds: 'as-sent' } });
// @ts-expect-error there is no such policy
defineAgent({ name: 'a', description: 'x', instructions: 'x', tools: [], policies: { loopIds: 'never' } });

// Limits of turns that other turns start are numbers or 'unlimited'.
defineAgent({
  name: 'a',
  description: 'x',
  instructions: 'x',
  limits: { maxScheduled: 'unlimited', maxGenerations: 3 },
});
// @ts-expect-error there is no such limit
defineAgent({ name: 'a', description: 'x', instructions: 'x', limits: { maxScheduled: 'none' } });
