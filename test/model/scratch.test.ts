import { it } from 'vitest';
import { say, tool, type WorldTool } from './offline-world.ts';
const orders: WorldTool[] = [
  tool('find_order', 'Find an order by its id.', ['order_id'], ({ order_id }) => order_id==='9999' ? 'Error: no such order' : ({ order_id, status: 'shipped', customer_id: 'c7', tracking_code: 'ZX-99', total: 49.9, currency: 'EUR', placed_at: '2026-01-02' })),
  tool('get_customer', "A customer's name, email and address.", ['customer_id'], ({ customer_id }) => ({ id: customer_id, name: 'Ada Lovelace', email: 'ada@example.com' })),
  tool('track_shipment', 'Track a shipment by its tracking code.', ['tracking_code'], () => ({ carrier: 'DHL', location: 'Leipzig' })),
  tool('search_policy', 'Search the shop policies about orders, returns, refunds and shipping.', ['query'], () => 'Orders can be returned within 30 days.'),
  tool('cancel_order', 'Cancel an order that has not shipped.', ['order_id', 'reason'], () => 'Cancelled.'),
  tool('refund_order', 'Refund an order.', { order_id: { type: 'string' }, amount: { type: 'number' } }, () => 'Refunded.'),
  tool('charge_order', 'Charge the card of an order.', { order_id: { type: 'string' } }, () => ({ charged: true })),
  tool('send_email', 'Send an email to a customer.', ['customer_id', 'subject', 'body'], () => 'Sent.'),
];
async function talk(tools: WorldTool[], ...texts: string[]) {
  let messages: any[] = [];
  for (const t of texts) { const r = await say(t, tools, messages); messages = r.messages;
    console.log(`> ${t}\n` + r.replies.map(x => '   ' + x.join(' | ')).join('\n') + '\n' + r.answer.split('\n').slice(0,-1).join('\n')); }
}
it('x', async () => {
  await talk(orders, 'Where is order 1002?', 'Who placed it?', 'What did it cost?', 'And who ordered it?', 'What was its total?', 'Cancel it');
  await talk(orders, 'Charge order 1001, then email the customer about it');
  await talk(orders, 'Refund order 1002');
  await talk(orders, 'Refund 25 euros of order 1002 because it arrived broken', 'What about order 1003?');
  await talk(orders, 'Refund 25 for order 1002');
  await talk(orders, 'Compare orders 1001 and 1002');
  await talk(orders, 'Compare order 1001 with order 1002');
  await talk(orders, 'Can I cancel order 1002 and get a refund?');
  await talk(orders, 'What is your returns policy?');
  await talk(orders, 'Where is order 9999?');
  await talk(orders, 'Cancel the subscription of order 1002');
  await talk(orders, 'Cancel order 1002');
  await talk(orders, 'Please do not cancel order 1002');
  await talk(orders, 'If order 1002 is late, cancel it.');
  await talk(orders, 'Hello!');
  await talk(orders, 'Who placed order 1002?');
  await talk(orders, 'Cancel order 1001 and refund order 1002');
  await talk(orders, 'Find order 1001 and cancel it. Then email the customer "All done".');
  await talk(orders, 'Email customer c7 about order 1002');
  await talk(orders, 'What is the email of the customer of order A-1002?');
  await talk(orders, 'Where is 1002?', 'And 1003?');
});
