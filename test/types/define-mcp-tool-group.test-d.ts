import { expectTypeOf } from 'vitest';
import type { ToolGroup } from '../../src/index.ts';
import { defineMcpToolGroup, type ListedTool, type McpClient } from '../../src/mcp/tools/entry.ts';
import { CORE_ROLES } from '../../src/modules/tool-groups/entry.ts';

declare const github: McpClient<'github'>;
declare const docker: McpClient<'docker'>;

// The role is a literal, and clients of any name fit.
const web = defineMcpToolGroup({ role: 'web', description: 'The web.', clients: [github, docker] });
expectTypeOf(web).toEqualTypeOf<ToolGroup<'web'>>();
const maps = defineMcpToolGroup({ role: CORE_ROLES.maps, description: 'Maps.', clients: [] });
expectTypeOf(maps.role).toEqualTypeOf<'maps'>();
export const groups: readonly ToolGroup[] = [web, maps];

// Optional properties accept undefined, and the filter knows the tool and its client.
defineMcpToolGroup({
  role: 'absent',
  name: undefined,
  description: 'Nothing.',
  provider: undefined,
  version: undefined,
  permissions: undefined,
  clients: [github],
  filter: undefined,
  childToolUsageNotes: undefined,
});
defineMcpToolGroup({
  role: 'read',
  description: 'Reads.',
  permissions: ['internet-access'],
  clients: [github],
  filter: (tool, client) => {
    expectTypeOf(tool).toEqualTypeOf<ListedTool>();
    expectTypeOf(client).toEqualTypeOf<McpClient>();
    return tool.hints?.readOnlyHint === true && client.name === 'github';
  },
});

// @ts-expect-error `clients` is missing
defineMcpToolGroup({ role: 'web', description: 'The web.' });

// @ts-expect-error its tools are those of its clients
defineMcpToolGroup({ role: 'web', description: 'The web.', clients: [], tools: [] });

// @ts-expect-error a name is not a client
defineMcpToolGroup({ role: 'web', description: 'The web.', clients: ['github'] });

// @ts-expect-error there is no such permission
defineMcpToolGroup({ role: 'web', description: 'The web.', permissions: ['everything'], clients: [] });

// @ts-expect-error a filter returns a boolean at once
defineMcpToolGroup({ role: 'web', description: 'The web.', clients: [], filter: async () => true });
