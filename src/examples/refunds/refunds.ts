import * as v from 'valibot';
import { type Agent, defineAgent, defineTool, error } from '../../index.ts';
import { oneShotPerLoop, requireApproval } from '../../modules/decorators/entry.ts';
import { customers, orders, policy } from '../support/books.ts';
import type { Receipt, Shop } from '../support/shop.ts';
import { estimateRefund } from './estimate-refund.ts';

/** The approver of refunds, and the deadline. */
export interface RefundApproval {
  /** The role that decides. Defaults to anyone who can access the session. */
  readonly by?: string | undefined;
  /** Milliseconds until the question expires. Defaults to three days. */
  readonly expires?: number | undefined;
}

const THREE_DAYS = 3 * 24 * 60 * 60_000;

const refundInput = v.object({
  orderId: v.pipe(v.number(), v.integer(), v.description("An order's number, such as 1001")),
  amount: v.pipe(v.number(), v.minValue(0.01), v.description('In euro, as estimated')),
});

/** A real shop's policy is long, so the model receives it once. Later calls only refer to it. */
const readPolicy = oneShotPerLoop(
  defineTool({
    name: 'read_policy',
    description: "Read the shop's policy on returns and refunds.",
    effect: 'read',
    run: () => policy.map(({ title, text }) => `${title}: ${text}`).join('\n'),
  }),
  'Answer now from the policy above.',
);

/**
 * The refund must happen once. After an interruption, `reconcile` looks up the call's key in the payments
 * service.
 */
const createRefundTool = (shop: Shop) =>
  defineTool({
    name: 'issue_refund',
    description: 'Refund an order: pay its estimated amount back. A supervisor approves each one.',
    effect: 'once',
    input: refundInput,
    async run(input, call) {
      const { orderId, amount } = input;
      const order = orders.get(orderId);
      if (!order) return error(`There is no order ${orderId}. Numbers start at 1001.`);
      if (amount > order.total) return error(`Order ${orderId} cost ${order.total}; no more is refunded.`);
      return toRefunded(input, await shop.act('refunds', { orderId, amount }, call));
    },
    async reconcile(input, call) {
      const known = await shop.recall('refunds', call);
      return typeof known === 'string' ? known : { done: toRefunded(input, known) };
    },
  });

type Refund = v.InferOutput<typeof refundInput>;

const toRefunded = ({ orderId, amount }: Refund, { reference }: Receipt) => ({
  refunded: orderId,
  amount,
  reference,
});

/**
 * Returns the question to a supervisor. It quotes the shop's records, since the model's own words are
 * unreliable.
 */
function formatQuestion({ orderId, amount }: Refund): string {
  const order = orders.get(orderId);
  const items = order?.items.map(({ item, quantity }) => `${quantity} x ${item}`).join(', ');
  const name = customers.get(order?.customerId ?? '')?.name;
  return `Refund ${amount.toFixed(2)} euro for order ${orderId} (${items ?? 'not in the books'}) to ${name ?? 'nobody known'}?`;
}

/**
 * Defines the refund desk of a small shop. It reads and estimates without asking, and pays only after an
 * approval.
 */
export const defineRefunds = (
  shop: Shop,
  { by, expires = THREE_DAYS }: RefundApproval = {},
): Agent<'refunds'> =>
  defineAgent({
    name: 'refunds',
    description: 'Estimates and issues the refunds of a small chandlery; a supervisor approves each payment.',
    instructions:
      'You handle the refunds of Kelp & Cordage, a small chandlery. Estimate a refund before you issue it, read the ' +
      'policy when somebody asks what may be returned, and refund only what the customer asked for.',
    tools: [
      readPolicy,
      estimateRefund,
      requireApproval(createRefundTool(shop), formatQuestion, { by, expires }),
    ],
  });
