import { describe, expect, it } from 'vitest';
import { type AnyTool, defineAgent } from '../../../../src/index.ts';
import type { SessionEvent } from '../../../../src/journal/entry.ts';
import { defineAgenticTool, defineSubagent } from '../../../../src/kinds/entry.ts';
import { manual, requireApproval, withReview } from '../../../../src/modules/decorators/entry.ts';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import type { ScriptedReply, TestSession } from '../../../../src/testing/entry.ts';
import { waitForEvent } from '../../../fixtures/stored.ts';
import {
  callTools,
  createOrderMachine,
  createPositions,
  createWorkshop,
  formatWrongState,
  getOuterResults,
  listInnerAnswers,
  orderCalls,
  readPositions,
  startSession,
} from './scenes.ts';

type ReplyScripts = Readonly<Record<string, readonly Exclude<ScriptedReply, () => unknown>[]>>;

/** Selects replies by a loop's message and its reply count, so that parallel loops receive their own. */
function replyByMessage(scripts: ReplyScripts): ScriptedReply[] {
  const known = new Map(Object.entries(scripts));
  return Array.from({ length: 100 }, () => ({ messages }) => {
    const asked = messages.find(({ role }) => role === 'user')?.text ?? '';
    const step = messages.filter(({ role }) => role === 'assistant').length;
    return known.get(asked)?.[step] ?? `No reply ${step} for '${asked}'.`;
  });
}

/** Returns the agentic tool `desk` with the machine inside. Its loops run in parallel and share one path. */
const createDesk = (machine: AnyTool): AnyTool =>
  defineAgenticTool({
    name: 'desk',
    description: 'Works.',
    input: jsonSchema({ type: 'object' }),
    tools: [machine],
  });

/** Returns the same tool as a subagent. */
const createDeskAgent = (machine: AnyTool): AnyTool =>
  defineSubagent({
    agent: defineAgent({ name: 'desk', description: 'Works.', instructions: 'Desk.', tools: [machine] }),
    input: jsonSchema({ type: 'object' }),
  });

type CallsReply = ReturnType<typeof callTools>;

/** Returns two calls to `desk`, each with a loop of the machine for order 41 and these replies. */
const createDeskScripts = (first: readonly CallsReply[], second: readonly CallsReply[]): ReplyScripts => ({
  'Go.': [callTools(['desk', { at: 1 }], ['desk', { at: 2 }]), 'Done.'],
  '{"at":1}': [orderCalls('41'), 'So.'],
  '{"at":2}': [orderCalls(' 41'), 'So.'],
  '{"orderId":"41"}': [...first, 'So.'],
  '{"orderId":" 41"}': [...second, 'So.'],
});

const createTwoDesks = (first: readonly CallsReply[], second: readonly CallsReply[]): ScriptedReply[] =>
  replyByMessage(createDeskScripts(first, second));

const createDeskPosition = (state: string) => ({ 'clerk/desk/orders': { 41: state } });

/** Returns the results of the machine's tools, sorted because either loop can end first. */
const listSortedAnswers = async (session: TestSession): Promise<string[]> =>
  (await listInnerAnswers(session)).filter((answer) => !answer.startsWith('orders')).toSorted();

describe('parallel loops of one state machine', () => {
  it.each([
    ['agentic tools', createDesk],
    ['subagents', createDeskAgent],
  ])(
    'share the position in %s: one call makes the transition, and the other call is refused',
    async (_, around) => {
      const { machine, done } = createOrderMachine();
      const session = startSession(
        [around(machine)],
        createTwoDesks([callTools('confirm')], [callTools('confirm')]),
      );
      expect(await session.send('Go.')).toMatchObject({ outcome: 'completed' });
      expect(done).toEqual(['confirm']);
      expect(await listSortedAnswers(session)).toEqual([
        `confirm: ${formatWrongState('confirmed', 'draft')}`,
        'confirm: confirm done',
      ]);
      session.restart();
      expect(await readPositions(session)).toEqual(createDeskPosition('confirmed'));
    },
  );

  it('continue in the new state after a transition, even before its batch has ended', async () => {
    const { tool, done } = createWorkshop();
    const { machine } = createOrderMachine({
      states: {
        draft: [{ tool: tool('confirm'), to: 'confirmed' }],
        confirmed: [{ tool: tool('ship'), to: 'shipped' }],
        shipped: [],
      },
      everywhere: [requireApproval(tool('look'), 'Look?'), tool('status')],
    });
    const session = startSession(
      [createDesk(machine)],
      createTwoDesks(
        [callTools('confirm', 'look')],
        [callTools('status'), callTools('status'), callTools('ship')],
      ),
    );
    expect(await session.send('Go.')).toMatchObject({ outcome: 'suspended' });
    expect(await readPositions(session)).toEqual(createDeskPosition('shipped'));
    session.restart();
    expect(await readPositions(session)).toEqual(createDeskPosition('shipped'));
    await session.decide('look', 'approve');
    expect(done.filter((name) => name !== 'status')).toEqual(['confirm', 'ship', 'look']);
    // The last batch has not undone the transition.
    expect(await readPositions(session)).toEqual(createDeskPosition('shipped'));
    session.restart();
    expect(await readPositions(session)).toEqual(createDeskPosition('shipped'));
  });

  it('do not run a call whose approval arrives after a transition', async () => {
    const { tool, done } = createWorkshop();
    const { machine } = createOrderMachine({
      initial: 'draft',
      states: {
        draft: [
          { tool: requireApproval(tool('pay'), 'Pay?'), to: 'confirmed' },
          { tool: tool('cancel'), to: 'shipped' },
        ],
        confirmed: [],
        shipped: [],
      },
    });
    const session = startSession(
      [createDesk(machine)],
      createTwoDesks([callTools('pay')], [callTools('cancel')]),
    );
    expect(await session.send('Go.')).toMatchObject({ outcome: 'suspended' });
    session.restart();
    expect(await session.decide('pay', 'approve')).toMatchObject({ outcome: 'completed' });
    expect(done).toEqual(['cancel']);
    expect(await listSortedAnswers(session)).toEqual([
      'cancel: cancel done',
      `pay: ${formatWrongState('shipped', 'draft')}`,
    ]);
    expect(await readPositions(session)).toEqual(createDeskPosition('shipped'));
  });

  it.each(['the caller runs', 'waits in its own loop'])(
    'let a call that %s resume after a transition, without a second transition',
    async (how) => {
      const { tool, done } = createWorkshop();
      const isCallers = how === 'the caller runs';
      const pay = isCallers
        ? manual(tool('pay'))
        : defineAgenticTool({
            name: 'pay',
            description: 'Pays.',
            input: jsonSchema({ type: 'object' }),
            tools: [requireApproval(tool('transfer'), 'Pay?')],
          });
      const { machine } = createOrderMachine({
        states: {
          draft: [
            { tool: pay, to: 'confirmed' },
            { tool: tool('cancel'), to: 'shipped' },
          ],
          confirmed: [],
          shipped: [],
        },
      });
      const replies = {
        ...createDeskScripts([callTools('pay')], [callTools('cancel')]),
        '{}': [callTools('transfer'), 'Paid.'],
      };
      const session = startSession([createDesk(machine)], replyByMessage(replies));
      expect(await session.send('Go.')).toMatchObject({ outcome: 'suspended' });
      expect(done).toEqual(['cancel']);
      session.restart();
      const ended = isCallers
        ? session.result('pay', { text: 'Paid.' })
        : session.decide('transfer', 'approve');
      expect(await ended).toMatchObject({ outcome: 'completed' });
      expect(await listSortedAnswers(session)).toContain('pay: Paid.');
      expect(await readPositions(session)).toEqual(createDeskPosition('shipped'));
    },
  );

  it('include a call whose reviewer changed its input to the same key', async () => {
    const { machine, done } = createOrderMachine();
    const reviewed = withReview(machine, ({ input }) =>
      input.orderId === '42' ? { decision: 'edit', input: { orderId: ' 41' } } : { decision: 'approve' },
    );
    const session = startSession(
      [reviewed],
      replyByMessage({
        'Go.': [orderCalls('41', '42'), 'Done.'],
        '{"orderId":"41"}': [callTools('confirm'), 'So.'],
        '{"orderId":" 41"}': [callTools('confirm'), 'So.'],
      }),
    );
    await session.send('Go.');
    expect(done).toEqual(['confirm']);
    expect(await listSortedAnswers(session)).toEqual([
      `confirm: ${formatWrongState('confirmed', 'draft')}`,
      'confirm: confirm done',
    ]);
    expect(getOuterResults(session)).toEqual([
      'So.',
      'So.\nNote: whoever approved this call changed its input to {"orderId":" 41"}.',
    ]);
    expect(await readPositions(session)).toEqual(createPositions({ 41: 'confirmed' }));
  });
});

describe('parallel loops of one state machine in a killed Worker', () => {
  const isRequestFor = (tool: string) => (event: SessionEvent) =>
    event.type === 'model-replied' && event.toolCalls.some(({ name }) => name === tool);

  /** Returns the tool with a `reconcile` that reports its run. */
  const createReconcilingTool = (tool: AnyTool): AnyTool => ({
    ...tool,
    call: (input, call) =>
      tool.call(input, {
        ...call,
        execute: (leaf) => call.execute({ ...leaf, reconcile: () => ({ done: `${tool.name} done` }) }),
      }),
  });

  const startKilling = (first: readonly CallsReply[], second: readonly CallsReply[]) => {
    const { tool, done } = createWorkshop();
    const confirm = tool('confirm', async () => {
      await waitForEvent(session, isRequestFor('confirm'), 2); // The other loop has called its model, too.
      session.kill();
      return 'confirm done';
    });
    const { machine } = createOrderMachine({
      states: {
        draft: [{ tool: createReconcilingTool(confirm), to: 'confirmed' }],
        confirmed: [{ tool: tool('ship'), to: 'shipped' }],
        shipped: [],
      },
      everywhere: [tool('status', undefined, 'read')],
    });
    const session: TestSession = startSession([createDesk(machine)], createTwoDesks(first, second));
    return { session, done };
  };

  it.each([
    ['first', [callTools('confirm')], [callTools('status'), callTools('confirm')]],
    ['last', [callTools('status'), callTools('confirm')], [callTools('confirm')]],
  ])(
    'resume the started calls before other calls (the earlier `confirm` is in the %s loop)',
    async (_, first, second) => {
      const { session, done } = startKilling(first, second);
      expect(await session.send('Go.')).toMatchObject({ outcome: 'completed' });
      expect(
        (await session.events()).filter(
          (event) => event.type === 'turn-resumed' && event.cause === 'expired',
        ),
      ).toHaveLength(1);
      expect(done.filter((name) => name !== 'status')).toEqual(['confirm']);
      expect(await listSortedAnswers(session)).toEqual([
        `confirm: ${formatWrongState('confirmed', 'draft')}`,
        'confirm: confirm done',
        'status: status done',
      ]);
      session.restart();
      expect(await readPositions(session)).toEqual(createDeskPosition('confirmed'));
    },
  );

  it('make the transition from the state when the call starts, not from the state when the model replied', async () => {
    const { tool, done } = createWorkshop();
    const confirm = tool('confirm', async () => {
      await waitForEvent(session, isRequestFor('ship')); // The other loop has called its model.
      return 'confirm done';
    });
    const ship = tool('ship', () => {
      if (done.filter((name) => name === 'ship').length === 1) session.kill();
      return 'ship done';
    });
    const { machine } = createOrderMachine({
      states: {
        draft: [{ tool: confirm, to: 'confirmed' }],
        confirmed: [{ tool: createReconcilingTool(ship), to: 'shipped' }],
        shipped: [],
      },
      everywhere: [tool('status', undefined, 'read')],
    });
    const session: TestSession = startSession(
      [createDesk(machine)],
      createTwoDesks([callTools('confirm')], [callTools('status'), callTools('ship')]),
    );
    await session.send('Go.');
    const told = (await session.events()).map((event) => JSON.stringify(event));
    const asked = told.findIndex((one) => one.includes('model-replied') && one.includes('"ship"'));
    expect(asked).toBeLessThan(told.findIndex((one) => one.includes('confirm done')));
    expect(told.filter((one) => one.includes('turn-resumed') && one.includes('expired'))).toHaveLength(1);
    expect(done.filter((name) => name !== 'status')).toEqual(['confirm', 'ship']);
    expect(await readPositions(session)).toEqual(createDeskPosition('shipped'));
  });
});
