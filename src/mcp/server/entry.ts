/**
 * The entry `holdfast/mcp/server`: tools and agents for MCP clients. It needs the package
 * `@modelcontextprotocol/server`.
 *
 * define-mcp-endpoint -> serve-mcp -> answer-request -> call-tool, call-agent, resources, prompts or
 * completion.
 */

export { mcpResult } from '../content/mcp-content.ts';
export { askClient, type McpAnswer, type McpPromptCall } from './ask-client.ts';
export type { McpQuestion, McpRequestContext as McpAsked } from './caller.ts';
export { defineMcpEndpoint, type McpEndpointConfig } from './define-mcp-endpoint.ts';
export {
  defineMcpResource,
  type McpCompleter,
  type McpContentsPart,
  type McpListedResource,
  type McpResource,
  type McpResourceAnswer,
  type McpResourceConfig,
  type McpResourceValues,
} from './define-mcp-resource.ts';
export { mcpDescription } from './describe.ts';
export {
  defineMcpPrompt,
  type McpPrompt,
  type McpPromptArgument,
  type McpPromptConfig,
  type McpPromptMessages,
  type McpPromptValues,
} from './prompts.ts';
export { McpEndpointDefinitionError, type PublishedAgent } from './publish.ts';
export { mcpContents } from './resources.ts';
export type { CheckedUri, UriVariables } from './uri-template.ts';
