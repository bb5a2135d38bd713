import type { ToolProvider } from '../../sources/resolution/tool-source.ts';
import { shorten } from '../../tool/json.ts';
import { LISTINGS } from '../../tool/listings.ts';
import type { Discovery, LoopView } from '../../tool/tool.ts';
import { factOf, type MemoryFact } from '../../tool/tool-memory.ts';
import { checkClients } from '../client/check-clients.ts';
import type { McpClient } from '../client/mcp-client.ts';
import { findTools } from './find-tools.ts';
import { knownMcpTools, type McpTool, type McpToolFilter } from './known-mcp-tools.ts';

/** Which tools of which servers. */
export interface McpToolProviderConfig {
  /** Each by a name of its own. When two have a tool of one name, the first client's is offered. */
  readonly clients: readonly McpClient[];
  /** All of them unless given. */
  readonly filter?: McpToolFilter | undefined;
}

/**
 * The tools of servers, for a list of tools: found before the model is asked, with the credentials of whoever's turn it is,
 * and none of a server that cannot be reached (MCP-04).
 *
 * @throws McpClientDefinitionError when two clients share a name.
 */
export function mcpToolProvider({ clients, filter }: McpToolProviderConfig): ToolProvider {
  const of = { clients: checkClients(clients), filter };
  const names = of.clients.map(({ name }) => name).join(', ');
  return {
    about: {
      name: `MCP: ${names}`,
      description: `Tools of the MCP servers ${names}, found in each session.`,
    },
    discover: of.clients.map((client) => (discovery) => found(client, discovery)),
    toolsNow: (view) => (view ? chosenTools(of, view).map(({ tool }) => tool) : []),
    missing: missingMcpTool,
  };
}

/** The tools as the session knows them. */
export const chosenTools = (
  { clients, filter = () => true }: McpToolProviderConfig,
  view: LoopView,
): readonly McpTool[] =>
  clients.flatMap((client) => knownMcpTools(client, view).filter(({ listed }) => filter(listed, client)));

async function found(client: McpClient, discovery: Discovery): Promise<readonly MemoryFact[]> {
  const { facts } = await findTools(client, discovery);
  return facts.map((fact) => factOf(LISTINGS, fact));
}

/** Characters of the names that a model is told of: a server may have thousands. */
const MAX_LISTED = 2_000;

/** What is said where nothing can be offered (MCP-02). */
export const NO_TOOLS = 'No MCP tools are available - check MCP client connections.';

/** What is said of a tool that is not there (MCP-02). */
function missingMcpTool(name: string, available: readonly string[]): string {
  const what = `MCP tool '${shorten(name, 128)}' not found.`;
  if (available.length === 0) return `${what} ${NO_TOOLS}`;
  return `${what} Available tools: ${shorten(available.join(', '), MAX_LISTED)}`;
}
