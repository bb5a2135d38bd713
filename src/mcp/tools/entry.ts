/**
 * The entry `holdfast/mcp/client`: tools of MCP servers for agents. It needs the package
 * `@modelcontextprotocol/client`. The other side, `holdfast/mcp/server`, needs another package, so an app
 * installs only the package that it uses.
 *
 * client/define-mcp-client -> find-tools (which tools) -> mcp-tool -> call-remote -> client/connect.
 */
export { defineMcpClient, McpClientDefinitionError } from '../client/define-mcp-client.ts';
export {
  allowKeys,
  denyKeys,
  type Elicitation,
  type McpCaller,
  type McpClient,
  type McpClientConfig,
  type McpUser,
  type MetaConverter,
  noOp,
  passThrough,
} from '../client/mcp-client.ts';
export type { Fetch } from '../client/wire/guarded-fetch.ts';
export { type ByteReference, McpContent } from '../content/mcp-content.ts';
export {
  createMcpToolFactory,
  type McpToolFactory,
  type McpToolFactoryConfig,
} from './create-mcp-tool-factory.ts';
export type { ListedTool, ToolHints } from './listing.ts';
export { type McpResourcesOptions, mcpResources } from './mcp-resources.ts';
export type { McpToolFilter } from './mcp-tool.ts';
export {
  defineMcpToolGroup,
  type McpToolGroupConfig,
  type McpToolProviderConfig,
  mcpToolProvider,
} from './mcp-tool-provider.ts';
