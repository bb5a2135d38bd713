/** Agents with one tool of each kind that changes the later tools or represents several tools. */
import * as v from 'valibot';
import { artifact, defineDomainType, defineTextTool, defineTool } from '../../../src/index.ts';
import {
  addTools,
  after,
  allOf,
  chainFrom,
  chaining,
  defineInjectionStrategy,
  definePipeline,
  definePlaybook,
  defineStateMachine,
  defineUnfolding,
  discover,
  noChange,
  onArtifact,
  onBlackboard,
  removeTools,
  when,
} from '../../../src/kinds/entry.ts';
import { publishToBlackboard, requireApproval } from '../../../src/modules/decorators/entry.ts';
import { createActingTool, defineScene, performAct } from './scene.ts';

const unfoldedScene = defineScene('unfolded', {
  tools: [
    defineUnfolding({
      name: 'files',
      description: 'Works with files.',
      scope: 'session',
      childToolUsageNotes: 'Read before you write.',
      tools: [
        createActingTool('unfolded', 'read_file', { effect: 'read' }),
        createActingTool('unfolded', 'write_file', { effect: 'once' }),
      ],
    }),
    defineUnfolding({
      name: 'office',
      description: 'Works in an office.',
      byCategory: {
        mail: [requireApproval(createActingTool('unfolded', 'send_mail', { effect: 'once' }), 'Send it?')],
        desk: [createActingTool('unfolded', 'tidy', { effect: 'idempotent' })],
      },
    }),
    defineUnfolding({
      name: 'shop',
      description: 'Shops.',
      scope: 'session',
      input: v.object({ shelves: v.array(v.string()) }),
      select: ({ shelves }) =>
        shelves.map((shelf) => createActingTool('unfolded', `take_${shelf}`, { effect: 'idempotent' })),
    }),
  ],
});

const Order = defineDomainType({
  name: 'Order',
  schema: v.object({ id: v.string(), of: v.string() }),
  tools: (order) => [
    defineTool({
      name: 'ship',
      description: 'Ships the order.',
      effect: 'once',
      run: async (_, call) => `${await performAct('chained/ship', order, call)}: ${order.id} to ${order.of}`,
    }),
  ],
});
const Customer = defineDomainType({
  name: 'Customer',
  schema: v.object({ id: v.string(), since: v.pipe(v.string(), v.toDate()) }),
  tools: (customer) => [
    defineTool({
      name: 'last_order',
      description: 'Finds the last order.',
      effect: 'read',
      output: Order,
      run: () => ({ id: `o-${customer.id}`, of: customer.id }),
    }),
    defineTool({
      name: 'greet',
      description: 'Greets the customer.',
      effect: 'idempotent',
      run: () => `Good day, ${customer.id} of ${customer.since.getUTCFullYear()}.`,
    }),
  ],
});
const Parcel = defineDomainType({
  name: 'Parcel',
  schema: v.object({ id: v.string() }),
  tools: (parcel) => [
    defineTool({
      name: 'track',
      description: 'Tracks it.',
      effect: 'read',
      run: () => `${parcel.id} is near.`,
    }),
  ],
});
const chainedScene = defineScene('chained', {
  use: [chaining([chainFrom(Customer), chainFrom(Order), discover(Parcel, { hint: true })])],
  tools: [
    defineTool({
      name: 'get_customer',
      description: 'Finds a customer.',
      input: v.object({ id: v.string() }),
      effect: 'read',
      output: Customer,
      run: ({ id }) => ({ id, since: '2020-05-01' }),
    }),
    defineTool({
      name: 'list_parcels',
      description: 'Lists parcels.',
      effect: 'read',
      run: () => artifact('Two.', Parcel, [{ id: 'p1' }, { id: 'p2' }]),
    }),
  ],
});

const Finding = defineDomainType({ name: 'Finding', schema: v.object({ id: v.string() }) });
const search = publishToBlackboard(
  defineTool({
    name: 'search',
    description: 'Searches.',
    effect: 'read',
    output: Finding,
    run: () => ({ id: 'f1' }),
  }),
  { name: 'finding' },
);
const analyze = createActingTool('playbook', 'analyze', { effect: 'idempotent' });
const playbook = defineScene('playbook', {
  tools: [
    definePlaybook({
      name: 'research',
      description: 'Researches.',
      input: v.object({ topic: v.string() }),
      key: ({ topic }) => topic,
      tools: [search],
      locked: [
        { tool: analyze, unlockedBy: after(search) },
        {
          tool: createActingTool('playbook', 'report', { effect: 'once' }),
          unlockedBy: allOf(after(search), after(analyze), onArtifact(Finding)),
        },
        {
          tool: createActingTool('playbook', 'archive', { effect: 'once' }),
          unlockedBy: onBlackboard(Finding),
        },
        {
          tool: createActingTool('playbook', 'finish', { effect: 'idempotent' }),
          unlockedBy: when(({ toolExecutions }) => toolExecutions >= 3),
        },
      ],
    }),
  ],
});

const stateMachine = defineScene('state-machine', {
  tools: [
    defineStateMachine({
      name: 'orders',
      description: 'Processes one order.',
      input: v.object({ id: v.number(), note: v.optional(v.string()) }),
      key: ({ id }) => String(id),
      initial: 'draft',
      states: {
        draft: [
          createActingTool('state-machine', 'add', { effect: 'idempotent' }),
          { tool: createActingTool('state-machine', 'confirm', { effect: 'once' }), to: 'confirmed' },
        ],
        confirmed: [{ tool: createActingTool('state-machine', 'ship', { effect: 'once' }), to: 'shipped' }],
        shipped: [],
      },
      everywhere: [createActingTool('state-machine', 'status', { effect: 'read' })],
      instructions: (_, { id }, state) => `Order ${id} is ${state}.`,
    }),
  ],
});

const pipeline = defineScene('pipeline', {
  tools: [
    definePipeline({
      name: 'prepare',
      steps: [
        defineTextTool({
          name: 'fetch',
          description: 'Fetches.',
          effect: 'read',
          run: (words) => `${words}, fetched`,
        }),
        defineTextTool({
          name: 'clean',
          description: 'Cleans.',
          effect: 'idempotent',
          run: (words) => `${words}, cleaned`,
        }),
        requireApproval(
          defineTextTool({
            name: 'store',
            description: 'Stores.',
            effect: 'once',
            run: async (words, call) => `${words}, ${await performAct('pipeline/store', words, call)}`,
          }),
          'Store it?',
        ),
      ],
    }),
  ],
});

const pay = createActingTool('strategies', 'pay', { effect: 'once' });
const strategies = defineScene('strategies', {
  tools: [
    createActingTool('strategies', 'unlock', { effect: 'idempotent' }),
    createActingTool('strategies', 'lock', { effect: 'read' }),
  ],
  use: [
    defineInjectionStrategy({
      name: 'locks',
      evaluate: ({ lastCall }) => {
        if (lastCall.tool === 'unlock') return addTools([pay]);
        return lastCall.tool === 'lock' ? removeTools([pay]) : noChange;
      },
    }),
  ],
});

export const kinds = [unfoldedScene, chainedScene, playbook, stateMachine, pipeline, strategies];
