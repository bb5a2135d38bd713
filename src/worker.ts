/** This repository's own Worker: the example agents behind the HTTP app. */
import { env } from 'cloudflare:workers';
import { defineOrders } from './examples/orders/orders.ts';
import { defineRefunds } from './examples/refunds/refunds.ts';
import { researcher } from './examples/researcher/researcher.ts';
import { paperShop, shopAt } from './examples/support/shop.ts';
import { defineSupport } from './examples/support/support.ts';
import { workspace } from './examples/workspace/workspace.ts';
import { createHoldfast } from './worker-entry.ts';

interface Vars {
  /** Where the services of the examples' shop answer; without it nothing real happens. */
  readonly SHOP_URL?: string;
  /** Milliseconds that a refund waits for its approval; three days unless set. */
  readonly REFUND_EXPIRES_MS?: string;
}

const { SHOP_URL, REFUND_EXPIRES_MS } = env as Vars; // vars of wrangler.toml or of --var
const shop = SHOP_URL ? shopAt(SHOP_URL) : paperShop;
const expires = REFUND_EXPIRES_MS === undefined ? undefined : Number(REFUND_EXPIRES_MS);

const holdfast = createHoldfast({
  agents: [defineSupport(shop), defineRefunds(shop, { expires }), defineOrders(shop), researcher, workspace],
});

export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../durable-objects/index.ts';
