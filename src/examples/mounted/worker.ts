import { Hono } from 'hono';
import * as v from 'valibot';
import { createHoldfast } from '../../create-holdfast.ts';
import { defineAgent, defineTool } from '../../index.ts';
import { openaiCompatible } from '../../model/openai-compatible/entry.ts';
import { orOffline } from '../../offline-model/entry.ts';

declare global {
  namespace Cloudflare {
    // `npx wrangler types` writes this from wrangler.toml, into a file that your tsconfig includes.
    interface Env {
      readonly ORDERS: KVNamespace;
    }
  }
}

const findOrder = defineTool({
  name: 'find_order',
  description: 'Find an order by its number.',
  effect: 'read',
  input: v.object({ number: v.pipe(v.string(), v.description('Such as A-17')) }),
  run: async ({ number }, call) => (await call.env.ORDERS.get(number)) ?? `There is no order ${number}.`,
});

const clerk = defineAgent({
  name: 'clerk',
  description: 'Knows the orders.',
  instructions: 'Look orders up.',
  tools: [findOrder],
});

const holdfast = createHoldfast<Cloudflare.Env>({ agents: [clerk], model: orOffline(openaiCompatible()) });

const app = new Hono<{ Bindings: Cloudflare.Env }>();
app.get('/', (c) => c.text('The shop.'));
app.route('/ai', holdfast.routes);

export default {
  ...holdfast.worker, // handles cron triggers
  fetch: app.fetch,
} satisfies ExportedHandler<Cloudflare.Env>;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../durable-objects/index.ts';
