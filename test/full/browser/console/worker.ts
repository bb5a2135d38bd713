/** A Worker for a shop with a scripted model, and with a tool of each kind that the console shows. */
import * as v from 'valibot';
import { createHoldfast } from '../../../../src/create-holdfast.ts';
import { defineAgent, defineDomainType, defineTool } from '../../../../src/index.ts';
import {
  after,
  blackboardTools,
  definePlaybook,
  defineStateMachine,
  defineSubagent,
  defineUnfolding,
  progressTool,
} from '../../../../src/kinds/entry.ts';
import { answers, defineManualTool } from '../../../../src/modules/answers/entry.ts';
import { branches } from '../../../../src/modules/branches/entry.ts';
import { console } from '../../../../src/modules/console/entry.ts';
import { humanInput, requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { files } from '../../../../src/modules/files/entry.ts';
import { sessionIndex } from '../../../../src/modules/index/entry.ts';
import { budget, callLimits } from '../../../../src/modules/limits/entry.ts';
import { liveText } from '../../../../src/modules/live-text/entry.ts';
import { operators } from '../../../../src/modules/operators/entry.ts';
import { retry } from '../../../../src/modules/retry/entry.ts';
import { withEnd } from '../slow-reply.ts';
import { createScriptedShop, HOSTILE } from './script.ts';

const orderId = v.pipe(v.number(), v.description("An order's number, such as 1001"));

const Order = defineDomainType({
  name: 'Order',
  schema: v.object({ orderId: v.number(), customer: v.string(), status: v.string(), total: v.number() }),
});

const findOrder = defineTool({
  name: 'find_order',
  description: 'Find an order by its number.',
  input: v.object({ orderId }),
  effect: 'read',
  output: Order,
  run: ({ orderId }) => ({ orderId, customer: 'Maren Olsen', status: 'damaged', total: 45.9 }),
});

const readPolicy = defineTool({
  name: 'read_policy',
  description: "Read the shop's policy on refunds.",
  effect: 'read',
  run: () => 'Refunds of damaged goods are paid in full within 30 days.',
});

const refund = defineTool({
  name: 'refund_order',
  description: 'Refund an order.',
  input: v.object({ orderId, euro: v.number() }),
  effect: 'once',
  run: ({ orderId, euro }) => `Refunded ${euro} euro of order ${orderId}.`,
});

const slowTool = defineTool({
  name: 'count_stock',
  description: 'Count the stock of a shelf. It takes a while.',
  input: v.object({ shelf: v.string() }),
  effect: 'idempotent',
  async run({ shelf }, call) {
    for (const part of ['left', 'middle', 'right']) {
      call.progress(`Counting the ${part} of shelf ${shelf}`);
      // Counting shelf Z takes longer, so that a test can observe the running call.
      await new Promise((resolve) => setTimeout(resolve, shelf === 'Z' ? 3_000 : 250));
    }
    call.blackboard.add({ shelf, ropes: 214 }, { name: 'stock' });
    return `Shelf ${shelf} holds 214 ropes and 38 blocks.`;
  },
});

const hostile = defineTool({
  name: 'read_letter',
  description: 'Read the letter of a stranger.',
  effect: 'read',
  run: () => HOSTILE,
});

const failingTool = defineTool({
  name: 'call_carrier',
  description: 'Ask the carrier where a parcel is.',
  effect: 'read',
  run: () => {
    throw new Error('The carrier did not answer.');
  },
});

const createStep = (name: string, description: string) =>
  defineTool({ name, description, effect: 'once', run: () => `Done: ${name}.` });

const parcel = defineStateMachine({
  name: 'send_parcel',
  description: 'Pack and ship a parcel.',
  input: v.object({ orderId }),
  key: (input) => String(input.orderId),
  initial: 'received',
  states: {
    received: [
      { tool: createStep('pack', 'Pack the parcel.'), to: 'packed' },
      { tool: createStep('cancel', 'Cancel the parcel.'), to: 'cancelled' },
    ],
    packed: [
      { tool: createStep('ship', 'Ship the parcel.'), to: 'shipped' },
      { tool: createStep('unpack', 'Unpack the parcel.'), to: 'received' },
    ],
    shipped: [{ tool: createStep('deliver', 'Deliver the parcel.'), to: 'delivered' }],
    delivered: [],
    cancelled: [],
  },
  everywhere: [findOrder],
});

const refundPlaybook = definePlaybook({
  name: 'refund_by_the_book',
  description: 'Refund an order by the book.',
  input: v.object({ orderId }),
  tools: [findOrder],
  locked: [
    { tool: readPolicy, unlockedBy: after('find_order') },
    { tool: refund, unlockedBy: after('find_order', 'read_policy') },
  ],
});

const researcher = defineAgent({
  name: 'researcher',
  description: 'Finds things out.',
  instructions: 'Find out what you are asked, and answer in one sentence.',
  tools: [findOrder, readPolicy],
});

const desk = defineUnfolding({
  name: 'refund_desk',
  description: 'Everything about refunds. Call this first.',
  tools: [
    readPolicy,
    requireApproval(refund, (input) => `Refund ${input.euro} euro of order ${input.orderId}?`, {
      expires: 3_600_000,
    }),
  ],
});

const clerk = defineAgent({
  name: 'clerk',
  description: 'Runs the desk of a small chandlery.',
  instructions: 'You run the desk of Kelp & Cordage, a small chandlery. Say what you did in one sentence.',
  tools: [
    ...[findOrder, desk, parcel, refundPlaybook, slowTool, hostile, failingTool],
    ...[blackboardTools(), progressTool()],
    defineSubagent({ agent: researcher, input: v.object({ question: v.string() }) }),
  ],
  limits: { iterations: 12 },
  use: [budget({ tokens: 200_000 }), callLimits({ toolCalls: 40 })],
});

/** An agent with small limits, one of which a turn reaches. */
const courier = defineAgent({
  name: 'courier',
  description: 'Asks carriers.',
  instructions: 'Ask the carrier.',
  tools: [failingTool],
  use: [budget({ tokens: 200_000 }), callLimits({ toolCalls: 1 })],
});

const packer = defineAgent({
  name: 'packer',
  description: 'Packs parcels, and asks people.',
  instructions: 'You pack parcels. Ask whenever a person knows better.',
  tools: [
    defineManualTool({
      name: 'weigh_parcel',
      description: 'A person puts the parcel on a scale.',
      input: v.object({ orderId }),
    }),
    humanInput({ description: 'Ask the packer.' }),
    requireApproval(
      defineTool({
        name: 'label_parcels',
        description: 'Print the labels of parcels.',
        input: v.object({
          gift: v.boolean(),
          parcels: v.array(
            v.object({ city: v.string(), size: v.picklist(['small', 'large']), grams: v.number() }),
          ),
        }),
        effect: 'once',
        run: (input) => `Printed ${JSON.stringify(input)}`,
      }),
      'Print these labels?',
    ),
  ],
});

const { worker, TurnRunner } = createHoldfast({
  agents: [clerk, researcher, packer, courier],
  model: createScriptedShop(),
  use: [answers, files(), liveText(), retry(), branches(), operators(), sessionIndex(), console()],
  auth: (request) => ({
    id: request.headers.get('x-caller') ?? 'ada',
    operator: request.headers.get('x-operator') !== 'no',
  }),
});

export default { ...worker, fetch: withEnd(worker.fetch) };
export { SessionObject } from '../../../../durable-objects/index.ts';
export { IndexObject } from '../../../../src/modules/index/entry.ts';
export { TurnRunner };
