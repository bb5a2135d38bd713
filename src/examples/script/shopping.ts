import * as v from 'valibot';
import { runAgent } from '../../in-memory/entry.ts';
import { defineAgent, defineTool } from '../../index.ts';
import { offlineModel } from '../../offline-model/entry.ts';

const price = defineTool({
  name: 'find_price',
  description: 'Finds the price of a product, in cents.',
  effect: 'read',
  input: v.object({ product: v.string() }),
  run: ({ product }) => ({ product, cents: product.length * 100 }),
});

const buyer = defineAgent({
  name: 'buyer',
  description: 'Knows what things cost.',
  instructions: 'Look prices up.',
  tools: [price],
});

// The planner needs no API key, but is not a language model. Pass your app's model instead.
const answer = await runAgent(buyer, 'Find the price of product "tea".', { model: offlineModel() });
if (answer.outcome === 'suspended') console.error('Somebody would have to answer:', answer.pending);
else console.log(answer.text, answer.usage);
