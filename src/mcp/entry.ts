/** The entry `holdfast/mcp`: tools of MCP servers for agents, and tools and agents for MCP clients. */
export { defineMcpClient } from './client/define-mcp-client.ts';
export type { Elicitation, Fetch, McpCaller, McpClient, McpClientConfig } from './client/mcp-client.ts';
export { mcpContent } from './mcp-content.ts';
export { McpDefinitionError } from './mcp-definition-error.ts';
export { allowKeys, denyKeys, type MetaConverter, noOp, passThrough } from './meta-converter.ts';
export { defineMcpEndpoint, type McpEndpointConfig } from './server/define-mcp-endpoint.ts';
export {
  defineMcpPrompt,
  type McpPrompt,
  type McpPromptArgument,
  type McpPromptConfig,
  type McpPromptMessages,
  type McpPromptValues,
} from './server/define-mcp-prompt.ts';
export { McpEndpointError } from './server/mcp-endpoint-error.ts';
export type { PublishedAgent } from './server/publication.ts';
export {
  createMcpToolFactory,
  type McpToolFactory,
  type McpToolFactoryConfig,
  type McpUnfoldingOptions,
} from './tools/create-mcp-tool-factory.ts';
export { defineMcpToolGroup, type McpToolGroupConfig } from './tools/define-mcp-tool-group.ts';
export type { ListedTool, ToolHints } from './tools/listing.ts';
export { McpContent } from './tools/mcp-content.ts';
export { type McpToolsOf, mcpToolProvider } from './tools/mcp-tool-provider.ts';
export type { McpToolFilter } from './tools/mcp-tools.ts';
