import { describe, expect, it } from 'vitest';
import {
  defineTool,
  type ToolGroup,
  type ToolGroupPermission,
  toolProvider,
} from '../../../../../src/index.ts';
import {
  CORE_ROLES,
  defineToolGroup,
  ToolGroupDefinitionError,
} from '../../../../../src/modules/tool-groups/entry.ts';
import { toolTable } from '../../../../../src/modules/tool-objects/entry.ts';
import { RENAME_FIRST_TWO } from '../../../../fixtures/rename.ts';

const search = defineTool({ name: 'search', description: 'Searches.', effect: 'read', run: () => 'found' });

/** The module of a group that is listed directly instead of requested by role. */
const GIVEN = [{ module: { name: 'tool-groups', nested: false, state: [] }, key: 'given' }];

const toPlainObject = (group: ToolGroup) => Object.fromEntries(Object.entries(group));

describe('a tool group', () => {
  it('describes its purpose, its author and the reach of its tools (TGR-04)', () => {
    const group = defineToolGroup({
      role: 'web',
      name: 'Acme search',
      description: 'The web.',
      provider: 'acme',
      version: '2.1.0',
      permissions: ['internet-access', 'host-access'],
      tools: [search],
      childToolUsageNotes: 'Search before you answer.',
    });
    expect(toPlainObject(group)).toEqual({
      role: 'web',
      name: 'Acme search',
      description: 'The web.',
      provider: 'acme',
      version: '2.1.0',
      permissions: ['internet-access', 'host-access'],
      tools: [search],
      providers: [],
      childToolUsageNotes: 'Search before you answer.',
      uses: GIVEN,
    });
  });

  it('has its role as the default name, a default author, version 0.1.0 and no permissions (TGR-04)', () => {
    expect(toPlainObject(defineToolGroup({ role: 'web', description: 'The web.', tools: [] }))).toEqual({
      role: 'web',
      name: 'web',
      description: 'The web.',
      provider: 'holdfast',
      version: '0.1.0',
      permissions: [],
      tools: [],
      providers: [],
      childToolUsageNotes: undefined,
      uses: GIVEN,
    });
  });

  it('is unaffected by later changes to the lists in its definition, and removes repeated tools (AEV-05)', () => {
    const tools = [search, search];
    const permissions: ToolGroupPermission[] = ['internet-access'];
    const group = defineToolGroup({ role: 'web', description: 'The web.', permissions, tools });
    tools.pop();
    permissions.pop();
    expect([group.tools, group.permissions]).toEqual([[search], ['internet-access']]);
  });

  it('can mix tools, tool objects and tool providers, and does not ask the providers for tools (AET-06, MCP-10)', () => {
    class Shed {
      static readonly tools = toolTable<Shed>({ dig: { description: 'Digs.' } });
      dig(): string {
        return 'dug';
      }
    }
    const provider = toolProvider({
      toolsNow: (): never => {
        throw new Error('The provider was asked for its tools.');
      },
    });
    const tools = [provider, search, new Shed(), provider];
    const group = defineToolGroup({ role: 'web', description: 'The web.', tools });
    expect(group.tools.map(({ name }) => name)).toEqual(['search', 'dig']);
    expect(group.providers).toEqual([provider]);
  });

  it.each<[string, object, string]>([
    ['role', { role: ' ' }, "Tool group ' ' needs a role that is not blank."],
    [
      'permissions',
      { permissions: ['everything'] },
      "Tool group 'web' has an unknown permission 'everything'. Use internet-access or host-access.",
    ],
    [
      'tools',
      { tools: [search, { ...search }] },
      `Tool group 'web' cannot have these tools: Duplicate tool name: 'search'${RENAME_FIRST_TWO}.`,
    ],
    [
      'tools',
      { tools: [search, 7] },
      process.env.NODE_ENV === 'production'
        ? "Tool group 'web' cannot have these tools: Tool at index 1 is not a tool and has no tools."
        : "Tool group 'web' cannot have these tools: Tool at index 1 (number) is neither a tool nor a tool provider, " +
          "and its class has no static 'tools' table.",
    ],
  ])('throws an error that names the problem: %s', (field, config, message) => {
    const define = () => defineToolGroup({ role: 'web', description: 'The web.', tools: [], ...config });
    expect(define).toThrow(ToolGroupDefinitionError);
    expect(define).toThrow(expect.objectContaining({ field, message }));
  });
});

it('the core roles are a fixed list that authors share (TGR-07)', () => {
  expect(CORE_ROLES).toEqual({
    web: 'web',
    math: 'math',
    maps: 'maps',
    github: 'github',
    browserAutomation: 'browser_automation',
  });
});
