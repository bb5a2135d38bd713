import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import { type AnyTool, defineAgent, defineTool, type Tool } from '../../src/index.ts';
import { manual } from '../../src/modules/decorators/entry.ts';
import type { LoopInspector } from '../../src/modules/inspect/entry.ts';
import { callLimits } from '../../src/modules/limits/entry.ts';
import {
  createToolCallingManager,
  defineToolCallingOptions,
  type ToolCallingManager,
  type ToolCallingOptions,
  type ToolExecutionResult,
} from '../../src/modules/tool-calling/entry.ts';

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  input: v.object({ eur: v.number() }),
  run: () => true,
});

// A tool that the caller runs keeps its name, input and output.
expectTypeOf(manual(pay)).toEqualTypeOf<Tool<'pay', { eur: number }, boolean>>();
expectTypeOf(manual(pay as AnyTool, { expires: 1_000 })).toEqualTypeOf<AnyTool>();

const base = { name: 'clerk', description: 'Pays.', instructions: 'Pay.', tools: [pay] };
defineAgent({
  ...base,
  policies: {
    returnDirect: 'any',
    unknownTools: { mode: 'immediate', retries: undefined },
    blankReplies: { retries: 0, end: 'completed' },
    isEligible: ({ name, input }, context) => name !== 'pay' || context.has(input),
    exceptions: ({ tool, thrown }) => `${tool}: ${String(thrown)}`,
  },
  use: [callLimits({ toolCalls: 'unlimited', callsPerTool: { pay: 1, '*': 'unlimited' } })],
});

// An inspector's parameters are inferred.
export const inspector: LoopInspector = {
  beforeModelCall: ({ messages, tools }) =>
    expectTypeOf(tools).toEqualTypeOf<readonly string[]>() && void messages,
  afterToolCall: async ({ ms, text }) => {
    expectTypeOf([ms, text] as const).toEqualTypeOf<readonly [number, string]>();
  },
};

// @ts-expect-error there is no policy of that name
defineAgent({ ...base, policies: { returnsDirect: 'any' } });
// @ts-expect-error iterations cannot be unlimited
defineAgent({ ...base, limits: { iterations: 'unlimited' } });
// The loop ignores the results of an inspector, so that a short function can return any value.
const times: number[] = [];
export const short: LoopInspector = { afterToolCall: ({ ms }) => times.push(ms) };
// @ts-expect-error there is no such moment
export const wrong: LoopInspector = { afterLoop: () => {} };

const options = defineToolCallingOptions({ tools: [pay], toolContext: { tenant: 't' }, temperature: 0.5 });
expectTypeOf(options).toEqualTypeOf<ToolCallingOptions>();
const manager = createToolCallingManager({ returnDirect: 'any', use: [callLimits({ callsPerTool: 3 })] });
expectTypeOf(manager).toEqualTypeOf<ToolCallingManager>();
expectTypeOf(manager.executeToolCalls).returns.toEqualTypeOf<Promise<ToolExecutionResult>>();

// @ts-expect-error a tool is made by defineTool
defineToolCallingOptions({ tools: [{ name: 'pay' }] });
// @ts-expect-error null is not a name
defineToolCallingOptions({ toolNames: [null] });
// @ts-expect-error the context is JSON
defineToolCallingOptions({ toolContext: { since: new Date() } });
// @ts-expect-error options are never mutated
options.temperature = 1;
// @ts-expect-error a manager calls no model, so it has no limit of iterations
createToolCallingManager({ limits: { iterations: 3 } });
// @ts-expect-error null is not a message
manager.executeToolCalls([null], { text: '', toolCalls: [], finish: 'stop' }, options);
