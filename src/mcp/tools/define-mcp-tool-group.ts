import {
  defineToolGroup,
  type ToolGroup,
  type ToolGroupConfig,
  ToolGroupDefinitionError,
} from '../../tools/groups/define-tool-group.ts';
import { shorten } from '../../tools/json-text.ts';
import type { McpClient } from '../client/mcp-client.ts';
import { mcpToolProvider } from './mcp-tool-provider.ts';
import type { McpToolFilter } from './mcp-tools.ts';

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
 * @throws ToolGroupDefinitionError when two clients share a name, and as `defineToolGroup`.
 */
export function defineMcpToolGroup<const Role extends string>({
  clients,
  filter,
  permissions = ['internet-access'],
  ...group
}: McpToolGroupConfig<Role>): ToolGroup<Role> {
  const distinct = [...new Set(clients)];
  for (const [at, { name }] of distinct.entries()) {
    // What a session knows of a server's tools is kept under the client's name.
    if (distinct.findIndex((one) => one.name === name) === at) continue;
    throw new ToolGroupDefinitionError(
      group.role,
      'clients',
      `has two clients of the name '${shorten(name, 80)}'`,
    );
  }
  const tools = distinct.length === 0 ? [] : [mcpToolProvider({ clients: distinct, filter })];
  return defineToolGroup({ ...group, permissions, tools });
}
