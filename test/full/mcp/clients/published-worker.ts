/** The Worker that other people's MCP clients talk to: tools, an agent that works for a while, and one that asks. */
import { env } from 'cloudflare:workers';
import { createHoldfast } from '../../../../src/create-holdfast.ts';
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

const holdfast = createHoldfast({
  agents: [researcher, defineRefunds(shopAt(SHOP_URL))],
  offline: offlineModel,
  mcp: defineMcpEndpoint({
    name: 'published',
    tools: [searchDocuments, fetchDocument],
    agents: ['researcher', 'refunds'],
  }),
});

export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../../durable-objects/index.ts';
