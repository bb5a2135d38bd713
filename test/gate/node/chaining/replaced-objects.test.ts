import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type AnyTool, defineDomainType, defineTool } from '../../../../src/index.ts';
import {
  type Chained,
  chainAny,
  chainFrom,
  chaining,
  definePlaybook,
  defineUnfolding,
} from '../../../../src/kinds/entry.ts';
import { answers } from '../../../../src/modules/answers/entry.ts';
import { requireApproval, withMetadata } from '../../../../src/modules/decorators/entry.ts';
import { listInnerAnswers, startSession } from '../state-machine/scenes.ts';
import { callTools, UNBOUND_ERROR } from './scenes.ts';

const REPLACED_ERROR = 'This tool is not available. The object that was retrieved last does not have it.';

/** Returns a recorder of actions, and a factory for tools that act. */
function createWorkshop() {
  const done: string[] = [];
  const createDoingTool = (name: string, id: string | number) =>
    defineTool({ name, description: 'Does.', run: () => `${done[done.push(`${name} ${id}`) - 1]}` });
  return { done, does: createDoingTool };
}

type ToolMaker = ReturnType<typeof createWorkshop>['does'];

/** Returns a type with these tools, and a tool that returns its objects. */
function createDesk(toolsOf: (does: ToolMaker, id: string, isVip: boolean) => readonly AnyTool[]) {
  const { done, does } = createWorkshop();
  const Customer = defineDomainType({
    name: 'Customer',
    schema: v.object({ id: v.string(), vip: v.boolean() }),
    tools: ({ id, vip }) => [does('charge', id), ...toolsOf(does, id, vip)],
  });
  const get = defineTool({
    name: 'get',
    description: 'Gets.',
    input: v.object({ id: v.string(), vip: v.optional(v.boolean(), true) }),
    output: Customer,
    effect: 'read',
    run: (input) => input,
  });
  return { done, does, Customer, get };
}

const createPlaybook = (get: AnyTool, entries: readonly Chained[]) =>
  definePlaybook({
    name: 'desk',
    description: 'Helps.',
    input: v.object({ key: v.optional(v.string(), '') }),
    key: ({ key }) => key,
    use: [chaining(entries)],
    tools: [get],
    locked: [],
  });

const getCall = (id: string, vip = true) => ['get', { id, vip }] as const;

/**
 * Returns the actions and results of a turn in which a playbook makes these inner calls one after another.
 */
async function playTurn(
  { done, Customer, get }: ReturnType<typeof createDesk>,
  ...inside: ReturnType<typeof callTools>[]
) {
  const session = startSession(
    [createPlaybook(get, [chainFrom(Customer)])],
    [callTools('desk'), ...inside, 'So.', 'Done.'],
    [answers],
  );
  await session.send('Go.');
  return { done, answers: (await listInnerAnswers(session)).slice(1), session };
}

describe('a call after another object was retrieved in the same batch', () => {
  const createOpsTool = (...tools: AnyTool[]) =>
    defineUnfolding({ name: 'ops', description: 'Operates', tools });

  it('uses the new object if it calls the tool through an unfolding tool (CHN-06, UNF-26)', async () => {
    const shop = createDesk((does, id) => [createOpsTool(does('refund', id))]);
    const batch = callTools(getCall('2'), 'charge', ['ops', { refund: {} }]);
    const { done } = await playTurn(shop, callTools(getCall('1')), batch, callTools(['ops', { refund: {} }]));
    expect(done).toEqual(['charge 2', 'refund 2', 'refund 2']);
  });

  it('uses the new object if an unfolding tool offers the tool, at any depth (CHN-06, UNF-28)', async () => {
    const shop = createDesk((does, id) => [
      createOpsTool(
        does('refund', id),
        defineUnfolding({ name: 'more', description: 'More', tools: [does('close', id)] }),
      ),
    ]);
    const { done } = await playTurn(
      shop,
      callTools(getCall('1')),
      callTools('ops'),
      callTools('more'),
      callTools('refund', 'close'),
      callTools(getCall('2'), 'refund', 'close', ['more', { close: {} }]),
      callTools('refund', 'close'),
    );
    expect(done).toEqual(['refund 1', 'close 1', 'refund 2', 'close 2', 'close 2', 'refund 2', 'close 2']);
  });

  it('is withheld if the new object lacks the tool (CHN-06)', async () => {
    const shop = createDesk((does, id, isVip) => [
      ...(isVip ? [does('gift', id)] : []),
      createOpsTool(does('refund', id), ...(isVip ? [does('bonus', id)] : [])),
    ]);
    const { done, answers } = await playTurn(
      shop,
      callTools(getCall('1')),
      callTools('ops'),
      callTools(getCall('2', false), 'gift', 'bonus', ['ops', { bonus: {} }], 'charge'),
    );
    expect(done).toEqual(['charge 2']);
    expect(answers.slice(-4)).toEqual([
      ...[
        `gift: ${REPLACED_ERROR}`,
        `bonus: ${REPLACED_ERROR}`,
        `ops: ${REPLACED_ERROR}`,
        'charge: charge 2',
      ],
    ]);
  });

  it('is withheld if the tools of an unfolding tool depend on the call that opened it', async () => {
    const shop = createDesk((does, id) => [
      defineUnfolding({
        name: 'some',
        description: 'Some',
        input: v.object({}),
        select: () => [does('refund', id)],
      }),
    ]);
    const { done, answers } = await playTurn(
      shop,
      callTools(getCall('1')),
      callTools('some'),
      callTools('refund'),
      callTools(getCall('2'), 'refund'),
      callTools('refund'),
    );
    expect(answers.slice(-3)).toEqual([
      'get: {"id":"2","vip":true}',
      `refund: ${REPLACED_ERROR}`,
      'refund: refund 2',
    ]);
    expect(done).toEqual(['refund 1', 'refund 2']);
  });

  it('distinguishes tools with the same name in two categories of an unfolding tool', async () => {
    const shop = createDesk((does, id) => [
      defineUnfolding({
        name: 'by',
        description: 'By',
        byCategory: { card: [withMetadata(does('refund', id), { by: 'card' })], bank: [does('refund', id)] },
      }),
    ]);
    const { done, answers } = await playTurn(
      shop,
      callTools(getCall('1')),
      callTools(['by', { category: 'bank' }]),
      callTools('refund'),
      callTools(getCall('2'), 'refund'),
    );
    expect(done).toEqual(['refund 1']);
    expect(answers.at(-1)).toBe(`refund: ${REPLACED_ERROR}`);
  });

  it('is withheld if the current object has another type (CHN-09)', async () => {
    const { done, does, Customer } = createDesk(() => []);
    const Order = defineDomainType({
      name: 'Order',
      schema: v.object({ number: v.number() }),
      tools: ({ number }) => [does('ship', number)],
    });
    const [customer, order] = [
      defineTool({
        name: 'customer',
        description: 'C',
        effect: 'read',
        output: Customer,
        run: () => ({ id: '1', vip: true }),
      }),
      defineTool({
        name: 'order',
        description: 'O',
        effect: 'read',
        output: Order,
        run: () => ({ number: 7 }),
      }),
    ];
    const made = definePlaybook({
      name: 'desk',
      description: 'D.',
      use: [chaining([chainAny()])],
      tools: [customer, order],
      locked: [],
    });
    const inside = [callTools('customer'), callTools('charge', 'order', 'charge'), callTools('ship')];
    const session = startSession([made], [callTools('desk'), ...inside, 'So.', 'Done.']);
    await session.send('Go.');
    expect(done).toEqual(['charge 1', 'ship 7']);
    expect((await listInnerAnswers(session)).at(-2)).toBe(`charge: ${REPLACED_ERROR}`);
  });

  it('waits for approval, and then runs the tool of the new object', async () => {
    const shop = createDesk((does, id) => [requireApproval(createOpsTool(does('refund', id)), 'May I?')]);
    const { done, session } = await playTurn(
      shop,
      callTools(getCall('1')),
      callTools('ops'),
      callTools(getCall('2'), 'refund'),
    );
    expect(done).toEqual([]);
    session.restart();
    for (let left = (await session.pending()).length; left > 0; left = (await session.pending()).length) {
      const [first] = await session.pending();
      await session.decide(String(first?.tool), 'approve');
    }
    expect(done).toEqual(['refund 2']);
  });
});

it('a tool that was unfolded for one key is not available for another key that has no object yet (CHN-02)', async () => {
  const shop = createDesk((does, id) => [
    defineUnfolding({ name: 'ops', description: 'Operates', scope: 'session', tools: [does('refund', id)] }),
  ]);
  const session = startSession(
    [createPlaybook(shop.get, [chainFrom(shop.Customer)])],
    [
      ...[
        callTools(['desk', { key: 'a' }]),
        callTools(getCall('1')),
        callTools('ops'),
        callTools('refund'),
        'So.',
        'Done.',
      ],
      ...[
        callTools(['desk', { key: 'b' }]),
        callTools('refund'),
        callTools(getCall('2'), 'refund'),
        callTools('refund'),
        'So.',
        'Done.',
      ],
    ],
  );
  await session.send('Go.');
  await session.send('Go.');
  expect(shop.done).toEqual(['refund 1', 'refund 2', 'refund 2']);
  expect((await listInnerAnswers(session)).slice(-4)[0]).toBe(`refund: ${UNBOUND_ERROR}`);
});
