import type { McpClient, McpClientConfig } from '../../../src/mcp/client/mcp-client.ts';
import type { ListedTool, McpListing } from '../../../src/mcp/tools/listing.ts';
import { toListing } from '../../../src/mcp/tools/to-listing.ts';

/** A client of the server `files`, which nobody calls. */
export const client = (
  config: Partial<McpClientConfig> & { readonly drift?: McpClient['drift'] } = {},
): McpClient => ({
  name: 'files',
  timeout: 30_000,
  connectTimeout: 10_000,
  maxResponseBytes: 4_194_304,
  refreshAfter: 600_000,
  elicitation: {},
  drift: config.drift ?? 'report',
  config: { name: 'files', url: 'https://mcp.example/', ...config },
});

/** A tool that a session knows. */
export const listed = (parts: Partial<ListedTool> = {}): ListedTool => ({
  name: 'read',
  description: 'Reads.',
  inputSchema: { type: 'object' },
  fingerprint: '0'.repeat(64),
  ...parts,
});

/** What a server tells, taken as it is: it may be anything. */
export const list = (
  tools: readonly unknown[],
  former?: McpListing | undefined,
  asked: McpClient = client(),
): Promise<McpListing> => toListing(asked, tools as Parameters<typeof toListing>[1], { former, now: 1_000 });
