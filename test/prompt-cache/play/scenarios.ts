/** The measured sessions. They use the agents of `src/examples` if possible. */
import { Customer, getCustomer, Order } from '../../../src/examples/orders/incoming.ts';
import { researcher } from '../../../src/examples/researcher/researcher.ts';
import { paperShop } from '../../../src/examples/support/shop.ts';
import { defineSupport } from '../../../src/examples/support/support.ts';
import { workspace } from '../../../src/examples/workspace/workspace.ts';
import { defineAgent } from '../../../src/index.ts';
import { chaining, discover } from '../../../src/kinds/entry.ts';
import type { ScriptCall } from '../../wires/wire.ts';
import { machine, machineHides, machineLoop, machineTells, orders } from './machine-scenarios.ts';
import { createCall, createTurn, type Scenario } from './scenario.ts';

const createOrderCall = (orderId: number) => createCall('find_order', { orderId });
const createCustomerCall = (customerId: string) => createCall('get_customer', { customerId });
const createTrackCall = (trackingCode: string) => createCall('track_shipment', { trackingCode });
const createPolicyCall = (query: string) => createCall('search_policy', { query });
const createNoteCall = (trackingCode: string) =>
  createCall('set_delivery_note', { trackingCode, note: `Ring twice for ${trackingCode}.` });

const supportSteps = [
  [createOrderCall(1001), createOrderCall(1002)],
  createCustomerCall('C-11'),
  createTrackCall('KC-7001'),
  createPolicyCall('refund of goods'),
  createNoteCall('KC-7002'),
  createOrderCall(1003),
  [createCustomerCall('C-13'), createTrackCall('KC-7003'), createPolicyCall('returns')],
  createOrderCall(1004),
  createOrderCall(9999),
  createCustomerCall('C-12'),
  createTrackCall('KC-7005'),
  createNoteCall('KC-7005'),
  createPolicyCall('privacy of customers'),
  createOrderCall(1005),
  createCall('refund_order', { orderId: 1003 }),
  createCall('send_email', {
    to: 'ada@example.com',
    subject: 'Refund',
    text: 'Your "refund" is on its way.\n\nBye',
  }),
  [createOrderCall(1001), createCustomerCall('C-11')],
  createTrackCall('KC-7001'),
  createPolicyCall('delivery'),
] as const;

const support = defineSupport(paperShop);

const plain: Scenario = {
  name: 'plain',
  about: 'the agent `support`: 20 requests in one turn',
  isPromised: true,
  agent: support,
  turns: [createTurn(...supportSteps)],
};

const plainTurns: Scenario = {
  name: 'plain-turns',
  about: 'the agent `support`: 5 turns of 4 requests',
  isPromised: true,
  agent: support,
  turns: [0, 3, 6, 9, 12].map((from) => createTurn(...supportSteps.slice(from, from + 3))),
};

const add = (one: string, input: ScriptCall['input']) => createCall(`add_${one}`, input);

const workspaceScenario: Scenario = {
  name: 'workspace',
  about: 'the agent `workspace`, 126 tools behind unfolding tools: 2 turns of 10 requests',
  agent: workspace,
  turns: [
    createTurn(
      createCall('files'),
      [createCall('folders'), createCall('documents')],
      add('folder', { title: 'Boats' }),
      add('document', { title: 'Masts', text: 'A mast holds the sail.', folderId: 'F-1' }),
      createCall('planning'),
      createCall('tasks'),
      add('task', { title: 'Oil the mast', due: '2026-11-30' }),
      createCall('complete_task', { taskId: 'T-1' }),
      [createCall('list_tasks'), createCall('list_documents')],
    ),
    createTurn(
      createCall('planning'),
      createCall('tasks'),
      createCall('reopen_task', { taskId: 'T-1' }),
      createCall('calendar'),
      createCall('events'),
      add('event', { title: 'Launch', date: '2026-12-05', place: 'Slipway' }),
      createCall('money'),
      createCall('invoices'),
      add('invoice', { title: 'Oil', amount: 12.5 }),
    ),
  ],
};

const theme = 'tide';
const createThemeCall = (name: string, documentId: string) => createCall(name, { documentId, theme });
const fetchCall = (documentId: string) => createCall('fetch_document', { documentId });

const playbook: Scenario = {
  name: 'playbook',
  about: 'the agent `researcher`: 20 requests in its playbook, which goes on in a second turn',
  agent: researcher,
  turns: [
    createTurn(createCall('research_theme', { theme })),
    createTurn(createCall('research_theme', { theme })),
  ],
  nested: {
    research_theme: [
      createTurn(
        createCall('search_documents', { theme }),
        createCall('search_documents', { theme: 'lamp' }),
        fetchCall('D-1'),
        createThemeCall('analyze_document', 'D-1'),
        fetchCall('D-3'),
        createThemeCall('analyze_document', 'D-3'),
        createCall('report_findings', { theme }),
        ...['D-2', 'D-4', 'D-5'].flatMap((id) => [fetchCall(id), createThemeCall('analyze_document', id)]),
        ...['D-1', 'D-2', 'D-3', 'D-4', 'D-5'].map(fetchCall),
        createCall('report_findings', { theme }),
      ),
      createTurn(
        fetchCall('D-1'),
        createThemeCall('analyze_document', 'D-1'),
        createCall('report_findings', { theme }),
      ),
    ],
  },
};

const createCustomerCalls = (customerId: string) => [
  createCustomerCall(customerId),
  createCall('get_latest_order'),
  createCall('get_order_weight'),
];

const chain: Scenario = {
  name: 'chain',
  about: 'the agent `orders`, whose tools act on the object found last: 5 turns of 4 requests',
  agent: orders,
  turns: ['C-11', 'C-12', 'C-13', 'C-11', 'C-12'].map((id) => createTurn(...createCustomerCalls(id))),
};

const finder = defineAgent({
  name: 'finder',
  description: 'Compares customers.',
  instructions: 'Get the customers, and look at what they have ordered.',
  tools: [getCustomer],
  use: [chaining([discover(Customer), discover(Order)])],
});

const chainDiscovers: Scenario = {
  name: 'chain-discovers',
  about: 'the same with `discover`, which brings tools for each object that is found: 2 turns of 10 requests',
  agent: finder,
  turns: [
    createTurn(
      createCustomerCall('C-11'),
      createCustomerCall('C-12'),
      ...[11, 12, 11, 12, 11, 12, 11].map(createLatestCall),
    ),
    createTurn(createCustomerCall('C-13'), ...[13, 11, 12, 13, 11, 12, 13, 11].map(createLatestCall)),
  ],
};

function createLatestCall(id: number): ScriptCall {
  return createCall(`customer_C-${id}_get_latest_order`);
}

const limit: Scenario = {
  name: 'plain-limit',
  about: 'the agent `support`, cut off at its limit of 20 requests; then a turn of 4',
  agent: support,
  turns: [
    createTurn(...supportSteps, createOrderCall(1002), createOrderCall(1003)),
    createTurn(...supportSteps.slice(0, 3)),
  ],
};

/** All scenarios that need no server. */
export const SCENARIOS: readonly Scenario[] = [
  plain,
  plainTurns,
  machine,
  machineLoop,
  workspaceScenario,
  playbook,
  chain,
  chainDiscovers,
  machineHides,
  machineTells,
  limit,
];
