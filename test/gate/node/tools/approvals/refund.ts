import * as v from 'valibot';
import { defineTool } from '../../../../../src/index.ts';

/** A tool that records every effect in `refunds`. */
export function createRefundTool() {
  const refunds: { readonly orderId: number; readonly amount: number }[] = [];
  const refund = defineTool({
    name: 'refund',
    description: 'Refunds an order.',
    input: v.object({
      orderId: v.number(),
      amount: v.optional(v.pipe(v.number(), v.minValue(1)), 10),
    }),
    run: (input) => {
      refunds.push(input);
      return { refunded: input.orderId, amount: input.amount };
    },
  });
  return { refund, refunds };
}
