import { expectTypeOf } from 'vitest';
import {
  type AnyTool,
  defineAgent,
  defineTool,
  type ToolGroup,
  type ToolProvider,
  toolProvider,
} from '../../../../../src/index.ts';

import { listings } from '../../../../../src/modules/listings/entry.ts';
import { CORE_ROLES, defineToolGroup, toolGroup } from '../../../../../src/modules/tool-groups/entry.ts';
import { toolTable } from '../../../../../src/modules/tool-objects/entry.ts';

const search = defineTool({ name: 'search', description: 'Searches.', run: () => 'found' });

// The role is a literal, and a group of any role fits a list of groups.
const web = defineToolGroup({ role: 'web', description: 'The web.', tools: [search] });
expectTypeOf(web).toEqualTypeOf<ToolGroup<'web'>>();
expectTypeOf(web.tools).toEqualTypeOf<readonly AnyTool[]>();
expectTypeOf(web.providers).toEqualTypeOf<readonly ToolProvider[]>();
const maps = defineToolGroup({ role: CORE_ROLES.maps, description: 'Maps.', tools: [] });
expectTypeOf(maps.role).toEqualTypeOf<'maps'>();
export const groups: readonly ToolGroup[] = [web, maps];

// Tools, tool objects and tool providers can be mixed.
class Shed {
  static readonly tools = toolTable<Shed>({ dig: { description: 'Digs.' } });
  dig = (): string => 'dug';
}
const catalog: ToolProvider = toolProvider({
  toolsNow: () => [search],
  uses: [listings],
  discover: async () => [{ slice: 'listings', fact: { key: 'catalog', told: ['search'] } }],
  about: { name: 'catalog' },
  missing: (name, available) => `No ${name} among ${available.join()}.`,
});
defineToolGroup({ role: 'mixed', description: 'Mixed.', tools: [search, Shed, new Shed(), catalog] });

// Optional properties accept undefined.
defineToolGroup({
  role: 'absent',
  name: undefined,
  description: 'Nothing.',
  provider: undefined,
  version: undefined,
  permissions: undefined,
  tools: [],
  childToolUsageNotes: undefined,
});

// An agent lists a role, a role with conditions, or a group.
const base = { description: 'Asks.', instructions: 'Ask.' };
defineAgent({
  ...base,
  name: 'asking',
  tools: [
    toolGroup('web', { permissions: ['internet-access'] }),
    toolGroup(CORE_ROLES.math),
    toolGroup('maps', { required: ['route'], optional: true }),
    toolGroup(web, { permissions: undefined }),
    web,
  ],
});

// @ts-expect-error there is no such permission
defineToolGroup({ role: 'web', description: 'The web.', permissions: ['everything'], tools: [] });

// A group can contain another group.
defineToolGroup({ role: 'web', description: 'The web.', tools: [web] });

// @ts-expect-error the description of a provider needs a name
export const unnamed: ToolProvider = toolProvider({ toolsNow: () => [], about: { description: 'Books.' } });

// @ts-expect-error a group needs tools
defineToolGroup({ role: 'web', description: 'The web.' });

// @ts-expect-error a request by role has no tools
toolGroup('web', { tools: [search] });

// @ts-expect-error required tools are listed by name
toolGroup('web', { required: [search] });

// @ts-expect-error there is no such permission
toolGroup(web, { permissions: ['internet'] });

// @ts-expect-error groups belong to `tools`
defineAgent({ ...base, name: 'option', toolGroups: ['web'] });

// @ts-expect-error a group is read-only
web.role = 'web';
