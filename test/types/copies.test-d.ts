/** The types of copied tools that run nested loops. */
import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import { type ChatModel, defineAgent, defineTool, type Tool, ToolCallContext } from '../../src/index.ts';
import {
  defineAgenticTool,
  definePlaybook,
  defineStateMachine,
  defineSubagent,
  withContext,
  withInstructions,
  withLimits,
  withModel,
  withSettings,
  withTools,
  withUse,
} from '../../src/kinds/entry.ts';
import { withParameter } from '../../src/modules/decorators/entry.ts';

declare const model: ChatModel;
const look = defineTool({ name: 'look', description: 'Looks.', run: () => 'seen' });
const base = { description: 'Works.', input: v.object({ depth: v.pipe(v.string(), v.toNumber()) }) };
const dig = defineAgenticTool({ ...base, name: 'dig', tools: [look], context: { desk: 1 } });
const plan = definePlaybook({ ...base, name: 'plan', tools: [look], locked: [], context: new Date() && {} });
const lamp = defineStateMachine({
  ...base,
  name: 'lamp',
  initial: 'off',
  states: { on: [look], off: [look] },
  context: ToolCallContext.EMPTY,
});
const clerk = defineAgent({
  name: 'clerk',
  description: 'Files.',
  instructions: '',
  output: v.object({ n: v.number() }),
});
const ask = defineSubagent({ agent: clerk, context: { desk: 1 } });

// A copy keeps the types of its original: name, input, output, states.
expectTypeOf(withTools(dig, look, ask)).toEqualTypeOf<Tool<'dig', { depth: number }, unknown>>();
expectTypeOf(withModel(ask, () => model)).toEqualTypeOf<
  Tool<'clerk', { readonly message: string }, { n: number }>
>();
expectTypeOf(withContext(plan, { locale: 'de' })).toEqualTypeOf<typeof plan>();
expectTypeOf(withTools(lamp)).toEqualTypeOf<typeof lamp>();

// Instructions can use the input and a machine's state.
withInstructions(dig, ({ path }, input) => {
  expectTypeOf(input).toEqualTypeOf<{ depth: number }>();
  return path;
});
withInstructions(ask, (_, { message }) => message);
withInstructions(lamp, (_, { depth }, state) => {
  expectTypeOf(state).toEqualTypeOf<'on' | 'off'>();
  return `${depth} ${state}`;
});
withInstructions(plan, 'Work.');

// A context can use the input and the enclosing loop.
withContext(dig, ({ depth }, { path }) => ({ depth, path }));
defineAgenticTool({
  ...base,
  name: 'made',
  tools: [look],
  context: (input, view) => {
    expectTypeOf(input).toEqualTypeOf<{ depth: number }>();
    return { depth: input.depth, path: view.path };
  },
});
defineSubagent({ agent: clerk, context: ({ message }) => ({ message }) });

// Copies of a tool with an added parameter know the parameter.
const digWithMood = withParameter(dig, 'mood', v.string());
withInstructions(digWithMood, (_, { depth, mood }) => `${depth} ${mood.trim()}`);
withContext(digWithMood, ({ mood }) => ({ mood }));

// Copies can have different limits, settings and modules.
expectTypeOf(withLimits(dig, { iterations: 3 })).toEqualTypeOf<typeof dig>();
expectTypeOf(withSettings(ask, { temperature: 0 })).toEqualTypeOf<typeof ask>();
expectTypeOf(withUse(lamp)).toEqualTypeOf<typeof lamp>();
// @ts-expect-error: tokens are limited for whole turns
withLimits(dig, { tokens: 10 });
// @ts-expect-error: there is no such setting
withSettings(dig, { temperatur: 0 });
// @ts-expect-error: a strategy is not a module
withUse(dig, { name: 'adds', offer: () => [] });
// @ts-expect-error: a context is not a promise
withContext(dig, async () => ({}));
// @ts-expect-error: its input has no such key
withContext(dig, ({ width }) => ({ width }));

// @ts-expect-error: its input has no such key
withInstructions(dig, (_, { width }) => width);
// @ts-expect-error: instructions are text
withInstructions(dig, () => 7);
// @ts-expect-error: a name is not a model
withModel(dig, 'gpt-5');
// @ts-expect-error: a bigint is not JSON
withContext(dig, { at: 1n });
// @ts-expect-error: an agent is copied by a spread
withModel(clerk, model);
// @ts-expect-error: a context is an object
defineAgenticTool({ ...base, name: 'wrong', tools: [look], context: 'acme' });
// @ts-expect-error: a context is JSON
defineSubagent({ agent: clerk, context: { at: () => 1 } });
