/** Definitions that the types forbid, but that plain JavaScript or a cast can pass. */

import { describe, expect, it } from 'vitest';
import { defineTextTool, defineTool, ToolDefinitionError } from '../../../../src/index.ts';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import { toolsOf } from '../../../../src/modules/tool-objects/entry.ts';

const base = { name: 'pay', description: 'Pays.' };
const run = (): string => 'paid';

const defineAnyTool = (config: object) => (): unknown => defineTool({ ...base, ...config } as never);
const defineAnyTextTool = (config: object) => (): unknown => defineTextTool({ ...base, ...config } as never);
const defineMethodTool = (entry: object) => (): unknown => {
  class Cashier {
    static readonly tools = { pay: { description: 'Pays.', ...entry } };
    pay() {
      return 'paid';
    }
  }
  return toolsOf(new Cashier());
};

function expectRefused(define: () => unknown, field: string, problem: string): void {
  expect(define).toThrow(new ToolDefinitionError('pay', field, problem));
  expect(define).toThrow(expect.objectContaining({ tool: 'pay', field, message: `Tool 'pay': ${problem}` }));
}

describe('an unknown effect', () => {
  const LIST = "It must be 'read' or 'idempotent' or 'once'.";

  it.each<[unknown, string]>([
    ['Once', `its effect is 'Once'. ${LIST} Did you mean 'once'?`],
    [' ONCE ', `its effect is ' ONCE '. ${LIST} Did you mean 'once'?`],
    ['read-only', `its effect is 'read-only'. ${LIST} Did you mean 'read'?`],
    ['Idempotant', `its effect is 'Idempotant'. ${LIST} Did you mean 'idempotent'?`],
    ['write', `its effect is 'write'. ${LIST}`],
    ['none', `its effect is 'none'. ${LIST}`],
    ['', `its effect is ''. ${LIST}`],
    [null, `its effect is 'null'. ${LIST}`],
    [Symbol('once'), `its effect is 'Symbol(once)'. ${LIST}`],
  ])('is refused when the tool is defined, with a list of the valid effects: %s', (effect, problem) => {
    expectRefused(defineAnyTool({ effect, run }), 'effect', problem);
    expectRefused(defineAnyTextTool({ effect, run }), 'effect', problem);
    expectRefused(defineMethodTool({ effect }), 'effect', problem);
  });

  it('is not reported for a valid effect or for the safe default', () => {
    const effects = ['read', 'idempotent', 'once', undefined] as const;
    expect(effects.map((effect) => defineTool({ ...base, effect, run }).effect)).toEqual([
      'read',
      'idempotent',
      'once',
      'once',
    ]);
  });
});

describe('an option name of another library', () => {
  it.each<[string, object, string]>([
    ['execute', { execute: run }, "it has 'execute' instead of 'run'. Rename it."],
    ['execute', { execute: run, effect: 'once' }, "it has 'execute' instead of 'run'. Rename it."],
    [
      'parameters',
      { parameters: { type: 'object' }, run },
      "it has 'parameters' instead of 'input'. Rename it.",
    ],
    [
      'inputSchema',
      { inputSchema: { type: 'object' }, run },
      "it has 'inputSchema' instead of 'input'. Rename it.",
    ],
    [
      'inputSchema',
      { inputSchema: { type: 'object' }, execute: run },
      "it has 'inputSchema' instead of 'input'. Rename it.",
    ],
  ])('is reported in the error, and the tool does not become a manual tool: %s', (field, config, problem) => {
    expectRefused(defineAnyTool(config), field, problem);
  });

  it.each(['parameters', 'inputSchema'])('is named in the error for the table of a class: %s', (field) => {
    const problem = `it has '${field}' instead of 'input'. Rename it.`;
    expectRefused(defineMethodTool({ [field]: { type: 'object' } }), field, problem);
  });

  it.each(['input', 'parameters', 'inputSchema'])(
    'is reported in the error about a text tool, which accepts no input schema: %s',
    (field) => {
      const problem = `it has '${field}', but a text tool only takes text. Use defineTool.`;
      expectRefused(defineAnyTextTool({ [field]: { type: 'object' }, run }), field, problem);
    },
  );

  it('is named in the error for a text tool without `run`', () => {
    expectRefused(
      defineAnyTextTool({ execute: run }),
      'execute',
      "it has 'execute' instead of 'run'. Rename it.",
    );
  });

  it('is ignored if our own option is also set, or if its value is undefined', () => {
    const both = {
      execute: run,
      parameters: {},
      inputSchema: {},
      run,
      input: jsonSchema({ type: 'object' }),
    };
    expect(defineAnyTool(both)()).toMatchObject({ name: 'pay', effect: 'once' });
  });
});
