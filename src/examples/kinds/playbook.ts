import * as v from 'valibot';
import { after, definePlaybook } from '../../kinds/entry.ts';
import { findOrder, refundOrder } from './shop.ts';

export const refunding = definePlaybook({
  name: 'refund_by_the_book',
  description: 'Refund an order by the book.',
  input: v.object({ orderId: v.number() }),
  tools: [findOrder],
  locked: [{ tool: refundOrder, unlockedBy: after('find_order') }],
});
