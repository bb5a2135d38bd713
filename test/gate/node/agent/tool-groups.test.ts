import { describe, expect, it } from 'vitest';
import { type AgentConfig, defineAgent, defineTool, type ToolGroup } from '../../../../src/index.ts';
import { defineAgenticTool, defineSubagent } from '../../../../src/kinds/entry.ts';
import { mathTools } from '../../../../src/modules/math/entry.ts';
import {
  CORE_ROLES,
  defineToolGroup,
  toolGroups as registered,
  type ToolGroupOptions,
  toolGroup,
} from '../../../../src/modules/tool-groups/entry.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';
import { ConfigurationError } from '../../../doors/model.ts';
import { RENAME } from '../../../fixtures/rename.ts';
import { type RequestedGroup, resolveGroups, toGroupRequest } from '../../../fixtures/tool-groups.ts';
import { captureWarnings } from '../../../fixtures/warnings.ts';

const createNamedTool = (name: string) =>
  defineTool({ name, description: `Does ${name}.`, effect: 'read', run: () => name });

const brave = defineToolGroup({
  role: 'web',
  name: 'brave',
  description: 'The web, by Brave.',
  provider: 'brave',
  permissions: ['internet-access'],
  tools: [createNamedTool('brave_search'), createNamedTool('brave_news')],
});
const other = defineToolGroup({
  role: 'web',
  description: 'Another web.',
  tools: [createNamedTool('crawl')],
});
const maps = defineToolGroup({
  role: 'maps',
  description: 'Maps.',
  tools: [createNamedTool('route'), createNamedTool('place')],
});
const GROUPS: readonly ToolGroup[] = [brave, other, maps, mathTools];

type AgentOverrides = Partial<AgentConfig<'clerk'>> & Pick<ToolGroupOptions, 'permissions'>;

function createGroupAgent(groups: readonly RequestedGroup[], more: AgentOverrides = {}) {
  const {
    permissions = 'permissions' in more ? undefined : (['internet-access'] as const),
    tools = [],
    ...others
  } = more;
  const asked = groups.map((one) => toGroupRequest(one, permissions));
  return defineAgent({
    name: 'clerk',
    description: 'Asks.',
    instructions: 'Ask.',
    ...others,
    tools: [...tools, ...asked],
  });
}
type GroupAgent = ReturnType<typeof createGroupAgent>;

/** Returns the names of the offered tools. */
async function collectOfferedTools(
  agent: GroupAgent,
  { setting, groups = GROUPS }: OfferOptions = {},
): Promise<string[]> {
  const env = setting === undefined ? {} : { TOOL_GROUPS: setting };
  const session = createTestSession(agent, { replies: ['Done.'], use: [registered(groups)], env });
  await session.send('Go.');
  return session.requests[0]?.tools.map(({ name }) => name) ?? [];
}

interface OfferOptions {
  readonly setting?: unknown;
  readonly groups?: readonly ToolGroup[];
}

/** Returns the message of the `ConfigurationError` that this agent causes when it is resolved. */
function getConfigurationError(agent: GroupAgent, { setting, groups = GROUPS }: OfferOptions = {}): string {
  try {
    resolveGroups({ groups, agents: [agent] })(agent, { TOOL_GROUPS: setting });
  } catch (failure) {
    if (failure instanceof ConfigurationError) return failure.message;
    throw failure;
  }
  return 'It was not refused.';
}

describe('an agent with tool groups', () => {
  it('offers the tools of the first group with a role, of a group that it lists itself, and its own tools (TGR-01, PRN-01)', async () => {
    const own = defineToolGroup({ role: 'own', description: 'Own.', tools: [createNamedTool('sing')] });
    const agent = createGroupAgent(['web', own], { tools: [createNamedTool('look')] });
    expect(await collectOfferedTools(agent)).toEqual(['brave_news', 'brave_search', 'look', 'sing']);
  });

  it('can ask for several groups, and offers each tool once if a group is listed twice (PRN-01)', async () => {
    expect(await collectOfferedTools(createGroupAgent(['maps', { role: 'web' }, maps]))).toEqual([
      'brave_news',
      'brave_search',
      'place',
      'route',
    ]);
  });

  it('finds the groups of the core roles by the constants in `CORE_ROLES` (TGR-07, TGR-08)', async () => {
    expect(await collectOfferedTools(createGroupAgent([CORE_ROLES.math]))).toHaveLength(10);
  });

  it('can call a tool of a group, and the metadata of the tool includes the group (TGR-04)', async () => {
    const agent = createGroupAgent(['web']);
    const session = createTestSession(agent, {
      replies: [{ calls: [{ name: 'brave_search' }] }, 'Done.'],
      use: [registered(GROUPS)],
    });
    await session.send('Go.');
    expect(session.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', text: 'brave_search' });
    const [search] = resolveGroups({ groups: GROUPS, agents: [agent] })(agent, {}).tools;
    expect(search?.metadata).toEqual({
      toolGroup: {
        role: 'web',
        name: 'brave',
        description: 'The web, by Brave.',
        provider: 'brave',
        version: '0.1.0',
        permissions: ['internet-access'],
      },
    });
  });

  it('shows the usage notes of its groups below its instructions (TGR-04)', async () => {
    const noted = defineToolGroup({
      role: 'notes',
      description: 'Notes.',
      tools: [createNamedTool('jot')],
      childToolUsageNotes: 'Jot before you forget.',
    });
    const session = createTestSession(createGroupAgent(['notes', noted]), {
      replies: ['Done.'],
      use: [registered([noted])],
    });
    await session.send('Go.');
    expect(session.requests[0]?.messages[0]).toEqual({
      role: 'system',
      text: "Ask.\n\nNotes on the tools of group 'notes':\nJot before you forget.",
    });
  });

  it('is resolved once per environment, and returned unchanged if it uses no groups (TGR-01)', () => {
    const agent = createGroupAgent(['maps']);
    const plain = createGroupAgent([]);
    const resolve = resolveGroups({ groups: GROUPS, agents: [agent, plain] });
    const env = {};
    expect(resolve(agent, env)).toBe(resolve(agent, env));
    expect(resolve(agent, { TOOL_GROUPS: '{"excludes":["place"]}' }).tools).toHaveLength(1);
    expect(resolve(plain, env)).toBe(plain);
  });
});

// The definition reports this, and production does not check definitions.
describe.skipIf(process.env.NODE_ENV === 'production')('an app without the tool groups module', () => {
  const NEEDED =
    "An agent asks for a tool group by its role, which needs the module `toolGroups()`. Import it from 'holdfast/tool-groups' and add it to " +
    '`use`, with the groups.';

  it('is refused when it is created if an agent asks for a role', () => {
    const make = () => createTestSession(createGroupAgent(['web']), { replies: [] });
    expect(make).toThrow(new ConfigurationError(NEEDED));
  });

  it('is refused if a subagent asks for a role, even if another agent includes the module', () => {
    const boss = createGroupAgent([maps], {
      tools: [defineSubagent({ agent: createGroupAgent(['web']), name: 'helper' })],
    });
    expect(() => createTestSession(boss, { replies: [] })).toThrow(new ConfigurationError(NEEDED));
  });

  it('offers the groups that an agent lists itself, without the tools that the environment excludes', async () => {
    const session = createTestSession(createGroupAgent([maps]), {
      replies: ['Done.'],
      env: { TOOL_GROUPS: '{"excludes":["place"]}' },
    });
    await session.send('Go.');
    expect(session.requests[0]?.tools.map(({ name }) => name)).toEqual(['route']);
  });

  it('refuses a second list of groups', () => {
    const use = [registered([maps]), registered([other])];
    expect(() => createTestSession(createGroupAgent(['web']), { replies: [], use })).toThrow(
      new ConfigurationError("The module 'tool-groups' is used twice with different settings. Use it once."),
    );
  });
});

describe('a missing tool group', () => {
  it('causes an error that lists the available roles (TGR-05, PRN-02)', () => {
    expect(getConfigurationError(createGroupAgent(['web', 'travel']))).toBe(
      "No tool group matching role 'travel', which agent 'clerk' asks for. " +
        "Registered roles: 'web', 'maps', 'math'.",
    );
    expect(getConfigurationError(createGroupAgent(['travel']), { groups: [] })).toBe(
      "No tool group matching role 'travel', which agent 'clerk' asks for. Registered roles: none.",
    );
  });

  it('causes an error if the group has no tools (TGR-05)', () => {
    const empty = defineToolGroup({ role: 'travel', description: 'Travel.', tools: [] });
    expect(getConfigurationError(createGroupAgent(['travel']), { groups: [empty] })).toBe(
      "Tool group 'travel', which agent 'clerk' asks for, has no tools in this environment.",
    );
    expect(getConfigurationError(createGroupAgent([empty]))).toBe(
      "Tool group 'travel', which agent 'clerk' asks for, has no tools in this environment.",
    );
  });

  it('is skipped with a logged warning if it is optional (TGR-05)', async () => {
    const warned = captureWarnings();
    const empty = defineToolGroup({ role: 'empty', description: 'Nothing.', tools: [] });
    const agent = createGroupAgent([
      'maps',
      { role: 'travel', optional: true },
      { role: 'empty', optional: true },
    ]);
    expect(await collectOfferedTools(agent, { groups: [maps, empty] })).toEqual(['place', 'route']);
    expect(warned).toEqual([
      "holdfast: No tool group matching role 'travel', which agent 'clerk' asks for. " +
        "Registered roles: 'maps', 'empty'. It is optional, so the agent runs without it.",
      "holdfast: Tool group 'empty', which agent 'clerk' asks for, has no tools in this environment. " +
        'It is optional, so the agent runs without it.',
    ]);
  });
});

describe('tools that an agent requires from a group', () => {
  it('are offered with the other tools of the group (TGR-06, PRN-02)', async () => {
    expect(await collectOfferedTools(createGroupAgent([{ role: 'maps', required: ['route'] }]))).toEqual([
      'place',
      'route',
    ]);
  });

  it('cause an error that lists the available tools if they do not exist, even if the group is optional (TGR-06, PRN-02)', () => {
    const message =
      "Tool group 'maps' lacks tools that agent 'clerk' requires: 'traffic', 'weather'. It has: 'route', 'place'.";
    const request = { role: 'maps', required: ['traffic', 'route', 'weather'] };
    expect(getConfigurationError(createGroupAgent([request]))).toBe(message);
    expect(getConfigurationError(createGroupAgent([{ ...request, optional: true }]))).toBe(message);
  });

  it('are reported as missing if their group is missing (TGR-06)', () => {
    expect(getConfigurationError(createGroupAgent([{ role: 'travel', required: ['book'] }]))).toMatch(
      /^No tool group matching role 'travel'/,
    );
  });
});

describe('the permissions of a group', () => {
  it('must be granted by the agent that uses it (TGR-09)', async () => {
    const root = defineToolGroup({
      role: 'shell',
      description: 'A shell.',
      permissions: ['internet-access', 'host-access'],
      tools: [createNamedTool('sh')],
    });
    expect(getConfigurationError(createGroupAgent([root]))).toBe(
      "Tool group 'shell' needs permissions that agent 'clerk' does not give: 'host-access'. " +
        'Add them where the agent lists it: toolGroup(group, { permissions }).',
    );
    expect(getConfigurationError(createGroupAgent(['web'], { permissions: undefined }))).toBe(
      "Tool group 'web' needs permissions that agent 'clerk' does not give: 'internet-access'. " +
        'Add them where the agent lists it: toolGroup(group, { permissions }).',
    );
    expect(
      await collectOfferedTools(
        createGroupAgent([root], { permissions: ['host-access', 'internet-access'] }),
      ),
    ).toEqual(['sh']);
  });

  it('are required regardless of the role that the environment assigns to its tools (TGR-09)', () => {
    const setting = { includes: { harmless: { tools: ['news', 'place'] } } };
    expect(getConfigurationError(createGroupAgent(['harmless'], { permissions: [] }), { setting })).toBe(
      "Tool group 'harmless' needs permissions that agent 'clerk' does not give: 'internet-access'. " +
        'Add them where the agent lists it: toolGroup(group, { permissions }).',
    );
  });
});

describe('a group that is listed with options in an agentic tool', () => {
  const createPlanTool = (options: ToolGroupOptions) => () =>
    defineAgenticTool({ name: 'plan', description: 'Plans.', tools: [toolGroup(maps, options)] });

  it.each<[string, ToolGroupOptions]>([
    ['a permission', { permissions: ['internet-access'] }],
    ['a required tool', { required: ['route'] }],
    ['an optional flag', { optional: true }],
  ])('is refused because of %s, since only an agent can set options (TGR-06)', (_, options) => {
    expect(createPlanTool(options)).toThrow(
      "Tool at index 0 asks for the tool group 'maps' with options, but only an agent can do that. List it among the agent's own tools, or list " +
        'the group itself here',
    );
  });

  it('adds its tools if its options are empty (TGR-04)', () => {
    expect(createPlanTool({})).not.toThrow();
  });
});

describe('two tools with the same name', () => {
  it('cause an error that lists the groups of both tools (AEV-05)', () => {
    const clash = defineToolGroup({
      role: 'clash',
      description: 'Clashes.',
      tools: [createNamedTool('route')],
    });
    expect(getConfigurationError(createGroupAgent(['maps', clash]))).toBe(
      `Agent 'clerk' would have two tools named 'route': one of tool group 'maps', and one of tool group 'clash'${RENAME}.`,
    );
    expect(getConfigurationError(createGroupAgent(['maps'], { tools: [createNamedTool('route')] }))).toBe(
      `Agent 'clerk' would have two tools named 'route': its own, and one of tool group 'maps'${RENAME}.`,
    );
  });
});

describe('the var TOOL_GROUPS', () => {
  const formatWebSetting = (tools: readonly string[]) => JSON.stringify({ includes: { web: { tools } } });

  it('builds groups from registered tools by the ends of their names, and prefers them to groups in code (TGR-02)', async () => {
    const setting = formatWebSetting(['search', 'route']);
    expect(await collectOfferedTools(createGroupAgent(['web']), { setting })).toEqual([
      'brave_search',
      'route',
    ]);
  });

  it('matches only the end of a name (TGR-02, TGR-03)', async () => {
    const history = defineToolGroup({
      role: 'history',
      description: 'What was searched.',
      tools: [createNamedTool('search_history'), createNamedTool('history_search')],
    });
    const given = { groups: [brave, history], setting: formatWebSetting(['search']) };
    expect(await collectOfferedTools(createGroupAgent(['web']), given)).toEqual([
      'brave_search',
      'history_search',
    ]);
    const setting = { excludes: ['search'] };
    expect(await collectOfferedTools(createGroupAgent(['history']), { ...given, setting })).toEqual([
      'search_history',
    ]);
  });

  it('causes an error if no tool name ends with an included name (TGR-02)', () => {
    expect(getConfigurationError(createGroupAgent(['web']), { setting: formatWebSetting(['brave']) })).toBe(
      "TOOL_GROUPS cannot be used: includes.web.tools names 'brave', but no tool has a name that ends with it. " +
        'The tools are: add, brave_news, brave_search, ceiling, crawl, divide, floor, max, mean, min, multiply, place, ' +
        'round, route, subtract.',
    );
  });

  it('builds an empty group from an empty list (TGR-02)', () => {
    expect(getConfigurationError(createGroupAgent(['web']), { setting: formatWebSetting([]) })).toBe(
      "Tool group 'web', which agent 'clerk' asks for, has no tools in this environment.",
    );
  });

  it('sets the description and author of a group, which default to its role and to `holdfast` (TGR-02)', () => {
    const agent = createGroupAgent(['one', 'two']);
    const setting = {
      includes: {
        one: { description: 'Roads.', provider: 'acme', tools: ['route'] },
        two: { tools: ['place'] },
      },
    };
    const { tools } = resolveGroups({ groups: GROUPS, agents: [agent] })(agent, { TOOL_GROUPS: setting });
    expect(tools.map(({ metadata }) => metadata.toolGroup)).toMatchObject([
      { role: 'one', description: 'Roads.', provider: 'acme' },
      { role: 'two', description: 'two', provider: 'holdfast' },
    ]);
  });

  it('excludes tools from every group, but not the agent’s own tools (TGR-03)', async () => {
    const given = defineToolGroup({
      role: 'g',
      description: 'Given.',
      tools: [createNamedTool('scan'), createNamedTool('g_news')],
    });
    const agent = createGroupAgent(['web', given], { tools: [createNamedTool('own_news')] });
    const setting = '{ "excludes": ["news"] }';
    expect(await collectOfferedTools(agent, { setting })).toEqual(['brave_search', 'own_news', 'scan']);
  });

  it('also excludes tools from the groups that it builds itself (TGR-03)', async () => {
    const setting = { includes: { web: { tools: ['news', 'search'] } }, excludes: ['brave_news'] };
    expect(await collectOfferedTools(createGroupAgent(['web']), { setting })).toEqual(['brave_search']);
  });

  it('can exclude a tool that an agent requires, which causes an error (TGR-03, TGR-06)', () => {
    const setting = { excludes: ['route'] };
    expect(
      getConfigurationError(createGroupAgent([{ role: 'maps', required: ['route'] }]), { setting }),
    ).toBe("Tool group 'maps' lacks tools that agent 'clerk' requires: 'route'. It has: 'place'.");
  });

  it('causes an error if no tool name ends with an excluded name, so that typos are noticed (TGR-03)', () => {
    expect(
      getConfigurationError(createGroupAgent(['maps']), { setting: '{"excludes":["rout"]}', groups: [maps] }),
    ).toBe(
      "TOOL_GROUPS cannot be used: excludes names 'rout', but no tool has a name that ends with it. The tools are: place, route.",
    );
  });

  it('has no effect if its value is blank', async () => {
    expect(await collectOfferedTools(createGroupAgent(['maps']), { setting: ' ' })).toEqual([
      'place',
      'route',
    ]);
  });

  it.each<[unknown, string]>([
    ['{', 'it is not valid JSON'],
    ['[]', 'it must be a JSON object with `includes` and `excludes`'],
    [7, 'it must be a JSON object with `includes` and `excludes`'],
    [
      { include: {}, includes: [], excludes: 'all' },
      'include: is not known here; excludes: must be a list of names of tools, or of their ends; ' +
        'includes: must be an object with a group for each role',
    ],
    [
      { includes: { web: 7, maps: { tools: [''], provider: 1, description: [], tool: 'x' } } },
      'includes.web: must be an object with `tools`; includes.maps.tool: is not known here; ' +
        'includes.maps.tools: must be a list of names of tools, or of their ends; ' +
        'includes.maps.description: must be text; includes.maps.provider: must be text',
    ],
    [{ includes: { '': { tools: ['route'] } } }, "Tool group '' needs a role that is not blank"],
  ])('is refused as a whole if its value is %j (TGR-02)', (setting, problems) => {
    expect(getConfigurationError(createGroupAgent(['maps']), { setting })).toBe(
      `TOOL_GROUPS cannot be used: ${problems}.`,
    );
  });
});
