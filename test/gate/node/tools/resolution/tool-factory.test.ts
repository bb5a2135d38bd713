import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AnyTool, defineTool, eachTool, resolveTools, toolProvider } from '../../../../../src/index.ts';
import type { ToolFactory } from '../../../../../src/kinds/entry.ts';
import { defineAgenticTool, defineUnfolding, toolsFor } from '../../../../../src/kinds/entry.ts';
import { requireApproval } from '../../../../../src/modules/decorators/entry.ts';
import { defineToolGroup } from '../../../../../src/modules/tool-groups/entry.ts';
import { toolFactory, toolsOf, toolTable } from '../../../../../src/modules/tool-objects/entry.ts';
import {
  callTools,
  createCrashTool,
  createSession,
  createTool,
  createWarmSession,
  getLastResults,
  getOfferedTools,
} from '../../unfolding/scenes.ts';

let warn = vi.spyOn(console, 'warn');
beforeEach(() => {
  warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
});
afterEach(() => vi.restoreAllMocks());

const COUNT = { effect: 'read' } as const;

class Cart {
  static made = 0;
  static readonly tools = toolTable<Cart>({
    put: { ...COUNT, description: 'Puts one more in.', input: v.object({ item: v.string() }) },
    list: { ...COUNT, description: 'Lists what is in it.' },
  });
  readonly items: string[] = [];
  constructor() {
    Cart.made += 1;
  }
  put({ item }: { item: string }) {
    this.items.push(item);
    return `${this.items.length} in it`;
  }
  list() {
    return this.items.join(', ') || 'nothing';
  }
}

const createCartFactory = () => toolFactory(() => new Cart());
const createPutCall = (item: string) => ['put', { item }] as const;

describe('the product of a factory', () => {
  it('is the same instance for all calls of an invocation, and a new instance in each turn (S0-001)', async () => {
    const session = createWarmSession(
      [createCartFactory()],
      [
        callTools(createPutCall('pen')),
        callTools(createPutCall('ink')),
        callTools('list'),
        'Done.',
        callTools('list'),
        'Done.',
      ],
    );
    await session.send('Go.');
    expect(getLastResults(session)).toEqual(['1 in it', '2 in it', 'pen, ink']);
    await session.send('And now?');
    expect(getLastResults(session).at(-1)).toBe('nothing');
    expect(warn).not.toHaveBeenCalled();
  });

  it('is not shared between sessions', async () => {
    const tools = [createCartFactory()];
    const one = createSession(tools, [callTools(createPutCall('pen')), 'Done.']);
    const other = createSession(tools, [callTools('list'), 'Done.']);
    await one.send('Go.');
    await other.send('Go.');
    expect(getLastResults(other)).toEqual(['nothing']);
  });

  it('is rebuilt in another invocation, which has the same tools', async () => {
    const session = createSession(
      [createCartFactory(), createCrashTool(() => session)],
      [callTools(createPutCall('pen')), callTools('crash'), callTools('list'), 'Done.'],
    );
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed' });
    expect(getLastResults(session)).toEqual(['1 in it', 'crashed', 'nothing']);
  });

  it('is created when its tools are listed, and then at its first call in a turn', async () => {
    Cart.made = 0;
    const session = createSession([createCartFactory()], ['No call.', callTools('list', 'list'), 'Done.']);
    expect(Cart.made).toBe(1);
    await session.send('Go.');
    expect(Cart.made).toBe(1);
    await session.send('Go.');
    expect(Cart.made).toBe(2);
  });

  it('is shared by the loops of an invocation', async () => {
    const shared = createCartFactory();
    const helper = defineAgenticTool({
      name: 'helper',
      description: 'Helps.',
      input: v.object({}),
      tools: [shared],
    });
    const session = createWarmSession(
      [shared, helper],
      [
        callTools(createPutCall('pen')),
        callTools('helper'),
        callTools(createPutCall('ink')),
        'Put.',
        callTools('list'),
        'Done.',
      ],
    );
    await session.send('Go.');
    expect(getLastResults(session)).toEqual(['1 in it', 'Put.', 'pen, ink']);
  });

  it('can be tools with closures, or a list of tools and objects', async () => {
    const createCountingTools = () => {
      let count = 0;
      return [
        defineTool({ name: 'count', description: 'Counts.', effect: 'read', run: () => ++count }),
        new Cart(),
      ];
    };
    const factory = toolFactory(createCountingTools);
    expect(resolveTools([factory]).tools.map(({ name }) => name)).toEqual(['count', 'list', 'put']);
    const session = createWarmSession(
      [factory],
      [callTools('count'), callTools('count', createPutCall('pen')), 'Done.'],
    );
    await session.send('Go.');
    expect(getLastResults(session)).toEqual(['1', '2', '1 in it']);
  });

  it('can be in a group, and its tools can be decorated one by one', async () => {
    const group = defineToolGroup({ role: 'shop', description: 'Shop.', tools: [createCartFactory()] });
    const ran: string[] = [];
    const tools = eachTool(group, (tool) => ({
      ...tool,
      call: (input, call) => {
        ran.push(tool.name);
        return tool.call(input, call);
      },
    }));
    const session = createWarmSession(tools.tools, [
      callTools(createPutCall('pen')),
      callTools('list'),
      'Done.',
    ]);
    await session.send('Go.');
    expect(getLastResults(session)).toEqual(['1 in it', 'pen']);
    expect(ran).toEqual(['put', 'list']);
  });

  it('can require approval before a call, and the call runs on the current instance', async () => {
    const guarded = toolFactory(() => toolsOf(new Cart()).map((tool) => requireApproval(tool, 'May it?')));
    const session = createSession([guarded], [callTools(createPutCall('pen')), 'Done.']);
    expect(await session.send('Go.')).toMatchObject({ outcome: 'suspended' });
  });
});

describe('an unfolding tool from a factory', () => {
  const createHeldTools = () => {
    const items: string[] = [];
    const add = createTool('add', () => `${items.push('one')} in it`);
    return { add, count: createTool('count', () => items.length) };
  };
  const shops: readonly (readonly [string, () => AnyTool, unknown])[] = [
    ['with a list', () => defineUnfolding({ ...SHOP, tools: Object.values(createHeldTools()) }), {}],
    [
      'inside another',
      () =>
        defineUnfolding({
          ...SHOP,
          tools: [defineUnfolding({ ...SHELF, tools: Object.values(createHeldTools()) })],
        }),
      {},
    ],
    [
      'with categories',
      () => defineUnfolding({ ...SHOP, byCategory: { all: Object.values(createHeldTools()) } }),
      { category: 'all' },
    ],
    [
      'from a set that changes',
      () => {
        const tools = Object.values(createHeldTools());
        return defineUnfolding({ ...SHOP, tools: () => tools });
      },
      {},
    ],
    [
      'with a selector',
      () => {
        const tools = Object.values(createHeldTools());
        return defineUnfolding({ ...SHOP, input: v.object({}), select: () => tools });
      },
      {},
    ],
    [
      'that discovers tools',
      () => {
        const tools = Object.values(createHeldTools());
        return defineUnfolding({ ...SHOP, prepare: async () => undefined, tools: () => tools });
      },
      {},
    ],
  ];

  it.each(shops)('opens to the tools of the current invocation: %s', async (_, make, input) => {
    const isNested = make().inner?.[0]?.name === 'shelf';
    const open = [callTools(['shop', input]), ...(isNested ? [callTools('shelf')] : [])];
    const session = createWarmSession(
      [toolFactory(make)],
      [...open, callTools('add'), callTools('add', 'count'), 'Done.', ...open, callTools('count'), 'Done.'],
    );
    await session.send('Go.');
    expect(getLastResults(session).slice(-3)).toEqual(['1 in it', '2 in it', '2']);
    await session.send('Go.');
    expect(getLastResults(session).at(-1)).toBe('0');
  });

  it('can be called with the input of an inner tool', async () => {
    const shop = toolFactory(() => defineUnfolding({ ...SHOP, tools: Object.values(createHeldTools()) }));
    const session = createWarmSession(
      [shop],
      [callTools(['shop', { add: {} }]), callTools('count'), 'Done.'],
    );
    await session.send('Go.');
    expect(getLastResults(session)).toEqual(['1 in it', '1']);
    expect(getOfferedTools(session).at(-1)).toEqual(['shop', 'add', 'count']);
  });

  it('does not run another tool in place of a missing one', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const pay = vi.fn(() => 'paid');
    let isFirst = true;
    const shop = toolFactory(() => {
      const look = isFirst ? [createTool('look')] : [];
      isFirst = false;
      return defineUnfolding({ ...SHOP, tools: [...look, createTool('pay', pay)] });
    });
    const session = createSession([shop], [callTools('shop'), callTools('look'), 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session).at(-1)).toBe(
      "Error: Tool 'look' is not there any more. Do not call it again; go on without it.",
    );
    expect(pay).not.toHaveBeenCalled();
  });

  it('lists its inner tools outside a loop', async () => {
    const [shop] = resolveTools([
      toolFactory(() => defineUnfolding({ ...SHOP, tools: Object.values(createHeldTools()) })),
    ]).tools;
    expect((await toolsFor(shop ?? createTool('none'))).map(({ name }) => name)).toEqual(['add', 'count']);
  });
});

const SHOP = { name: 'shop', description: 'Shops.' };
const SHELF = { name: 'shelf', description: 'Holds.' };

describe('an invalid factory', () => {
  const createFactory = (value: unknown): ToolFactory => toolFactory(() => value as AnyTool); // as untyped callers can

  it.each<[string, ToolFactory, string]>([
    [
      'undefined',
      createFactory(undefined),
      process.env.NODE_ENV === 'production'
        ? 'Tool at index 0 is not a tool and has no tools'
        : 'Tool at index 0 must not be undefined',
    ],
    [
      'a promise',
      createFactory(Promise.resolve(createTool('look'))),
      'the function of toolFactory returns a promise. Make the object synchronously, and await inside its tools',
    ],
    [
      'a provider',
      createFactory(toolProvider({ toolsNow: () => [] })),
      'The list contains a tool provider, which a tool factory cannot make. List it next to the factory',
    ],
  ])('is refused when its tools are listed if it returns %s', (_, factory, message) => {
    expect(() => resolveTools([factory])).toThrow(message);
  });

  it('is refused when it is created from a class or an object instead of a function', () => {
    expect(() => toolFactory(Cart as never)).toThrow(
      new TypeError(
        'toolFactory received the class Cart. Pass a function, as in toolFactory(() => new Cart()).',
      ),
    );
    expect(() => toolFactory(new Cart() as never)).toThrow(
      new TypeError('toolFactory received an object. Pass a function, as in toolFactory(() => new Cart()).'),
    );
  });

  it('fails the call of a tool that it no longer returns, and logs an error', async () => {
    const console_ = vi.spyOn(console, 'error').mockImplementation(() => {});
    let isFirst = true;
    const factory = toolFactory(() => {
      const tool = createTool(isFirst ? 'look' : 'see');
      isFirst = false;
      return tool;
    });
    const session = createSession([factory], [callTools('look'), 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([
      "Error: Tool 'look' is not there any more. Do not call it again; go on without it.",
    ]);
    expect(console_).toHaveBeenCalledExactlyOnceWith("holdfast: a tool factory no longer makes 'look'.");
  });

  it('is omitted inside itself, and a warning names the path', () => {
    const circle: ToolFactory = toolFactory(() => [new Cart(), circle as never]);
    const { tools } = resolveTools([circle]);
    expect(tools.map(({ name }) => name)).toEqual(['list', 'put']);
    expect(warn.mock.calls).toEqual([
      [
        'holdfast: a source of tools must not contain itself, so the last of these is left out: ' +
          'Cart, a tool factory > Cart, a tool factory',
      ],
    ]);
  });

  it('is omitted when it is nested too deeply, and a warning names the path', () => {
    const createDeepFactory = (): ToolFactory => toolFactory(() => createDeepFactory() as never);
    expect(resolveTools([createDeepFactory(), createTool('look')]).tools.map(({ name }) => name)).toEqual([
      'look',
    ]);
    expect(warn.mock.calls).toEqual([
      [
        'holdfast: a source of tools must not be nested more than 16 deep, so the last of these is left out: ' +
          Array.from({ length: 17 }, () => 'a tool factory').join(' > '),
      ],
    ]);
  });
});
