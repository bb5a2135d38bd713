import { describe, expect, it } from 'vitest';
import {
  type AnyTool,
  defineTool,
  resolveTools,
  ToolDefinitionError,
  type ToolProvider,
  type ToolProviderConfig,
  toolProvider,
} from '../../../../../src/index.ts';
import {
  createRequiredToolProvider,
  getDiscoverySteps,
  mapProviderTools,
  runDiscovery,
} from '../../../../doors/tools.ts';
import { captureWarnings } from '../../../../fixtures/warnings.ts';
import { createFakeInvocation } from '../fake-invocation.ts';

const createNamedTool = (name: string): AnyTool =>
  defineTool({ name, description: 'Does.', effect: 'read', run: () => name });
const createProvider = (...names: readonly string[]): ToolProvider =>
  toolProvider({ toolsNow: () => names.map(createNamedTool) });

const { call, discovery } = createFakeInvocation('a');
const { view } = call;

const getToolNames = (tools: readonly AnyTool[]): string[] => tools.map(({ name }) => name);

describe('a placeholder for required tools', () => {
  it('is the same tool each time, and exists for each name that no provider returns (TGR-06)', () => {
    const warned = captureWarnings();
    const provider = createRequiredToolProvider(
      ['a', 'b', 'a', 'c'],
      [createProvider('b'), createProvider('d')],
    );
    const standIns = provider.toolsNow(view);
    expect(getToolNames(standIns)).toEqual(['a', 'c']);
    expect(provider.toolsNow(view)).toEqual(standIns);
    expect(provider.toolsNow(view)[0]).toBe(standIns[0]);
    expect(warned).toHaveLength(2);
  });

  it('does not exist outside a loop, because missing tools are unknown there (MCP-10)', () => {
    expect(createRequiredToolProvider(['a'], [createProvider()]).toolsNow()).toEqual([]);
  });

  it('accepts any input, and lists the available tools up to a limit', async () => {
    captureWarnings();
    const many = Array.from({ length: 1000 }, (_, index) => `tool_${index}`);
    const [standIn] = createRequiredToolProvider(['a'], [createProvider(...many)]).toolsNow(view);
    expect(await standIn?.check({ any: 'thing' })).toEqual({ ok: true, value: { any: 'thing' } });
    const result = await standIn?.call({}, call);
    expect(result?.text()).toMatch(
      /^Required tool 'a' not found\. Available tools: tool_0, tool_1, tool_10, /,
    );
    expect(result?.text()).toHaveLength("Required tool 'a' not found. Available tools: ".length + 2000);
  });

  it('is refused with an invalid name', () => {
    expect(() => createRequiredToolProvider(['a b'], [])).toThrow(ToolDefinitionError);
  });
});

describe('a provider with a mapping of its tools', () => {
  it('returns the mapped tools, and omits those that map to `undefined`', () => {
    const [keep, drop] = [createNamedTool('keep'), createNamedTool('drop')];
    const provider = mapProviderTools(toolProvider({ toolsNow: () => [keep, drop] }), (one) =>
      one === drop ? undefined : { ...one, description: 'Changed.' },
    );
    const [changed, ...more] = provider.toolsNow();
    expect([changed?.name, changed?.description, more]).toEqual(['keep', 'Changed.', []]);
    expect(provider.toolsNow()[0]).toBe(changed);
  });

  it('discovers and describes itself as before, even if it is an instance of a class', async () => {
    class Shelf implements ToolProviderConfig {
      readonly key = 'shelf';
      readonly about = { name: 'Books' };
      toolsNow = () => [];
      async discover() {
        return [{ slice: this.key, fact: 1 }];
      }
      missing(name: string) {
        return `${this.key} lacks ${name}`;
      }
    }
    const provider = mapProviderTools(toolProvider(new Shelf()), (one) => one);
    expect(await runDiscovery(getDiscoverySteps(provider), discovery)).toEqual([{ slice: 'shelf', fact: 1 }]);
    expect([provider.about, provider.missing?.('a', [])]).toEqual([{ name: 'Books' }, 'shelf lacks a']);
  });

  it('is refused if it returns a value that is not a tool', () => {
    const provider = mapProviderTools(toolProvider({ toolsNow: () => [{} as AnyTool] }), ({ name }) =>
      createNamedTool(name.trim()),
    );
    expect(() => resolveTools([provider])).toThrow('Tool at index 0 of tool provider 0 is not a tool');
  });
});
