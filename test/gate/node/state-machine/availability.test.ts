import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type AnyTool, defineTool, error } from '../../../../src/index.ts';
import { defineInjectionStrategy, defineStateMachine } from '../../../../src/kinds/entry.ts';
import { oneShotPerLoop, requireApproval, withName } from '../../../../src/modules/decorators/entry.ts';
import type { TestSession } from '../../../../src/testing/entry.ts';
import { startStored } from '../../../fixtures/stored.ts';
import {
  answersInside,
  answersRead,
  calls,
  createWorkshop,
  instructionsInside,
  offeredInside,
  orderCalls,
  orderMachine,
  positionsOf,
  sessionWith,
  storedPositions,
  wrongStateText,
} from './scenes.ts';

describe('a call in the wrong state', () => {
  it('does not run, and returns the required state (STM-04)', async () => {
    const { machine, done } = orderMachine();
    const session = sessionWith([machine], [orderCalls('41'), calls('ship'), 'So.', 'Done.']);
    await session.send('Go.');
    expect(await answersInside(session)).toEqual([`ship: ${wrongStateText('draft', 'confirmed')}`]);
    expect(done).toEqual([]);
  });

  it('returns every suitable state, and is not an error (STM-04)', async () => {
    const { tool, done } = createWorkshop();
    const [go, back] = [tool('go'), tool('back')];
    const machine = defineStateMachine({
      name: 'orders',
      input: v.object({}),
      description: 'Moves.',
      initial: 'here',
      states: { here: [go], there: [back], beyond: [back] },
    });
    const session = sessionWith([machine], [calls('orders'), calls('back'), 'So.', 'Done.']);
    await session.send('Go.');
    const ended = (await session.events()).flatMap((event) =>
      event.type === 'tool-call-ended' && event.frame ? [event.result] : [],
    );
    expect(ended).toEqual([
      { type: 'text', content: wrongStateText('here', 'there', 'beyond'), withheld: true },
    ]);
    expect(done).toEqual([]);
  });

  it('asks for no approval, and does not check its input', async () => {
    const { tool } = createWorkshop();
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      input: v.object({ amount: v.number() }),
      run: () => 'paid',
    });
    const machine = defineStateMachine({
      name: 'orders',
      input: v.object({}),
      description: 'Pays.',
      initial: 'open',
      states: { open: [tool('close')], closed: [requireApproval(pay, 'Pay?')] },
    });
    const session = sessionWith([machine], [calls('orders'), calls('pay'), 'So.', 'Done.']);
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed' });
    expect(await answersInside(session)).toEqual([`pay: ${wrongStateText('open', 'closed')}`]);
  });
});

describe('a transition', () => {
  it('follows only a successful call (STM-06)', async () => {
    const { tool, done } = createWorkshop();
    const results: unknown[] = [error('No stock.'), new Error('Broken.'), 'confirmed'];
    const confirm = tool('confirm', () => {
      const result = results.shift();
      if (result instanceof Error) throw result;
      return result;
    });
    const machine = orderMachine({
      states: { draft: [{ tool: confirm, to: 'confirmed' }], confirmed: [tool('ship')], shipped: [] },
    }).machine;
    const tries = [
      calls('confirm'),
      calls('ship'),
      calls('confirm'),
      calls('ship'),
      calls('confirm'),
      calls('ship'),
    ];
    const session = sessionWith([machine], [orderCalls('41'), ...tries, 'Confirmed.', 'Done.']);
    await session.send('Go.');
    const refused = `ship: ${wrongStateText('draft', 'confirmed')}`;
    expect(await answersInside(session)).toEqual([
      ...['confirm: Error: No stock.', refused],
      ...['confirm: Error: Broken.', refused],
      ...['confirm: confirmed', 'ship: ship done'],
    ]);
    expect(done.filter((name) => name === 'confirm')).toHaveLength(3);
    expect(await storedPositions(session)).toEqual(positionsOf({ 41: 'confirmed' }));
  });

  it('does not follow a tool without a target state (STM-06)', async () => {
    const { machine } = orderMachine();
    const session = sessionWith([machine], [orderCalls('41'), calls('add_item', 'status'), 'So.', 'Done.']);
    await session.send('Go.');
    expect(await answersInside(session)).toEqual(['add_item: add_item done', 'status: status done']);
    expect(await storedPositions(session)).toEqual(positionsOf({ 41: 'draft' }));
  });

  it('does not follow an invalid input', async () => {
    const { tool } = createWorkshop();
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      input: v.object({ amount: v.number() }),
      run: () => 'paid',
    });
    const { machine } = orderMachine({
      states: { draft: [{ tool: pay, to: 'confirmed' }], confirmed: [tool('ship')], shipped: [] },
    });
    const session = sessionWith(
      [machine],
      [orderCalls('41'), calls('pay', ['pay', { amount: 3 }]), 'So.', 'Done.'],
    );
    await session.send('Go.');
    expect((await answersInside(session)).map((answer) => answer.split('\n')[0])).toEqual([
      "pay: Error: The input of tool 'pay' is not valid:",
      'pay: paid',
    ]);
  });
});

describe('the calls of one reply', () => {
  it('run in order, and each one runs in the state after the previous call (STM-12)', async () => {
    const { machine, done } = orderMachine();
    const batch = calls('ship', 'add_item', 'confirm', 'status', 'ship', 'add_item');
    const session = sessionWith([machine], [orderCalls('41'), batch, 'Shipped.', 'Done.']);
    await session.send('Go.');
    expect(await answersInside(session)).toEqual([
      `ship: ${wrongStateText('draft', 'confirmed')}`,
      'add_item: add_item done',
      'confirm: confirm done',
      'status: status done',
      'ship: ship done',
      `add_item: ${wrongStateText('shipped', 'draft')}`,
    ]);
    expect(done).toEqual(['add_item', 'confirm', 'status', 'ship']);
    expect(await storedPositions(session)).toEqual(positionsOf({ 41: 'shipped' }));
  });

  it('never overlap, whatever their serial keys are, even for tools that a strategy adds (STM-12)', async () => {
    const log: string[] = [];
    const slow = (name: string, serial?: string): AnyTool =>
      defineTool({
        name,
        description: 'Takes its time.',
        effect: 'read',
        serial,
        run: async (_, call) => {
          log.push(`${name} begins`);
          await startStored(session, call); // At this point all parallel calls have started.
          log.push(`${name} ends`);
        },
      });
    const added = slow('four', 'c');
    const machine = defineStateMachine({
      name: 'orders',
      input: v.object({}),
      description: 'Works.',
      initial: 'open',
      states: { open: [slow('one', 'a'), slow('two')] },
      everywhere: [slow('three', 'b')],
      use: [defineInjectionStrategy({ name: 'adding', offer: (tools) => [...tools, added] })],
    });
    const batch = ['two', 'three', 'four', 'one'];
    const session: TestSession = sessionWith([machine], [calls('orders'), calls(...batch), 'So.', 'Done.']);
    await session.send('Go.');
    expect(log).toEqual(batch.flatMap((name) => [`${name} begins`, `${name} ends`]));
  });
});

describe('the model of a state machine', () => {
  const moves = [orderCalls('41'), calls('confirm'), calls('ship'), 'Shipped.', 'Done.'];

  it('sees every tool in every state by default (STM-07)', async () => {
    const session = sessionWith([orderMachine().machine], moves);
    await session.send('Go.');
    expect(offeredInside(session)).toEqual(Array(3).fill(['add_item', 'confirm', 'ship', 'status']));
  });

  it('sees only the available tools with hideUnavailable (STM-07)', async () => {
    const session = sessionWith([orderMachine({ hideUnavailable: true }).machine], moves);
    await session.send('Go.');
    expect(offeredInside(session)).toEqual([
      ['add_item', 'confirm', 'status'],
      ['status', 'ship'],
      ['status'],
    ]);
  });

  const told = (state: string): string =>
    'You are an intelligent agent that can use tools to help you complete tasks. Use the provided tools to perform ' +
    `the following task: Processes one order.\n\nThe state in which you begin is: ${state}\n` +
    'Some tools are available only in certain states, and some lead to another state when they succeed: their ' +
    'descriptions say so. One that is called in another state does nothing, and answers what the state is.';

  it('sees the same instructions in the whole call: the first state, the task and a note about availability (STM-09)', async () => {
    const session = sessionWith(
      [orderMachine().machine],
      [
        orderCalls('41'),
        calls('confirm'),
        'Confirmed.',
        orderCalls('41'),
        calls('ship'),
        'Shipped.',
        'Done.',
      ],
    );
    await session.send('Go.');
    expect(instructionsInside(session)).toEqual(['draft', 'draft', 'confirmed', 'confirmed'].map(told));
  });

  it('sees the same instructions when another invocation resumes, even after a transition or a reset', async () => {
    const { tool } = createWorkshop();
    const { machine } = orderMachine({
      states: {
        draft: [{ tool: tool('confirm'), to: 'confirmed' }],
        confirmed: [{ tool: requireApproval(tool('ship'), 'Ship?'), to: 'shipped' }],
        shipped: [],
      },
    });
    const anew = calls(['orders', { orderId: '41', again: true }]);
    const session = sessionWith(
      [machine],
      [
        ...[orderCalls('41'), calls('confirm'), 'Confirmed.'],
        ...[anew, calls('confirm'), calls('ship'), calls('status'), 'Shipped.', 'Done.'],
      ],
    );
    expect(await session.send('Go.')).toMatchObject({ outcome: 'suspended' });
    session.restart();
    expect(await session.decide('ship', 'approve')).toMatchObject({ outcome: 'completed' });
    expect(await storedPositions(session)).toEqual(positionsOf({ 41: 'shipped' }));
    expect(instructionsInside(session)).toEqual(Array(6).fill(told('draft')));
  });

  it('sees instructions that depend on the view, the input and the state (STM-09)', async () => {
    const { machine } = orderMachine({
      instructions: (view, { orderId }, state) => `${view.path} ${view.iterations} ${orderId} ${state}`,
    });
    const session = sessionWith([machine], moves);
    await session.send('Go.');
    expect(instructionsInside(session)).toEqual([
      'clerk/orders 0 41 draft',
      'clerk/orders 1 41 confirmed',
      'clerk/orders 2 41 shipped',
    ]);
  });

  it('sees the same instructions each time if they are text', async () => {
    const session = sessionWith([orderMachine({ instructions: 'You process.' }).machine], moves);
    await session.send('Go.');
    expect(instructionsInside(session)).toEqual(Array(3).fill('You process.'));
  });
});

describe('a tool that returns a stored result', () => {
  it('makes no transition if it returns its stored result in a later state', async () => {
    const { tool } = createWorkshop();
    const terms = oneShotPerLoop(tool('terms'), 'Sign them.');
    const machine = defineStateMachine({
      name: 'orders',
      input: v.object({}),
      description: 'Signs.',
      initial: 'unread',
      states: { unread: [{ tool: terms, to: 'read' }], read: [tool('sign')] },
    });
    const session = sessionWith(
      [machine],
      [calls('orders'), calls('terms'), calls('terms', 'sign'), 'So.', 'Done.'],
    );
    await session.send('Go.');
    expect(await answersInside(session)).toEqual([
      'terms: terms done',
      `terms: ${wrongStateText('read', 'unread')}`,
      'sign: sign done',
    ]);
  });
});

describe('the name of a state machine', () => {
  it('can differ for the model without creating another machine', async () => {
    const { machine } = orderMachine();
    const session = sessionWith(
      [machine, withName(machine, 'other')],
      [
        calls(['other', { orderId: '41' }]),
        calls('confirm'),
        'So.',
        orderCalls('41'),
        calls('ship'),
        'So.',
        'Done.',
      ],
    );
    await session.send('Go.');
    expect(await answersInside(session)).toEqual(['confirm: confirm done', 'ship: ship done']);
    expect(answersRead(session)).toEqual(['So.', 'So.']);
    expect(await storedPositions(session)).toEqual(positionsOf({ 41: 'shipped' }));
  });
});
