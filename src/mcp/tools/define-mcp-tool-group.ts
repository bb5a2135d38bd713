import { defineToolGroup, type ToolGroup, type ToolGroupConfig } from '../../sources/define-tool-group.ts';
import { checkClients } from '../client/check-clients.ts';
import type { McpClient } from '../client/mcp-client.ts';
import type { McpToolFilter } from './known-mcp-tools.ts';
import { mcpToolProvider } from './mcp-tool-provider.ts';

/** The literal that `defineMcpToolGroup` takes. */
export interface McpToolGroupConfig<Role extends string>
  extends Omit<ToolGroupConfig<Role>, 'tools' | 'permissions'> {
  /** What its tools reach; `['internet-access']` unless given, since a server is somewhere else. */
  readonly permissions?: ToolGroupConfig<Role>['permissions'];
  /** Whose tools it has, each by a name of its own; none is asked before a loop needs its tools. */
  readonly clients: readonly McpClient[];
  /** Which of their tools; all unless given. The name is the server's. */
  readonly filter?: McpToolFilter | undefined;
}

/**
 * Declares a tool group with the tools of MCP servers (TGR-04, MCP-09). What it is for and what it reaches is known at
 * once; its tools, in each session, when the model is asked: of a server that cannot be reached there are none, until it
 * can. Without clients it has no tools, and an agent that asks for it is told so (TGR-05).
 *
 * @throws McpClientDefinitionError when two clients share a name; ToolGroupDefinitionError as `defineToolGroup`.
 */
export function defineMcpToolGroup<const Role extends string>({
  clients,
  filter,
  permissions = ['internet-access'],
  ...group
}: McpToolGroupConfig<Role>): ToolGroup<Role> {
  const distinct = checkClients(clients);
  const tools = distinct.length === 0 ? [] : [mcpToolProvider({ clients: distinct, filter })];
  return defineToolGroup({ ...group, permissions, tools });
}
