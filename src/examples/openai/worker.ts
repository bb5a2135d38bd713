import * as v from 'valibot';
import { createHoldfast } from '../../create-holdfast.ts';
import { defineAgent, defineTool } from '../../index.ts';
import { openaiCompatible } from '../../model/openai-compatible/entry.ts';
import { requireApproval } from '../../modules/decorators/entry.ts';
import { orOffline } from '../../offline-model/entry.ts';
import { openAi } from '../../surfaces/openai/entry.ts';

const pay = defineTool({
  name: 'pay_invoice',
  description: 'Pay an invoice by its number.',
  input: v.object({ number: v.pipe(v.string(), v.description('Such as INV-17')) }),
  effect: 'once',
  run: ({ number }) => `Paid ${number}.`,
});

const cashier = defineAgent({
  name: 'cashier',
  description: 'Pays what somebody has approved.',
  instructions: 'Pay what is asked.',
  tools: [requireApproval(pay, ({ number }) => `Pay invoice ${number}?`)],
});

const holdfast = createHoldfast({
  agents: [cashier],
  use: [openAi()],
  model: orOffline(openaiCompatible()),
});
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../durable-objects/index.ts';
