import type { LoopView } from '../../tools/injection.ts';
import { memoized } from '../../tools/memoized.ts';
import type { AnyTool } from '../../tools/tool.ts';
import type { McpClient } from '../client/mcp-client.ts';
import { knownListing } from './known-listing.ts';
import type { ListedTool, McpListing } from './listing.ts';
import { mcpTool } from './mcp-tool.ts';
import { toolNames } from './tool-names.ts';

/** A tool of a server, as its server listed it. */
export interface McpTool {
  readonly tool: AnyTool;
  readonly listed: ListedTool;
  readonly client: McpClient;
}

/** Which tools of a server are wanted. */
export type McpToolFilter = (tool: ListedTool, client: McpClient) => boolean;

/** The tools of a server as far as the session knows them; the same ones for the same list. None before it was asked. */
export function knownMcpTools(client: McpClient, view: LoopView): readonly McpTool[] {
  const known = knownListing(client, view);
  return known ? madeFor(client)(known.listing).at(known.address) : [];
}

const madeFor = memoized((client: McpClient) =>
  memoized((listing: McpListing): MadeAt => {
    const addresses = new Map<string, readonly McpTool[]>();
    return {
      at(address) {
        const made = addresses.get(address) ?? madeOf(client, listing, address);
        addresses.set(address, made);
        return made;
      },
    };
  }),
);

/** The tools of a list, by the address that the server had: a session keeps a list for one, so there is hardly another. */
interface MadeAt {
  at(address: string): readonly McpTool[];
}

function madeOf(client: McpClient, { tools }: McpListing, address: string): readonly McpTool[] {
  const names = toolNames(client, tools);
  return tools.map((listed) => {
    const name = names.get(listed.name) ?? listed.name;
    return { tool: mcpTool({ client, listed, name, address }), listed, client };
  });
}
