import { expectTypeOf } from 'vitest';
import { type Agent, type AnyTool, defineAgent, defineTool } from '../../src/index.ts';

const base = { description: 'Pays.', instructions: 'Pay what is asked.' };
const pay = defineTool({ name: 'pay', description: 'Pays.', run: () => 'paid' });

// The name is a literal, and an agent of any name fits a list of agents.
const clerk = defineAgent({ ...base, name: 'clerk', tools: [pay] });
expectTypeOf(clerk).toEqualTypeOf<Agent<'clerk'>>();
expectTypeOf(clerk.name).toEqualTypeOf<'clerk'>();
expectTypeOf(clerk.tools).toEqualTypeOf<readonly AnyTool[]>();
export const agents: readonly Agent[] = [clerk, defineAgent({ ...base, name: 'other', tools: [] })];

// Optional properties accept undefined.
defineAgent({ ...base, name: 'absent', tools: [], model: undefined, limits: undefined, context: undefined });
defineAgent({ ...base, name: 'partly', tools: [], limits: { iterations: undefined, toolCalls: 3 } });

// @ts-expect-error an agent needs instructions
defineAgent({ name: 'mute', description: 'Says nothing.', tools: [] });

// @ts-expect-error a tool is made by defineTool
defineAgent({ ...base, name: 'bare', tools: [{ name: 'pay', description: 'Pays.', run: () => 'paid' }] });

// @ts-expect-error there is no limit of that name
defineAgent({ ...base, name: 'typo', tools: [], limits: { toolcalls: 3 } });

// @ts-expect-error the context is JSON
defineAgent({ ...base, name: 'dated', tools: [], context: { since: new Date() } });

// @ts-expect-error an agent is never mutated
clerk.tools = [];
