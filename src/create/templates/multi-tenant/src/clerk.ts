import { defineAgent, defineTool } from 'holdfast';
import { requireApproval } from 'holdfast/decorators';
import * as v from 'valibot';

const pay = defineTool({
  name: 'pay_invoice',
  description: 'Pay an invoice by its number.',
  input: v.object({ number: v.pipe(v.string(), v.description('Such as INV-17')) }),
  effect: 'once', // runs at most once, even after a crash
  run: ({ number }, call) => ({
    paid: number,
    by: call.principal.tenant,
    reference: call.idempotencyKey,
  }),
});

export const clerk = defineAgent({
  name: 'clerk',
  description: 'Pays invoices.',
  instructions: 'Pay what is asked.',
  // A manager of the tenant decides, except on their own request.
  tools: [requireApproval(pay, ({ number }) => `Pay ${number}?`, { by: 'manager', notBy: 'requester' })],
});
