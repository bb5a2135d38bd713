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
  answersInside,
  calls,
  createWorkshop,
  orderCalls,
  orderMachine,
  sessionWith,
  storedPositions,
  turnReplies,
  wrongStateText,
} from './scenes.ts';

/** Two unfolding tools, each with a tool of the same name. The second one is offered as `us_orders`. */
const regionTools = (eu: AnyTool, us: AnyTool): AnyTool[] => [
  defineUnfolding({ name: 'eu', description: 'Europe.', scope: 'session', tools: [eu] }),
  defineUnfolding({ name: 'us', description: 'America.', scope: 'session', tools: [us] }),
];

const usOrder = calls(['us_orders', { orderId: '41' }]);

describe('two state machines with the same name', () => {
  it('have separate positions in two unfolding tools', async () => {
    const [eu, us] = [orderMachine(), orderMachine()];
    const session = sessionWith(regionTools(eu.machine, us.machine), [
      calls('eu', 'us'),
      ...turnReplies('41', 'confirm'),
      usOrder,
      calls('ship', 'confirm'),
      'So.',
      'Done.',
    ]);
    await session.send('Go.');
    await session.send('Again.');
    expect([eu.done, us.done]).toEqual([['confirm'], ['confirm']]);
    expect((await answersInside(session)).slice(1)).toEqual([
      `ship: ${wrongStateText('draft', 'confirmed')}`,
      'confirm: confirm done',
    ]);
    session.restart();
    expect(await storedPositions(session)).toEqual({
      'clerk/orders': { 41: 'confirmed' },
      'clerk/us_orders': { 41: 'confirmed' },
    });
  });

  it('are one machine if one is a copy of the other under another name', async () => {
    const { machine } = orderMachine();
    const session = sessionWith(
      [machine, withName(machine, 'sales')],
      [...turnReplies('41', 'confirm'), calls(['sales', { orderId: '41' }]), calls('ship'), 'So.', 'Done.'],
    );
    await session.send('Go.');
    await session.send('Again.');
    expect(await storedPositions(session)).toEqual({ 'clerk/orders': { 41: 'shipped' } });
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
    const [eu, us] = [orderMachine(), orderMachine()];
    const session = sessionWith(regionTools(around([eu.machine]), around([us.machine])), [
      calls('eu', 'us'),
      ...[calls('orders'), orderCalls('41'), calls('confirm'), 'So.', 'So.'],
      ...[calls('us_orders'), orderCalls('41'), calls('ship'), 'So.', 'So.'],
      'Done.',
    ]);
    await session.send('Go.');
    expect(await storedPositions(session)).toEqual({
      'clerk/orders/orders': { 41: 'confirmed' },
      'clerk/us_orders/orders': { 41: 'draft' },
    });
  });
});

describe('two playbooks with the same name', () => {
  it('have separate progress in two unfolding tools', async () => {
    const { tool, done } = createWorkshop();
    const playbook = (): AnyTool => {
      const [look, act] = [tool('look'), tool('act')];
      return definePlaybook({
        name: 'orders',
        description: 'Works.',
        input: jsonSchema({ type: 'object' }),
        tools: [look],
        locked: [{ tool: act, unlockedBy: after(look) }],
      });
    };
    const session = sessionWith(regionTools(playbook(), playbook()), [
      calls('eu', 'us'),
      ...[calls('orders'), calls('look'), 'So.', calls('us_orders'), calls('act'), 'So.'],
      ...[calls('orders'), calls('act'), 'So.', 'Done.'],
    ]);
    await session.send('Go.');
    expect(done).toEqual(['look', 'act']);
    expect((await answersInside(session))[1]).toContain('act: ');
    expect(Object.keys(Object((await session.state()).memories.get('playbooks')))).toHaveLength(1);
  });
});
