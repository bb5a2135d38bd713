import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type AnyTool, artifact, defineDomainType, defineTool, type Json } from '../../../../src/index.ts';
import { chainAny, chainFrom, defineUnfolding, discover } from '../../../../src/kinds/entry.ts';
import {
  inspect,
  type LoopInspector,
  type ModelCallSeen,
  type ToolCallSeen,
  type ToolsChangeSeen,
} from '../../../../src/modules/inspect/entry.ts';
import { captureWarnings } from '../../../fixtures/warnings.ts';
import {
  callTools,
  createAnsweringTool,
  createClerk,
  createReturningTool,
  getOfferedTools,
  getResults,
  runTurn,
} from './scenes.ts';

const Order = defineDomainType({
  name: 'Order',
  schema: v.object({ number: v.number(), of: v.string() }),
  id: ({ number }) => number,
  tools: ({ number, of }) => [createAnsweringTool('ship', () => `Shipped ${number} of ${of}.`)],
});
const Customer = defineDomainType({
  name: 'Customer',
  schema: v.object({ id: v.nullish(v.string()), name: v.string() }),
  tools: (customer) => [
    defineTool({
      name: 'average_spend',
      description: 'What the customer spends on average.',
      input: v.object({ months: v.optional(v.number(), 12) }),
      effect: 'read',
      run: ({ months }) => ({ of: customer.name, months }),
    }),
    createReturningTool('orders', Order, () => [
      { number: 1, of: customer.name },
      { number: 2, of: customer.name },
    ]),
  ],
});
const createCustomer = (id: string) => ({ id, name: `Name of ${id}` });
const createListingTool = (...found: readonly Json[]) =>
  createReturningTool('list', Customer, () => artifact('Listed.', found));
const createOneTool = (id: string) => createReturningTool('one', Customer, createCustomer(id));

/** Returns the names of the additional tools in each model call of a turn with one tool. */
async function playDiscovery(
  tool: ReturnType<typeof createReturningTool>,
  replies: Parameters<typeof runTurn>[1],
  chaining = [discover(Customer)],
) {
  const { session } = await runTurn(createClerk([tool], chaining), replies);
  const brought = getOfferedTools(session).map((names) => names.filter((name) => name !== tool.name));
  return { session, brought, read: getResults(session) };
}

describe('a discovered type', () => {
  it('offers the tools of each returned object, with its id in their names (TPR-01, TPR-02)', async () => {
    const replies = [callTools('one'), callTools(['customer_c1_average_spend', {}])];
    const { brought, read, session } = await playDiscovery(createOneTool('c1'), replies);
    expect(brought).toEqual([
      [],
      ['customer_c1_average_spend', 'customer_c1_orders'],
      ['customer_c1_average_spend', 'customer_c1_orders'],
    ]);
    expect(read[1]).toBe('{"of":"Name of c1","months":12}');
    expect(session.requests[1]?.tools[1]).toEqual({
      name: 'customer_c1_average_spend',
      description:
        'What the customer spends on average.\n\nNote: This tool belongs to the Customer with the id "c1".',
      inputSchema: { type: 'object', properties: { months: { type: 'number', default: 12 } } },
    });
  });

  it('can have its own prefix, and can use a number as its id (TPR-02)', async () => {
    const Invoice = defineDomainType({
      name: 'Invoice',
      schema: v.object({ at: v.object({ no: v.number() }) }),
      id: ({ at }) => at.no,
      prefix: 'inv',
      tools: ({ at }) => [createAnsweringTool('pay', () => `Paid ${at.no}.`)],
    });
    const tool = createReturningTool('find', Invoice, { at: { no: 17 } });
    const { session } = await runTurn(createClerk([tool], [discover(Invoice)]), [
      callTools('find'),
      callTools('inv_17_pay'),
    ]);
    expect(getResults(session)[1]).toBe('Paid 17.');
  });

  it('offers the tools of several objects at once, including every element of a list (TPR-04, CHN-08)', async () => {
    const list = createListingTool(createCustomer('c1'), null, createCustomer('c2'));
    const replies = [callTools('list'), callTools('customer_c1_average_spend', 'customer_c2_average_spend')];
    const { brought, read } = await playDiscovery(list, replies);
    expect(brought[1]).toEqual([
      'customer_c1_average_spend',
      'customer_c1_orders',
      'customer_c2_average_spend',
      'customer_c2_orders',
    ]);
    expect(read).toEqual(['Listed.', '{"of":"Name of c1","months":12}', '{"of":"Name of c2","months":12}']);
  });

  it('adds the full id to the metadata of its tools (TPR-03)', async () => {
    const seen: ToolCallSeen[] = [];
    const inspector: LoopInspector = { beforeToolCall: (call) => seen.push(call) };
    const agent = createClerk([createOneTool('é/c 1')], [discover(Customer)], { use: [inspect(inspector)] });
    const { session } = await runTurn(agent, [callTools('one')]);
    const name =
      getOfferedTools(session)[1]?.find((tool) => tool.endsWith('orders') || tool.includes('orders')) ?? '';
    expect(name).toMatch(/^customer_c1_orders_[0-9a-z]{1,7}$/);
    await runTurn(agent, [callTools('one'), callTools(name)]);
    expect(seen.at(-1)?.metadata).toEqual({ domainType: 'Customer', instanceId: 'é/c 1' });
  });

  it('must be listed to be discovered (TPR-11)', async () => {
    const { session } = await runTurn(createClerk([createOneTool('c1')]), [callTools('one')]);
    expect(getOfferedTools(session)).toEqual([['one'], ['one']]);
  });

  it('is found only in artifacts of the type, never in text or similar values (TPR-15)', async () => {
    const tools = [
      createAnsweringTool('text', JSON.stringify(createCustomer('c1'))),
      createAnsweringTool('row', createCustomer('c1')),
      createAnsweringTool('rows', [createCustomer('c1')]),
    ];
    const { session } = await runTurn(createClerk(tools, [discover(Customer)]), [
      callTools('text', 'row', 'rows'),
    ]);
    expect(getOfferedTools(session)[1]).toEqual(['row', 'rows', 'text']);
  });

  it('ignores objects that its predicate refuses', async () => {
    const some = discover(Customer, { when: ({ id }) => id !== 'c1' });
    const { brought } = await playDiscovery(
      createListingTool(createCustomer('c1'), createCustomer('c2')),
      [callTools('list')],
      [some],
    );
    expect(brought[1]).toEqual(['customer_c2_average_spend', 'customer_c2_orders']);
  });

  it('keeps the position of an object that is returned again, and uses its new value (TPR-08, TPR-06)', async () => {
    let times = 0;
    const again = createReturningTool('again', Customer, () => {
      times += 1;
      return { id: 'c1', name: `Name ${times}` };
    });
    const replies = [callTools('again'), callTools('again'), callTools('customer_c1_average_spend')];
    const { brought, read } = await playDiscovery(again, replies);
    expect(brought.at(-1)).toEqual(['customer_c1_average_spend', 'customer_c1_orders']);
    expect(read[2]).toBe('{"of":"Name 2","months":12}');
  });

  it('also finds objects that tools of its objects return (TPR-07, S2-27)', async () => {
    const replies = [callTools('one'), callTools('customer_c1_orders'), callTools('order_2_ship')];
    const { session } = await runTurn(
      createClerk([createOneTool('c1')], [discover(Customer), discover(Order)]),
      replies,
    );
    expect(getOfferedTools(session)[2]).toEqual([
      'one',
      'customer_c1_average_spend',
      'customer_c1_orders',
      'order_1_ship',
      'order_2_ship',
    ]);
    expect(getResults(session)[2]).toBe('Shipped 2 of Name of c1.');
  });

  it('can be chained as well, which offers the tools of the newest object in addition (CHN-08)', async () => {
    const { session } = await runTurn(
      createClerk([createOneTool('c1')], [chainFrom(Customer), discover(Customer)]),
      [callTools('one')],
    );
    expect(getOfferedTools(session)[1]).toEqual([
      'average_spend',
      'one',
      'orders',
      'customer_c1_average_spend',
      'customer_c1_orders',
    ]);
  });

  it('can use values from the scope of its definition (TPR-17)', async () => {
    const books = new Map([['c1', 70]]);
    const createAccountType = (repository: ReadonlyMap<string, number>) =>
      defineDomainType({
        name: 'Account',
        schema: v.object({ id: v.string() }),
        tools: ({ id }) => [createAnsweringTool('balance', () => `${repository.get(id)}`)],
      });
    const Account = createAccountType(books);
    const { session } = await runTurn(
      createClerk([createReturningTool('find', Account, { id: 'c1' })], [discover(Account)]),
      [callTools('find'), callTools('account_c1_balance')],
    );
    expect(getResults(session)[1]).toBe('70');
  });
});

describe('too many tools', () => {
  it('cause the tools of the oldest objects to be dropped, and the model sees which ones (TPR-07, S2-27)', async () => {
    const few = [discover(Customer, { max: 4 })];
    const { session } = await runTurn(
      createClerk([createListingTool(createCustomer('c1'), createCustomer('c2')), createOneTool('c3')], few),
      [callTools('list'), callTools('one')],
    );
    expect(getOfferedTools(session)[2]?.filter((name) => name.includes('_'))).toEqual([
      'customer_c2_average_spend',
      'customer_c2_orders',
      'customer_c3_average_spend',
      'customer_c3_orders',
    ]);
    expect(getResults(session)[1]).toBe(
      '{"id":"c3","name":"Name of c3"}\n\n' +
        'Only the newest 4 tools of Customer objects are offered. ' +
        'Not offered: customer_c1_average_spend, customer_c1_orders.',
    );
  });

  it('cause tools of the first objects in a list to be dropped and 20 to be reported (TPR-07)', async () => {
    const ids = Array.from({ length: 43 }, (_, at) => `c${at + 1}`);
    const { brought, read } = await playDiscovery(createListingTool(...ids.map(createCustomer)), [
      callTools('list'),
    ]);
    expect(brought[1]).toHaveLength(64);
    const left = ids.slice(0, 11).flatMap((id) => [`customer_${id}_average_spend`, `customer_${id}_orders`]);
    expect(read).toEqual([
      'Listed.\n\n' +
        'Only the newest 64 tools of Customer objects are offered. ' +
        `Not offered: ${left.slice(0, 20).join(', ')} and 2 more.`,
    ]);
  });

  it('are cut to the limit if they belong to one object', async () => {
    const { brought } = await playDiscovery(
      createOneTool('c1'),
      [callTools('one')],
      [discover(Customer, { max: 1 })],
    );
    expect(brought[1]).toEqual(['customer_c1_average_spend']);
  });

  it('are counted separately for each type', async () => {
    const replies = [callTools('one'), callTools('customer_c1_orders')];
    const agent = createClerk(
      [createOneTool('c1')],
      [discover(Customer, { max: 2 }), discover(Order, { max: 1 })],
    );
    const { session } = await runTurn(agent, replies);
    expect(getOfferedTools(session)[2]).toEqual([
      'one',
      'customer_c1_average_spend',
      'customer_c1_orders',
      'order_2_ship',
    ]);
  });

  it('are reported in the log and to the model (S2-27)', async () => {
    const warned = captureWarnings();
    const few = [discover(Customer, { max: 4 })];
    const ids = Array.from({ length: 43 }, (_, at) => `c${at + 1}`);
    await runTurn(
      createClerk([createListingTool(createCustomer('c1'), createCustomer('c2')), createOneTool('c3')], few),
      [callTools('list'), callTools('one')],
    );
    expect(warned).toEqual([
      "holdfast: a result of 'one' brings more tools of Customer objects than the 4 that are offered: 2 are left out",
    ]);
    await playDiscovery(createListingTool(...ids.map(createCustomer)), [callTools('list')]);
    expect(warned.slice(1)).toEqual([
      "holdfast: a result of 'list' brings more tools of Customer objects than the 64 that are offered: 22 are left out",
    ]);
  });

  it('are logged if they exceed 64 for several types together (S2-27)', async () => {
    const warned = captureWarnings();
    const many = Array.from({ length: 30 }, (_, at) => createCustomer(`c${at}`));
    const bought = Array.from({ length: 6 }, (_, at) => ({ number: at, of: 'c' }));
    const orders = createReturningTool('orders', Order, () => artifact('Listed.', bought));
    const agent = createClerk([createListingTool(...many), orders], [discover(Customer), discover(Order)]);
    const { session } = await runTurn(agent, [callTools('list'), callTools('orders'), callTools('orders')]);
    expect(getOfferedTools(session).map(({ length }) => length)).toEqual([2, 62, 68, 68]);
    expect(warned).toEqual([
      "holdfast: with a result of 'orders' 66 tools of discovered objects are offered: models choose worse among so many",
    ]);
  });

  it('cause an error if their limit is zero or a fraction', () => {
    expect(() => discover(Customer, { max: 0 })).toThrow(
      "Domain type 'Customer' is discovered with a max of 0. Use a positive whole number.",
    );
    expect(() => discover(Customer, { max: 1.5 })).toThrow(/with a max of 1\.5/);
  });
});

describe('an object that cannot be discovered', () => {
  it.each<[string, Json, string]>([
    ['an object without an id', { name: 'x' }, "domain type 'Customer' missing instanceIdProperty: id"],
    ['an object whose id is null', { id: null, name: 'x' }, 'Instance ID cannot be null'],
    ['an object whose id is blank', { id: '', name: 'x' }, 'Instance ID cannot be null'],
    [
      'an object whose id is a megabyte long',
      { id: 'x'.repeat(1024 * 1024), name: 'x' },
      "domain type 'Customer' is invalid: its id is longer than 256 characters",
    ],
    [
      'an object that its schema refuses',
      { id: 'c1' },
      'domain type \'Customer\' is invalid: name: Invalid key: Expected "name" but received undefined',
    ],
  ])(
    '%s is logged and skipped, while other objects and the result are kept (TPR-05)',
    async (_, value, problem) => {
      const warned = captureWarnings();
      const { brought, read } = await playDiscovery(createListingTool(value, createCustomer('c2'), value), [
        callTools('list'),
      ]);
      expect(brought[1]).toEqual(['customer_c2_average_spend', 'customer_c2_orders']);
      expect(read).toEqual(['Listed.']);
      expect(warned).toEqual([`holdfast: a result of 'list' adds no tools: ${problem} (2 objects)`]);
    },
  );

  it('is skipped and logged if a later object has the same id (TPR-09)', async () => {
    const warned = captureWarnings();
    const list = createListingTool({ id: 'c1', name: 'First' }, { id: 'c1', name: 'Last' });
    const { brought, read } = await playDiscovery(list, [
      callTools('list'),
      callTools('customer_c1_average_spend'),
    ]);
    expect(brought[1]).toHaveLength(2);
    expect(read[1]).toBe('{"of":"Last","months":12}');
    expect(warned).toEqual([
      "holdfast: a result of 'list' adds no tools: a later object of domain type 'Customer' has the same id",
    ]);
  });

  it('is skipped and logged if its tools or its id throw (TPR-05)', async () => {
    const warned = captureWarnings();
    const Odd = defineDomainType({
      name: 'Odd',
      schema: v.object({ id: v.string() }),
      id: ({ id }) => {
        if (id === 'a') throw new Error('The id is missing.');
        return id === 'd' ? Number.NaN : id;
      },
      tools: ({ id }) => {
        if (id === 'b') throw new Error('The tools are missing.');
        return id === 'c' ? [] : [createAnsweringTool('show', 'Shown.')];
      },
    });
    const list = createReturningTool(
      'list',
      Odd,
      ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id })),
    );
    const { session } = await runTurn(createClerk([list], [discover(Odd)]), [callTools('list')]);
    expect(getOfferedTools(session)[1]).toEqual(['list', 'odd_e_show']);
    expect(warned).toEqual([
      "holdfast: a result of 'list' adds no tools: domain type 'Odd' is invalid: its id is neither a string nor a number",
      "holdfast: a result of 'list' adds no tools: domain type 'Odd' is invalid: its id cannot be read: The id is missing.",
      "holdfast: a result of 'list' adds no tools: domain type 'Odd' is invalid: its tools cannot be made: The tools are missing.",
    ]);
  });
});

describe('the note about discovered objects', () => {
  it('is omitted by default, and lists the new tools below the result on request (TPR-10)', async () => {
    const hinted = [discover(Customer, { hint: true })];
    const { read } = await playDiscovery(
      createListingTool(createCustomer('c1'), createCustomer('c2')),
      [callTools('list')],
      hinted,
    );
    expect(read).toEqual([
      'Listed.\n\n_availableOperations: customer_c1_average_spend, customer_c1_orders, ' +
        'customer_c2_average_spend, customer_c2_orders',
    ]);
    const { read: untold } = await playDiscovery(createListingTool(createCustomer('c1')), [
      callTools('list'),
    ]);
    expect(untold).toEqual(['Listed.']);
  });

  it('is journaled with the call, and is visible in the state and to inspectors (TPR-12)', async () => {
    const seen: ModelCallSeen[] = [];
    const inspector: LoopInspector = { beforeModelCall: (call) => seen.push(call) };
    const agent = createClerk([createOneTool('c1')], [discover(Customer)], { use: [inspect(inspector)] });
    const { session } = await runTurn(agent, [callTools('one')]);
    const ends = (await session.events()).flatMap((event) =>
      event.type === 'tool-call-ended' ? (event.changes?.facts ?? []) : [],
    );
    const found = { id: 'c1', tools: ['average_spend', 'orders'] };
    expect(ends).toEqual([
      {
        slice: 'chaining',
        fact: { as: 'many', key: '', type: 'Customer', max: 64, objects: [{ at: -1, ...found }] },
        at: expect.any(Number),
      },
    ]);
    expect((await session.state()).memories.get('chaining')).toMatchObject([
      { path: 'clerk', as: 'many', type: 'Customer', ...found, value: createCustomer('c1') },
    ]);
    expect(seen.map(({ iteration, tools }) => [iteration, tools.length])).toEqual([
      [1, 1],
      [2, 3],
    ]);
  });

  it('reports the new tools to inspectors, with their type and object (S2-22)', async () => {
    const seen: ToolsChangeSeen[] = [];
    const inspector: LoopInspector = { toolsChanged: (change) => seen.push(change) };
    const agent = createClerk([createOneTool('c1')], [discover(Customer)], { use: [inspect(inspector)] });
    await runTurn(agent, [callTools('one')]);
    const whose = { domainType: 'Customer', instanceId: 'c1' };
    expect(seen.map(({ came, metadata }) => came.map((name) => [name, metadata(name)]))).toEqual([
      [
        ['customer_c1_average_spend', whose],
        ['customer_c1_orders', whose],
      ],
    ]);
    expect(seen[0]?.metadata('one')).toEqual({});
    expect(seen[0]?.broughtBy('customer_c1_orders')).toEqual({ by: 'object', ...whose });
    expect(seen[0]?.broughtBy('one')).toBeUndefined();
    const [change] = seen;
    Object.assign(change?.metadata('customer_c1_orders') ?? {}, { instanceId: 'c2' });
    expect(change?.metadata('customer_c1_orders')).toEqual(whose);
  });

  it('reports the source of each tool to inspectors, such as an object of chainAny or an unfolding tool', async () => {
    const seen: ToolsChangeSeen[] = [];
    const files = defineUnfolding({
      name: 'files',
      description: 'Files.',
      tools: [createAnsweringTool('read', 'Read.')],
    });
    const inspector: LoopInspector = { toolsChanged: (change) => seen.push(change) };
    const agent = createClerk([createOneTool('c1'), files], [chainAny()], { use: [inspect(inspector)] });
    await runTurn(agent, [callTools('one', 'files')]);
    const [change] = seen;
    const names = ['average_spend', 'orders', 'read', 'files'];
    expect(names.map((name) => change?.broughtBy(name))).toEqual([
      { by: 'object', domainType: 'Customer', instanceId: 'c1' },
      { by: 'object', domainType: 'Customer', instanceId: 'c1' },
      { by: 'unfolding', tool: 'files' },
      undefined,
    ]);
  });

  it('lists the tools beyond `maxDepth` for the model and in the log (TPR-07, S2-27)', async () => {
    const warned = captureWarnings();
    const Page = defineDomainType({
      name: 'Page',
      schema: v.object({ id: v.number() }),
      tools: ({ id }): readonly AnyTool[] => [
        defineTool({
          name: 'next',
          description: 'The next page.',
          effect: 'read',
          run: () => artifact('Next.', { name: 'Page' }, { id: id + 1 }),
        }),
      ],
    });
    const first = createReturningTool('first', Page, { id: 1 });
    const replies = [
      callTools('first'),
      callTools('page_1_next'),
      callTools('page_2_next'),
      callTools('first'),
    ];
    const { brought, read } = await playDiscovery(first, replies, [discover(Page, { maxDepth: 2 })]);
    expect(brought).toEqual([
      [],
      ['page_1_next'],
      ['page_1_next', 'page_2_next'],
      ['page_1_next', 'page_2_next'],
      ['page_1_next', 'page_2_next'],
    ]);
    expect(read[2]).toBe(
      'Next.\n\nTools of Page objects are offered to a depth of 2, as objects lead to others. Not offered: page_3_next.',
    );
    expect(warned).toEqual([
      "holdfast: a result of 'page_2_next' has Page objects beyond the depth of 2: 1 tools are left out",
    ]);
  });

  it('does not count a deeper level if a tool returns its own object', async () => {
    const Loop = defineDomainType({
      name: 'Ring',
      schema: v.object({ id: v.number() }),
      tools: (ring): readonly AnyTool[] => [
        defineTool({
          name: 'again',
          description: 'The same.',
          effect: 'read',
          run: () => artifact('Again.', { name: 'Ring' }, ring),
        }),
      ],
    });
    const replies = [callTools('first'), callTools('ring_1_again'), callTools('ring_1_again')];
    const chaining = [discover(Loop, { maxDepth: 1 })];
    const { read } = await playDiscovery(createReturningTool('first', Loop, { id: 1 }), replies, chaining);
    expect(read.slice(1)).toEqual(['Again.', 'Again.']);
  });

  it.each([0, 1.5, -1, Number.NaN])('is refused for a maxDepth of %s', (maxDepth) => {
    expect(() => discover(Order, { maxDepth })).toThrow(
      `is discovered with a maxDepth of ${maxDepth}. Use a positive whole number`,
    );
  });

  it('can be tested with any tool that returns an object, or with a stub (TPR-16, S2-30)', async () => {
    const expected = createReturningTool('expected', Customer, () =>
      artifact('Found.', createCustomer('c1')),
    );
    const { brought } = await playDiscovery(expected, [callTools('expected')]);
    expect(brought[1]).toEqual(['customer_c1_average_spend', 'customer_c1_orders']);
    const stubs = { one: () => createCustomer('c7') };
    const agent = createClerk([createOneTool('c1')], [discover(Customer)]);
    const replies = [callTools('one'), callTools('customer_c7_average_spend')];
    const { session } = await runTurn(agent, replies, { stubs });
    expect(getOfferedTools(session)[1]).toEqual(['one', 'customer_c7_average_spend', 'customer_c7_orders']);
    expect(getResults(session)[1]).toBe('{"of":"Name of c7","months":12}');
  });
});

describe('hostile ids', () => {
  it.each([
    '__proto__',
    'constructor',
    'toString',
    '日本',
    '../../etc',
    'a b',
    '\u0000',
    '\ud800',
    'x'.repeat(255),
  ])(
    '%j leads to tool names that every provider accepts and that are unique to the object (TPR-03)',
    async (id) => {
      const list = createListingTool(createCustomer('c1'), createCustomer(id), createCustomer(`${id}!`));
      const { brought, session } = await playDiscovery(list, [callTools('list')]);
      const names = brought[1] ?? [];
      expect(names).toHaveLength(6);
      expect(names.filter((name) => !/^customer_[A-Za-z0-9_-]{1,55}$/.test(name))).toEqual([]);
      const bindings = (await session.state()).memories.get('chaining');
      expect(bindings).toMatchObject([{ id: 'c1' }, { id }, { id: `${id}!` }]);
    },
  );

  it('never let one name refer to different objects over time', async () => {
    const Item = defineDomainType({
      name: 'Item',
      schema: v.object({ id: v.string() }),
      tools: ({ id }) => [
        createAnsweringTool('x', () => `x of ${id}`),
        createAnsweringTool('b_x', () => `b_x of ${id}`),
      ],
    });
    const agent = createClerk(
      [createReturningTool('first', Item, { id: 'a' }), createReturningTool('second', Item, { id: 'a_b' })],
      [discover(Item)],
    );
    const [ofA, ofAB] = ['item_a_b_x_1k7hlfk', 'item_a_b_x_u0nzjg'];
    const { session } = await runTurn(agent, [
      ...[
        callTools('first'),
        callTools('second'),
        callTools(ofA, ofAB),
        callTools('first'),
        callTools(ofA, ofAB),
      ],
    ]);
    expect(getResults(session).slice(2, 4)).toEqual(['b_x of a', 'x of a_b']);
    expect(getResults(session).slice(-2)).toEqual(['b_x of a', 'x of a_b']);
    const names = getOfferedTools(session).map((one) => one.filter((name) => name.startsWith('item')));
    const both = [ofA, 'item_a_x', 'item_a_b_b_x_1mlzzn1', ofAB];
    expect(names).toEqual([[], [ofA, 'item_a_x'], both, both, both, both]);
  });

  it('do not conflict with the names of a type whose prefix is the same or longer', async () => {
    const defineItemType = (name: string, prefix: string, tool: string) =>
      defineDomainType({
        name,
        schema: v.object({ id: v.string() }),
        prefix,
        tools: ({ id }) => [createAnsweringTool(tool, () => `${tool} of ${name} ${id}`)],
      });
    const [Item, Part, Twin] = [
      defineItemType('Item', 'item', 'x'),
      defineItemType('Part', 'item_a', 'x'),
      defineItemType('Twin', 'item', 'x'),
    ];
    const found = [
      createReturningTool('item', Item, { id: 'a_b' }),
      createReturningTool('part', Part, { id: 'b' }),
      createReturningTool('twin', Twin, { id: 'a_b' }),
    ];
    const agent = createClerk(found, [discover(Item), discover(Part), discover(Twin)]);
    const { session } = await runTurn(agent, [callTools('item', 'part', 'twin')]);
    const names = (getOfferedTools(session).at(-1) ?? []).filter((name) => name.startsWith('item_'));
    expect(names).toHaveLength(3);
    const again = await runTurn(agent, [callTools('twin', 'part', 'item'), callTools(...names)]);
    expect(
      getOfferedTools(again.session)
        .at(-1)
        ?.filter((name) => name.startsWith('item_')),
    ).toEqual(names);
    expect(getResults(again.session).slice(3).toSorted()).toEqual([
      'x of Item a_b',
      'x of Part b',
      'x of Twin a_b',
    ]);
  });

  it('add a hash to the names of tools that only some objects have', async () => {
    const Room = defineDomainType({
      name: 'Room',
      schema: v.object({ id: v.string(), suite: v.boolean() }),
      tools: ({ suite }) => [
        createAnsweringTool('book', 'Booked.'),
        ...(suite === true ? [createAnsweringTool('a_book', 'Suite.')] : []),
      ],
    });
    const tools = [
      createReturningTool('suite', Room, { id: 'r', suite: true }),
      createReturningTool('room', Room, { id: 'r_a', suite: false }),
    ];
    const { session } = await runTurn(createClerk(tools, [discover(Room)]), [
      callTools('suite'),
      callTools('room'),
    ]);
    expect(getOfferedTools(session).slice(1)).toEqual([
      ['room', 'suite', expect.stringMatching(/^room_r_a_book_[0-9a-z]+$/), 'room_r_book'],
      ['room', 'suite', expect.stringMatching(/^room_r_a_book_[0-9a-z]+$/), 'room_r_book', 'room_r_a_book'],
    ]);
  });

  it('cause tools to be omitted if their names have the same hash', async () => {
    const warned = captureWarnings();
    // Two ids with the same hash, found by a search.
    const { brought } = await playDiscovery(
      createListingTool(createCustomer('c.#(!!!'), createCustomer('c;=@"!!')),
      [callTools('list')],
    );
    expect(brought[1]).toEqual([]);
    expect(warned).toContain(
      "holdfast: the tool 'customer_c_orders_ne3hil' is not offered: two discovered objects have it",
    );
  });
});
