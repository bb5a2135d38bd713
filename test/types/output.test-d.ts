/** Every `output` option accepts a schema or a domain type, and the output type is inferred from it. */
import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import { runAgent } from '../../src/in-memory/entry.ts';
import {
  type Agent,
  type AnyTool,
  defineAgent,
  defineDomainType,
  defineTextTool,
  defineTool,
  type Json,
  type OutputOf,
  type Tool,
} from '../../src/index.ts';
import {
  defineAgenticTool,
  definePipeline,
  definePlaybook,
  defineStateMachine,
  defineSubagent,
  type Playbook,
  type StateMachine,
} from '../../src/kinds/entry.ts';
import { sinkArtifacts, withOutput } from '../../src/modules/decorators/entry.ts';
import { createTestSession, scriptedModel } from '../../src/testing/entry.ts';

const Total = v.object({ cents: v.number(), note: v.optional(v.string(), '') });
type TotalValue = { cents: number; note: string };
const Order = defineDomainType({
  name: 'Order',
  schema: v.object({ id: v.string(), at: v.pipe(v.string(), v.toDate()) }),
});
/** The JSON of an order, which answers and journals contain. */
type OrderJson = { id: string; at: string };

expectTypeOf<OutputOf<typeof Total>>().toEqualTypeOf<TotalValue>();
expectTypeOf<OutputOf<typeof Order>>().toEqualTypeOf<OrderJson>();
expectTypeOf<OutputOf<undefined>>().toBeUnknown();

// Agents, their test sessions, and their runs.
const base = { description: 'Does.', instructions: 'Do.' };
const totaling = defineAgent({ ...base, name: 'totaling', output: Total });
const ordering = defineAgent({ ...base, name: 'ordering', output: Order });
expectTypeOf(totaling).toEqualTypeOf<Agent<'totaling', TotalValue>>();
expectTypeOf(ordering).toEqualTypeOf<Agent<'ordering', OrderJson>>();
export async function checkObjects() {
  const { object: total } = await createTestSession(totaling, { replies: [] }).send('Go.');
  expectTypeOf(total).toEqualTypeOf<TotalValue | undefined>();
  const { object: order } = await createTestSession(ordering, { replies: [] }).send('Go.');
  expectTypeOf(order).toEqualTypeOf<OrderJson | undefined>();
  const ran = await runAgent(ordering, 'Go.', { model: scriptedModel([]) });
  expectTypeOf(ran.object).toEqualTypeOf<OrderJson | undefined>();
}

// Subagents have the output of their agent.
expectTypeOf(defineSubagent({ agent: totaling })).toEqualTypeOf<
  Tool<'totaling', { readonly message: string }, TotalValue>
>();
expectTypeOf(defineSubagent({ agent: ordering })).toEqualTypeOf<
  Tool<'ordering', { readonly message: string }, OrderJson>
>();

// Agentic tools of all kinds.
const tool = { name: 'work', description: 'Works.', tools: [] } as const;
expectTypeOf(defineAgenticTool({ ...tool, output: Total })).toEqualTypeOf<
  Tool<'work', Record<string, never>, TotalValue>
>();
expectTypeOf(defineAgenticTool({ ...tool, output: Order })).toEqualTypeOf<
  Tool<'work', Record<string, never>, OrderJson>
>();
expectTypeOf(defineAgenticTool(tool)).toEqualTypeOf<Tool<'work', Record<string, never>, unknown>>();
expectTypeOf(definePlaybook({ ...tool, locked: [], output: Order })).toEqualTypeOf<
  Playbook<'work', Record<string, never>, OrderJson>
>();
expectTypeOf(
  defineStateMachine({
    name: 'work',
    description: 'Works.',
    initial: 'open',
    states: { open: [] },
    output: Total,
  }),
).toEqualTypeOf<StateMachine<'work', Record<string, never>, 'open', TotalValue>>();

// The result of `run` is checked against the schema's input, and keeps its own type.
const find = defineTool({
  name: 'find',
  description: 'Finds.',
  output: Order,
  run: () => ({ id: 'a', at: new Date() }),
});
expectTypeOf(find).toEqualTypeOf<Tool<'find', Record<string, never>, { id: string; at: Date }>>();
const sum = defineTool({ name: 'sum', description: 'Sums.', output: Total, run: () => ({ cents: 7 }) });
expectTypeOf(sum).toEqualTypeOf<Tool<'sum', Record<string, never>, { cents: number }>>();
defineTextTool({ name: 'sum', description: 'Sums.', output: Total, run: (): Json => ({ cents: 7 }) });

// Pipelines have the output of their last step.
expectTypeOf(definePipeline({ name: 'both', steps: [find, sum] })).toEqualTypeOf<
  Tool<'both', Record<string, never>, { cents: number }>
>();

// @ts-expect-error a bare name is neither a schema nor a domain type
defineAgent({ ...base, name: 'named', output: { name: 'Order' } });
// @ts-expect-error a bare name is neither a schema nor a domain type
defineAgenticTool({ ...tool, output: { name: 'Order' } });
// @ts-expect-error a string is neither a schema nor a domain type
defineTool({ name: 'find', description: 'Finds.', output: 'Order', run: () => ({ id: 'a' }) });
// @ts-expect-error its cents are a number
defineTool({ name: 'sum', description: 'Sums.', output: Total, run: () => ({ cents: '7' }) });

// `withOutput` sets the output type of another author's tool to the domain type's JSON.
declare const listed: AnyTool;
expectTypeOf(withOutput(listed, Order)).toEqualTypeOf<Tool<string, unknown, OrderJson>>();
const counting = defineTool({ name: 'count', description: 'Counts.', input: Total, run: () => ({ n: 1 }) });
expectTypeOf(withOutput(counting, Order)).toEqualTypeOf<Tool<'count', TotalValue, OrderJson>>();
sinkArtifacts(withOutput(listed, Order), ({ at }) => expectTypeOf(at).toEqualTypeOf<Date>(), { type: Order });
// @ts-expect-error: a name is not an output
withOutput(listed, 'Order');
