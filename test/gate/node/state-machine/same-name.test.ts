import { describe, expect, it } from 'vitest';
import { type AnyTool, defineAgent } from '../../../../src/index.ts';
import {
  after,
  defineAgenticTool,
  definePlaybook,
  defineSubagent,
  defineUnfolding,
} from '../../../../src/kinds/entry.ts';
import { withName } from '../../../../src/modules/decorators/entry.ts';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import {
  callTools,
  createOrderMachine,
  createTurnReplies,
  createWorkshop,
  formatWrongState,
  listInnerAnswers,
  orderCalls,
  readPositions,
  startSession,
} from './scenes.ts';

/** Two unfolding tools, each with a tool of the same name. The second one is offered as `us_orders`. */
const createRegionTools = (eu: AnyTool, us: AnyTool): AnyTool[] => [
  defineUnfolding({ name: 'eu', description: 'Europe.', scope: 'session', tools: [eu] }),
  defineUnfolding({ name: 'us', description: 'America.', scope: 'session', tools: [us] }),
];

const usOrder = callTools(['us_orders', { orderId: '41' }]);

describe('two state machines with the same name', () => {
  it('have separate positions in two unfolding tools', async () => {
    const [eu, us] = [createOrderMachine(), createOrderMachine()];
    const session = startSession(createRegionTools(eu.machine, us.machine), [
      callTools('eu', 'us'),
      ...createTurnReplies('41', 'confirm'),
      usOrder,
      callTools('ship', 'confirm'),
      'So.',
      'Done.',
    ]);
    await session.send('Go.');
    await session.send('Again.');
    expect([eu.done, us.done]).toEqual([['confirm'], ['confirm']]);
    expect((await listInnerAnswers(session)).slice(1)).toEqual([
      `ship: ${formatWrongState('draft', 'confirmed')}`,
      'confirm: confirm done',
    ]);
    session.restart();
    expect(await readPositions(session)).toEqual({
      'clerk/orders': { 41: 'confirmed' },
      'clerk/us_orders': { 41: 'confirmed' },
    });
  });

  it('share one position if one is a copy of the other under another name', async () => {
    const { machine } = createOrderMachine();
    const session = startSession(
      [machine, withName(machine, 'sales')],
      [
        ...createTurnReplies('41', 'confirm'),
        callTools(['sales', { orderId: '41' }]),
        callTools('ship'),
        'So.',
        'Done.',
      ],
    );
    await session.send('Go.');
    await session.send('Again.');
    expect(await readPositions(session)).toEqual({ 'clerk/orders': { 41: 'shipped' } });
  });

  it.each([
    [
      'agentic tools',
      (tools: AnyTool[]) =>
        defineAgenticTool({
          name: 'orders',
          description: 'Works.',
          input: jsonSchema({ type: 'object' }),
          tools,
        }),
    ],
    [
      'subagents',
      (tools: AnyTool[]) =>
        defineSubagent({
          agent: defineAgent({ name: 'orders', description: 'Works.', instructions: 'Do.', tools }),
          input: jsonSchema({ type: 'object' }),
        }),
    ],
  ])('have separate positions inside %s with the same name', async (_, around) => {
    const [eu, us] = [createOrderMachine(), createOrderMachine()];
    const session = startSession(createRegionTools(around([eu.machine]), around([us.machine])), [
      callTools('eu', 'us'),
      ...[callTools('orders'), orderCalls('41'), callTools('confirm'), 'So.', 'So.'],
      ...[callTools('us_orders'), orderCalls('41'), callTools('ship'), 'So.', 'So.'],
      'Done.',
    ]);
    await session.send('Go.');
    expect(await readPositions(session)).toEqual({
      'clerk/orders/orders': { 41: 'confirmed' },
      'clerk/us_orders/orders': { 41: 'draft' },
    });
  });
});

describe('two playbooks with the same name', () => {
  it('have separate progress in two unfolding tools', async () => {
    const { tool, done } = createWorkshop();
    const createPlaybook = (): AnyTool => {
      const [look, act] = [tool('look'), tool('act')];
      return definePlaybook({
        name: 'orders',
        description: 'Works.',
        input: jsonSchema({ type: 'object' }),
        tools: [look],
        locked: [{ tool: act, unlockedBy: after(look) }],
      });
    };
    const session = startSession(createRegionTools(createPlaybook(), createPlaybook()), [
      callTools('eu', 'us'),
      ...[callTools('orders'), callTools('look'), 'So.', callTools('us_orders'), callTools('act'), 'So.'],
      ...[callTools('orders'), callTools('act'), 'So.', 'Done.'],
    ]);
    await session.send('Go.');
    expect(done).toEqual(['look', 'act']);
    expect((await listInnerAnswers(session))[1]).toContain('act: ');
    expect(Object.keys(Object((await session.state()).memories.get('playbooks')))).toHaveLength(1);
  });
});
