import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import {
  type AnyTool,
  type CallContext,
  defineAgent,
  defineTool,
  ToolCallContext,
} from '../../../../../src/index.ts';
import {
  hasTools,
  type ToolTable,
  toolsOf,
  toolsOfAll,
  toolsOfSafely,
  toolTable,
} from '../../../../../src/modules/tool-objects/entry.ts';
import { createTestSession } from '../../../../../src/testing/entry.ts';
import { createFakeInvocation } from '../fake-invocation.ts';
import { Calculator } from './calculator.ts';

const getToolNames = (tools: readonly AnyTool[]) => tools.map(({ name }) => name);
const findTool = (tools: readonly AnyTool[], name: string): AnyTool => {
  const found = tools.find((tool) => tool.name === name);
  if (!found) throw new Error(`There is no tool '${name}' in ${getToolNames(tools)}.`);
  return found;
};
const callTool = async (tools: readonly AnyTool[], name: string, input = {}, context = {}) =>
  findTool(tools, name).call(input, createFakeInvocation(name, ToolCallContext.of(context)).call);

describe('the tools of an object', () => {
  it('are only the methods that its class describes (ANN-03, ANN-15)', () => {
    expect(getToolNames(toolsOf(new Calculator()))).toEqual([
      'add',
      'divide',
      'forget',
      'report',
      'tell_words',
      'whose',
    ]);
  });

  it('have the options from the table (ANN-01, ANN-15)', () => {
    const tools = toolsOf(new Calculator());
    expect(findTool(tools, 'add')).toMatchObject({
      description: 'Adds two numbers.',
      effect: 'read',
      returnDirect: false,
      metadata: { category: 'arithmetic' },
    });
    expect(findTool(tools, 'report')).toMatchObject({ returnDirect: true, metadata: { cost: 3 } });
    expect(findTool(tools, 'forget')).toMatchObject({ effect: 'idempotent', serial: 'memory', metadata: {} });
  });

  it('describe their parameters, which are required by default (ANN-02)', () => {
    expect(findTool(toolsOf(new Calculator()), 'add').inputSchema).toEqual({
      type: 'object',
      properties: {
        a: { type: 'integer', description: 'First number' },
        b: { type: 'number', default: 1 },
      },
      required: ['a'],
    });
  });

  it('need a description (ANN-01)', () => {
    class Mute {
      static tools = { speak: { description: '' } } satisfies ToolTable<Mute>;
      speak() {}
    }
    expect(() => toolsOf(new Mute())).toThrow(
      "Tool 'speak': its description is blank. The model chooses tools by their descriptions.",
    );
  });

  it('run on their object, and can use its private members (ANN-06)', async () => {
    const tools = toolsOf(new Calculator());
    const others = toolsOf(new Calculator());
    await callTool(tools, 'add', { a: 1 });
    await callTool(tools, 'add', { a: 2, b: 3 });
    expect({ ...(await callTool(tools, 'report')) }).toEqual({
      type: 'artifact',
      content: '2 sums',
      value: { sums: [2, 5] },
    });
    expect((await callTool(others, 'report')).text()).toBe('0 sums');
  });

  it('return results like every other tool (ANN-06, S0-002)', async () => {
    const tools = toolsOf(new Calculator());
    expect({ ...(await callTool(tools, 'divide', { a: 1, b: 2 })) }).toEqual({
      type: 'artifact',
      value: { quotient: 0.5 },
    });
    expect((await callTool(tools, 'forget')).text()).toBe('Done');
    expect({ ...(await callTool(tools, 'tell_words')) }).toEqual({ type: 'text', content: 'as it is' });
    expect((await callTool(tools, 'add', { a: 1 })).text()).toBe('2');
  });

  it('receive the context in addition to their input, and the model does not see it (CTX-07)', async () => {
    const tools = toolsOf(new Calculator('ada'));
    expect((await callTool(tools, 'whose', {}, { tenantId: 'acme' })).text()).toBe('ada for acme');
    expect((await callTool(tools, 'whose')).text()).toBe('ada for undefined');
    expect(findTool(tools, 'whose').inputSchema).toEqual({ type: 'object', properties: {} });
  });

  it('omit the context from their schema, and keep the defaults of optional inputs (CTX-07)', async () => {
    const Search = v.object({
      query: v.string(),
      limit: v.optional(v.number(), 10),
      tag: v.optional(v.string()),
    });
    class Desk {
      static readonly tools = toolTable<Desk>({
        search: { description: 'Searches.', input: Search, effect: 'read' },
        tenant: { description: 'Tells.', effect: 'read' },
      });
      search({ query, limit, tag }: v.InferOutput<typeof Search>, { context }: CallContext) {
        return `${query} ${limit} ${tag} of ${context.get('tenantId')}`;
      }
      tenant(_: Record<string, never>, { context }: CallContext) {
        return `${[...context.keys()].length} keys`;
      }
    }
    const agent = defineAgent({
      name: 'clerk',
      description: 'Works.',
      instructions: '',
      tools: [new Desk()],
      policies: { loopIds: 'as-sent' },
    });
    const both = { calls: [{ name: 'search', input: { query: 'kelp' } }, { name: 'tenant' }] };
    const session = createTestSession(agent, { replies: [both, 'Done.', both, 'Done.'] });
    await session.send('Without.');
    await session.send('With.', { context: { tenantId: 'acme' } });
    expect(session.requests[0]?.tools.map(({ name, inputSchema }) => [name, inputSchema])).toEqual([
      [
        'search',
        {
          type: 'object',
          properties: {
            query: { type: 'string' },
            limit: { type: 'number', default: 10 },
            tag: { type: 'string' },
          },
          required: ['query'],
        },
      ],
      ['tenant', { type: 'object', properties: {} }],
    ]);
    const results = session.requests[3]?.messages.flatMap(({ role, text }) =>
      role === 'tool' ? [text] : [],
    );
    expect(results).toEqual([
      'kelp 10 undefined of undefined',
      '0 keys',
      'kelp 10 undefined of acme',
      '1 keys',
    ]);
  });

  it('can be private or static, and can belong to a class inside a function (ANN-06, S0-002)', async () => {
    class Inner {
      static readonly tools = {
        hidden: { description: 'Is private.', effect: 'read' },
        count: { description: 'Counts.', effect: 'read' },
      };
      static #count = 0;
      static count() {
        Inner.#count += 1;
        return Inner.#count;
      }
      readonly #word = 'private';
      private hidden() {
        return this.#word;
      }
      static readonly unused = Inner.prototype.hidden;
    }
    const tools = toolsOf(new Inner());
    expect((await callTool(tools, 'hidden')).text()).toBe('private');
    expect((await callTool(tools, 'count')).text()).toBe('1');
    expect(() => toolsOf(Inner)).toThrow(
      "The static 'tools' of Inner list 'hidden', which is not one of its methods.",
    );
  });

  it('are the static methods if the object is a class (ANN-06)', async () => {
    class Clock {
      static readonly tools = { now: { description: 'Tells the time.', effect: 'read' } };
      static readonly #time = 'noon';
      static now() {
        return Clock.#time;
      }
      readonly zone = 'UTC';
    }
    expect((await callTool(toolsOf(Clock), 'now')).text()).toBe('noon');
  });

  it("are described by the object's own table if the object is plain (ANN-15)", async () => {
    const desk = {
      tools: { greet: { description: 'Greets.', effect: 'read' } },
      word: 'hi',
      greet() {
        return this.word;
      },
    };
    expect((await callTool(toolsOf(desk), 'greet')).text()).toBe('hi');
  });

  it('include the tools of its base classes and their tables, unless they are overridden', async () => {
    class Base {
      static readonly tools: object = {
        one: { description: 'Base one.', effect: 'read' },
        two: { description: 'Base two.', effect: 'read' },
      };
      one() {
        return 'base';
      }
      two() {
        return 'base';
      }
    }
    class Derived extends Base {
      static override readonly tools = {
        two: { description: 'Derived two.', effect: 'read' },
        three: { description: 'Derived three.', effect: 'read' },
      };
      override one() {
        return 'derived';
      }
      three() {
        return 'derived';
      }
    }
    class Silent extends Derived {}
    const tools = toolsOf(new Silent());
    expect(tools.map(({ description }) => description)).toEqual([
      'Base one.',
      'Derived three.',
      'Derived two.',
    ]);
    expect((await callTool(tools, 'one')).text()).toBe('derived');
    expect(getToolNames(toolsOf(new Base()))).toEqual(['one', 'two']);
  });

  it('can reconcile by another method of the object', async () => {
    class Till {
      static readonly tools = {
        charge: { description: 'Charges.', input: v.object({ card: v.string() }), reconcile: 'found' },
      } satisfies ToolTable<Till>;
      charge({ card }: { card: string }) {
        return card;
      }
      found({ card }: { card: string }, { startedAt }: CallContext) {
        return card === '7' ? { done: `charged, as of ${startedAt}` } : ('not-done' as const);
      }
    }
    const { call, leaves } = createFakeInvocation('charge');
    await findTool(toolsOf(new Till()), 'charge').call({ card: '7' }, call);
    const doubtful = { ...call, startedAt: 5 };
    expect(await leaves[0]?.reconcile?.(doubtful)).toEqual({ done: 'charged, as of 5' });
    class Wrong {
      static readonly tools = { charge: { description: 'Charges.', reconcile: 'find' } };
      charge() {}
    }
    expect(() => toolsOf(new Wrong())).toThrow(
      "The static 'tools' of Wrong list 'find', which is not one of its methods.",
    );
  });
});

describe('an object behind a proxy or facade', () => {
  it('is read through a proxy, which intercepts the calls (ANN-13)', async () => {
    const seen: PropertyKey[] = [];
    const proxy = new Proxy(new Calculator('ada'), {
      get(target, key) {
        const member: unknown = Reflect.get(target, key);
        if (typeof member !== 'function') return member;
        return (...given: unknown[]) => {
          seen.push(key);
          return Reflect.apply(member, target, given);
        };
      },
    });
    const tools = toolsOf(proxy);
    expect((await callTool(tools, 'add', { a: 1, b: 2 })).text()).toBe('3');
    expect(seen).toEqual(['add']);
  });

  it('is asked for a method when it is called, so a method can be replaced', async () => {
    const calculator = new Calculator();
    const tools = toolsOf(calculator);
    vi.spyOn(calculator, 'add').mockReturnValue(42);
    expect((await callTool(tools, 'add', { a: 1 })).text()).toBe('42');
    Object.assign(calculator, { add: 7 });
    await expect(callTool(tools, 'add', { a: 1 })).rejects.toThrow(
      "'add' is no longer a method of Calculator.",
    );
  });

  it('has no tools if a proxy hides its class (ANN-13)', () => {
    const debug = vi.spyOn(console, 'debug').mockImplementation(() => {});
    const hiding = new Proxy(new Calculator(), { getPrototypeOf: () => null });
    expect(toolsOfSafely(hiding)).toEqual([]);
    expect(debug).toHaveBeenCalledOnce();
    debug.mockRestore();
  });
});

describe('an object without tools', () => {
  class Plain {
    power() {
      return 1;
    }
  }
  const NONE =
    'No tools found on Plain. Make its methods tools with toolMethod, in fields that are not #private, ' +
    "or describe them in a static 'tools' table.";

  it('is refused with an error that names its class (ANN-03)', () => {
    expect(() => toolsOf(new Plain())).toThrow(
      expect.objectContaining({ name: 'ToolObjectError', object: 'Plain', message: NONE }),
    );
    expect(() => toolsOf(Object.assign(new Plain(), { tools: { power: { description: 'x' } } }))).toThrow(
      NONE,
    );
  });

  it.each<[unknown]>([
    [new Plain()],
    [{}],
    [() => 1],
    [null],
    [undefined],
    ['text'],
    [7],
    [[new Calculator()]],
    [Object.create(null)],
  ])(
    'leads to an empty list from toolsOfSafely, and the reason is logged at debug level: %o (ANN-04)',
    (object) => {
      const debug = vi.spyOn(console, 'debug').mockImplementation(() => {});
      expect(toolsOfSafely(object)).toEqual([]);
      expect(debug).toHaveBeenCalledOnce();
      debug.mockRestore();
    },
  );

  it.each<[boolean, string, unknown]>([
    [true, 'an instance', new Calculator()],
    [true, 'a class', Calculator],
    [true, 'a plain object with a table', { tools: { go: { description: 'Goes.' } }, go() {} }],
    [true, 'a tool', toolsOf(new Calculator())[0]],
    [true, 'an invalid table', { tools: { ad: { description: 'Adds.' } } }],
    [false, 'a plain object', new Plain()],
    [false, 'an empty table', { tools: {} }],
    [false, 'a list of tools', toolsOf(new Calculator())],
    [false, 'undefined', undefined],
    [false, 'null', null],
    [false, 'a text', 'add'],
    [false, 'an object without a prototype', Object.create(null)],
    [
      false,
      'an object that throws on access',
      new Proxy(
        {},
        {
          getPrototypeOf: () => {
            throw new Error('No.');
          },
        },
      ),
    ],
  ])('hasTools returns %s for %s, without a log line (AEV-09, S1-11)', (has, _, object) => {
    const debug = vi.spyOn(console, 'debug').mockImplementation(() => {});
    expect([hasTools(object), debug.mock.calls]).toEqual([has, []]);
    debug.mockRestore();
  });

  it('returns an empty list from toolsOfSafely for an invalid table, and logs its problem (ANN-04)', () => {
    class Wrong {
      static readonly tools = { ad: { description: 'Adds.' } };
      add() {}
    }
    const debug = vi.spyOn(console, 'debug').mockImplementation(() => {});
    expect(toolsOfSafely(new Wrong())).toEqual([]);
    expect(debug.mock.calls[0]?.[1]).toMatchObject({
      message: "The static 'tools' of Wrong list 'ad', which is not one of its methods.",
    });
    debug.mockRestore();
  });

  it('toolsOfSafely returns the tools of an object that has tools (ANN-04)', () => {
    expect(getToolNames(toolsOfSafely(new Calculator(), { prefix: 'c_' }))).toContain('c_add');
  });
});

describe('the names of object tools (ANN-12)', () => {
  const options = { filter: (name: string) => ['add', 'tell_words'].includes(name) };

  it('can be derived from the method names, with a prefix', () => {
    expect(getToolNames(toolsOf(new Calculator(), { ...options, prefix: 'calc_' }))).toEqual([
      'calc_add',
      'calc_tell_words',
    ]);
    const renameMethod = (name: string) => (name === 'add' ? 'zum' : name.toUpperCase());
    expect(getToolNames(toolsOf(new Calculator(), { ...options, naming: renameMethod }))).toEqual([
      'TELL_WORDS',
      'zum',
    ]);
    expect(
      getToolNames(toolsOf(new Calculator(), { ...options, naming: renameMethod, prefix: 'x-' })),
    ).toEqual(['x-TELL_WORDS', 'x-zum']);
  });

  it('are filtered before the prefix is added', () => {
    const seen: string[] = [];
    const filter = (name: string) => {
      seen.push(name);
      return false;
    };
    expect(toolsOf(new Calculator(), { filter, prefix: 'calc_' })).toEqual([]);
    expect(seen.toSorted()).toEqual(['add', 'divide', 'forget', 'report', 'tell_words', 'whose']);
  });

  it('are refused if they contain invalid characters', () => {
    expect(() => toolsOf(new Calculator(), { prefix: 'calc.' })).toThrow(
      "Tool 'calc.add': its name must be 1 to 64 of the characters A-Z a-z 0-9 _ -.",
    );
  });

  it('work in calls, which receive the context and the input (TOOL-18)', async () => {
    const tools = toolsOf(new Calculator('ada'), { prefix: 'calc_' });
    expect((await callTool(tools, 'calc_whose', {}, { tenantId: 'acme' })).text()).toBe('ada for acme');
  });

  it('are unique, because only the first of two tools with the same name is kept', () => {
    const tools = toolsOf(new Calculator(), { ...options, naming: () => 'same' });
    expect(tools.map(({ name, description }) => [name, description])).toEqual([
      ['same', 'Adds two numbers.'],
    ]);
  });
});

describe('the tools of several objects (ANN-12)', () => {
  class Clock {
    static readonly tools = { now: { description: 'Tells the time.' }, add: { description: 'Adds time.' } };
    now() {}
    add() {}
  }
  const search = defineTool({ name: 'search', description: 'Searches.', run: () => 'found' });
  const takes = ['add', 'now', 'search', 'tell_words'];
  const filter = (name: string) => takes.includes(name);

  it('form one sorted list with plain tools, and only the first tool of each name is kept', () => {
    const tools = toolsOfAll([search, new Clock(), new Calculator()], { filter });
    expect(tools.map(({ name, description }) => [name, description])).toEqual([
      ['add', 'Adds time.'],
      ['now', 'Tells the time.'],
      ['search', 'Searches.'],
      ['tell_words', 'Tells.'],
    ]);
    expect(findTool(tools, 'search')).toBe(search);
    expect(getToolNames(toolsOfAll([search, new Clock()], { prefix: 'x_' }))).toEqual([
      'x_add',
      'x_now',
      'x_search',
    ]);
  });

  it('cannot be read with toolsOf, and the error suggests toolsOfAll', () => {
    const message = 'An iterable (Array) is not a tool object. Use toolsOfAll for a list of objects.';
    expect(() => toolsOf([new Calculator()])).toThrow(
      expect.objectContaining({ name: 'ToolObjectError', object: 'Array', message }),
    );
    expect(() => toolsOf(new Set([new Calculator()]))).toThrow('An iterable (Set) is not a tool object');
    expect(() => toolsOfAll([[new Calculator()]])).toThrow(message);
  });
});
