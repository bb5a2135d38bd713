import { describe, expect, it } from 'vitest';
import {
  type AnyTool,
  defineAgent,
  defineTool,
  resolveTools,
  ToolDefinitionError,
  ToolResolutionError,
  type ToolSource,
  toolProvider,
} from '../../../../../src/index.ts';

import { createMcpToolFactory, defineMcpClient } from '../../../../../src/mcp/tools/entry.ts';
import { defineToolGroup } from '../../../../../src/modules/tool-groups/entry.ts';
import { ToolObjectError, toolTable } from '../../../../../src/modules/tool-objects/entry.ts';
import { collectTools } from '../../../../doors/tools.ts';

const createNamedTool = (name: string): AnyTool =>
  defineTool({ name, description: 'Does.', effect: 'read', run: () => name });

class Calculator {
  static readonly tools = toolTable<Calculator>({
    add: { description: 'Adds.', effect: 'read' },
    times: { name: 'multiply', description: 'Multiplies.', effect: 'read' },
  });
  add() {
    return 'sum';
  }
  times() {
    return 'product';
  }
  reset() {
    return this.#clear();
  }
  #clear() {
    return 'a method that nobody sees';
  }
}

class Plain {
  add() {
    return 'sum';
  }
}

const getToolNames = (tools: readonly AnyTool[]): string[] => tools.map(({ name }) => name);
const asSources = (...sources: readonly unknown[]) => sources as readonly ToolSource[]; // including values that the types forbid

describe('a list of tools', () => {
  it('can be empty (AEV-01)', () => {
    expect(resolveTools([])).toEqual({ tools: [], byName: new Map() });
  });

  it('can mix tools, tool objects and providers, all of which are found by name (AEV-08, AET-06)', () => {
    const { tools, byName } = resolveTools([
      createNamedTool('look'),
      new Calculator(),
      toolProvider({ toolsNow: () => [createNamedTool('today')] }),
    ]);
    expect(getToolNames(tools)).toEqual(['look', 'add', 'multiply', 'today']);
    expect([...byName]).toEqual(tools.map((one) => [one.name, one]));
  });

  it('contains only those methods of an object that its table lists (AEV-09)', () => {
    expect(getToolNames(resolveTools([new Calculator()]).tools)).toEqual(['add', 'multiply']);
  });

  it('refuses a #private method in a table (AEV-09)', () => {
    class Safe {
      static readonly tools = toolTable<Safe>({
        look: { description: 'Looks.', effect: 'read' },
        // @ts-expect-error: this method is not visible from outside
        '#open': { description: 'Opens.', effect: 'read' },
      });
      look() {
        return this.#open();
      }
      #open() {
        return 'opened';
      }
    }
    expect(() => resolveTools([new Safe()])).toThrow(
      new ToolObjectError(
        'Safe',
        "The static 'tools' of Safe list '#open', which is not one of its methods.",
      ),
    );
  });

  it('refuses an entry in a table if the method is missing or is not a method (AEV-09)', () => {
    const createTable = (method: string) => ({ [method]: { description: 'Looks.', effect: 'read' } });
    for (const method of ['word', 'gone']) {
      class Desk {
        static readonly tools = toolTable<object>(createTable(method));
        readonly word = 'no method';
      }
      expect(() => resolveTools(asSources(new Desk()))).toThrow(
        `The static 'tools' of Desk list '${method}', which is not one of its methods.`,
      );
    }
  });

  it('asks its providers again each time (AET-08)', () => {
    let hour = 0;
    const listToolsNow = (): AnyTool[] => {
      hour += 1;
      return [createNamedTool(`hour_${hour}`)];
    };
    const sources = [toolProvider({ toolsNow: listToolsNow })];
    expect(getToolNames(resolveTools(sources).tools)).toEqual(['hour_1']);
    expect(getToolNames(resolveTools(sources).tools)).toEqual(['hour_2']);
    expect(collectTools(sources)).toEqual({ tools: [], providers: sources, requests: [], notes: [] });
    expect(hour).toBe(2);
  });
});

describe('two tools with one name', () => {
  it('are refused in a list, even if one of them belongs to an object (AEV-04, AEV-05)', () => {
    const createDuplicateError = (how: string) =>
      new ToolResolutionError(`Duplicate tool name: 'add', at index ${how}`);
    const byName = ". Rename one, as with withName from 'holdfast/decorators'";
    const byPrefix =
      ". Rename one, as with toolsOf(object, { prefix: 'calculator_' }) from 'holdfast/tool-objects'";
    expect(() => resolveTools([createNamedTool('add'), createNamedTool('add')])).toThrow(
      createDuplicateError(`0 and 1${byName}`),
    );
    expect(() => resolveTools([createNamedTool('add'), new Calculator()])).toThrow(
      createDuplicateError(`0 and 1 (Calculator)${byPrefix}`),
    );
    expect(() => resolveTools([new Calculator(), new Calculator()])).toThrow(
      createDuplicateError(`0 (Calculator) and 1 (Calculator)${byPrefix}`),
    );
  });

  it('count as one if they are the same tool (AEV-05)', () => {
    const [look, calculator] = [createNamedTool('look'), new Calculator()];
    expect(getToolNames(resolveTools([look, calculator, look, calculator]).tools)).toEqual([
      'look',
      'add',
      'multiply',
    ]);
  });

  it('are reduced to the first one if the other comes from a provider (AEV-05)', () => {
    const [own, first, later] = [createNamedTool('look'), createNamedTool('see'), createNamedTool('see')];
    const { tools } = resolveTools([
      toolProvider({ toolsNow: () => [createNamedTool('look'), first] }),
      own,
      toolProvider({ toolsNow: () => [later] }),
    ]);
    expect(tools.map((one) => [own, first, later].indexOf(one))).toEqual([0, 1]);
  });
});

describe('a value that is not a tool', () => {
  const formatNeither = (index: number, what: string): string =>
    `Tool at index ${index} (${what}) is neither a tool nor a tool provider, and its class has no static 'tools' table`;

  it.each<[string, unknown, string]>([
    ['null', null, 'Tool at index 1 must not be null'],
    ['undefined', undefined, 'Tool at index 1 must not be undefined'],
    ['an object without a table', new Plain(), formatNeither(1, 'Plain')],
    [
      'a literal',
      { name: 'look', run: () => 'x' },
      "Tool at index 1 ('look') is the literal of a tool. Pass it to defineTool",
    ],
    ['a list', [createNamedTool('see')], 'Tool at index 1 is a list. Spread it, as in [...tools]'],
    [
      'the literal of a provider',
      { toolsNow: () => [] },
      "Tool at index 1 is the literal of a tool provider. Wrap it in toolProvider({ ... }) from 'holdfast'",
    ],
    ['text', 'look', "Tool at index 1 is 'look'. List the tool itself"],
  ])('is refused with its index: %s (AEV-03)', (_, source, message) => {
    expect(() => resolveTools(asSources(createNamedTool('look'), source))).toThrow(
      new ToolResolutionError(message),
    );
  });

  it('is refused from a provider too', () => {
    const provider = toolProvider({ toolsNow: () => [createNamedTool('look'), {} as AnyTool] });
    expect(() => resolveTools(asSources(provider))).toThrow(
      new ToolResolutionError('Tool at index 1 of tool provider 0 is not a tool'),
    );
  });
});

describe('a value that has tools but is not a tool', () => {
  it.each<[string, object, string]>([
    [
      'a tool group with permissions',
      defineToolGroup({
        role: 'math',
        description: 'Calculates.',
        permissions: ['internet-access', 'host-access'],
        tools: [createNamedTool('add')],
      }),
      "Tool at index 0 is the tool group 'math', which needs internet-access and host-access. Only an agent can allow that. " +
        "List it among the agent's own tools, and allow it there: toolGroup(group, { permissions })",
    ],
    [
      'an agent',
      defineAgent({
        name: 'clerk',
        description: 'Works.',
        instructions: 'Work.',
        tools: [createNamedTool('add')],
      }),
      "Tool at index 0 ('clerk') is an agent. List its tools instead",
    ],
    [
      'an MCP client',
      defineMcpClient({ name: 'wiki', url: 'https://wiki.example/mcp' }),
      "Tool at index 0 ('wiki') is an MCP client. List mcpToolProvider({ clients: [client] }) instead",
    ],
    [
      'an MCP tool factory',
      createMcpToolFactory({ clients: [] }),
      'Tool at index 0 is a factory of MCP tools. List the result of its toolByName or unfolding',
    ],
    [
      'another object with a list of tools',
      { tools: [createNamedTool('add')] },
      "Tool at index 0 (Object) is neither a tool nor a tool provider, and its class has no static 'tools' table",
    ],
  ])('is refused with a hint on how to list its tools: %s (AEV-03)', (_, source, message) => {
    expect(() => resolveTools([source])).toThrow(new ToolResolutionError(message));
  });
});

describe('the name of a tool', () => {
  const createLookTool = (name: string): AnyTool => ({ ...createNamedTool('look'), name });

  it.each([
    ['blank', ' ', "Tool ' ': its name must be 1 to 64 of the characters A-Z a-z 0-9 _ -."],
    [
      'too long',
      'a'.repeat(65),
      `Tool '${'a'.repeat(65)}': its name must be 1 to 64 of the characters A-Z a-z 0-9 _ -.`,
    ],
    ['odd', 'look.up', "Tool 'look.up': its name must be 1 to 64 of the characters A-Z a-z 0-9 _ -."],
  ])(
    'is refused in a list if it is %s, even for a tool without `defineTool` (AEV-02)',
    (_, name, message) => {
      expect(() => resolveTools([createLookTool(name)])).toThrow(ToolDefinitionError);
      expect(() => resolveTools([createLookTool(name)])).toThrow(message);
      expect(() => resolveTools([toolProvider({ toolsNow: () => [createLookTool(name)] })])).toThrow(message);
    },
  );

  it('can contain a hyphen, unless strict names are required (AEV-02)', () => {
    expect(getToolNames(resolveTools([createLookTool('look-up')]).tools)).toEqual(['look-up']);
    const strict = new ToolResolutionError(
      "Tool 'look-up': its name can contain only A-Z, a-z, 0-9 and '_' here",
    );
    const options = { strictNames: true };
    expect(() => resolveTools([createLookTool('look-up')], options)).toThrow(strict);
    expect(() =>
      resolveTools([toolProvider({ toolsNow: () => [createLookTool('look-up')] })], options),
    ).toThrow(strict);
    expect(getToolNames(resolveTools([createLookTool('look_up')], options).tools)).toEqual(['look_up']);
  });
});
