/**
 * The entry `holdfast/mcp`: tools of MCP servers for agents, and tools and agents for MCP clients.
 *
 * Tools in: client/define-mcp-client -> tools/find-tools (which tools) -> tools/mcp-tool -> tools/call-remote ->
 * client/open-connection. Tools out: server/define-mcp-endpoint -> serve-mcp -> answer-request -> call-tool, call-agent,
 * resources, prompts or completion.
 */
export type { McpEndpoint } from '../worker/route.ts';
export { defineMcpClient, McpClientDefinitionError } from './client/define-mcp-client.ts';
export type {
  Elicitation,
  McpCaller,
  McpClient,
  McpClientConfig,
  McpUser,
} from './client/mcp-client.ts';
export { allowKeys, denyKeys, type MetaConverter, noOp, passThrough } from './client/meta-converter.ts';
export type { Fetch } from './client/wire/guarded-fetch.ts';
export type { BytesElsewhere } from './content/block-files.ts';
export { McpContent, mcpResult } from './content/mcp-content.ts';
export { askClient, type McpAnswer, type McpPromptCall, type McpQuestion } from './server/ask-client.ts';
export { defineMcpEndpoint, type McpEndpointConfig } from './server/define-mcp-endpoint.ts';
export {
  defineMcpResource,
  type McpCompleting,
  type McpContentsPart,
  type McpListedResource,
  type McpResource,
  type McpResourceAnswer,
  type McpResourceConfig,
  type McpResourceValues,
} from './server/define-mcp-resource.ts';
export {
  defineMcpPrompt,
  type McpPrompt,
  type McpPromptArgument,
  type McpPromptConfig,
  type McpPromptMessages,
  type McpPromptValues,
} from './server/prompts.ts';
export { McpEndpointDefinitionError, type PublishedAgent } from './server/publish.ts';
export { mcpContents } from './server/resource-contents.ts';
export type { McpAsked } from './server/run-for-caller.ts';
export type { CheckedUri, UriVariables } from './server/uri-template.ts';
export {
  createMcpToolFactory,
  type McpToolFactory,
  type McpToolFactoryConfig,
} from './tools/create-mcp-tool-factory.ts';
export type { McpToolFilter } from './tools/known-mcp-tools.ts';
export type { ListedTool, ToolHints } from './tools/listing.ts';
export { type McpResourcesOptions, mcpResources } from './tools/mcp-resources.ts';
export {
  defineMcpToolGroup,
  type McpToolGroupConfig,
  type McpToolProviderConfig,
  mcpToolProvider,
} from './tools/mcp-tool-provider.ts';
