import * as v from 'valibot';
import { type Agent, defineAgent, defineTool, error } from '../../index.ts';
import { customers, orders, policy } from './books.ts';
import type { Receipt, Shop } from './shop.ts';

const orderId = v.pipe(v.number(), v.integer(), v.description("An order's number, such as 1001"));
const trackingCode = v.pipe(v.string(), v.description("The code of an order's parcel, such as KC-7001"));

const findOrder = defineTool({
  name: 'find_order',
  description:
    'Find an order by its number: what was bought, for how much, by whom, and the code of its parcel.',
  effect: 'read',
  input: v.object({ orderId }),
  run: (input) => orders.get(input.orderId) ?? createNoSuchOrderError(input.orderId),
});

const getCustomer = defineTool({
  name: 'get_customer',
  description: 'Get a customer by id: name, email and city.',
  effect: 'read',
  input: v.object({ customerId: v.string() }),
  run: ({ customerId }) => customers.get(customerId) ?? error(`There is no customer ${customerId}.`),
});

const searchPolicy = defineTool({
  name: 'search_policy',
  description: "Search the shop's policy on returns, refunds, delivery and privacy.",
  effect: 'read',
  input: v.object({ query: v.pipe(v.string(), v.description('Plain words')) }),
  run({ query }) {
    const words = query.toLowerCase().match(/\p{L}{4,}/gu) ?? [];
    const found = policy.filter(({ title, text }) =>
      words.some((word) => `${title} ${text}`.toLowerCase().includes(word)),
    );
    return (found.length > 0 ? found : policy).map(({ title, text }) => `${title}: ${text}`).join('\n');
  },
});

/** Defines a tool that reads a shipment's position from the carrier, the only one that has it. */
const createTrackingTool = (shop: Shop) =>
  defineTool({
    name: 'track_shipment',
    description: 'Track a parcel by its tracking code: carrier, location and expected date.',
    effect: 'read',
    input: v.object({ trackingCode }),
    run: async (input, call) =>
      (await shop.shipment(input.trackingCode, call)) ?? error(`There is no parcel ${input.trackingCode}.`),
  });

/** Writing the same note twice changes nothing, so an interrupted call runs again. */
const createDeliveryNoteTool = (shop: Shop) =>
  defineTool({
    name: 'set_delivery_note',
    description: 'Set the note that the carrier of a parcel reads at the door. Replaces the note before.',
    effect: 'idempotent',
    input: v.object({ trackingCode, note: v.pipe(v.string(), v.maxLength(200)) }),
    async run(input, call) {
      await shop.act('delivery-notes', input, call);
      return { trackingCode: input.trackingCode, note: input.note };
    },
  });

/**
 * The refund must happen once. After an interruption, `reconcile` looks up the call's key in the payments
 * service.
 */
const createRefundTool = (shop: Shop) =>
  defineTool({
    name: 'refund_order',
    description: 'Refund an order in full. Only when the customer asks for it.',
    effect: 'once',
    input: v.object({ orderId }),
    async run(input, call) {
      const order = orders.get(input.orderId);
      if (!order) return createNoSuchOrderError(input.orderId);
      return toRefunded(
        input.orderId,
        await shop.act('refunds', { orderId: order.orderId, amount: order.total }, call),
      );
    },
    async reconcile(input, call) {
      const known = await shop.recall('refunds', call);
      return typeof known === 'string' ? known : { done: toRefunded(input.orderId, known) };
    },
  });

/**
 * Mail servers cannot report whether an e-mail was sent. So the outcome of an interrupted call stays unknown,
 * and the call is not repeated.
 */
const sendEmail = (shop: Shop) =>
  defineTool({
    name: 'send_email',
    description: 'Send an email to a customer.',
    effect: 'once',
    input: v.object({
      to: v.pipe(v.string(), v.email()),
      subject: v.pipe(v.string(), v.maxLength(120)),
      text: v.string(),
    }),
    async run(input, call) {
      const { reference } = await shop.act('emails', input, call);
      return { sentTo: input.to, reference };
    },
  });

const toRefunded = (order: number, { reference }: Receipt) => ({
  refunded: order,
  amount: orders.get(order)?.total ?? 0,
  reference,
});

const createNoSuchOrderError = (order: number) => error(`There is no order ${order}. Numbers start at 1001.`);

/** Defines the support agent of a small shop. `shop` performs the external effects. */
export const defineSupport = (shop: Shop): Agent<'support'> =>
  defineAgent({
    name: 'support',
    description: 'Answers the customers of a small chandlery.',
    instructions:
      'You help the customers of Kelp & Cordage, a small chandlery. Look things up before you answer, say where ' +
      'a fact comes from, and change nothing that the customer did not ask for.',
    tools: [
      findOrder,
      getCustomer,
      createTrackingTool(shop),
      searchPolicy,
      createDeliveryNoteTool(shop),
      createRefundTool(shop),
      sendEmail(shop),
    ],
  });
