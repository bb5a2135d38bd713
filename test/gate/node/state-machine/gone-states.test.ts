import { describe, expect, it } from 'vitest';
import { type AnyTool, defineAgent, toolProvider } from '../../../../src/index.ts';
import { stateMachines } from '../../../../src/kinds/entry.ts';
import { answers } from '../../../../src/modules/answers/entry.ts';
import { requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { createTestSession, type ScriptedReply } from '../../../../src/testing/entry.ts';
import {
  callTools,
  createOrderMachine,
  createPositions,
  createTurnReplies,
  createWorkshop,
  formatWrongState,
  getInnerInstructions,
  getOuterResults,
  listInnerAnswers,
  orderCalls,
  readPositions,
} from './scenes.ts';

describe('a stored state that the code no longer defines', () => {
  const { tool, done } = createWorkshop();
  const before = createOrderMachine({
    states: {
      draft: [{ tool: requireApproval(tool('confirm'), 'Confirm?'), to: 'confirmed' }],
      confirmed: [],
      shipped: [],
    },
  }).machine;
  /** Returns the same machine with other states, as in a later deployment. */
  const createLaterMachine = (renamed?: { draft: 'confirmed' }): AnyTool =>
    createOrderMachine({
      initial: 'confirmed',
      states: { confirmed: [{ tool: tool('ship'), to: 'shipped' }], shipped: [] } as never, // One state was removed.
      renamed: renamed as never,
      everywhere: [tool('status'), requireApproval(tool('confirm'), 'Confirm?')],
    }).machine;

  /** Returns a session whose agent can be replaced, as by a deployment. */
  function createDeployedSession(replies: readonly ScriptedReply[]) {
    let machine: AnyTool = before;
    const agent = defineAgent({
      name: 'clerk',
      description: 'Works.',
      instructions: 'Work.',
      tools: [toolProvider({ uses: [stateMachines], toolsNow: () => [machine] })],
    });
    const session = createTestSession(agent, { use: [answers], replies });
    return {
      session,
      deploy: (next: AnyTool) => {
        machine = next;
        session.restart();
      },
    };
  }

  const gone =
    "The position of 'orders' for '41' is 'draft', a state that it no longer has. No call can change that: the developer " +
    "must map it to a current state in 'renamed'.";

  it('causes an error that names it, and is never treated as the initial state', async () => {
    const { session, deploy } = createDeployedSession([
      orderCalls('41'),
      'So.',
      'Done.',
      orderCalls('41'),
      'Done.',
    ]);
    await session.send('Go.');
    deploy(createLaterMachine());
    const asked = session.requests.length;
    await session.send('Again.');
    expect(getOuterResults(session).at(-1)).toBe(`Error: Tool 'orders' did not run. ${gone}`);
    expect(session.requests.length - asked).toBe(2);
    expect(await readPositions(session)).toEqual(createPositions({ 41: 'draft' }));
  });

  it('becomes the state to which the definition renames it', async () => {
    const { session, deploy } = createDeployedSession([
      orderCalls('41'),
      'So.',
      'Done.',
      ...createTurnReplies('41', 'ship'),
    ]);
    await session.send('Go.');
    deploy(createLaterMachine({ draft: 'confirmed' }));
    await session.send('Ship.');
    expect(getInnerInstructions(session).at(-2)).toContain(
      '\n\nThe state in which you begin is: confirmed\n',
    );
    expect(await readPositions(session)).toEqual(createPositions({ 41: 'shipped' }));
  });

  it('can be left by a reset', async () => {
    const again = callTools(['orders', { orderId: '41', again: true }]);
    const { session, deploy } = createDeployedSession([
      orderCalls('41'),
      'So.',
      'Done.',
      again,
      callTools('ship'),
      'So.',
      'Done.',
    ]);
    await session.send('Go.');
    deploy(createLaterMachine());
    await session.send('Again.');
    expect(await readPositions(session)).toEqual(createPositions({ 41: 'shipped' }));
  });

  it('is reported to the model, and as the result of every call of an open loop', async () => {
    const { session, deploy } = createDeployedSession([
      orderCalls('41'),
      'So.',
      'Done.',
      orderCalls('41'),
      callTools('confirm', 'status'),
      callTools('status'),
      'So.',
      'Done.',
    ]);
    await session.send('Go.');
    expect(await session.send('Confirm.')).toMatchObject({ outcome: 'suspended' });
    deploy(createLaterMachine());
    await session.decide('confirm', 'approve');
    expect(await listInnerAnswers(session)).toEqual(
      ['confirm', 'status', 'status'].map((name) => `${name}: Error: Tool '${name}' did not run. ${gone}`),
    );
    expect(done).not.toContain('confirm');
    expect(getInnerInstructions(session).at(-1)).toBe(
      'You are an intelligent agent that can use tools to help you complete tasks. Use the provided tools to perform ' +
        `the following task: Processes one order.\n\n${gone}`,
    );
    expect(getOuterResults(session)).toEqual(['So.', 'So.']);
  });

  it('does not result from a changed initial state, because a started machine keeps its state', async () => {
    const { session, deploy } = createDeployedSession([
      orderCalls('41'),
      'So.',
      'Done.',
      ...createTurnReplies('41', 'ship'),
    ]);
    await session.send('Go.');
    deploy(createOrderMachine({ initial: 'confirmed' }).machine);
    await session.send('Ship.');
    expect((await listInnerAnswers(session)).at(-1)).toBe(`ship: ${formatWrongState('draft', 'confirmed')}`);
  });
});
