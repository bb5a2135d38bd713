import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import { type Agent, type AnyTool, defineAgent, defineDomainType, type Tool } from '../../src/index.ts';
import { defineSubagent } from '../../src/kinds/entry.ts';

const base = { description: 'Files.', instructions: 'File.' };
const clerk = defineAgent({ ...base, name: 'clerk' });
const biller = defineAgent({ ...base, name: 'biller', output: v.object({ total: v.number() }) });
declare const any: Agent;

// A subagent has its agent's literal name and output, and its input is a message.
const clerkTool = defineSubagent({ agent: clerk });
expectTypeOf(clerkTool).toEqualTypeOf<Tool<'clerk', { readonly message: string }, unknown>>();
const billerTool = defineSubagent({ agent: biller });
expectTypeOf(billerTool).toEqualTypeOf<Tool<'biller', { readonly message: string }, { total: number }>>();

// If the agent is a name, its output is unknown.
const byName = defineSubagent({ agent: 'clerk' });
expectTypeOf(byName).toEqualTypeOf<Tool<'clerk', { readonly message: string }, unknown>>();
expectTypeOf(defineSubagent({ agent: any }).name).toBeString();

// A subagent can have its own name and input.
const renamed = defineSubagent({
  agent: biller,
  name: 'bill',
  description: 'Bills.',
  input: v.object({ customer: v.string() }),
});
expectTypeOf(renamed).toEqualTypeOf<Tool<'bill', { customer: string }, { total: number }>>();
// A subagent's own output replaces the agent's, and sets the type if the agent is a name.
const Bill = defineDomainType({ name: 'Bill', schema: v.object({ sum: v.pipe(v.string(), v.toNumber()) }) });
expectTypeOf(defineSubagent({ agent: 'biller', output: Bill })).toEqualTypeOf<
  Tool<'biller', { readonly message: string }, { sum: string }>
>();
expectTypeOf(defineSubagent({ agent: biller, output: v.object({ n: v.number() }) })).toEqualTypeOf<
  Tool<'biller', { readonly message: string }, { n: number }>
>();
// @ts-expect-error: a name is not an output
defineSubagent({ agent: 'biller', output: 'Bill' });

export const tools: readonly AnyTool[] = [clerkTool, billerTool, byName, renamed];

// Optional properties accept undefined.
defineSubagent({ agent: clerk, name: undefined, description: undefined, input: undefined });

// Mistakes that must stay compile errors.
// @ts-expect-error: a number is not an agent
defineSubagent({ agent: 7 });
// @ts-expect-error: a tool is not an agent
defineSubagent({ agent: clerkTool });
// @ts-expect-error: the agent is missing
defineSubagent({ name: 'nobody' });
// @ts-expect-error: an agent has its own instructions
defineSubagent({ agent: clerk, instructions: 'Otherwise.' });
