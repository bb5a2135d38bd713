/** A Worker that publishes an agent whose calls wait for approvals. Its effects happen in an external shop. */
import { env } from 'cloudflare:workers';
import { createHoldfast } from '../../../src/create-holdfast.ts';
import { defineRefunds } from '../../../src/examples/refunds/refunds.ts';
import { createShop } from '../../../src/examples/support/shop.ts';
import { defineMcpEndpoint } from '../../../src/mcp/server/entry.ts';
import { openaiCompatible } from '../../../src/model/openai-compatible/entry.ts';
import { orOffline } from '../../../src/offline-model/entry.ts';

const { SHOP_URL } = env as { readonly SHOP_URL: string }; // a var that the test sets

const holdfast = createHoldfast({
  agents: [defineRefunds(createShop(SHOP_URL))],
  model: orOffline(openaiCompatible()),
  use: [defineMcpEndpoint({ agents: ['refunds'] })],
});

export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../durable-objects/index.ts';
