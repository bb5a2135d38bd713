/** Methods that are tools because of a class field, and tools in plain objects. */
import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import { type AnyTool, defineAgent, ToolCallContext } from '../../../../../src/index.ts';
import {
  type ToolTable,
  toolMethod,
  toolsOf,
  toolsOfAll,
  unfoldingOf,
} from '../../../../../src/modules/tool-objects/entry.ts';
import { createTestSession } from '../../../../../src/testing/entry.ts';
import { createFakeInvocation } from '../fake-invocation.ts';

const Amount = v.object({ amount: v.number() });
const getToolNames = (tools: readonly AnyTool[]) => tools.map(({ name }) => name);
const callTool = async (tools: readonly AnyTool[], name: string, input = {}, context = {}) => {
  const found = tools.find((tool) => tool.name === name);
  if (!found) throw new Error(`There is no tool '${name}' in ${getToolNames(tools)}.`);
  return (await found.call(input, createFakeInvocation(name, ToolCallContext.of(context)).call)).text();
};

class Till {
  #total = 0;
  readonly add = toolMethod(
    { description: 'Adds an amount.', input: Amount, effect: 'idempotent', category: 'money', timeout: 5 },
    ({ amount }) => {
      this.#total += amount;
      return this.#total;
    },
  );
  readonly total = toolMethod({ description: 'Tells.', effect: 'read' }, function (this: Till) {
    return this.#total;
  });
  protected readonly whose = toolMethod({ description: 'Tells whose.', name: 'tell_whose' }, (_, call) =>
    String(call.context.get('tenantId')),
  );
  static readonly currency = toolMethod({ description: 'Tells the currency.' }, function (this: typeof Till) {
    return this.code;
  });
  static readonly code: string = 'EUR';
  readonly label = 'a till';
}

describe('a tool method', () => {
  it('is found on the object with its options, even if TypeScript makes it private (S0-002)', () => {
    const tools = toolsOf(new Till());
    expect(getToolNames(tools)).toEqual(['add', 'currency', 'tell_whose', 'total']);
    expect(tools[0]).toMatchObject({
      description: 'Adds an amount.',
      effect: 'idempotent',
      metadata: { category: 'money' },
      inputSchema: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
    });
    expect(tools[1]).toMatchObject({ effect: 'once', metadata: {} });
  });

  it('runs on its object as an arrow function, as a function, and when the class calls it', async () => {
    const till = new Till();
    const tools = toolsOf(till);
    const others = toolsOf(new Till());
    expect(await callTool(tools, 'add', { amount: 2 })).toBe('2');
    expect(till.add({ amount: 3 })).toBe(5);
    expect(await callTool(tools, 'total')).toBe('5');
    expect(await callTool(others, 'total')).toBe('0');
    expect(await callTool(tools, 'tell_whose', {}, { tenantId: 'acme' })).toBe('acme');
  });

  it('accepts numbers in quotes, and refuses values that its schema refuses', async () => {
    const tools = toolsOf(new Till());
    expect(await callTool(tools, 'add', { amount: '2' })).toBe('2');
    expect(await callTool(tools, 'add', { amount: 'two' })).toBe(
      "The input of tool 'add' is not valid:\n" +
        '- amount: Invalid type: Expected number but received "two"\n' +
        'Call it again with a corrected input.',
    );
  });

  it('can be static: it is found on the class and on each object, and runs on the class', async () => {
    expect(getToolNames(toolsOf(Till))).toEqual(['currency']);
    expect(await callTool(toolsOf(Till), 'currency')).toBe('EUR');
    expect(await callTool(toolsOf(new Till()), 'currency')).toBe('EUR');
  });

  it('is not found on a class if only its objects have it', () => {
    class Objects {
      readonly add = toolMethod({ description: 'Adds.' }, () => 1);
    }
    expect(() => toolsOf(Objects)).toThrow(
      expect.objectContaining({
        name: 'ToolObjectError',
        object: 'Objects',
        message: 'The class Objects has no static tools. For those of its instances take one: new Objects().',
      }),
    );
  });

  it('is not found in a #private field, because other code cannot see that field', () => {
    class Hiding {
      readonly #add = toolMethod({ description: 'Adds.' }, () => 1);
      twice() {
        return this.#add() * 2;
      }
    }
    expect(new Hiding().twice()).toBe(2);
    expect(() => toolsOf(new Hiding())).toThrow(
      "No tools found on Hiding. Make its methods tools with toolMethod, in fields that are not #private, or describe them in a static 'tools' table.",
    );
  });

  it('is inherited, and can be overridden in a subclass, even if it is static', async () => {
    class Base {
      readonly one = toolMethod({ description: 'Base one.' }, () => this.word());
      readonly two: object = toolMethod({ description: 'Base two.' }, () => 'base');
      readonly three: unknown = toolMethod({ description: 'Base three.' }, () => 'base');
      static readonly four: object = toolMethod({ description: 'Base four.' }, () => 'base');
      static readonly five = toolMethod({ description: 'Base five.' }, function (this: typeof Base) {
        return this.name;
      });
      word() {
        return 'base';
      }
    }
    class Derived extends Base {
      override readonly two = toolMethod({ description: 'Derived two.' }, () => 'derived');
      override readonly three = undefined;
      static override readonly four = toolMethod({ description: 'Derived four.' }, () => 'derived');
      override word() {
        return 'derived';
      }
    }
    const tools = toolsOf(new Derived());
    expect(tools.map(({ description }) => description)).toEqual([
      'Base five.',
      'Derived four.',
      'Base one.',
      'Derived two.',
    ]);
    expect(await callTool(tools, 'one')).toBe('derived');
    expect(await callTool(tools, 'five')).toBe('Derived');
    expect(getToolNames(toolsOf(new Base()))).toEqual(['five', 'four', 'one', 'three', 'two']);
  });

  it('works together with a table, inside an unfolding tool and in lists', async () => {
    class Both {
      static readonly tools = { now: { description: 'Tells the time.' } } satisfies ToolTable<Both>;
      static readonly unfolding = { name: 'clock', description: 'Tells times.' };
      readonly zone = toolMethod({ description: 'Tells the zone.', category: 'place' }, () => 'UTC');
      now() {
        return 'noon';
      }
    }
    expect(getToolNames(unfoldingOf(new Both()).inner ?? [])).toEqual(['zone', 'now']);
    expect(getToolNames(toolsOf(new Both()))).toEqual(['clock']);
    expect(getToolNames(toolsOfAll([new Till(), new Both()], { prefix: 'x_' }))).toEqual([
      'x_add',
      'x_clock',
      'x_currency',
      'x_tell_whose',
      'x_total',
    ]);
    const agent = defineAgent({
      name: 'clerk',
      description: 'Helps.',
      instructions: '',
      tools: [new Till()],
    });
    const adds = { calls: [{ name: 'add', input: { amount: 7 } }] };
    const session = createTestSession(agent, { replies: [adds, 'Done.'] });
    await session.send('Add.');
    expect(session.requests[1]?.messages.at(-1)?.text).toBe('7');
  });

  it('is called through a proxy, which intercepts the call', async () => {
    const seen: PropertyKey[] = [];
    const proxy = new Proxy(new Till(), {
      get(target, key) {
        seen.push(key);
        return Reflect.get(target, key);
      },
    });
    const tools = toolsOf(proxy);
    seen.length = 0;
    expect(await callTool(tools, 'add', { amount: 1 })).toBe('1');
    expect(seen).toContain('add');
  });

  it('is looked up at the time of the call, so that a test can replace it', async () => {
    const till = new Till();
    const tools = toolsOf(till);
    vi.spyOn(till, 'add').mockReturnValue(42);
    expect(await callTool(tools, 'add', { amount: 1 })).toBe('42');
  });

  it('reconciles with access to its object', async () => {
    class Charges {
      readonly #done = 'charged';
      readonly charge = toolMethod(
        {
          description: 'Charges.',
          input: Amount,
          reconcile: ({ amount }) => ({ done: `${this.#done} ${amount}` }),
        },
        () => 'charged',
      );
    }
    const { call, leaves } = createFakeInvocation('charge');
    await toolsOf(new Charges())[0]?.call({ amount: 3 }, call);
    expect(await leaves[0]?.reconcile?.({ ...call, startedAt: 5 })).toEqual({
      done: 'charged 3',
    });
  });

  it('appears by name in the error about an invalid definition', () => {
    const wrong = { description: 'Adds.', efect: 'read' };
    expect(() => toolsOf({ add: toolMethod(wrong, () => 1) })).toThrow(
      "Tool 'add': it has an unknown option 'efect'. Did you mean 'effect'?",
    );
    class Spaced {
      readonly 'add up' = toolMethod({ description: 'Adds.' }, () => 1);
    }
    expect(() => toolsOf(new Spaced())).toThrow(
      "Tool 'add up': its name must be 1 to 64 of the characters A-Z a-z 0-9 _ -.",
    );
  });
});

describe('two tools of one object with the same name', () => {
  it.each<[object, string]>([
    [
      new (class Pair {
        readonly one = toolMethod({ description: '1', name: 'same' }, () => 1);
        readonly two = toolMethod({ description: '2', name: 'same' }, () => 2);
      })(),
      "Pair has two tools named 'same': its field 'one' and its field 'two'. Give one of them another name.",
    ],
    [
      new (class Pair {
        readonly one = toolMethod({ description: '1' }, () => 1);
        static readonly one = toolMethod({ description: '2' }, () => 2);
      })(),
      "Pair has two tools named 'one': its field 'one' and its static field 'one'. Give one of them another name.",
    ],
    [
      new (class Pair {
        static readonly tools = { one: { description: '1' } };
        readonly one = toolMethod({ description: '2' }, () => 2);
      })(),
      "Pair has two tools named 'one': its field 'one' and 'one' of its static 'tools'. Give one of them another name.",
    ],
    [
      new (class Pair {
        static readonly tools = { one: { description: '1', name: 'two' }, two: { description: '2' } };
        one() {}
        two() {}
      })(),
      "Pair has two tools named 'two': 'one' of its static 'tools' and 'two' of its static 'tools'. Give one of them another name.",
    ],
  ])('cause an error that includes both places', (object, message) => {
    expect(() => toolsOf(object)).toThrow(expect.objectContaining({ name: 'ToolObjectError', message }));
  });
});

describe('the tools of a plain object', () => {
  const prices = toolsOf({
    price: {
      description: 'Tells a price.',
      input: v.object({ sku: v.string() }),
      effect: 'read',
      run: ({ sku }) => `${sku}: 7`,
    },
    charge: {
      description: 'Charges.',
      input: Amount,
      category: 'money',
      run: ({ amount }, call) => `${amount} of ${call.context.get('tenantId')}`,
    },
  });

  it('are named by their keys, sorted, and have the options of their entries', async () => {
    expect(getToolNames(prices)).toEqual(['charge', 'price']);
    expect(prices[0]).toMatchObject({
      description: 'Charges.',
      effect: 'once',
      metadata: { category: 'money' },
    });
    expect(await callTool(prices, 'price', { sku: 'a' })).toBe('a: 7');
    expect(await callTool(prices, 'charge', { amount: '3' }, { tenantId: 'acme' })).toBe('3 of acme');
  });

  it('can be renamed, filtered and listed', () => {
    const one = { one: { description: 'x', run: () => 1 }, two: { description: 'x', run: () => 2 } };
    expect(getToolNames(toolsOf(one, { prefix: 'x_', filter: (name) => name === 'one' }))).toEqual(['x_one']);
    const agent = defineAgent({
      name: 'clerk',
      description: 'Helps.',
      instructions: '',
      tools: [...toolsOf(one)],
    });
    expect(getToolNames(agent.tools)).toEqual(['one', 'two']);
  });

  it('can be named run, tools and description, and can be mixed with tool methods', () => {
    const createEntry = (description: string) => ({ description, run: () => description });
    const both: object = { one: createEntry('x'), two: toolMethod({ description: 'x' }, () => 'y') };
    expect(getToolNames(toolsOf(both))).toEqual(['one', 'two']);
    expect(
      getToolNames(
        toolsOf({ run: createEntry('x'), tools: createEntry('y'), description: createEntry('z') }),
      ),
    ).toEqual(['description', 'run', 'tools']);
  });

  it.each<[object, string]>([
    [
      { one: { description: 'x', run: () => 1 }, two: 7 },
      "'two' of a plain object of tools is 7. Use { description, run }.",
    ],
    [
      { one: { description: 'x', run: () => 1 }, two: prices[0] },
      "'two' of a plain object of tools is already a tool. List it by itself.",
    ],
    [
      { one: { description: 'x', run: () => 1 }, two: { description: 'x' } },
      "Tool 'two': it has no 'run'. Use a function, or defineManualTool from 'holdfast/answers' where the caller runs it.",
    ],
    [
      { one: { descripton: 'x', run: () => 1 } },
      "Tool 'one': it has an unknown option 'descripton'. Did you mean 'description'?",
    ],
    [
      { one: { description: ' ', run: () => 1 } },
      "Tool 'one': its description is blank. The model chooses tools by their descriptions.",
    ],
    [
      { one: { name: 'two', description: 'x', run: () => 1 } },
      "Tool 'one': it has a `name`, but its key is its name. Remove `name`.",
    ],
    [
      {},
      "No tools found on Object. Make its methods tools with toolMethod, in fields that are not #private, or describe them in a static 'tools' table.",
    ],
  ])('are refused with the problem: %o', (object, message) => {
    expect(() => toolsOf(object)).toThrow(message);
  });
});
