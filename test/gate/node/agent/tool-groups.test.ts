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
import { type Asked, askedFor, resolving } from '../../../fixtures/tool-groups.ts';
import { warnings } from '../../../fixtures/warnings.ts';

const tool = (name: string) =>
  defineTool({ name, description: `Does ${name}.`, effect: 'read', run: () => name });

const brave = defineToolGroup({
  role: 'web',
  name: 'brave',
  description: 'The web, by Brave.',
  provider: 'brave',
  permissions: ['internet-access'],
  tools: [tool('brave_search'), tool('brave_news')],
});
const other = defineToolGroup({ role: 'web', description: 'Another web.', tools: [tool('crawl')] });
const maps = defineToolGroup({ role: 'maps', description: 'Maps.', tools: [tool('route'), tool('place')] });
const GROUPS: readonly ToolGroup[] = [brave, other, maps, mathTools];

type More = Partial<AgentConfig<'clerk'>> & Pick<ToolGroupOptions, 'permissions'>;

function asking(groups: readonly Asked[], more: More = {}) {
  const {
    permissions = 'permissions' in more ? undefined : (['internet-access'] as const),
    tools = [],
    ...others
  } = more;
  const asked = groups.map((one) => askedFor(one, permissions));
  return defineAgent({
    name: 'clerk',
    description: 'Asks.',
    instructions: 'Ask.',
    ...others,
    tools: [...tools, ...asked],
  });
}
type Asking = ReturnType<typeof asking>;

/** The names of the offered tools. */
async function offered(agent: Asking, { setting, groups = GROUPS }: Given = {}): Promise<string[]> {
  const env = setting === undefined ? {} : { TOOL_GROUPS: setting };
  const session = createTestSession(agent, { replies: ['Done.'], use: [registered(groups)], env });
  await session.send('Go.');
  return session.requests[0]?.tools.map(({ name }) => name) ?? [];
}

interface Given {
  readonly setting?: unknown;
  readonly groups?: readonly ToolGroup[];
}

/** The error at deployment. */
function refusedWith(agent: Asking, { setting, groups = GROUPS }: Given = {}): string {
  try {
    resolving({ groups, agents: [agent] })(agent, { TOOL_GROUPS: setting });
  } catch (failure) {
    if (failure instanceof ConfigurationError) return failure.message;
    throw failure;
  }
  return 'It was not refused.';
}

describe('an agent with tool groups', () => {
  it('has the first registered group of the role, its own tools and a given group (TGR-01, PRN-01)', async () => {
    const own = defineToolGroup({ role: 'own', description: 'Own.', tools: [tool('sing')] });
    const agent = asking(['web', own], { tools: [tool('look')] });
    expect(await offered(agent)).toEqual(['brave_news', 'brave_search', 'look', 'sing']);
  });

  it('has several groups at once, and each tool once if a group is listed twice (PRN-01)', async () => {
    expect(await offered(asking(['maps', { role: 'web' }, maps]))).toEqual([
      'brave_news',
      'brave_search',
      'place',
      'route',
    ]);
  });

  it('finds the groups of the core roles by their constants (TGR-07, TGR-08)', async () => {
    expect(await offered(asking([CORE_ROLES.math]))).toHaveLength(10);
  });

  it('can call an offered tool, which has its group in its metadata (TGR-04)', async () => {
    const agent = asking(['web']);
    const session = createTestSession(agent, {
      replies: [{ calls: [{ name: 'brave_search' }] }, 'Done.'],
      use: [registered(GROUPS)],
    });
    await session.send('Go.');
    expect(session.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', text: 'brave_search' });
    const [search] = resolving({ groups: GROUPS, agents: [agent] })(agent, {}).tools;
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

  it('reads their usage notes, below its instructions (TGR-04)', async () => {
    const noted = defineToolGroup({
      role: 'notes',
      description: 'Notes.',
      tools: [tool('jot')],
      childToolUsageNotes: 'Jot before you forget.',
    });
    const session = createTestSession(asking(['notes', noted]), {
      replies: ['Done.'],
      use: [registered([noted])],
    });
    await session.send('Go.');
    expect(session.requests[0]?.messages[0]).toEqual({
      role: 'system',
      text: "Ask.\n\nNotes on the tools of group 'notes':\nJot before you forget.",
    });
  });

  it('is resolved once per environment, and is unchanged if it uses no groups (TGR-01)', () => {
    const agent = asking(['maps']);
    const plain = asking([]);
    const resolve = resolving({ groups: GROUPS, agents: [agent, plain] });
    const env = {};
    expect(resolve(agent, env)).toBe(resolve(agent, env));
    expect(resolve(agent, { TOOL_GROUPS: '{"excludes":["place"]}' }).tools).toHaveLength(1);
    expect(resolve(plain, env)).toBe(plain);
  });
});

// Reported at the definition, which production does not check.
describe.skipIf(process.env.NODE_ENV === 'production')('an app without the module', () => {
  const NEEDED =
    "An agent asks for a tool group by its role, which needs the module `toolGroups()`: import it from 'holdfast/tool-groups' and add it to " +
    '`use`, with the groups.';

  it('is refused at creation if an agent uses a role', () => {
    const make = () => createTestSession(asking(['web']), { replies: [] });
    expect(make).toThrow(new ConfigurationError(NEEDED));
  });

  it('is refused if a subagent uses a role, even if another agent brings the module', () => {
    const boss = asking([maps], { tools: [defineSubagent({ agent: asking(['web']), name: 'helper' })] });
    expect(() => createTestSession(boss, { replies: [] })).toThrow(new ConfigurationError(NEEDED));
  });

  it('gives an agent its listed groups, without the tools that the environment excludes', async () => {
    const session = createTestSession(asking([maps]), {
      replies: ['Done.'],
      env: { TOOL_GROUPS: '{"excludes":["place"]}' },
    });
    await session.send('Go.');
    expect(session.requests[0]?.tools.map(({ name }) => name)).toEqual(['route']);
  });

  it('registers groups once: two lists are refused', () => {
    const use = [registered([maps]), registered([other])];
    expect(() => createTestSession(asking(['web']), { replies: [], use })).toThrow(
      new ConfigurationError("The module 'tool-groups' is used twice with different settings. Use it once."),
    );
  });
});

describe('a missing tool group', () => {
  it('is an error that names the available roles (TGR-05, PRN-02)', () => {
    expect(refusedWith(asking(['web', 'travel']))).toBe(
      "No tool group matching role 'travel', which agent 'clerk' asks for. " +
        "Registered roles: 'web', 'maps', 'math'.",
    );
    expect(refusedWith(asking(['travel']), { groups: [] })).toBe(
      "No tool group matching role 'travel', which agent 'clerk' asks for. Registered roles: none.",
    );
  });

  it('is also an error if it has no tools (TGR-05)', () => {
    const empty = defineToolGroup({ role: 'travel', description: 'Travel.', tools: [] });
    expect(refusedWith(asking(['travel']), { groups: [empty] })).toBe(
      "Tool group 'travel', which agent 'clerk' asks for, has no tools in this environment.",
    );
    expect(refusedWith(asking([empty]))).toBe(
      "Tool group 'travel', which agent 'clerk' asks for, has no tools in this environment.",
    );
  });

  it('logs a warning and is skipped if it is optional (TGR-05)', async () => {
    const warned = warnings();
    const empty = defineToolGroup({ role: 'empty', description: 'Nothing.', tools: [] });
    const agent = asking(['maps', { role: 'travel', optional: true }, { role: 'empty', optional: true }]);
    expect(await offered(agent, { groups: [maps, empty] })).toEqual(['place', 'route']);
    expect(warned).toEqual([
      "holdfast: No tool group matching role 'travel', which agent 'clerk' asks for. " +
        "Registered roles: 'maps', 'empty'. It is optional, so the agent runs without it.",
      "holdfast: Tool group 'empty', which agent 'clerk' asks for, has no tools in this environment. " +
        'It is optional, so the agent runs without it.',
    ]);
  });
});

describe('tools that an agent requires from a group', () => {
  it('are offered with the rest if they exist (TGR-06, PRN-02)', async () => {
    expect(await offered(asking([{ role: 'maps', required: ['route'] }]))).toEqual(['place', 'route']);
  });

  it('are reported with the available tools if they do not exist, even for an optional group (TGR-06, PRN-02)', () => {
    const message =
      "Tool group 'maps' lacks tools that agent 'clerk' requires: 'traffic', 'weather'. It has: 'route', 'place'.";
    const request = { role: 'maps', required: ['traffic', 'route', 'weather'] };
    expect(refusedWith(asking([request]))).toBe(message);
    expect(refusedWith(asking([{ ...request, optional: true }]))).toBe(message);
  });

  it('are missing if their group is (TGR-06)', () => {
    expect(refusedWith(asking([{ role: 'travel', required: ['book'] }]))).toMatch(
      /^No tool group matching role 'travel'/,
    );
  });
});

describe('the permissions of a group', () => {
  it('must be granted by the agent (TGR-09)', async () => {
    const root = defineToolGroup({
      role: 'shell',
      description: 'A shell.',
      permissions: ['internet-access', 'host-access'],
      tools: [tool('sh')],
    });
    expect(refusedWith(asking([root]))).toBe(
      "Tool group 'shell' needs permissions that agent 'clerk' does not give: 'host-access'. " +
        'Add them where the agent lists it: toolGroup(group, { permissions }).',
    );
    expect(refusedWith(asking(['web'], { permissions: undefined }))).toBe(
      "Tool group 'web' needs permissions that agent 'clerk' does not give: 'internet-access'. " +
        'Add them where the agent lists it: toolGroup(group, { permissions }).',
    );
    expect(await offered(asking([root], { permissions: ['host-access', 'internet-access'] }))).toEqual([
      'sh',
    ]);
  });

  it('are required whatever role a setting gives its tools (TGR-09)', () => {
    const setting = { includes: { harmless: { tools: ['news', 'place'] } } };
    expect(refusedWith(asking(['harmless'], { permissions: [] }), { setting })).toBe(
      "Tool group 'harmless' needs permissions that agent 'clerk' does not give: 'internet-access'. " +
        'Add them where the agent lists it: toolGroup(group, { permissions }).',
    );
  });
});

describe('a group with options among the tools of another tool', () => {
  const inside = (options: ToolGroupOptions) => () =>
    defineAgenticTool({ name: 'plan', description: 'Plans.', tools: [toolGroup(maps, options)] });

  it.each<[string, ToolGroupOptions]>([
    ['a permission', { permissions: ['internet-access'] }],
    ['a required tool', { required: ['route'] }],
    ['an optional flag', { optional: true }],
  ])('is refused with %s, which is only valid in an agent (TGR-06)', (_, options) => {
    expect(inside(options)).toThrow(
      "Tool at index 0 asks for the tool group 'maps' with options: only an agent can do that. List it among the agent's own tools, or list " +
        'the group itself here',
    );
  });

  it('adds its tools if it has no options (TGR-04)', () => {
    expect(inside({})).not.toThrow();
  });
});

describe('two tools of one name', () => {
  it('are an error that states their origins (AEV-05)', () => {
    const clash = defineToolGroup({ role: 'clash', description: 'Clashes.', tools: [tool('route')] });
    expect(refusedWith(asking(['maps', clash]))).toBe(
      `Agent 'clerk' would have two tools of the name 'route': one of tool group 'maps', and one of tool group 'clash'${RENAME}.`,
    );
    expect(refusedWith(asking(['maps'], { tools: [tool('route')] }))).toBe(
      `Agent 'clerk' would have two tools of the name 'route': its own, and one of tool group 'maps'${RENAME}.`,
    );
  });
});

describe('the var TOOL_GROUPS', () => {
  const included = (tools: readonly string[]) => JSON.stringify({ includes: { web: { tools } } });

  it('makes groups from registered tools, by the ends of their names and before those of code (TGR-02)', async () => {
    const setting = included(['search', 'route']);
    expect(await offered(asking(['web']), { setting })).toEqual(['brave_search', 'route']);
  });

  it('matches only the end of a name (TGR-02, TGR-03)', async () => {
    const history = defineToolGroup({
      role: 'history',
      description: 'What was searched.',
      tools: [tool('search_history'), tool('history_search')],
    });
    const given = { groups: [brave, history], setting: included(['search']) };
    expect(await offered(asking(['web']), given)).toEqual(['brave_search', 'history_search']);
    const setting = { excludes: ['search'] };
    expect(await offered(asking(['history']), { ...given, setting })).toEqual(['search_history']);
  });

  it('must name an existing tool to include, by the end of its name (TGR-02)', () => {
    expect(refusedWith(asking(['web']), { setting: included(['brave']) })).toBe(
      "TOOL_GROUPS cannot be used: includes.web.tools names 'brave', but no tool has a name that ends with it. " +
        'The tools are: add, brave_news, brave_search, ceiling, crawl, divide, floor, max, mean, min, multiply, place, ' +
        'round, route, subtract.',
    );
  });

  it('includes no tool by an empty list (TGR-02)', () => {
    expect(refusedWith(asking(['web']), { setting: included([]) })).toBe(
      "Tool group 'web', which agent 'clerk' asks for, has no tools in this environment.",
    );
  });

  it('sets the purpose and author of a group; by default, its role and our name (TGR-02)', () => {
    const agent = asking(['one', 'two']);
    const setting = {
      includes: {
        one: { description: 'Roads.', provider: 'acme', tools: ['route'] },
        two: { tools: ['place'] },
      },
    };
    const { tools } = resolving({ groups: GROUPS, agents: [agent] })(agent, { TOOL_GROUPS: setting });
    expect(tools.map(({ metadata }) => metadata.toolGroup)).toMatchObject([
      { role: 'one', description: 'Roads.', provider: 'acme' },
      { role: 'two', description: 'two', provider: 'holdfast' },
    ]);
  });

  it('excludes tools from every group, including given ones, but not the agent’s own tools (TGR-03)', async () => {
    const given = defineToolGroup({
      role: 'g',
      description: 'Given.',
      tools: [tool('scan'), tool('g_news')],
    });
    const agent = asking(['web', given], { tools: [tool('own_news')] });
    const setting = '{ "excludes": ["news"] }';
    expect(await offered(agent, { setting })).toEqual(['brave_search', 'own_news', 'scan']);
  });

  it('excludes tools from the groups that it defines itself (TGR-03)', async () => {
    const setting = { includes: { web: { tools: ['news', 'search'] } }, excludes: ['brave_news'] };
    expect(await offered(asking(['web']), { setting })).toEqual(['brave_search']);
  });

  it('can remove a tool that an agent requires (TGR-03, TGR-06)', () => {
    const setting = { excludes: ['route'] };
    expect(refusedWith(asking([{ role: 'maps', required: ['route'] }]), { setting })).toBe(
      "Tool group 'maps' lacks tools that agent 'clerk' requires: 'route'. It has: 'place'.",
    );
  });

  it('must name an existing tool to exclude, so that a typo cannot keep a tool (TGR-03)', () => {
    expect(refusedWith(asking(['maps']), { setting: '{"excludes":["rout"]}', groups: [maps] })).toBe(
      "TOOL_GROUPS cannot be used: excludes names 'rout', but no tool has a name that ends with it. The tools are: place, route.",
    );
  });

  it('has no effect if it is blank', async () => {
    expect(await offered(asking(['maps']), { setting: ' ' })).toEqual(['place', 'route']);
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
  ])('is refused as a whole if it is %j (TGR-02)', (setting, problems) => {
    expect(refusedWith(asking(['maps']), { setting })).toBe(`TOOL_GROUPS cannot be used: ${problems}.`);
  });
});
