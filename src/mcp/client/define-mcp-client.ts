import { checkClient } from './check-client.ts';
import type { McpClient, McpClientConfig } from './mcp-client.ts';

/** What a client has whose literal does not say. Times in ms. */
const DEFAULTS = {
  timeout: 30_000,
  connectTimeout: 10_000,
  maxResponseBytes: 4 * 1024 * 1024,
  refreshAfter: 600_000,
  drift: 'report',
  elicitation: {},
} as const satisfies Partial<McpClientConfig>;

/**
 * Declares an MCP server whose tools agents may use. It connects to nothing (MCP-08): that is done by the first turn that
 * needs the server, for whoever's turn it is.
 *
 * @throws McpClientDefinitionError when the client cannot work.
 */
export function defineMcpClient<const Name extends string>(config: McpClientConfig<Name>): McpClient<Name> {
  const client: McpClient<Name> = {
    ...config,
    timeout: config.timeout ?? DEFAULTS.timeout,
    connectTimeout: config.connectTimeout ?? DEFAULTS.connectTimeout,
    maxResponseBytes: config.maxResponseBytes ?? DEFAULTS.maxResponseBytes,
    refreshAfter: config.refreshAfter ?? DEFAULTS.refreshAfter,
    drift: config.drift ?? DEFAULTS.drift,
    elicitation: config.elicitation ?? DEFAULTS.elicitation,
  };
  checkClient(client);
  return client;
}
