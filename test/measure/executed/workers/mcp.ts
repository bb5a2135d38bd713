import { env } from 'cloudflare:workers';
import { defineMcpClient, mcpToolProvider } from '../../../../src/mcp/tools/entry.ts';
import { createMeasuredApp } from './measured.ts';

const { MCP_URL } = env as unknown as { readonly MCP_URL: string }; // a var that the measurement sets
const eyes = defineMcpClient({ name: 'eyes', url: MCP_URL });
const holdfast = createMeasuredApp({ tools: [mcpToolProvider({ clients: [eyes] })] });
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../../durable-objects/index.ts';
