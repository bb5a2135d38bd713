import type { LoopView } from '../../tools/injection.ts';
import { memoized } from '../../tools/memoized.ts';
import type { AnyTool } from '../../tools/tool.ts';
import type { McpClient } from '../client/mcp-client.ts';
import { knownListing } from './find-tools.ts';
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
  const listing = knownListing(client, view);
  return listing ? madeFor(client)(listing) : [];
}

const madeFor = memoized((client: McpClient) =>
  memoized(({ tools }: McpListing): readonly McpTool[] => {
    const names = toolNames(client, tools);
    return tools.map((listed) => {
      const name = names.get(listed.name) ?? listed.name;
      return { tool: mcpTool({ client, listed, name }), listed, client };
    });
  }),
);
