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
import { appWith } from './app.ts';
import { json } from './client.ts';

const leafTool = (name: string): AnyTool =>
  defineTool({ name, description: `Is ${name}.`, effect: 'read', metadata: { icon: name }, run: () => name });
const outerTool = (name: string, inner: readonly AnyTool[]): AnyTool => ({
  ...leafTool(name),
  metadata: {},
  inner,
});
const input = { type: 'object', properties: { task: { type: 'string' } } } as const;

/** Returns the tools of an agent from `GET /agents`. */
async function describedTools(...tools: readonly AnyTool[]): Promise<readonly Record<string, unknown>[]> {
  const agent = defineAgent({ name: 'boss', description: 'Leads.', instructions: 'Lead.', tools });
  const cook = defineAgent({ name: 'cook', description: 'Cooks.', instructions: 'Cook.' });
  const { agents } = await json(
    await appWith({ agents: [agent, cook], model: openaiCompatible() })('/agents'),
  );
  return (agents as { tools: Record<string, unknown>[] }[])[0]?.tools ?? []; // the documented shape
}

/** Returns the names of a tree, with a list for each nesting tool. */
const namesOf = (tools: readonly Record<string, unknown>[]): unknown[] =>
  tools.map(({ name, inner }) =>
    Array.isArray(inner) ? { [String(name)]: namesOf(inner as Record<string, unknown>[]) } : name,
  );

describe('GET /agents', () => {
  it('shows nested tools as a tree, without their schemas', async () => {
    const dig = defineAgenticTool({
      name: 'dig',
      description: 'Digs.',
      input: jsonSchema(input),
      tools: [leafTool('spade')],
    });
    const clerk = defineAgent({ name: 'clerk', description: 'Files.', instructions: 'File.', tools: [dig] });
    expect(
      await describedTools(
        leafTool('look'),
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

  it('names the sources of dynamic tools, and does not query them (MCP-10)', async () => {
    const asked = (): never => {
      throw new Error('The source was queried.');
    };
    const unnamed: ToolProvider = toolProvider({ toolsNow: asked });
    const named: ToolProvider = toolProvider({
      toolsNow: asked,
      uses: [listings],
      discover: async () => asked(),
      about: { name: 'shelf', description: 'Books.', metadata: { floor: 2 } },
    });
    const web = defineToolGroup({
      role: 'web',
      name: 'acme',
      description: 'The web.',
      tools: [leafTool('read'), named, unnamed],
    });
    const app = appWith({
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
    const { agents } = await json(await app('/agents'));
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

  it('shows a tool that contains itself once', async () => {
    const inner: AnyTool[] = [leafTool('spade')];
    const shed = outerTool('shed', inner);
    inner.push(outerTool('box', [shed]), shed);
    const tools = await describedTools(shed);
    expect(namesOf(tools)).toEqual([{ shed: ['spade', { box: [] }] }]);
    expect(tools[0]).toMatchObject({ innerLeftOut: 1, inner: [{}, { innerLeftOut: 1 }] });
  });

  it('follows nested tools sixteen levels deep', async () => {
    let depth = 0;
    const nested = (left: number): AnyTool =>
      left === 0 ? leafTool('end') : outerTool(`level${left}`, [nested(left - 1)]);
    let [tool] = await describedTools(nested(30));
    while (Array.isArray(tool?.inner) && tool.inner.length > 0) {
      tool = tool.inner[0];
      depth += 1;
    }
    expect([depth, tool]).toMatchObject([16, { name: 'level14', inner: [], innerLeftOut: 1 }]);
  });

  it('names a thousand nested tools, and the number of omitted ones', async () => {
    const many = (name: string, count: number) =>
      outerTool(
        name,
        Array.from({ length: count }, (_, i) => leafTool(`${name}_${i}`)),
      );
    const [first, second, third] = await describedTools(many('a', 600), many('b', 600), many('c', 5));
    expect([first, second, third].map((tool) => [Object(tool?.inner).length, tool?.innerLeftOut])).toEqual([
      [600, undefined],
      [400, 200],
      [0, 5],
    ]);
  });
});
