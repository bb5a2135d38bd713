import * as v from 'valibot';
import { type Agent, type CallContext, defineAgent, defineTool } from '../../index.ts';
import { chainFrom, chaining, defineStateMachine } from '../../kinds/entry.ts';
import type { Shop } from '../support/shop.ts';
import { Customer, getCustomer, incomingOrders, Order } from './incoming.ts';

const ORDER_IDS = incomingOrders.map(({ orderId }) => orderId);

/** The verb of the step that leads to each status. */
const STEPS = { packed: 'Pack', shipped: 'Ship', delivered: 'Deliver', cancelled: 'Cancel' } as const;

/**
 * Makes a `once` tool for one step in the warehouse. After an interruption, it looks up the call's key in the
 * warehouse to learn whether the step was done.
 */
const createWarehouseTool = (shop: Shop, name: string, description: string) => {
  const formatDone = ({ reference }: { readonly reference: string }): string =>
    `Done. The warehouse's note is ${reference}.`;
  return defineTool({
    name,
    description,
    effect: 'once',
    async run(_, call: CallContext) {
      return formatDone(await shop.act('warehouse', { step: name }, call));
    },
    async reconcile(_, call) {
      const known = await shop.recall('warehouse', call);
      return typeof known === 'string' ? known : { done: formatDone(known) };
    },
  });
};

/** The life cycle of an order. The session stores the position of each order by its number. */
export const createOrderMachine = (shop: Shop) => {
  const cancel = createWarehouseTool(shop, 'cancel_order', 'Cancel the order before it leaves the house.');
  return defineStateMachine({
    name: 'move_order',
    description: 'Move an order on to the next status: pack it, ship it, deliver it, or cancel it.',
    input: v.object({
      orderId: v.pipe(v.picklist(ORDER_IDS), v.description("An order's number, such as 2001")),
      status: v.pipe(
        v.picklist(['packed', 'shipped', 'delivered', 'cancelled']),
        v.description('The next status'),
      ),
    }),
    key: ({ orderId }) => String(orderId),
    initial: 'received',
    states: {
      received: [
        { tool: createWarehouseTool(shop, 'pack_order', 'Pack the order into a parcel.'), to: 'packed' },
        { tool: cancel, to: 'cancelled' },
      ],
      packed: [
        { tool: createWarehouseTool(shop, 'ship_order', 'Ship the parcel of the order.'), to: 'shipped' },
        { tool: cancel, to: 'cancelled' },
      ],
      shipped: [
        {
          tool: createWarehouseTool(shop, 'deliver_order', 'Deliver the parcel of the order.'),
          to: 'delivered',
        },
      ],
      delivered: [],
      cancelled: [],
    },
    // The instructions omit the state, since it changes during the loop and would invalidate the cached
    // prompt.
    instructions: (_, { orderId, status }) =>
      'You work in the warehouse of a chandlery. Perform the following task: ' +
      `${STEPS[status]} order ${orderId}.\nDo that and no more. When it is not possible now, say why.`,
  });
};

/**
 * Defines the order desk of a small shop, which moves orders one status at a time and reads their contents.
 */
export const defineOrders = (shop: Shop): Agent<'orders'> =>
  defineAgent({
    name: 'orders',
    description: 'Packs, ships and delivers the orders of a small chandlery, and knows what is in them.',
    instructions:
      'You run the order desk of Kelp & Cordage, a small chandlery. Move an order on only when you are told to, one ' +
      'status at a time. To speak of what somebody ordered, get the customer first.',
    tools: [getCustomer, createOrderMachine(shop)],
    use: [chaining([chainFrom(Customer), chainFrom(Order)])],
  });
