/** The sessions with state machines. */
import * as v from 'valibot';
import { defineOrders } from '../../../src/examples/orders/orders.ts';
import { paperShop } from '../../../src/examples/support/shop.ts';
import { type Agent, defineAgent, defineTool } from '../../../src/index.ts';
import { defineStateMachine } from '../../../src/kinds/entry.ts';
import { createCall, createTurn, type Scenario } from './scenario.ts';

const createMoveCall = (orderId: number, status: string) => createCall('move_order', { orderId, status });

const STEP_TOOLS = {
  packed: 'pack_order',
  shipped: 'ship_order',
  delivered: 'deliver_order',
  cancelled: 'cancel_order',
};

const moves = [
  [2001, 'packed'],
  [2001, 'shipped'],
  [2001, 'delivered'],
  [2002, 'packed'],
  [2002, 'cancelled'],
  [2003, 'packed'],
  [2003, 'shipped'],
  [2003, 'delivered'],
  [2004, 'packed'],
  [2004, 'shipped'],
  [2004, 'delivered'],
  [2004, 'cancelled'],
] as const;

/** An order desk with a state machine, and with the tools of the objects that it finds. */
export const orders = defineOrders(paperShop);

export const machine: Scenario = {
  name: 'state-machine',
  about: 'the agent `orders`: 12 moves of orders in 4 turns, a nested loop each',
  isPromised: true,
  agent: orders,
  turns: [0, 3, 6, 9].map((from) =>
    createTurn(
      ...moves.slice(from, from + 3).map(([id, status]) => createMoveCall(id, status)),
      createCall('get_customer', { customerId: 'C-12' }),
    ),
  ),
  nested: { move_order: moves.map(([, status]) => createTurn(createCall(STEP_TOOLS[status]))) },
};

/** The options of the state machine in addition to its states. */
interface MachineOptions {
  readonly hideUnavailable?: true;
  readonly instructions?: (view: unknown, input: { readonly title: string }, state: string) => string;
}

/** An agent that writes, reviews and prints a text in one loop. */
function createMachineAgent(options: MachineOptions = {}): Agent {
  const createTool = (name: string) =>
    defineTool({
      name,
      description: `Does '${name}' with the text.`,
      effect: 'read',
      input: v.object({ words: v.string() }),
      run: ({ words }) => ({ done: name, words }),
    });
  return defineAgent({
    name: 'press',
    description: 'Prints texts.',
    instructions: 'Print what is asked for.',
    tools: [
      defineStateMachine({
        name: 'print_text',
        description: 'Prints a text.',
        input: v.object({ title: v.string() }),
        initial: 'draft',
        ...options,
        states: {
          draft: [createTool('write'), createTool('cross_out'), { tool: createTool('submit'), to: 'review' }],
          review: [
            createTool('comment'),
            { tool: createTool('return'), to: 'draft' },
            { tool: createTool('accept'), to: 'accepted' },
          ],
          accepted: [createTool('set'), { tool: createTool('print'), to: 'printed' }],
          printed: [],
        },
        everywhere: [createTool('count_words')],
      }),
    ],
  });
}

const printingSteps = [
  'write',
  'write',
  'cross_out',
  'count_words',
  'submit',
  'comment',
  'comment',
  'return',
];
const laterPrintingSteps = [
  'write',
  'cross_out',
  'submit',
  'count_words',
  'comment',
  'accept',
  'set',
  'set',
  'print',
];
const inMachine = [...printingSteps, 'print', ...laterPrintingSteps, 'count_words'].map((name, at) =>
  createCall(name, { words: `Text ${at}` }),
);

export const machineLoop: Scenario = {
  name: 'state-machine-loop',
  about: 'a state machine that goes through 4 states in one loop of 20 requests',
  isPromised: true,
  agent: createMachineAgent(),
  turns: [createTurn(createCall('print_text', { title: 'Tides' }))],
  nested: { print_text: [createTurn(...inMachine)] },
};

export const machineHides: Scenario = {
  name: 'state-machine-hides',
  about: 'the same with `hideUnavailable`, which offers the tools of the state alone',
  agent: createMachineAgent({ hideUnavailable: true }),
  turns: [createTurn(createCall('print_text', { title: 'Tides' }))],
  // The script cannot call a tool that is not offered.
  nested: { print_text: [createTurn(...inMachine.filter((_, at) => at !== printingSteps.length))] },
};

export const machineTells: Scenario = {
  name: 'state-machine-tells',
  about: 'the same with instructions by a function, which tells the state of now',
  agent: createMachineAgent({
    instructions: (_, { title }, state) => `Print '${title}'. It is ${state} now.`,
  }),
  turns: [createTurn(createCall('print_text', { title: 'Tides' }))],
  nested: { print_text: [createTurn(...inMachine)] },
};
