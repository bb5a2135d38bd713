import { Secrets } from '../../../../../src/index.ts';
import {
  defineMcpClient,
  type ListedTool,
  type McpClient,
  type McpClientConfig,
} from '../../../../../src/mcp/tools/entry.ts';
import { type McpListing, toListing } from '../../../../doors/mcp.ts';
import { createConsoleLog } from '../../../../doors/tools.ts';

/** A client of the server `files`. Its server receives no requests. */
export const createClient = (config: Partial<McpClientConfig> = {}): McpClient =>
  defineMcpClient({ name: 'files', url: 'https://mcp.example/', ...config });

/** A tool from a stored list. */
export const createListedTool = (parts: Partial<ListedTool> = {}): ListedTool => ({
  name: 'read',
  description: 'Reads.',
  inputSchema: { type: 'object' },
  fingerprint: '0'.repeat(64),
  ...parts,
});

/** Creates a listing from any values that a server may send as its tools. */
export const createListing = (
  tools: readonly unknown[],
  former?: McpListing | undefined,
  asked: McpClient = createClient(),
): Promise<McpListing> =>
  toListing(asked, tools as Parameters<typeof toListing>[1], {
    former,
    now: 1_000,
    secrets: Secrets.NONE,
    log: createConsoleLog(),
  });
