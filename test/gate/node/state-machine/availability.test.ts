import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type AnyTool, defineTool, error } from '../../../../src/index.ts';
import { defineInjectionStrategy, defineStateMachine } from '../../../../src/kinds/entry.ts';
import { oneShotPerLoop, requireApproval, withName } from '../../../../src/modules/decorators/entry.ts';
import type { TestSession } from '../../../../src/testing/entry.ts';
import { startStored } from '../../../fixtures/stored.ts';
import {
  callTools,
  createOrderMachine,
  createPositions,
  createWorkshop,
  formatWrongState,
  getInnerInstructions,
  getInnerOffers,
  getOuterResults,
  listInnerAnswers,
  orderCalls,
  readPositions,
  startSession,
} from './scenes.ts';

describe('a call in the wrong state', () => {
  it('does not run, and returns the required state (STM-04)', async () => {
    const { machine, done } = createOrderMachine();
    const session = startSession([machine], [orderCalls('41'), callTools('ship'), 'So.', 'Done.']);
    await session.send('Go.');
    expect(await listInnerAnswers(session)).toEqual([`ship: ${formatWrongState('draft', 'confirmed')}`]);
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
    const session = startSession([machine], [callTools('orders'), callTools('back'), 'So.', 'Done.']);
    await session.send('Go.');
    const ended = (await session.events()).flatMap((event) =>
      event.type === 'tool-call-ended' && event.frame ? [event.result] : [],
    );
    expect(ended).toEqual([
      { type: 'text', content: formatWrongState('here', 'there', 'beyond'), withheld: true },
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
    const session = startSession([machine], [callTools('orders'), callTools('pay'), 'So.', 'Done.']);
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed' });
    expect(await listInnerAnswers(session)).toEqual([`pay: ${formatWrongState('open', 'closed')}`]);
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
    const machine = createOrderMachine({
      states: { draft: [{ tool: confirm, to: 'confirmed' }], confirmed: [tool('ship')], shipped: [] },
    }).machine;
    const tries = [
      callTools('confirm'),
      callTools('ship'),
      callTools('confirm'),
      callTools('ship'),
      callTools('confirm'),
      callTools('ship'),
    ];
    const session = startSession([machine], [orderCalls('41'), ...tries, 'Confirmed.', 'Done.']);
    await session.send('Go.');
    const refused = `ship: ${formatWrongState('draft', 'confirmed')}`;
    expect(await listInnerAnswers(session)).toEqual([
      ...['confirm: Error: No stock.', refused],
      ...['confirm: Error: Broken.', refused],
      ...['confirm: confirmed', 'ship: ship done'],
    ]);
    expect(done.filter((name) => name === 'confirm')).toHaveLength(3);
    expect(await readPositions(session)).toEqual(createPositions({ 41: 'confirmed' }));
  });

  it('does not follow a tool without a target state (STM-06)', async () => {
    const { machine } = createOrderMachine();
    const session = startSession(
      [machine],
      [orderCalls('41'), callTools('add_item', 'status'), 'So.', 'Done.'],
    );
    await session.send('Go.');
    expect(await listInnerAnswers(session)).toEqual(['add_item: add_item done', 'status: status done']);
    expect(await readPositions(session)).toEqual(createPositions({ 41: 'draft' }));
  });

  it('does not follow an invalid input', async () => {
    const { tool } = createWorkshop();
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      input: v.object({ amount: v.number() }),
      run: () => 'paid',
    });
    const { machine } = createOrderMachine({
      states: { draft: [{ tool: pay, to: 'confirmed' }], confirmed: [tool('ship')], shipped: [] },
    });
    const session = startSession(
      [machine],
      [orderCalls('41'), callTools('pay', ['pay', { amount: 3 }]), 'So.', 'Done.'],
    );
    await session.send('Go.');
    expect((await listInnerAnswers(session)).map((answer) => answer.split('\n')[0])).toEqual([
      "pay: Error: The input of tool 'pay' is not valid:",
      'pay: paid',
    ]);
  });
});

describe('the calls of one reply', () => {
  it('run in order, and each one runs in the state after the previous call (STM-12)', async () => {
    const { machine, done } = createOrderMachine();
    const batch = callTools('ship', 'add_item', 'confirm', 'status', 'ship', 'add_item');
    const session = startSession([machine], [orderCalls('41'), batch, 'Shipped.', 'Done.']);
    await session.send('Go.');
    expect(await listInnerAnswers(session)).toEqual([
      `ship: ${formatWrongState('draft', 'confirmed')}`,
      'add_item: add_item done',
      'confirm: confirm done',
      'status: status done',
      'ship: ship done',
      `add_item: ${formatWrongState('shipped', 'draft')}`,
    ]);
    expect(done).toEqual(['add_item', 'confirm', 'status', 'ship']);
    expect(await readPositions(session)).toEqual(createPositions({ 41: 'shipped' }));
  });

  it('never overlap, regardless of their serial keys, even for tools that a strategy adds (STM-12)', async () => {
    const log: string[] = [];
    const createSlowTool = (name: string, serial?: string): AnyTool =>
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
    const added = createSlowTool('four', 'c');
    const machine = defineStateMachine({
      name: 'orders',
      input: v.object({}),
      description: 'Works.',
      initial: 'open',
      states: { open: [createSlowTool('one', 'a'), createSlowTool('two')] },
      everywhere: [createSlowTool('three', 'b')],
      use: [defineInjectionStrategy({ name: 'adding', offer: (tools) => [...tools, added] })],
    });
    const batch = ['two', 'three', 'four', 'one'];
    const session: TestSession = startSession(
      [machine],
      [callTools('orders'), callTools(...batch), 'So.', 'Done.'],
    );
    await session.send('Go.');
    expect(log).toEqual(batch.flatMap((name) => [`${name} begins`, `${name} ends`]));
  });
});

describe('the model of a state machine', () => {
  const moves = [orderCalls('41'), callTools('confirm'), callTools('ship'), 'Shipped.', 'Done.'];

  it('sees every tool in every state by default (STM-07)', async () => {
    const session = startSession([createOrderMachine().machine], moves);
    await session.send('Go.');
    expect(getInnerOffers(session)).toEqual(Array(3).fill(['add_item', 'confirm', 'ship', 'status']));
  });

  it('sees only the available tools with hideUnavailable (STM-07)', async () => {
    const session = startSession([createOrderMachine({ hideUnavailable: true }).machine], moves);
    await session.send('Go.');
    expect(getInnerOffers(session)).toEqual([
      ['add_item', 'confirm', 'status'],
      ['status', 'ship'],
      ['status'],
    ]);
  });

  const formatInstructions = (state: string): string =>
    'You are an intelligent agent that can use tools to help you complete tasks. Use the provided tools to perform ' +
    `the following task: Processes one order.\n\nThe state in which you begin is: ${state}\n` +
    'Some tools are available only in certain states, and some lead to another state when they succeed: their ' +
    'descriptions say so. One that is called in another state does nothing, and answers what the state is.';

  it('sees the same instructions in the whole call: the first state, the task and a note about availability (STM-09)', async () => {
    const session = startSession(
      [createOrderMachine().machine],
      [
        orderCalls('41'),
        callTools('confirm'),
        'Confirmed.',
        orderCalls('41'),
        callTools('ship'),
        'Shipped.',
        'Done.',
      ],
    );
    await session.send('Go.');
    expect(getInnerInstructions(session)).toEqual(
      ['draft', 'draft', 'confirmed', 'confirmed'].map(formatInstructions),
    );
  });

  it('sees the same instructions when another invocation resumes, even after a transition or a reset', async () => {
    const { tool } = createWorkshop();
    const { machine } = createOrderMachine({
      states: {
        draft: [{ tool: tool('confirm'), to: 'confirmed' }],
        confirmed: [{ tool: requireApproval(tool('ship'), 'Ship?'), to: 'shipped' }],
        shipped: [],
      },
    });
    const anew = callTools(['orders', { orderId: '41', again: true }]);
    const session = startSession(
      [machine],
      [
        ...[orderCalls('41'), callTools('confirm'), 'Confirmed.'],
        ...[anew, callTools('confirm'), callTools('ship'), callTools('status'), 'Shipped.', 'Done.'],
      ],
    );
    expect(await session.send('Go.')).toMatchObject({ outcome: 'suspended' });
    session.restart();
    expect(await session.decide('ship', 'approve')).toMatchObject({ outcome: 'completed' });
    expect(await readPositions(session)).toEqual(createPositions({ 41: 'shipped' }));
    expect(getInnerInstructions(session)).toEqual(Array(6).fill(formatInstructions('draft')));
  });

  it('sees instructions that depend on the view, the input and the state (STM-09)', async () => {
    const { machine } = createOrderMachine({
      instructions: (view, { orderId }, state) => `${view.path} ${view.iterations} ${orderId} ${state}`,
    });
    const session = startSession([machine], moves);
    await session.send('Go.');
    expect(getInnerInstructions(session)).toEqual([
      'clerk/orders 0 41 draft',
      'clerk/orders 1 41 confirmed',
      'clerk/orders 2 41 shipped',
    ]);
  });

  it('sees the same instructions each time if they are text', async () => {
    const session = startSession([createOrderMachine({ instructions: 'You process.' }).machine], moves);
    await session.send('Go.');
    expect(getInnerInstructions(session)).toEqual(Array(3).fill('You process.'));
  });
});

describe('a tool that returns a stored result', () => {
  it('makes no transition if its stored result is requested in a later state', async () => {
    const { tool } = createWorkshop();
    const terms = oneShotPerLoop(tool('terms'), 'Sign them.');
    const machine = defineStateMachine({
      name: 'orders',
      input: v.object({}),
      description: 'Signs.',
      initial: 'unread',
      states: { unread: [{ tool: terms, to: 'read' }], read: [tool('sign')] },
    });
    const session = startSession(
      [machine],
      [callTools('orders'), callTools('terms'), callTools('terms', 'sign'), 'So.', 'Done.'],
    );
    await session.send('Go.');
    expect(await listInnerAnswers(session)).toEqual([
      'terms: terms done',
      `terms: ${formatWrongState('read', 'unread')}`,
      'sign: sign done',
    ]);
  });
});

describe('the name of a state machine', () => {
  it('can be different for the model, and the machine remains the same', async () => {
    const { machine } = createOrderMachine();
    const session = startSession(
      [machine, withName(machine, 'other')],
      [
        callTools(['other', { orderId: '41' }]),
        callTools('confirm'),
        'So.',
        orderCalls('41'),
        callTools('ship'),
        'So.',
        'Done.',
      ],
    );
    await session.send('Go.');
    expect(await listInnerAnswers(session)).toEqual(['confirm: confirm done', 'ship: ship done']);
    expect(getOuterResults(session)).toEqual(['So.', 'So.']);
    expect(await readPositions(session)).toEqual(createPositions({ 41: 'shipped' }));
  });
});
