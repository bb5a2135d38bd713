import type { McpClient } from './mcp-client.ts';
import { McpClientDefinitionError } from './mcp-client-definition-error.ts';

/**
 * The clients of a list, each once.
 *
 * @throws McpClientDefinitionError when two of them have one name: a session would take the tools of one for the other's.
 */
export function checkClients(clients: readonly McpClient[]): readonly McpClient[] {
  const byName = new Map<string, McpClient>();
  for (const client of clients) {
    const { name } = client;
    const other = byName.get(name);
    if (other !== undefined && other !== client) {
      const problem =
        'another client in the list has its name, under which a session keeps what it knows of a server.';
      throw new McpClientDefinitionError(name, 'name', problem);
    }
    byName.set(name, client);
  }
  return [...byName.values()];
}
