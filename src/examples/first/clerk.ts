import * as v from 'valibot';
import { defineAgent, defineTool } from '../../index.ts';

const pay = defineTool({
  name: 'pay_invoice',
  description: 'Pay an invoice by its number.',
  input: v.object({ number: v.pipe(v.string(), v.description('Such as INV-17')) }),
  effect: 'once', // runs at most once, even after a crash
  run: ({ number }, call) => ({ paid: number, reference: call.idempotencyKey }),
});

export const clerk = defineAgent({
  name: 'clerk',
  description: 'Pays.',
  instructions: 'Pay what is asked.',
  tools: [pay],
});
