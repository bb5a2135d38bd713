/** The sessions that are measured: by the agents of `src/examples` where there is one. */
import * as v from 'valibot';
import { Customer, getCustomer, Order } from '../../../src/examples/orders/incoming.ts';
import { defineOrders } from '../../../src/examples/orders/orders.ts';
import { researcher } from '../../../src/examples/researcher/researcher.ts';
import { paperShop } from '../../../src/examples/support/shop.ts';
import { defineSupport } from '../../../src/examples/support/support.ts';
import { workspace } from '../../../src/examples/workspace/workspace.ts';
import { type Agent, defineAgent, defineTool } from '../../../src/index.ts';
import { defineStateMachine, discover } from '../../../src/kinds/entry.ts';
import type { ScriptCall, ScriptTurn } from '../../wires/wire.ts';
import type { Session } from './play.ts';

/** A session with a name. */
export interface Scenario extends Session {
  readonly name: string;
  /** What it is, for the table. */
  readonly about: string;
  /** Whether it is promised that every request extends the one before. */
  readonly isPromised?: true;
}

export const call = (name: string, input: ScriptCall['input'] = {}): ScriptCall => ({ name, input });

/** A turn whose replies make these calls, one or several each. */
export const turn = (...steps: readonly (ScriptCall | readonly ScriptCall[])[]): ScriptTurn => ({
  steps: steps.map((step) => ({ calls: 'name' in step ? [step] : step })),
  answer: `That was done in ${steps.length} steps.`,
});

const findOrder = (orderId: number) => call('find_order', { orderId });
const customer = (customerId: string) => call('get_customer', { customerId });
const track = (trackingCode: string) => call('track_shipment', { trackingCode });
const policy = (query: string) => call('search_policy', { query });
const note = (trackingCode: string) =>
  call('set_delivery_note', { trackingCode, note: `Ring twice for ${trackingCode}.` });

const supportSteps = [
  [findOrder(1001), findOrder(1002)],
  customer('C-11'),
  track('KC-7001'),
  policy('refund of goods'),
  note('KC-7002'),
  findOrder(1003),
  [customer('C-13'), track('KC-7003'), policy('returns')],
  findOrder(1004),
  findOrder(9999),
  customer('C-12'),
  track('KC-7005'),
  note('KC-7005'),
  policy('privacy of customers'),
  findOrder(1005),
  call('refund_order', { orderId: 1003 }),
  call('send_email', {
    to: 'ada@example.com',
    subject: 'Refund',
    text: 'Your "refund" is on its way.\n\nBye',
  }),
  [findOrder(1001), customer('C-11')],
  track('KC-7001'),
  policy('delivery'),
] as const;

const support = defineSupport(paperShop);

const plain: Scenario = {
  name: 'plain',
  about: 'the agent `support`: 20 requests in one turn',
  isPromised: true,
  agent: support,
  turns: [turn(...supportSteps)],
};

const plainTurns: Scenario = {
  name: 'plain-turns',
  about: 'the agent `support`: 5 turns of 4 requests',
  isPromised: true,
  agent: support,
  turns: [0, 3, 6, 9, 12].map((from) => turn(...supportSteps.slice(from, from + 3))),
};

const add = (one: string, input: ScriptCall['input']) => call(`add_${one}`, input);

const ofWorkspace: Scenario = {
  name: 'workspace',
  about: 'the agent `workspace`, 126 tools behind unfolding tools: 2 turns of 10 requests',
  agent: workspace,
  turns: [
    turn(
      call('files'),
      [call('folders'), call('documents')],
      add('folder', { title: 'Boats' }),
      add('document', { title: 'Masts', text: 'A mast holds the sail.', folderId: 'F-1' }),
      call('planning'),
      call('tasks'),
      add('task', { title: 'Oil the mast', due: '2026-11-30' }),
      call('complete_task', { taskId: 'T-1' }),
      [call('list_tasks'), call('list_documents')],
    ),
    turn(
      call('planning'),
      call('tasks'),
      call('reopen_task', { taskId: 'T-1' }),
      call('calendar'),
      call('events'),
      add('event', { title: 'Launch', date: '2026-12-05', place: 'Slipway' }),
      call('money'),
      call('invoices'),
      add('invoice', { title: 'Oil', amount: 12.5 }),
    ),
  ],
};

const theme = 'tide';
const inTheme = (name: string, documentId: string) => call(name, { documentId, theme });
const fetched = (documentId: string) => call('fetch_document', { documentId });

const playbook: Scenario = {
  name: 'playbook',
  about: 'the agent `researcher`: 20 requests in its playbook, which goes on in a second turn',
  agent: researcher,
  turns: [turn(call('research_theme', { theme })), turn(call('research_theme', { theme }))],
  nested: {
    research_theme: [
      turn(
        call('search_documents', { theme }),
        call('search_documents', { theme: 'lamp' }),
        fetched('D-1'),
        inTheme('analyze_document', 'D-1'),
        fetched('D-3'),
        inTheme('analyze_document', 'D-3'),
        call('report_findings', { theme }),
        ...['D-2', 'D-4', 'D-5'].flatMap((id) => [fetched(id), inTheme('analyze_document', id)]),
        ...['D-1', 'D-2', 'D-3', 'D-4', 'D-5'].map(fetched),
        call('report_findings', { theme }),
      ),
      turn(fetched('D-1'), inTheme('analyze_document', 'D-1'), call('report_findings', { theme })),
    ],
  },
};

const move = (orderId: number, status: string) => call('move_order', { orderId, status });

const STEPS = {
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

const orders = defineOrders(paperShop);

const machine: Scenario = {
  name: 'state-machine',
  about: 'the agent `orders`: 12 moves of orders in 4 turns, a nested loop each',
  isPromised: true,
  agent: orders,
  turns: [0, 3, 6, 9].map((from) =>
    turn(...moves.slice(from, from + 3).map(([id, status]) => move(id, status)), customer('C-12')),
  ),
  nested: { move_order: moves.map(([, status]) => turn(call(STEPS[status]))) },
};

/** What the literal of the machine says beside its states. */
interface MachineOptions {
  readonly hideUnavailable?: true;
  readonly instructions?: (view: unknown, input: { readonly title: string }, state: string) => string;
}

/** A text that is written, reviewed and printed, in one loop. */
function machineAgent(options: MachineOptions = {}): Agent {
  const tool = (name: string) =>
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
          draft: [tool('write'), tool('cross_out'), { tool: tool('submit'), to: 'review' }],
          review: [
            tool('comment'),
            { tool: tool('return'), to: 'draft' },
            { tool: tool('accept'), to: 'accepted' },
          ],
          accepted: [tool('set'), { tool: tool('print'), to: 'printed' }],
          printed: [],
        },
        everywhere: [tool('count_words')],
      }),
    ],
  });
}

const printing = ['write', 'write', 'cross_out', 'count_words', 'submit', 'comment', 'comment', 'return'];
const printingOn = [
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
const inMachine = [...printing, 'print', ...printingOn, 'count_words'].map((name, at) =>
  call(name, { words: `Text ${at}` }),
);

const machineLoop: Scenario = {
  name: 'state-machine-loop',
  about: 'a state machine that goes through 4 states in one loop of 20 requests',
  isPromised: true,
  agent: machineAgent(),
  turns: [turn(call('print_text', { title: 'Tides' }))],
  nested: { print_text: [turn(...inMachine)] },
};

const machineHides: Scenario = {
  name: 'state-machine-hides',
  about: 'the same with `hideUnavailable`, which offers the tools of the state alone',
  agent: machineAgent({ hideUnavailable: true }),
  turns: [turn(call('print_text', { title: 'Tides' }))],
  // What is not offered cannot be called.
  nested: { print_text: [turn(...inMachine.filter((_, at) => at !== printing.length))] },
};

const machineTells: Scenario = {
  name: 'state-machine-tells',
  about: 'the same with instructions by a function, which tells the state of now',
  agent: machineAgent({ instructions: (_, { title }, state) => `Print '${title}'. It is ${state} now.` }),
  turns: [turn(call('print_text', { title: 'Tides' }))],
  nested: { print_text: [turn(...inMachine)] },
};

const ofCustomer = (customerId: string) => [
  customer(customerId),
  call('get_latest_order'),
  call('get_order_weight'),
];

const chain: Scenario = {
  name: 'chain',
  about: 'the agent `orders`, whose tools act on the object found last: 5 turns of 4 requests',
  agent: orders,
  turns: ['C-11', 'C-12', 'C-13', 'C-11', 'C-12'].map((id) => turn(...ofCustomer(id))),
};

const finder = defineAgent({
  name: 'finder',
  description: 'Compares customers.',
  instructions: 'Get the customers, and look at what they have ordered.',
  tools: [getCustomer],
  chaining: [discover(Customer), discover(Order)],
});

const chainDiscovers: Scenario = {
  name: 'chain-discovers',
  about: 'the same with `discover`, which brings tools for each object that is found: 2 turns of 10 requests',
  agent: finder,
  turns: [
    turn(customer('C-11'), customer('C-12'), ...[11, 12, 11, 12, 11, 12, 11].map(latestOf)),
    turn(customer('C-13'), ...[13, 11, 12, 13, 11, 12, 13, 11].map(latestOf)),
  ],
};

function latestOf(id: number): ScriptCall {
  return call(`customer_C-${id}_get_latest_order`);
}

const limit: Scenario = {
  name: 'plain-limit',
  about: 'the agent `support`, cut off at its limit of 20 requests; then a turn of 4',
  agent: support,
  turns: [turn(...supportSteps, findOrder(1002), findOrder(1003)), turn(...supportSteps.slice(0, 3))],
};

/** All that need nothing beside them. */
export const SCENARIOS: readonly Scenario[] = [
  plain,
  plainTurns,
  machine,
  machineLoop,
  ofWorkspace,
  playbook,
  chain,
  chainDiscovers,
  machineHides,
  machineTells,
  limit,
];
