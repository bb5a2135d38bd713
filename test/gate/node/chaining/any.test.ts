import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  type AnyTool,
  artifact,
  type DomainType,
  defineDomainType,
  type JsonObject,
  toolProvider,
} from '../../../../src/index.ts';
import {
  type Chained,
  chainAny,
  chainFrom,
  chaining,
  defineAgenticTool,
  withUse,
} from '../../../../src/kinds/entry.ts';
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
  getDescription,
  getOfferedTools,
  getResults,
  listCustomers,
  runTurn,
  UNBOUND_ERROR,
} from './scenes.ts';

const User = defineDomainType({
  name: 'User',
  schema: v.object({ user: v.string() }),
  tools: ({ user }) => [
    createAnsweringTool('describe', () => `user ${user}`),
    createAnsweringTool('rename', 'Renamed.'),
  ],
});
const Order = defineDomainType({
  name: 'Order',
  schema: v.object({ order: v.string() }),
  tools: ({ order }) => [
    createAnsweringTool('describe', () => `order ${order}`),
    createReturningTool('buyer', User, () => ({ user: `buyer of ${order}` })),
  ],
});
const Plain = defineDomainType({ name: 'Plain', schema: v.object({ plain: v.string() }) });

/** Defines a tool that returns an object of a type. */
const createGettingTool = (name: string, type: DomainType, value: JsonObject) =>
  createReturningTool(name, type, value);
const ann = createGettingTool('ann', User, { user: 'ann' });
const bob = createGettingTool('bob', User, { user: 'bob' });
const order = createGettingTool('order', Order, { order: 'o1' });

/** Returns the tools that each request of a turn offered in addition to these tools. */
async function playChained(
  tools: readonly AnyTool[],
  replies: Parameters<typeof runTurn>[1],
  entries: readonly Chained[] = [chainAny()],
) {
  const { session } = await runTurn(createClerk(tools, entries), replies);
  const own = tools.map(({ name }) => name);
  const brought = getOfferedTools(session).map((names) => names.filter((name) => !own.includes(name)));
  return { session, brought, read: getResults(session) };
}

describe('chainAny', () => {
  it('offers the tools of an object once a tool has returned it (CHN-09, S0-086)', async () => {
    const { brought, read, session } = await playChained([ann], [callTools('ann'), callTools('describe')]);
    expect(brought).toEqual([[], ['describe', 'rename'], ['describe', 'rename']]);
    expect(read[1]).toBe('user ann');
    expect(getDescription(session, 'describe')).toBe('Answers.');
  });

  it('removes the tools of the previous object, and binds shared names to the new object (CHN-10, S0-086)', async () => {
    const replies = [callTools('ann'), callTools('order'), callTools('describe', 'rename')];
    const { brought, read } = await playChained([ann, order], replies);
    expect(brought).toEqual([[], ['describe', 'rename'], ['describe', 'buyer'], ['describe', 'buyer']]);
    expect(read[2]).toBe('order o1');
    expect(read[3]).toMatch(/^Error: Tool 'rename' does not exist\./);
  });

  it('binds the tools to the newer of two objects of the same type (CHN-10, CHN-11)', async () => {
    const { read } = await playChained(
      [ann, bob],
      [callTools('ann'), callTools('bob'), callTools('describe')],
    );
    expect(read[2]).toBe('user bob');
  });

  it('ignores objects without tools (CHN-11)', async () => {
    const warned = captureWarnings();
    const Empty = defineDomainType({
      name: 'Empty',
      schema: v.object({ empty: v.boolean() }),
      tools: () => [],
    });
    const others = [
      createGettingTool('plain', Plain, { plain: 'x' }),
      createGettingTool('empty', Empty, { empty: true }),
      createAnsweringTool('unknown', artifact('Here.', { name: 'Unknown' }, { user: 'eve' })),
      createAnsweringTool('text', 'user'),
    ];
    const names = others.map(({ name }) => name);
    const { read } = await playChained(
      [ann, ...others],
      [callTools('ann'), callTools(...names), callTools('describe')],
    );
    expect(read.at(-1)).toBe('user ann');
    expect(warned).toEqual([]);
  });

  it('ignores lists (CHN-07)', async () => {
    const list = createAnsweringTool('list', artifact('Here.', User, [{ user: 'eve' }]));
    const rows = createAnsweringTool('rows', [{ user: 'eve' }]);
    const { read } = await playChained(
      [ann, list, rows],
      [callTools('ann'), callTools('list', 'rows'), callTools('describe')],
    );
    expect(read.at(-1)).toBe('user ann');
  });

  it('also finds the types that tools of objects return', async () => {
    const replies = [callTools('order'), callTools('buyer'), callTools('describe')];
    const { brought, read } = await playChained([order], replies);
    expect(brought).toEqual([[], ['buyer', 'describe'], ['describe', 'rename'], ['describe', 'rename']]);
    expect(read[2]).toBe('user buyer of o1');
  });

  it('assigns to an untyped artifact the first type whose schema accepts it', async () => {
    const row = createAnsweringTool('row', { user: 'row', order: 'row' });
    const { session } = await runTurn(createClerk([row, ann, order], [chainAny()]), [
      callTools('row'),
      callTools('describe'),
    ]);
    expect(getResults(session)[1]).toBe('user row');
    const { session: other } = await runTurn(createClerk([row, order, ann], [chainAny()]), [
      callTools('row'),
      callTools('describe'),
    ]);
    expect(getResults(other)[1]).toBe('order row');
  });

  it('does not try other types for an artifact with a type', async () => {
    const typed = createAnsweringTool('typed', artifact('Here.', Plain, { user: 'eve' }));
    const { brought } = await playChained([typed, ann], [callTools('typed')]);
    expect(brought).toEqual([[], []]);
  });

  it('accepts additional types that no tool declares', async () => {
    const row = createAnsweringTool('row', artifact('Here.', User, { user: 'row' }));
    const { session } = await runTurn(createClerk([row], [chainAny(User)]), [
      callTools('row'),
      callTools('describe'),
    ]);
    expect(getResults(session)[1]).toBe('user row');
  });

  it.runIf(process.env.NODE_ENV !== 'production')(
    'throws if no tool declares a type, and explains how to fix it (S0-086)',
    () => {
      const row = createAnsweringTool('row', { user: 'row' });
      const problem =
        'has chainAny(), but none of its tools declares a type whose objects have tools. Define one with ' +
        'defineDomainType({ name, schema, tools }), and declare it as the `output` of the tool that returns the object, or name it, as ' +
        'in chainAny(Customer)';
      expect(() =>
        createClerk([row, createGettingTool('plain', Plain, { plain: 'x' })], [chainAny()]),
      ).toThrow(
        expect.objectContaining({
          name: 'AgentDefinitionError',
          field: 'use',
          message: `Agent 'clerk' ${problem}.`,
        }),
      );
      const dig = { name: 'dig', description: 'Digs.', input: v.object({}), use: [chaining([chainAny()])] };
      expect(() => defineAgenticTool({ ...dig, tools: [row] })).toThrow(
        expect.objectContaining({
          name: 'ToolDefinitionError',
          field: 'use',
          message: `Tool 'dig': it ${problem}.`,
        }),
      );
      expect(() => withUse(defineAgenticTool({ ...dig, tools: [row], use: [] }), ...dig.use)).toThrow(
        problem,
      );
      for (const tools of [[ann], [defineAgenticTool({ ...dig, tools: [ann] })]])
        expect(() => createClerk(tools, [chainAny()])).not.toThrow();
      expect(() =>
        defineAgenticTool({ ...dig, tools: [toolProvider({ toolsNow: () => [row] })] }),
      ).not.toThrow();
    },
  );

  it('binds the last object of a batch in source order, and records each object once (CHN-16)', async () => {
    const { read, session } = await playChained([ann, bob], [callTools('bob', 'ann'), callTools('describe')]);
    expect(read[2]).toBe('user ann');
    const events = await session.events();
    const facts = events.flatMap((event) =>
      event.type === 'tool-call-ended' ? (event.changes?.facts ?? []) : [],
    );
    expect(facts).toEqual([
      { slice: 'chaining', fact: { as: 'any', key: '', type: 'User' }, at: expect.any(Number) },
      { slice: 'chaining', fact: { as: 'any', key: '', type: 'User' }, at: expect.any(Number) },
    ]);
  });
});

describe('a type with chainFrom in addition to chainAny', () => {
  it('keeps its own object, and offers its tools from the start (CHN-12)', async () => {
    const { session } = await runTurn(
      createClerk([getCustomer, ann, order], [chainFrom(Customer), chainAny()]),
      [
        callTools(['average_spend', { months: 1 }]),
        getCall('c1'),
        callTools('order'),
        callTools('ann'),
        callTools(['average_spend', { months: 1 }], 'describe'),
      ],
    );
    expect(getResults(session)).toEqual([
      UNBOUND_ERROR,
      JSON.stringify(createCustomerData('c1')),
      '{"order":"o1"}',
      '{"user":"ann"}',
      'Name of c1 2020: 10',
      'user ann',
    ]);
  });

  it('does not change the object of chainAny, even if its own object is refused (CHN-12)', async () => {
    const never = chainFrom(Customer, { when: () => false });
    const { session } = await runTurn(createClerk([getCustomer, ann], [never, chainAny()]), [
      callTools('ann'),
      getCall('c1'),
      callTools('describe', ['average_spend', { months: 1 }]),
    ]);
    expect(getResults(session).slice(2)).toEqual(['user ann', UNBOUND_ERROR]);
  });

  it('is bound to an untyped artifact that its schema accepts', async () => {
    const row = createAnsweringTool('row', createCustomerData('c9'));
    const { session } = await runTurn(
      createClerk([row, listCustomers('c1')], [chainFrom(Customer), chainAny()]),
      [callTools('row'), callTools('list_customers'), callTools(['average_spend', { months: 1 }])],
    );
    expect(getResults(session)[2]).toBe('Name of c9 2020: 10');
  });

  it('takes precedence over an object of chainAny that has a tool with the same name, and logs the conflict (CHN-12)', async () => {
    const warned = captureWarnings();
    const replies = [callTools('ann'), callTools('order'), callTools('describe')];
    // Each invocation logs the conflict, so this session stays warm.
    const agent = createClerk([ann, order], [chainFrom(User), chainAny()]);
    const { session } = await runTurn(agent, replies, { warm: true });
    expect(getResults(session)[2]).toBe('user ann');
    expect(warned).toEqual([
      "holdfast: the tool 'describe' of a chained object is not offered: another tool has its name",
    ]);
  });
});

describe('the types that chainAny finds', () => {
  it('include those of inner tools, and each circular type once', async () => {
    const Node: DomainType = defineDomainType({
      name: 'Node',
      schema: v.object({ node: v.number() }),
      tools: ({ node }) => [createReturningTool('next', Node, () => ({ node: node + 1 }))],
    });
    const facade: AnyTool = {
      ...createAnsweringTool('facade', { node: 1 }),
      inner: [createReturningTool('first', Node, { node: 1 })],
    };
    const { brought, read } = await playChained(
      [facade],
      [callTools('facade'), callTools('next'), callTools('next')],
    );
    expect(brought.at(-1)).toEqual(['next']);
    expect(read).toEqual(['{"node":1}', '{"node":2}', '{"node":3}']);
  });

  it('exclude a type whose tools cannot be listed, which is logged', async () => {
    const warned = captureWarnings();
    let fails = false;
    const Late = defineDomainType({
      name: 'Late',
      schema: v.object({ late: v.string() }),
      tools: () => {
        if (!fails) throw new ReferenceError('The type is not initialized.');
        throw new Error('Never.');
      },
    });
    fails = true;
    const { answer } = await runTurn(
      createClerk([createGettingTool('late', Late, { late: 'x' })], [chainAny()]),
      [callTools('late')],
    );
    expect(answer).toMatchObject({ outcome: 'completed' });
    expect(warned).toEqual([
      "holdfast: the tools of 'Late' objects cannot be made, so they are not offered DomainTypeError: Domain type 'Late' has tools that cannot be made before there is an object: Never.",
      "holdfast: the result of 'late' adds no tools: domain type 'Late' is invalid: its tools cannot be made: Never.",
    ]);
  });

  it('end after 16 levels if they are endless, which is logged (S2-27)', async () => {
    const warned = captureWarnings();
    const createDeeperType = (level: number): DomainType => {
      let isDeclared = false;
      const type = defineDomainType({
        name: `T${level}`,
        schema: v.object({ level: v.number() }),
        tools: () => {
          if (!isDeclared) throw new ReferenceError('The type is not initialized.');
          return [createReturningTool(`to_${level + 1}`, createDeeperType(level + 1), { level })];
        },
      });
      isDeclared = true;
      return type;
    };
    const { answer } = await runTurn(
      createClerk([createGettingTool('look', createDeeperType(0), { level: 0 })], [chainAny()]),
      [callTools('look')],
    );
    expect(answer).toMatchObject({ outcome: 'completed' });
    const way = Array.from({ length: 17 }, (_, level) => `T${level}`).join(' > ');
    expect(warned).toEqual([
      `holdfast: a source of tools must not be nested more than 16 deep, so the last of these is left out: ${way}`,
    ]);
  });
});
