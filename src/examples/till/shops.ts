import * as v from 'valibot';
import { defineAgent } from '../../index.ts';
import { defineAgenticTool, withContext, withInstructions, withTools } from '../../kinds/entry.ts';
import { toolsOf } from '../../modules/tool-objects/entry.ts';
import { Till } from './till.ts';

const books = toolsOf({
  note: {
    description: 'Write a line into the books of the shop.',
    input: v.object({ line: v.string() }),
    run: ({ line }, { context }) => `${context.get('shop', v.string())}: ${line} (${context.get('year')})`,
  },
});

/** Runs a nested loop. Its own context overrides the contexts of the agent and the request. */
const bookkeeper = defineAgenticTool({
  name: 'bookkeeper',
  description: 'Keep the books of the shop.',
  input: v.object({ task: v.string() }),
  tools: books,
  context: { shop: 'unknown', year: 2026 },
});

export const bern = defineAgent({
  name: 'bern',
  description: 'Runs the shop in Bern.',
  instructions: 'Have the books kept.',
  tools: [withContext(bookkeeper, { shop: 'Bern' })],
});

const thorough = withInstructions(
  withTools(bookkeeper, new Till('CHF')),
  (_, { task }) => `Count the till first. Then do this: ${task}`,
);

export const basel = defineAgent({
  name: 'basel',
  description: 'Runs the shop in Basel.',
  instructions: 'Have the books kept.',
  tools: [withContext(thorough, { shop: 'Basel' })],
});
