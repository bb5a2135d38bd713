import { describe, expect, it } from 'vitest';
import type { AnyTool } from '../../../../src/index.ts';
import { defineAgenticTool } from '../../../../src/kinds/entry.ts';
import { requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import type { TestSession } from '../../../../src/testing/entry.ts';
import {
  callTools,
  createOrderMachine,
  createPositions,
  createTurnReplies,
  createWorkshop,
  formatWrongState,
  getOuterResults,
  listInnerAnswers,
  orderCalls,
  readPositions,
  replyByLoop,
  startSession,
} from './scenes.ts';

describe('the position of a state machine', () => {
  it('is its state at the end of the last turn, even after a restart', async () => {
    const { machine, done } = createOrderMachine();
    const session = startSession(
      [machine],
      [...createTurnReplies('41', 'confirm'), ...createTurnReplies('41', 'confirm', 'ship')],
    );
    await session.send('Confirm.');
    session.restart();
    expect(await readPositions(session)).toEqual(createPositions({ 41: 'confirmed' }));
    await session.send('Ship.');
    session.restart();
    expect(await readPositions(session)).toEqual(createPositions({ 41: 'shipped' }));
    expect(done).toEqual(['confirm', 'ship']);
  });

  it('is part of the snapshot of a long journal', async () => {
    const { machine } = createOrderMachine();
    const turns = Array.from({ length: 30 }, (_, index) => createTurnReplies(`${index}`, 'confirm'));
    const session = startSession([machine], [...turns.flat(), ...createTurnReplies('7', 'ship')]);
    for (const _ of turns) await session.send('Confirm.');
    expect((await session.events()).length).toBeGreaterThan(250);
    session.restart();
    await session.send('Ship.');
    const expected = Object.fromEntries(
      turns.map((_, index) => [index, index === 7 ? 'shipped' : 'confirmed']),
    );
    expect(await readPositions(session)).toEqual(createPositions(expected));
  });

  it('is separate for each key, even for unusual keys', async () => {
    const { machine } = createOrderMachine();
    const keys = ['__proto__', 'constructor', 'toString', '', '41'];
    const session = startSession(
      [machine],
      [
        ...keys.flatMap((key) => createTurnReplies(key, 'confirm')),
        ...createTurnReplies('42', 'ship'),
        ...createTurnReplies('__proto__', 'ship'),
      ],
    );
    for (const _ of keys) await session.send('Confirm.');
    session.restart();
    await session.send('Ship.');
    await session.send('Ship.');
    const expected = {
      constructor: 'confirmed',
      toString: 'confirmed',
      '': 'confirmed',
      41: 'confirmed',
      42: 'draft',
    };
    const known = Object.entries(Object((await readPositions(session)) as object)['clerk/orders'] as object);
    expect(Object.fromEntries(known.filter(([key]) => key !== '__proto__'))).toEqual(expected);
    expect(known.filter(([key]) => key === '__proto__')).toEqual([['__proto__', 'shipped']]);
    expect((await listInnerAnswers(session)).at(-2)).toBe(`ship: ${formatWrongState('draft', 'confirmed')}`);
  });

  it('is shared by all calls of a machine without a key', async () => {
    const { machine } = createOrderMachine({ key: undefined });
    const session = startSession(
      [machine],
      [...createTurnReplies('41', 'confirm'), ...createTurnReplies('42', 'ship')],
    );
    await session.send('Confirm.');
    await session.send('Ship.');
    expect(await readPositions(session)).toEqual(createPositions({ '': 'shipped' }));
  });

  it('depends on the path of the machine, so the machine has another position inside another tool', async () => {
    const { machine } = createOrderMachine();
    const desk = defineAgenticTool({
      name: 'desk',
      description: 'Works.',
      input: jsonSchema({ type: 'object' }),
      tools: [machine],
    });
    const session = startSession(
      [machine, desk],
      [
        ...createTurnReplies('41', 'confirm'),
        callTools('desk'),
        orderCalls('41'),
        callTools('ship'),
        'So.',
        'So.',
        'Done.',
      ],
    );
    await session.send('Confirm.');
    await session.send('Ship.');
    expect(await readPositions(session)).toEqual({
      ...createPositions({ 41: 'confirmed' }),
      'clerk/desk/orders': { 41: 'draft' },
    });
    expect((await listInnerAnswers(session)).at(-2)).toBe(`ship: ${formatWrongState('draft', 'confirmed')}`);
  });

  it('is reset if the input asks for it, and stays reset', async () => {
    const { machine } = createOrderMachine();
    const again = callTools(['orders', { orderId: '41', again: true }]);
    const session = startSession(
      [machine],
      [
        ...createTurnReplies('41', 'confirm'),
        again,
        callTools('ship'),
        'So.',
        'Done.',
        ...createTurnReplies('41', 'confirm'),
      ],
    );
    await session.send('Confirm.');
    await session.send('Again.');
    expect(await readPositions(session)).toEqual(createPositions({ 41: 'draft' }));
    await session.send('Confirm.');
    expect(await readPositions(session)).toEqual(createPositions({ 41: 'confirmed' }));
  });
});

describe('a state machine whose Worker is killed', () => {
  /**
   * Returns a session with a confirmed order, whose Worker is killed after `ship` acts for the first time.
   */
  function startShipping(
    more: { readonly reconciles?: boolean; readonly again?: boolean } = {},
    batch = callTools('ship'),
  ) {
    const { tool, done } = createWorkshop();
    const kill = (): string => {
      if (done.filter((name) => name === 'ship').length === 1) session.kill();
      return 'ship done';
    };
    const made = tool('ship', kill);
    const ship: AnyTool = more.reconciles ? createReconcilingTool(made) : made;
    const { machine } = createOrderMachine({
      states: {
        draft: [{ tool: tool('confirm'), to: 'confirmed' }],
        confirmed: [{ tool: ship, to: 'shipped' }],
        shipped: [tool('thank')],
      },
    });
    const opening = callTools(['orders', { orderId: '41', again: more.again ?? false }]);
    const session: TestSession = startSession(
      [machine],
      [...createTurnReplies('41', 'confirm'), opening, batch, 'So.', 'Done.'],
    );
    return { session, done };
  }

  /** Returns the tool with a `reconcile` that reports its run. */
  const createReconcilingTool = (tool: AnyTool): AnyTool => ({
    ...tool,
    call: (input, call) =>
      tool.call(input, {
        ...call,
        execute: (leaf) => call.execute({ ...leaf, reconcile: () => ({ done: 'ship done' }) }),
      }),
  });

  it('runs the effect only once, and makes one transition', async () => {
    const { session, done } = startShipping({ reconciles: true });
    await session.send('Confirm.');
    await session.send('Ship.');
    expect(done).toEqual(['confirm', 'ship']);
    expect((await listInnerAnswers(session)).at(-1)).toBe('ship: ship done');
    const facts = (await session.events()).flatMap((event) =>
      event.type === 'tool-call-ended' ? (event.changes?.facts ?? []) : [],
    );
    expect(facts).toEqual([
      { slice: 'state-machines', at: expect.any(Number), fact: { key: '41', state: 'confirmed' } },
      { slice: 'state-machines', at: expect.any(Number), fact: { key: '41', state: 'shipped' } },
    ]);
    session.restart();
    expect(await readPositions(session)).toEqual(createPositions({ 41: 'shipped' }));
  });

  it('keeps its position if the outcome of the effect is unknown', async () => {
    const { session, done } = startShipping();
    await session.send('Confirm.');
    await session.send('Ship.');
    expect(done).toEqual(['confirm', 'ship']);
    expect((await listInnerAnswers(session)).at(-1)).toContain(
      "ship: Error: The outcome of this call of 'ship' is unknown",
    );
    expect(await readPositions(session)).toEqual(createPositions({ 41: 'confirmed' }));
  });

  it('resumes in the middle of a batch, in the state after the earlier calls', async () => {
    const { session, done } = startShipping(
      { reconciles: true, again: true },
      callTools('confirm', 'ship', 'thank', 'confirm'),
    );
    await session.send('Confirm.');
    await session.send('Ship.');
    expect(done).toEqual(['confirm', 'confirm', 'ship', 'thank']);
    expect((await listInnerAnswers(session)).slice(1)).toEqual([
      'confirm: confirm done',
      'ship: ship done',
      'thank: thank done',
      `confirm: ${formatWrongState('shipped', 'draft')}`,
    ]);
    // The machine was reset only once, although another invocation resumed.
    expect(await readPositions(session)).toEqual(createPositions({ 41: 'shipped' }));
    expect(
      (await session.events()).filter((event) => event.type === 'turn-resumed' && event.cause === 'expired'),
    ).toHaveLength(1);
  });
});

describe('calls of a state machine in one reply', () => {
  const formatInstructions = (_view: unknown, { orderId }: { readonly orderId: string }): string =>
    `Order ${orderId}.`;

  it('run one after another for the same key, even if only parsing reveals that the keys are equal', async () => {
    const { machine, done } = createOrderMachine({ instructions: formatInstructions });
    const session = startSession(
      [machine],
      replyByLoop({
        'Work.': [orderCalls('41', ' 41 '), 'Done.'],
        'Order 41.': [callTools('confirm'), 'Confirmed.', callTools('ship'), 'Shipped.'],
      }),
    );
    await session.send('Go.');
    expect(done).toEqual(['confirm', 'ship']);
    expect(getOuterResults(session)).toEqual(['Confirmed.', 'Shipped.']);
    expect(await readPositions(session)).toEqual(createPositions({ 41: 'shipped' }));
    const frames = (await session.events()).flatMap((event) =>
      event.type === 'frame-started' || (event.type === 'tool-call-ended' && !('frame' in event))
        ? event.type
        : [],
    );
    expect(frames).toEqual(['frame-started', 'tool-call-ended', 'frame-started', 'tool-call-ended']);
  });

  it('run in parallel for different keys', async () => {
    const { machine } = createOrderMachine({ instructions: formatInstructions });
    const session = startSession(
      [machine],
      replyByLoop({
        'Work.': [orderCalls('41', '42'), 'Done.'],
        'Order 41.': [callTools('confirm'), 'So.'],
        'Order 42.': [callTools('confirm'), callTools('ship'), 'So.'],
      }),
    );
    await session.send('Go.');
    session.restart();
    expect(await readPositions(session)).toEqual(createPositions({ 41: 'confirmed', 42: 'shipped' }));
    const starts = (await session.events()).map(({ type }) => type);
    expect(starts.lastIndexOf('frame-started')).toBeLessThan(starts.indexOf('tool-call-ended'));
  });

  it('report the problems of invalid inputs without a call of the key function', async () => {
    const { machine } = createOrderMachine({
      key: ({ orderId }) => orderId.toUpperCase(),
      reset: undefined,
    });
    const session = startSession(
      [machine],
      [callTools(['orders', {}], ['orders', { orderId: 41 }], ['orders', 'nonsense']), 'Done.'],
    );
    await session.send('Go.');
    expect(getOuterResults(session).map((answer) => answer.split('\n')[0])).toEqual([
      "Error: The input of tool 'orders' is not valid:",
      "Error: The input of tool 'orders' is not valid:",
      expect.stringMatching(/^Error: /),
    ]);
  });

  it('return an error result if the key function throws', async () => {
    const { machine } = createOrderMachine({
      key: () => {
        throw new Error('The key is missing.');
      },
    });
    const session = startSession([machine], [orderCalls('41', '42'), 'Done.']);
    await session.send('Go.');
    expect(getOuterResults(session)).toEqual(['Error: The key is missing.', 'Error: The key is missing.']);
    expect(await readPositions(session)).toEqual({});
  });
});

describe('a tool of a state machine that waits for approval', () => {
  function startWaiting(batch = callTools('confirm')) {
    const { tool, done } = createWorkshop();
    const { machine } = createOrderMachine({
      states: {
        draft: [{ tool: requireApproval(tool('confirm'), 'Confirm?'), to: 'confirmed' }],
        confirmed: [{ tool: tool('ship'), to: 'shipped' }],
        shipped: [],
      },
    });
    return {
      session: startSession([machine], [orderCalls('41'), batch, callTools('ship'), 'So.', 'Done.']),
      done,
    };
  }

  it('makes no transition before it has run', async () => {
    const { session, done } = startWaiting();
    expect(await session.send('Go.')).toMatchObject({ outcome: 'suspended' });
    session.restart();
    expect(await readPositions(session)).toEqual(createPositions({ 41: 'draft' }));
    expect(await session.decide('confirm', 'approve')).toMatchObject({ outcome: 'completed' });
    expect(done).toEqual(['confirm', 'ship']);
    expect(await readPositions(session)).toEqual(createPositions({ 41: 'shipped' }));
  });

  it('makes the transition if the approval edits the input', async () => {
    const { session } = startWaiting();
    await session.send('Go.');
    await session.decide('confirm', { decision: 'edit', input: { by: 'hand' } });
    expect(await readPositions(session)).toEqual(createPositions({ 41: 'shipped' }));
  });

  it.each(['reject', 'exit'] as const)('makes no transition if a person decides %s', async (decision) => {
    const { session, done } = startWaiting();
    await session.send('Go.');
    await session.decide('confirm', decision);
    expect(done).toEqual([]);
    session.restart();
    expect(await readPositions(session)).toEqual(createPositions({ 41: 'draft' }));
  });

  it('delays the calls after it, which run in the state that it leads to', async () => {
    const { session, done } = startWaiting(callTools('confirm', 'ship'));
    expect(await session.send('Go.')).toMatchObject({ outcome: 'suspended' });
    expect(done).toEqual([]);
    await session.decide('confirm', 'approve');
    expect((await listInnerAnswers(session)).slice(0, 2)).toEqual([
      'confirm: confirm done',
      'ship: ship done',
    ]);
  });
});
