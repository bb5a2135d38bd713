import * as v from 'valibot';
import { type CallContext, defineAgent, defineTool } from '../../index.ts';

declare global {
  namespace Cloudflare {
    // `npx wrangler types` writes this from wrangler.toml.
    interface Env {
      readonly SHOP_DB: D1Database;
    }
  }
}

const id = v.pipe(v.string(), v.description('Such as A-17'));

interface Order {
  readonly id: string;
  readonly status: string;
}

/** Finds an order of the caller's tenant. The model chooses the id, so the query must check the tenant. */
const loadOrder = ({ env, principal }: CallContext, id: string): Promise<Order | null> =>
  env.SHOP_DB.prepare('SELECT id, status FROM orders WHERE id = ? AND tenant = ?')
    .bind(id, principal.tenant ?? principal.id)
    .first<Order>();

const findOrder = defineTool({
  name: 'find_order',
  description: 'Find an order by its id.',
  input: v.object({ id }),
  effect: 'read',
  run: async ({ id }, call) => (await loadOrder(call, id)) ?? `There is no order ${id}.`,
});

const addNote = defineTool({
  name: 'add_note',
  description: 'Add a note to an order.',
  input: v.object({ id, text: v.string() }),
  effect: 'idempotent', // two calls with the same key insert one row
  async run({ id, text }, call) {
    if ((await loadOrder(call, id)) === null) return `There is no order ${id}.`;
    await call.env.SHOP_DB.prepare('INSERT OR IGNORE INTO notes (key, order_id, text) VALUES (?, ?, ?)')
      .bind(call.idempotencyKey, id, text)
      .run();
    return 'Noted.';
  },
});

export const clerk = defineAgent({
  name: 'clerk',
  description: 'Knows the orders.',
  instructions: 'Look orders up. Add a note if you are asked to.',
  tools: [findOrder, addNote],
});
