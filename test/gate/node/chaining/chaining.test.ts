import * as v from 'valibot';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { artifact, defineAgent, defineDomainType, defineTool } from '../../../../src/index.ts';
import { chainFrom, chaining, discover } from '../../../../src/kinds/entry.ts';
import { decorate, withMetadata } from '../../../../src/modules/decorators/entry.ts';
import {
  inspect,
  type LoopInspector,
  type ToolCallSeen,
  type ToolResultSeen,
} from '../../../../src/modules/inspect/entry.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';
import { waitUntil } from '../../../fixtures/scripts.ts';
import { captureWarnings } from '../../../fixtures/warnings.ts';
import {
  Customer,
  callTools,
  createAnsweringTool,
  createClerk,
  createCustomerData,
  createReturningTool,
  getCall,
  getCustomer,
  getOfferedTools,
  getResults,
  listCustomers,
  runTurn,
  UNBOUND_ERROR,
} from './scenes.ts';

const spendCall = callTools(['average_spend', { months: 3 }]);

it('chaining can be declared twice, for the app and for an agent', async () => {
  const Order = defineDomainType({
    name: 'Order',
    schema: v.object({ id: v.string() }),
    tools: () => [defineTool({ name: 'total', description: 'Its total.', effect: 'read', run: () => '7' })],
  });
  const base = { name: 'desk', description: 'Answers.', instructions: 'Answer.' };
  const desk = defineAgent({ ...base, use: [chaining([chainFrom(Customer)])] });
  const session = createTestSession(desk, { replies: ['Done.'], use: [chaining([chainFrom(Order)])] });
  await session.send('Go.');
  expect(session.requests[0]?.tools.map(({ name }) => name)).toEqual(['average_spend', 'total']);
});

describe('a chained type that has no object yet', () => {
  it('offers its tools from the start, which report that an object must be retrieved first (CHN-01, CHN-02)', async () => {
    const { session, answer } = await runTurn(createClerk([getCustomer], [chainFrom(Customer)]), [spendCall]);
    expect(getOfferedTools(session)[0]).toEqual(['average_spend', 'get_customer']);
    expect(getResults(session)).toEqual([
      'This tool is not yet available. You must first retrieve a single Customer instance.',
    ]);
    expect(answer).toMatchObject({ outcome: 'completed', toolCalls: 1 });
  });

  it('shows the schemas of its tools, whose descriptions state the requirement (CHN-03, CHN-04)', async () => {
    const { session } = await runTurn(createClerk([getCustomer], [chainFrom(Customer)]), []);
    expect(session.requests[0]?.tools[0]).toEqual({
      name: 'average_spend',
      description:
        'What the customer spends on average.\n\n' +
        'Note: This tool requires a Customer instance to be retrieved first.',
      inputSchema: {
        type: 'object',
        properties: { months: { type: 'number' } },
        required: ['months'],
      },
    });
  });

  it('returns the same report for any input, without running a tool (CHN-02)', async () => {
    const { session } = await runTurn(createClerk([getCustomer], [chainFrom(Customer)]), [
      callTools(['average_spend', { no: 1 }]),
    ]);
    expect(getResults(session)).toEqual([UNBOUND_ERROR]);
  });

  it('shows inspectors a withheld result (CHN-02)', async () => {
    const seen: ToolResultSeen[] = [];
    const inspector: LoopInspector = { afterToolCall: (one) => seen.push(one) };
    await runTurn(createClerk([getCustomer], [chainFrom(Customer)], { use: [inspect(inspector)] }), [
      spendCall,
    ]);
    expect(seen.map(({ result }) => result)).toEqual([
      { type: 'text', content: UNBOUND_ERROR, withheld: true },
    ]);
  });

  it('never ends the turn or waits, even if its tools return directly', async () => {
    const Direct = defineDomainType({
      name: 'Direct',
      schema: v.object({ lane: v.string() }),
      tools: ({ lane }) => [
        defineTool({ name: 'say', description: 'Says.', returnDirect: true, serial: lane, run: () => lane }),
      ],
    });
    const get = defineTool({
      name: 'get',
      description: 'Gets.',
      effect: 'read',
      output: Direct,
      run: () => ({ lane: 'a' }),
    });
    const { session, answer } = await runTurn(createClerk([get], [chainFrom(Direct)]), [
      callTools('say'),
      'get',
      callTools('get'),
    ]);
    expect(getResults(session)[0]).toMatch(/^This tool is not yet available\./);
    expect(answer).toMatchObject({ outcome: 'completed', text: 'get' });
  });
});

describe('a chained type that has an object', () => {
  it('offers tools that use the object from the next model call on, with unchanged descriptions (CHN-03, CHN-15)', async () => {
    const { session } = await runTurn(createClerk([getCustomer], [chainFrom(Customer)]), [
      getCall('c1'),
      spendCall,
    ]);
    expect(getResults(session)).toEqual([JSON.stringify(createCustomerData('c1')), 'Name of c1 2020: 30']);
    expect(
      session.requests.map(({ tools }) => tools.find(({ name }) => name === 'average_spend')?.description),
    ).toEqual(
      Array(3).fill(
        'What the customer spends on average.\n\nNote: This tool requires a Customer instance to be retrieved first.',
      ),
    );
    expect(getOfferedTools(session)[1]).toEqual(['average_spend', 'get_customer']);
  });

  it('checks the inputs of its tools, and turns exceptions into error results (TPR-14)', async () => {
    const Broken = defineDomainType({
      name: 'Broken',
      schema: v.object({ id: v.string() }),
      tools: ({ id }) => [
        defineTool({
          name: 'fail',
          description: 'Fails.',
          input: v.object({ times: v.number() }),
          effect: 'read',
          run: () => {
            throw new Error(`There is no ${id}.`);
          },
        }),
        defineTool({ name: 'show', description: 'Shows.', effect: 'read', run: () => ({ shown: id }) }),
      ],
    });
    const get = defineTool({
      name: 'get',
      description: 'Gets.',
      effect: 'read',
      output: Broken,
      run: () => ({ id: 'b1' }),
    });
    const replies = [callTools('get'), callTools(['fail', { times: 'x' }], ['fail', { times: 1 }], 'show')];
    const { session } = await runTurn(createClerk([get], [chainFrom(Broken)]), replies);
    expect(getResults(session).slice(1)).toEqual([
      expect.stringMatching(/^Error: .*times: Invalid type: Expected number but received "x"/s),
      'Error: There is no b1.',
      '{"shown":"b1"}',
    ]);
  });

  it('does not offer a tool that its object lacks (CHN-15)', async () => {
    const Account = defineDomainType({
      name: 'Account',
      schema: v.object({ gold: v.boolean() }),
      tools: ({ gold }) => [
        createAnsweringTool('balance', '10'),
        ...(gold ? [createAnsweringTool('upgrade', 'Upgraded.')] : []),
        // Not discovered before an object exists, because a comparison with a missing value is false.
        ...(gold === true ? [createAnsweringTool('lounge', 'Open.')] : []),
      ],
    });
    const get = (name: string, gold: boolean) =>
      defineTool({ name, description: 'Gets.', effect: 'read', output: Account, run: () => ({ gold }) });
    const { session } = await runTurn(
      createClerk([get('plain', false), get('rich', true)], [chainFrom(Account)]),
      [callTools('plain'), callTools('upgrade'), callTools('rich'), callTools('lounge')],
    );
    expect(
      getOfferedTools(session).map((names) => names.filter((name) => !['plain', 'rich'].includes(name))),
    ).toEqual([
      ['balance', 'upgrade'],
      ['balance'],
      ['balance'],
      ['balance', 'lounge', 'upgrade'],
      ['balance', 'lounge', 'upgrade'],
    ]);
    expect(getResults(session)[1]).toMatch(/^Error: Tool 'upgrade' does not exist\./);
    expect(getResults(session)[3]).toBe('Open.');
  });

  it('uses the newest object (CHN-06)', async () => {
    const { session } = await runTurn(createClerk([getCustomer], [chainFrom(Customer)]), [
      getCall('c1'),
      spendCall,
      getCall('c2'),
      spendCall,
    ]);
    expect(getResults(session)[1]).toBe('Name of c1 2020: 30');
    expect(getResults(session)[3]).toBe('Name of c2 2020: 30');
  });

  it('uses the last object of a batch in source order, even if another call ends last (CHN-06)', async () => {
    let found = 0;
    const quick = decorate(getCustomer, {
      call: async (input, call) => {
        const result = await getCustomer.call(input, call);
        found += 1;
        return result;
      },
    });
    let batch = 0;
    const slow = defineTool({
      name: 'slow',
      description: 'Is slow.',
      effect: 'read',
      output: Customer,
      run: async () => {
        batch += 1;
        const wanted = batch;
        await waitUntil(() => found >= wanted);
        return createCustomerData('slow');
      },
    });
    const replies = [
      callTools('slow', ['get_customer', { id: 'c2' }]),
      spendCall,
      callTools(['get_customer', { id: 'c2' }], 'slow'),
      spendCall,
    ];
    const { session } = await runTurn(createClerk([slow, quick], [chainFrom(Customer)]), replies);
    expect(getResults(session).filter((text) => text.startsWith('Name of'))).toEqual([
      'Name of c2 2020: 30',
      'Name of slow 2020: 30',
    ]);
  });

  it('keeps its object if a later call fails or returns no object', async () => {
    const tools = [
      getCustomer,
      defineTool({
        name: 'fails',
        description: 'Fails.',
        effect: 'read',
        output: Customer,
        run: () => Promise.reject(new Error('No.')),
      }),
      createAnsweringTool('row', createCustomerData('c2')),
    ];
    const { session } = await runTurn(createClerk(tools, [chainFrom(Customer)]), [
      getCall('c1'),
      callTools('fails', 'row'),
      spendCall,
    ]);
    expect(getResults(session).at(-1)).toBe('Name of c1 2020: 30');
  });

  it('keeps its earlier object for the calls of a batch that retrieves another object', async () => {
    const both = callTools(['get_customer', { id: 'c2' }], ['average_spend', { months: 1 }]);
    const { session } = await runTurn(createClerk([getCustomer], [chainFrom(Customer)]), [both, both]);
    expect(getResults(session)[1]).toBe(UNBOUND_ERROR);
    expect(getResults(session)[3]).toBe('Name of c2 2020: 10');
  });
});

describe('an object', () => {
  it('is bound if its type is declared by `output` of the tool or by `artifact()` (CHN-14)', async () => {
    const named = createAnsweringTool('named', artifact('Here.', Customer, createCustomerData('c7')));
    const { session } = await runTurn(createClerk([named], [chainFrom(Customer)]), [
      callTools('named'),
      spendCall,
    ]);
    expect(getResults(session)).toEqual(['Here.', 'Name of c7 2020: 30']);
  });

  it('is not bound from an untyped artifact, another type or text with the same content (CHN-13, CHN-14)', async () => {
    const tools = [
      createAnsweringTool('row', createCustomerData('c1')),
      createAnsweringTool('json', JSON.stringify(createCustomerData('c1'))),
      createAnsweringTool('other', artifact('Here.', { name: 'Person' }, createCustomerData('c1'))),
    ];
    const { session } = await runTurn(createClerk(tools, [chainFrom(Customer)]), [
      callTools('row', 'json', 'other'),
      spendCall,
    ]);
    expect(getResults(session).at(-1)).toBe(UNBOUND_ERROR);
  });

  it.each([1, 2])('is not bound from a list, even if its length is %i (CHN-07)', async (length) => {
    const list = listCustomers(...['c1', 'c2'].slice(0, length));
    const { session } = await runTurn(createClerk([list, getCustomer], [chainFrom(Customer)]), [
      callTools('list_customers'),
      spendCall,
      getCall('c3'),
      callTools('list_customers'),
      spendCall,
    ]);
    expect(getResults(session)[1]).toBe(UNBOUND_ERROR);
    expect(getResults(session).at(-1)).toBe('Name of c3 2020: 30');
  });

  it('is not bound from a list, even if the schema accepts the list (CHN-07)', async () => {
    const warned = captureWarnings();
    const Loose = defineDomainType({
      name: 'Loose',
      schema: v.object({ note: v.optional(v.string()) }),
      tools: () => [createAnsweringTool('show', 'Shown.')],
    });
    const { session } = await runTurn(
      createClerk([createReturningTool('list', Loose, [{}])], [chainFrom(Loose)]),
      [callTools('list'), callTools('show')],
    );
    expect(getResults(session)[1]).toMatch(/^This tool is not yet available\./);
    expect(warned).toEqual([]);
  });

  it('is not bound if the schema of its type refuses it, and a warning is logged', async () => {
    const warned = captureWarnings();
    const wrong = createAnsweringTool('wrong', artifact('Here.', Customer, { id: 'c2' }));
    const { session } = await runTurn(createClerk([wrong, getCustomer], [chainFrom(Customer)]), [
      getCall('c1'),
      callTools('wrong'),
      spendCall,
    ]);
    expect(getResults(session)).toEqual([
      JSON.stringify(createCustomerData('c1')),
      'Here.',
      'Name of c1 2020: 30',
    ]);
    expect(warned).toEqual([
      "holdfast: the result of 'wrong' adds no tools: domain type 'Customer' is invalid: " +
        'name: Invalid key: Expected "name" but received undefined since: Invalid key: Expected "since" but received undefined',
    ]);
  });

  it('is bound only if the predicate accepts its value and the loop (CHN-05)', async () => {
    const seen: unknown[] = [];
    const chained = chainFrom(Customer, {
      when: ({ id, since }, view) => {
        seen.push([id, since, view.path, view.context.get('tenant'), view.blackboard]);
        return id !== 'c2';
      },
    });
    const { session } = await runTurn(
      createClerk([getCustomer], [chained]),
      [getCall('c1'), getCall('c2'), spendCall, getCall('c3'), spendCall],
      { context: { tenant: 'acme' } },
    );
    expect(getResults(session)[2]).toBe('Name of c1 2020: 30');
    expect(getResults(session)[4]).toBe('Name of c3 2020: 30');
    expect(seen[1]).toEqual(['c2', new Date('2020-05-01'), 'clerk', 'acme', []]);
    expect(seen).toHaveLength(3);
  });

  it('is not bound if the predicate throws, which is logged (CHN-05)', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    onTestFinished(() => log.mockRestore());
    const chained = chainFrom(Customer, {
      when: () => {
        throw new Error('No.');
      },
    });
    const { session } = await runTurn(createClerk([getCustomer], [chained]), [getCall('c1'), spendCall]);
    expect(getResults(session)).toEqual([JSON.stringify(createCustomerData('c1')), UNBOUND_ERROR]);
    expect(log.mock.calls).toEqual([
      ["holdfast: whether a 'Customer' is chained could not be decided, so it is not", new Error('No.')],
    ]);
  });

  it('is not bound if the predicate returns a promise, which is logged once (CHN-05)', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    // Plain JavaScript can pass this.
    const when = (async () => Promise.reject(new Error('No.'))) as unknown as () => boolean;
    for (const [chained, told] of [
      [chainFrom(Customer, { when }), [getCustomer.name]],
      [discover(Customer, { when: async () => true } as never), []],
    ] as const) {
      log.mockClear();
      const { session } = await runTurn(createClerk([getCustomer], [chained]), [
        getCall('c1'),
        getCall('c2'),
      ]);
      expect(getOfferedTools(session).at(-1)).toEqual(getOfferedTools(session)[0]);
      expect(getOfferedTools(session)[0]).toEqual([
        ...(told.length > 0 ? ['average_spend'] : []),
        'get_customer',
      ]);
      expect(log.mock.calls).toEqual([
        ["holdfast: `when` of the chained type 'Customer' returns a promise, but must be synchronous"],
      ]);
    }
    log.mockRestore();
  });

  it('can be returned by a tool of another object, and both are bound (PRN-06)', async () => {
    const Order = defineDomainType({
      name: 'Order',
      schema: v.object({ number: v.string() }),
      tools: ({ number }) => [createAnsweringTool('ship', () => `Shipped ${number}.`)],
    });
    const Buyer = defineDomainType({
      name: 'Buyer',
      schema: v.object({ id: v.string() }),
      tools: ({ id }) => [
        defineTool({
          name: 'last_order',
          description: 'Gets the last order.',
          effect: 'read',
          output: Order,
          run: () => ({ number: `${id}-9` }),
        }),
      ],
    });
    const get = defineTool({
      name: 'get',
      description: 'Gets.',
      effect: 'read',
      output: Buyer,
      run: () => ({ id: 'b1' }),
    });
    const { session } = await runTurn(createClerk([get], [chainFrom(Buyer), chainFrom(Order)]), [
      callTools('get'),
      callTools('last_order'),
      callTools('ship', 'last_order'),
    ]);
    expect(getResults(session)).toEqual([
      '{"id":"b1"}',
      '{"number":"b1-9"}',
      'Shipped b1-9.',
      '{"number":"b1-9"}',
    ]);
  });
});

describe('chaining', () => {
  it('offers no tools if no type is chained', async () => {
    const { session } = await runTurn(createClerk([getCustomer]), [getCall('c1')]);
    expect(getOfferedTools(session)).toEqual([['get_customer'], ['get_customer']]);
    expect((await session.state()).memories.get('chaining')).toBeUndefined();
  });

  // In development, the definition of the agent throws.
  it.runIf(process.env.NODE_ENV === 'production')(
    "keeps the agent's own tool if an object has a tool of the same name, and logs the conflict",
    async () => {
      const warned = captureWarnings();
      const own = createAnsweringTool('average_spend', 'Mine.');
      const { session } = await runTurn(createClerk([getCustomer, own], [chainFrom(Customer)]), [
        getCall('c1'),
        spendCall,
      ]);
      expect(getResults(session)[1]).toBe('Mine.');
      expect(warned[0]).toBe(
        "holdfast: the tool 'average_spend' of a chained object is not offered: another tool has its name",
      );
    },
  );

  it('keeps the metadata, effects and decorators of tools, and adds the object to their metadata', async () => {
    const Marked = defineDomainType({
      name: 'Marked',
      schema: v.object({ id: v.string() }),
      tools: () => [withMetadata(createAnsweringTool('show', 'Shown.'), { scope: 'own' })],
    });
    const get = defineTool({
      name: 'get',
      description: 'Gets.',
      effect: 'read',
      output: Marked,
      run: () => ({ id: '1' }),
    });
    const seen: ToolCallSeen[] = [];
    const inspector: LoopInspector = { beforeToolCall: (one) => seen.push(one) };
    const { session } = await runTurn(
      createClerk([get], [chainFrom(Marked)], { use: [inspect(inspector)] }),
      [callTools('get'), callTools('show')],
    );
    expect(seen.map(({ metadata }) => metadata)).toEqual([
      {},
      { scope: 'own', domainType: 'Marked', instanceId: '1' },
    ]);
    const events = await session.events();
    const started = events.flatMap((event) => (event.type === 'tool-call-started' ? event.effect : []));
    expect(started).toEqual(['read', 'read']);
  });

  it('sends the same definitions to the model while the objects stay the same', async () => {
    const agent = createClerk([getCustomer, createAnsweringTool('idle', 'Idle.')], [chainFrom(Customer)]);
    const replies = [getCall('c1'), callTools('idle'), callTools('idle')];
    const { session } = await runTurn(agent, replies, { warm: true });
    const [unbound, first, second, third] = session.requests.map(({ tools }) => tools);
    expect(second).toBe(first);
    expect(third).toBe(first);
    expect(first).not.toBe(unbound);
  });

  it('builds the tools of an object once per invocation, after one check that the type has tools', async () => {
    const make = vi.fn(() => [createAnsweringTool('show', 'Shown.')]);
    const Counted = defineDomainType({ name: 'Counted', schema: v.object({ id: v.string() }), tools: make });
    const get = defineTool({
      name: 'get',
      description: 'Gets.',
      effect: 'read',
      output: Counted,
      run: () => ({ id: '1' }),
    });
    const agent = createClerk([get], [chainFrom(Counted)]);
    make.mockClear();
    await runTurn(agent, [callTools('get'), callTools('show'), callTools('show'), callTools('show')], {
      warm: true,
    });
    expect(make).toHaveBeenCalledTimes(2);
  });

  it('throws if a type has no tools, is chained twice or shares a tool name with another type', () => {
    const Plain = defineDomainType({ name: 'Plain', schema: v.object({ id: v.string() }) });
    const schema = v.object({ id: v.string() });
    const Same = defineDomainType({
      name: 'Same',
      schema,
      tools: () => [createAnsweringTool('average_spend', '1')],
    });
    expect(() => createClerk([], [chainFrom(Plain)])).toThrow(
      "Domain type 'Plain' has no tools, so there is nothing to chain.",
    );
    expect(() => chainFrom(Plain)).toThrow("Domain type 'Plain' has no tools, so there is nothing to chain.");
    expect(() => discover(Plain)).toThrow("Domain type 'Plain' has no tools, so there is nothing to chain.");
    expect(() => createClerk([], [chainFrom(Customer), chainFrom(Customer)])).toThrow(
      "Domain type 'Customer' is chained twice in the same way.",
    );
    expect(() => createClerk([], [chainFrom(Customer), chainFrom(Same)])).toThrow(
      "Domain type 'Same' has a tool 'average_spend', and so does 'Customer', which is chained with it. Use different names.",
    );
    expect(() => createClerk([], [chainFrom(Customer), discover(Customer)])).not.toThrow();
  });
});
