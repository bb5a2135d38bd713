import { env } from 'cloudflare:workers';
import { createHoldfast } from '../../../../src/create-holdfast.ts';
import { defineAgent } from '../../../../src/index.ts';
import { defineMcpClient, mcpToolProvider } from '../../../../src/mcp/tools/entry.ts';
import { callsOnce, measured } from './measured.ts';

const { MCP_URL } = env as unknown as { readonly MCP_URL: string }; // a var of this measurement

const agent = defineAgent({
  name: 'agent',
  description: 'Measured.',
  instructions: 'Look.',
  tools: [mcpToolProvider({ clients: [defineMcpClient({ name: 'eyes', url: MCP_URL })] })],
  model: callsOnce('look', { id: 7 }),
});

const holdfast = createHoldfast({ agents: [agent] });
export default measured(holdfast.worker);
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../../durable-objects/index.ts';
