import { describe, expect, it } from 'vitest';
import { ToolCallContext } from '../../../../src/index.ts';
import {
  defineToolCallingOptions,
  isInternalToolExecutionEnabled,
  mergeToolCallingOptions,
  mergeToolContext,
  mergeToolNames,
  mergeTools,
  ToolCallingError,
  validateTools,
  withToolContext,
} from '../../../../src/modules/tool-calling/entry.ts';
import { createReadingTool } from '../tool-loop/scenes.ts';

const [a, b, c] = [createReadingTool('a'), createReadingTool('b'), createReadingTool('c')];

describe('defineToolCallingOptions', () => {
  it('accepts tools, names, internal execution, a context and model settings (SPA-01, SPA-10, S4-06)', () => {
    const output = { name: 'answer', schema: { type: 'object' } };
    const asked = {
      ...{ model: 'm', temperature: 0.7, maxTokens: 100, topK: 5, topP: 0.9 },
      ...{ frequencyPenalty: 0.1, presencePenalty: 0.2, stopSequences: ['END'], output },
    };
    const options = defineToolCallingOptions({
      tools: [a],
      toolNames: ['b', 'c', 'b'],
      internalToolExecutionEnabled: false,
      toolContext: { tenant: 't1' },
      ...asked,
    });
    const { toolContext, ...rest } = options;
    expect(rest).toEqual({
      tools: [a],
      toolNames: ['b', 'c'],
      internalToolExecutionEnabled: false,
      ...asked,
    });
    expect(toolContext.toJSON()).toEqual({ tenant: 't1' });
  });

  it('returns empty and frozen options by default (SPA-07)', () => {
    const tools = [a];
    const options = defineToolCallingOptions({ tools });
    tools.push(b);
    expect(options.tools).toEqual([a]);
    expect(() => (options.tools as unknown[]).push(b)).toThrow(TypeError);
    expect(() => (options.toolNames as unknown[]).push('b')).toThrow(TypeError);
    expect(() => Object.assign(options, { temperature: 1 })).toThrow(TypeError);
    expect(defineToolCallingOptions()).toEqual({
      tools: [],
      toolNames: [],
      toolContext: ToolCallContext.EMPTY,
    });
  });

  it.each([
    [{ tools: [a, null] }, 'ToolCallingOptions: tools[1] is null.'],
    [{ toolNames: [undefined] }, 'ToolCallingOptions: toolNames[0] is undefined.'],
  ])('throws for unknown fields: %#', (config, message) => {
    const define = defineToolCallingOptions as (config: object) => unknown; // The types forbid this.
    expect(() => define(config)).toThrow(new TypeError(message));
  });

  it('accepts further context values, and keeps the earlier ones (SPA-07, S4-06)', () => {
    const first = defineToolCallingOptions({ toolContext: { user: 'ann', locale: 'de' } });
    const second = withToolContext(withToolContext(first, { session: 's1' }), { locale: 'fr' });
    expect(second.toolContext.toJSON()).toEqual({ user: 'ann', locale: 'fr', session: 's1' });
    expect(first.toolContext.toJSON()).toEqual({ user: 'ann', locale: 'de' });
  });
});

describe('isInternalToolExecutionEnabled', () => {
  it.each<[object, boolean]>([
    [{ internalToolExecutionEnabled: true }, true],
    [{ internalToolExecutionEnabled: null }, true],
    [{ internalToolExecutionEnabled: undefined }, true],
    [{}, true],
    [{ temperature: 1 }, true],
    [{ internalToolExecutionEnabled: false }, false],
  ])('returns for the options %j the value %j (SPA-02)', (options, enabled) => {
    expect(isInternalToolExecutionEnabled(options)).toBe(enabled);
  });

  it('throws without options (SPA-02)', () => {
    expect(() => isInternalToolExecutionEnabled(null as never)).toThrow(
      new TypeError('The options are missing.'),
    );
  });
});

describe('merging', () => {
  it.each<[readonly string[] | undefined, readonly string[] | undefined, readonly string[]]>([
    [['a'], ['b'], ['a']],
    [[], ['b'], ['b']],
    [undefined, ['b'], ['b']],
    [['a'], undefined, ['a']],
    [undefined, undefined, []],
  ])(
    'merges the names %j with the default names %j into the list %j, as a copy (SPA-03)',
    (runtime, defaults, merged) => {
      const names = mergeToolNames(runtime, defaults);
      expect(names).toEqual(merged);
      expect([runtime, defaults]).not.toContain(names);
    },
  );

  it('uses the tools of the request, or the default tools if the request has none (SPA-04)', () => {
    expect(mergeTools([a], [b, c])).toEqual([a]);
    expect(mergeTools([], [b, c])).toEqual([b, c]);
    expect(mergeTools(undefined, [b, c])).toEqual([b, c]);
    expect(mergeTools(undefined, undefined)).toEqual([]);
  });

  it('uses the values of both contexts, and those of the request win (SPA-05)', () => {
    const defaults = ToolCallContext.of({ env: 'prod', locale: 'de' });
    expect(mergeToolContext({ locale: 'fr', request: 'r1' }, defaults).toJSON()).toEqual({
      env: 'prod',
      locale: 'fr',
      request: 'r1',
    });
    expect(mergeToolContext(undefined, undefined)).toBe(ToolCallContext.EMPTY);
    expect(defaults.toJSON()).toEqual({ env: 'prod', locale: 'de' });
  });

  it('replaces the tools, merges the contexts, and overrides the other options (SPA-03, SPA-04, SPA-05)', () => {
    const defaults = defineToolCallingOptions({
      ...{ tools: [a], toolNames: ['x', 'y'], toolContext: { env: 'production' }, temperature: 0.7, topK: 3 },
    });
    const merged = mergeToolCallingOptions(
      { tools: [b], toolContext: { requestId: 'req_123' }, temperature: 0.9, maxTokens: undefined },
      defaults,
    );
    expect(merged).toEqual(
      defineToolCallingOptions({
        tools: [b],
        toolNames: ['x', 'y'],
        toolContext: { env: 'production', requestId: 'req_123' },
        temperature: 0.9,
        topK: 3,
      }),
    );
  });
});

describe('tools with the same name', () => {
  it('are all listed in one error (SPA-06)', () => {
    let thrown: unknown;
    try {
      validateTools([a, b, createReadingTool('a'), c, createReadingTool('b'), createReadingTool('a')]);
    } catch (failure) {
      thrown = failure;
    }
    expect(thrown).toBeInstanceOf(ToolCallingError);
    expect(thrown).toMatchObject({
      message: 'Multiple tools with the same name (a, b) found in ToolCallingOptions',
      problem: 'duplicate-tools',
      tools: ['a', 'b'],
    });
  });

  it('are also an error in defineToolCallingOptions (SPA-06)', () => {
    expect(() => defineToolCallingOptions({ tools: [a, createReadingTool('a')] })).toThrow(
      'Multiple tools with the same name (a) found in ToolCallingOptions',
    );
    expect(() => validateTools([a, b, c])).not.toThrow();
  });
});
