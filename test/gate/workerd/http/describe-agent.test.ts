import { describe, expect, it } from 'vitest';
import {
  type AnyTool,
  defineAgent,
  defineTool,
  type ToolProvider,
  toolProvider,
} from '../../../../src/index.ts';
import { defineAgenticTool, defineSubagent } from '../../../../src/kinds/entry.ts';
import { openaiCompatible } from '../../../../src/model/openai-compatible/entry.ts';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import { listings } from '../../../../src/modules/listings/entry.ts';
import {
  toolGroup as asksFor,
  defineToolGroup,
  toolGroups as registered,
} from '../../../../src/modules/tool-groups/entry.ts';
import { createTestApp } from './app.ts';
import { readJson } from './client.ts';

const createLeafTool = (name: string): AnyTool =>
  defineTool({ name, description: `Is ${name}.`, effect: 'read', metadata: { icon: name }, run: () => name });
const createOuterTool = (name: string, inner: readonly AnyTool[]): AnyTool => ({
  ...createLeafTool(name),
  metadata: {},
  inner,
});
const input = { type: 'object', properties: { task: { type: 'string' } } } as const;

/** Returns the tools of an agent from `GET /agents`. */
async function describeTools(...tools: readonly AnyTool[]): Promise<readonly Record<string, unknown>[]> {
  const agent = defineAgent({ name: 'boss', description: 'Leads.', instructions: 'Lead.', tools });
  const cook = defineAgent({ name: 'cook', description: 'Cooks.', instructions: 'Cook.' });
  const { agents } = await readJson(
    await createTestApp({ agents: [agent, cook], model: openaiCompatible() })('/agents'),
  );
  return (agents as { tools: Record<string, unknown>[] }[])[0]?.tools ?? []; // the documented shape
}

/** Returns the names in a tool tree, with a list for each tool with inner tools. */
const getToolNames = (tools: readonly Record<string, unknown>[]): unknown[] =>
  tools.map(({ name, inner }) =>
    Array.isArray(inner) ? { [String(name)]: getToolNames(inner as Record<string, unknown>[]) } : name,
  );

describe('GET /agents', () => {
  it('shows nested tools as a tree, without their schemas', async () => {
    const dig = defineAgenticTool({
      name: 'dig',
      description: 'Digs.',
      input: jsonSchema(input),
      tools: [createLeafTool('spade')],
    });
    const clerk = defineAgent({ name: 'clerk', description: 'Files.', instructions: 'File.', tools: [dig] });
    expect(
      await describeTools(
        createLeafTool('look'),
        defineSubagent({ agent: clerk }),
        defineSubagent({ agent: 'cook' }),
      ),
    ).toEqual([
      expect.objectContaining({ name: 'look', inputSchema: { type: 'object', properties: {} } }),
      {
        name: 'clerk',
        description: 'Files.',
        effect: 'none',
        inputSchema: expect.objectContaining({ required: ['message'] }),
        metadata: { agent: 'clerk' },
        inner: [
          {
            name: 'dig',
            description: 'Digs.',
            effect: 'none',
            inner: [{ name: 'spade', description: 'Is spade.', effect: 'read' }],
          },
        ],
      },
      {
        name: 'cook',
        description: "Delegate to agent 'cook'",
        effect: 'none',
        inputSchema: expect.objectContaining({ required: ['message'] }),
        metadata: { agent: 'cook' },
      },
    ]);
  });

  it('lists the sources of dynamic tools, and does not query them (MCP-10)', async () => {
    const throwOnQuery = (): never => {
      throw new Error('The source was queried.');
    };
    const unnamed: ToolProvider = toolProvider({ toolsNow: throwOnQuery });
    const named: ToolProvider = toolProvider({
      toolsNow: throwOnQuery,
      uses: [listings],
      discover: async () => throwOnQuery(),
      about: { name: 'shelf', description: 'Books.', metadata: { floor: 2 } },
    });
    const web = defineToolGroup({
      role: 'web',
      name: 'acme',
      description: 'The web.',
      tools: [createLeafTool('read'), named, unnamed],
    });
    const app = createTestApp({
      model: openaiCompatible(),
      use: [registered([web])],
      agents: [
        defineAgent({
          name: 'boss',
          description: 'Leads.',
          instructions: 'Lead.',
          tools: [unnamed, named, asksFor('web', { required: ['search'] })],
        }),
        defineAgent({
          name: 'poor',
          description: 'Lacks.',
          instructions: '',
          tools: [named, asksFor('no')],
        }),
        defineAgent({ name: 'plain', description: 'Has.', instructions: '', tools: [unnamed] }),
      ],
    });
    const { agents } = await readJson(await app('/agents'));
    const toolGroup = {
      role: 'web',
      name: 'acme',
      description: 'The web.',
      provider: 'holdfast',
      version: '0.1.0',
      permissions: [],
    };
    const shelf = { name: 'shelf', description: 'Books.', metadata: { floor: 2 } };
    expect(agents).toMatchObject([
      {
        tools: [{ name: 'read' }],
        sources: [
          shelf,
          { ...shelf, metadata: { floor: 2, toolGroup } },
          { name: 'acme', description: 'The web.', metadata: { toolGroup } },
        ],
      },
      { tools: [], sources: [shelf], misconfigured: expect.stringMatching(/^No tool group/) },
      { name: 'plain', tools: [] },
    ]);
    expect(Object.keys((agents as object[])[2] ?? {})).not.toContain('sources');
  });

  it('shows a tool only once if it contains itself', async () => {
    const inner: AnyTool[] = [createLeafTool('spade')];
    const shed = createOuterTool('shed', inner);
    inner.push(createOuterTool('box', [shed]), shed);
    const tools = await describeTools(shed);
    expect(getToolNames(tools)).toEqual([{ shed: ['spade', { box: [] }] }]);
    expect(tools[0]).toMatchObject({ innerLeftOut: 1, inner: [{}, { innerLeftOut: 1 }] });
  });

  it('follows nested tools sixteen levels deep', async () => {
    let depth = 0;
    const createNested = (left: number): AnyTool =>
      left === 0 ? createLeafTool('end') : createOuterTool(`level${left}`, [createNested(left - 1)]);
    let [tool] = await describeTools(createNested(30));
    while (Array.isArray(tool?.inner) && tool.inner.length > 0) {
      tool = tool.inner[0];
      depth += 1;
    }
    expect([depth, tool]).toMatchObject([16, { name: 'level14', inner: [], innerLeftOut: 1 }]);
  });

  it('lists at most a thousand nested tools, and the number of omitted tools', async () => {
    const createManyTools = (name: string, count: number) =>
      createOuterTool(
        name,
        Array.from({ length: count }, (_, i) => createLeafTool(`${name}_${i}`)),
      );
    const [first, second, third] = await describeTools(
      createManyTools('a', 600),
      createManyTools('b', 600),
      createManyTools('c', 5),
    );
    expect([first, second, third].map((tool) => [Object(tool?.inner).length, tool?.innerLeftOut])).toEqual([
      [600, undefined],
      [400, 200],
      [0, 5],
    ]);
  });
});
