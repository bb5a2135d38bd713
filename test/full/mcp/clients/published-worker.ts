/** The Worker that other people's MCP clients talk to: tools, agents that work for a while, and one that asks. */
import { env } from 'cloudflare:workers';
import { createHoldfast } from '../../../../src/create-holdfast.ts';
import { defineOrders } from '../../../../src/examples/orders/orders.ts';
import { defineRefunds } from '../../../../src/examples/refunds/refunds.ts';
import {
  fetchDocument,
  researcher,
  searchDocuments,
} from '../../../../src/examples/researcher/researcher.ts';
import { shopAt } from '../../../../src/examples/support/shop.ts';
import { defineMcpEndpoint } from '../../../../src/mcp/entry.ts';
import { offlineModel } from '../../../../src/offline-model/entry.ts';

/** Where what is done in the world is counted. */
const { SHOP_URL = '' } = env as { readonly SHOP_URL?: string }; // a var, as the test sets it

const shop = shopAt(SHOP_URL);

const holdfast = createHoldfast({
  agents: [researcher, defineOrders(shop), defineRefunds(shop)],
  offline: offlineModel,
  mcp: defineMcpEndpoint({
    name: 'published',
    tools: [searchDocuments, fetchDocument],
    agents: ['researcher', 'orders', 'refunds'],
  }),
});

export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../../durable-objects/index.ts';
