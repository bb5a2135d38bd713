/** A typical app of a team: agents with every kind of tool, each in a separate file. */

/** The files of an app, by path. */
export type Files = ReadonlyMap<string, string>;

/**
 * Returns an app with this many agents. Each has the same parts under different names, and delegates to the
 * previous agent.
 */
export function createTypedApp(agents: number): Files {
  const numbers = Array.from({ length: agents }, (_, at) => at + 1);
  const files = new Map(numbers.map((n) => [`src/agent-${n}.ts`, createAgentFile(n)]));
  return files.set('src/worker.ts', createWorkerFile(numbers));
}

/** Returns a Worker that only imports the package, for a comparison. */
export const createBareApp = (): Files =>
  new Map([['src/worker.ts', `${IMPORTS}\nexport { SessionObject };\n`]]);

const IMPORTS = `import { createHoldfast } from 'holdfast/worker';
import { SessionObject } from 'holdfast/durable-objects';
import * as core from 'holdfast';
import * as kinds from 'holdfast/kinds';
import * as decorators from 'holdfast/decorators';
import * as v from 'valibot';
import { z } from 'zod';
export const used = [createHoldfast, core, kinds, decorators, v, z];`;

const createWorkerFile = (numbers: readonly number[]): string =>
  `import { createHoldfast } from 'holdfast/worker';
import { defineSchedule } from 'holdfast/schedules';
${numbers.map((n) => `import { agent${n} } from './agent-${n}.ts';`).join('\n')}

const holdfast = createHoldfast({
  agents: [${numbers.map((n) => `agent${n}`).join(', ')}],
  use: [
    defineSchedule({
      name: 'daily',
      cron: '0 6 * * *',
      agent: 'agent_1',
      owner: { tenant: 'acme' },
      session: 'daily',
      message: 'Report.',
    }),
  ],
});
export { SessionObject } from 'holdfast/durable-objects';
export default holdfast.worker;
`;

const createAgentFile = (n: number): string => `import * as v from 'valibot';
import { z } from 'zod';
import { withUsageNote, requireApproval } from 'holdfast/decorators';
import { artifact, defineAgent, defineDomainType, defineTool } from 'holdfast';
import { toolMethod, toolsOf } from 'holdfast/tool-objects';
import {
  after,
  allOf,
  defineAgenticTool,
  definePipeline,
  definePlaybook,
  defineStateMachine,
  defineSubagent,
  defineUnfolding,
  onArtifact,
  withContext,
  withInstructions,
} from 'holdfast/kinds';
${n > 1 ? `import { agent${n - 1} } from './agent-${n - 1}.ts';\n` : ''}
const Order${n} = defineDomainType({
  name: 'Order${n}',
  schema: v.object({
    id: v.pipe(v.string(), v.minLength(1)),
    lines: v.array(v.object({ sku: v.string(), quantity: v.pipe(v.number(), v.integer()), price: v.number() })),
    placedAt: v.pipe(v.string(), v.isoTimestamp()),
    note: v.optional(v.string()),
  }),
  id: ({ id }) => id,
});

const findOrder = defineTool({
  name: 'find_order_${n}',
  description: 'Finds an order.',
  effect: 'read',
  input: v.object({ id: v.string(), field${n}: v.optional(v.picklist(['a', 'b', 'c'])) }),
  output: Order${n},
  run: ({ id }) => ({ id, lines: [], placedAt: '2026-01-01T00:00:00Z' }),
});

const price = defineTool({
  name: 'price_${n}',
  description: 'Prices a line.',
  effect: 'read',
  input: z.object({ sku: z.string(), quantity: z.number().int(), field${n}: z.boolean().optional() }),
  run: async ({ sku, quantity }, { context }) => ({ sku, total: quantity * 7, tenant: context.get('tenantId', v.string()) }),
});

const refund = requireApproval(
  defineTool({
    name: 'refund_${n}',
    description: 'Refunds an order.',
    input: {
      type: 'object',
      properties: { id: { type: 'string' }, cents: { type: 'integer' }, reason: { enum: ['late', 'broken', 'r${n}'] } },
      required: ['id', 'cents'],
    },
    reconcile: ({ id }) => ({ done: \`refunded \${id}\` }),
    run: ({ id, cents, reason }) => artifact(\`Refunded \${id}.\`, { id, cents, reason: reason ?? 'late' }),
  }),
  ({ id, cents }) => \`Refund \${cents} of \${id}?\`,
);

class Stock${n} {
  readonly #shelf = new Map<string, number>();
  readonly count = toolMethod(
    { description: 'Counts what is there.', input: v.object({ sku: v.string() }), effect: 'read' },
    ({ sku }) => this.#shelf.get(sku) ?? 0,
  );
  protected readonly take = toolMethod(
    { description: 'Takes some away.', input: z.object({ sku: z.string(), count: z.number() }) },
    async ({ sku, count }, { state }) => ({ left: state.update(sku, v.number(), (before = 0) => before - count) }),
  );
}

const notes = toolsOf({
  note_${n}: {
    description: 'Writes a note.',
    input: v.object({ words: v.string(), to: v.optional(v.array(v.string())) }),
    run: ({ words, to = [] }) => ({ words, readers: to.length }),
  },
  forget_${n}: { description: 'Forgets the notes.', run: () => 'Done.' },
});

const office = defineUnfolding({
  name: 'office_${n}',
  description: 'Opens the office.',
  input: v.object({ area: v.picklist(['orders', 'money']) }),
  select: ({ area }) => (area === 'orders' ? [findOrder] : [price, refund]),
});

const research = definePlaybook({
  name: 'research_${n}',
  description: 'Finds out why an order is late.',
  input: v.object({ id: v.string() }),
  key: ({ id }) => id,
  tools: [findOrder, ...notes],
  locked: [
    { tool: price, unlockedBy: after('find_order_${n}') },
    { tool: refund, unlockedBy: allOf(after('price_${n}', 'note_${n}'), onArtifact(Order${n})) },
  ],
});

const order = defineStateMachine({
  name: 'order_${n}',
  description: 'Handles one order.',
  input: v.object({ id: v.string(), urgent: v.optional(v.boolean()) }),
  key: ({ id }) => id,
  initial: 'draft',
  states: {
    draft: [price, { tool: findOrder, to: 'confirmed' }],
    confirmed: [{ tool: refund, to: 'closed' }],
    closed: [],
  },
  instructions: (_, { id, urgent }, state) => \`Handle \${id}, which is \${state}\${urgent ? ', at once' : ''}.\`,
});

const clerk = defineAgenticTool({
  name: 'clerk_${n}',
  description: 'Does what is asked.',
  input: z.object({ task: z.string(), due: z.string().optional() }),
  instructions: (_, { task }) => task,
  tools: [new Stock${n}(), findOrder, withUsageNote(price, 'Only for prices.')],
  context: { desk: ${n} },
});

const both = definePipeline({ name: 'both_${n}', steps: [findOrder, { tool: price, adapt: () => ({ sku: 'a', quantity: 1 }) }] });

export const agent${n} = defineAgent({
  name: 'agent_${n}',
  description: 'Works.',
  instructions: 'Work.',
  tools: [
    office,
    research,
    order,
    withContext(withInstructions(clerk, (_, { due }) => \`By \${due}.\`), { floor: ${n} }),
    both,${n > 1 ? `\n    defineSubagent({ agent: agent${n - 1}, input: v.object({ question: v.string() }) }),` : ''}
  ],
  output: v.object({ answer: v.string(), orders: v.array(v.object({ id: v.string(), total: v.number() })), sure: v.boolean() }),
  limits: { iterations: 12, tokens: 200_000 },
});
`;
