/** The agent of the playground. It runs in the page, and stores no data. */

import { runAgent } from '../../../src/in-memory/entry.ts';
import { defineAgent, defineTool } from '../../../src/index.ts';
import { jsonSchema } from '../../../src/modules/json-schema/entry.ts';
import { offlineModel } from '../../../src/offline-model/entry.ts';

/** A line of the playground. */
export interface Line {
  readonly kind: 'call' | 'result' | 'answer' | 'error';
  readonly text: string;
}

const PRODUCT = jsonSchema({
  type: 'object',
  properties: { product: { type: 'string' } },
  required: ['product'],
  additionalProperties: false,
});

const findPrice = defineTool({
  name: 'find_price',
  description: 'Finds the price of a product, in cents.',
  effect: 'read',
  input: PRODUCT,
  run: ({ product }) => ({ product, cents: 250 + product.length * 50 }),
});

const orderProduct = defineTool({
  name: 'order_product',
  description: 'Orders one piece of a product.',
  effect: 'once',
  input: PRODUCT,
  run: ({ product }, call) => ({ ordered: product, reference: call.idempotencyKey }),
});

const shop = defineAgent({
  name: 'shop',
  description: 'Sells things.',
  instructions: 'Find the price of a product before you order it.',
  tools: [findPrice, orderProduct],
});

/** Runs one turn. Calls `show` with each line as it arrives. */
export async function runTurn(message: string, show: (line: Line) => void): Promise<void> {
  const answer = await runAgent(shop, message, {
    model: offlineModel(),
    onEvent(event) {
      if (event.type === 'model-replied')
        for (const { name, input } of event.toolCalls) show({ kind: 'call', text: `${name} ${input}` });
      if (event.type === 'tool-call-ended') show({ kind: 'result', text: JSON.stringify(event.result) });
    },
  });
  show({ kind: 'answer', text: answer.text });
}
