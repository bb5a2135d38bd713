import type { LoopView } from '../../tools/injection.ts';
import { memoized } from '../../tools/memoized.ts';
import type { AnyTool } from '../../tools/tool.ts';
import { ToolDefinitionError } from '../../tools/tool-definition-error.ts';
import type { McpClient } from '../client/mcp-client.ts';
import { knownListing } from './find-tools.ts';
import type { ListedTool, McpListing } from './listing.ts';
import { type McpToolParts, mcpTool } from './mcp-tool.ts';
import { toolNames } from './tool-names.ts';

/** A tool of a server, and what the server told of it. */
export interface McpTool {
  readonly tool: AnyTool;
  readonly listed: ListedTool;
  readonly client: McpClient;
}

/** Which tools of a server are wanted. */
export type McpToolFilter = (tool: ListedTool, client: McpClient) => boolean;

/** The tools of a server as far as the session knows them; the same ones for the same list. None before it was asked. */
export function mcpTools(client: McpClient, view: LoopView): readonly McpTool[] {
  const listing = knownListing(client, view);
  return listing ? madeFor(client)(listing) : [];
}

const madeFor = memoized((client: McpClient) =>
  memoized(({ tools }: McpListing): readonly McpTool[] => {
    const names = toolNames(client, tools);
    return tools.flatMap((listed) => made({ client, listed, name: names.get(listed.name) ?? listed.name }));
  }),
);

/** Nothing of a tool that this version of the code cannot use, though the one that listed it could. */
function made(parts: McpToolParts): readonly McpTool[] {
  try {
    const { client, listed } = parts;
    return [{ tool: mcpTool(parts), listed, client }];
  } catch (problem) {
    if (!(problem instanceof ToolDefinitionError)) throw problem;
    console.warn(`holdfast: a tool of MCP server '${parts.client.name}' is left out: ${problem.message}`);
    return [];
  }
}
