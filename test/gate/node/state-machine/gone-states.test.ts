import { describe, expect, it } from 'vitest';
import { type AnyTool, defineAgent, toolProvider } from '../../../../src/index.ts';
import { stateMachines } from '../../../../src/kinds/entry.ts';
import { answers } from '../../../../src/modules/answers/entry.ts';
import { requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { createTestSession, type ScriptedReply } from '../../../../src/testing/entry.ts';
import {
  answersInside,
  answersRead,
  calls,
  createWorkshop,
  instructionsInside,
  orderCalls,
  orderMachine,
  positionsOf,
  storedPositions,
  turnReplies,
  wrongStateText,
} from './scenes.ts';

describe('a stored state that the code no longer defines', () => {
  const { tool, done } = createWorkshop();
  const before = orderMachine({
    states: {
      draft: [{ tool: requireApproval(tool('confirm'), 'Confirm?'), to: 'confirmed' }],
      confirmed: [],
      shipped: [],
    },
  }).machine;
  /** Returns the same machine with other states, as in a later deployment. */
  const after = (renamed?: { draft: 'confirmed' }): AnyTool =>
    orderMachine({
      initial: 'confirmed',
      states: { confirmed: [{ tool: tool('ship'), to: 'shipped' }], shipped: [] } as never, // One state was removed.
      renamed: renamed as never,
      everywhere: [tool('status'), requireApproval(tool('confirm'), 'Confirm?')],
    }).machine;

  /** Returns a session whose agent can be replaced, as by a deployment. */
  function deployed(replies: readonly ScriptedReply[]) {
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
    const { session, deploy } = deployed([orderCalls('41'), 'So.', 'Done.', orderCalls('41'), 'Done.']);
    await session.send('Go.');
    deploy(after());
    const asked = session.requests.length;
    await session.send('Again.');
    expect(answersRead(session).at(-1)).toBe(`Error: Tool 'orders' did not run. ${gone}`);
    expect(session.requests.length - asked).toBe(2);
    expect(await storedPositions(session)).toEqual(positionsOf({ 41: 'draft' }));
  });

  it('becomes the state to which the definition renames it', async () => {
    const { session, deploy } = deployed([orderCalls('41'), 'So.', 'Done.', ...turnReplies('41', 'ship')]);
    await session.send('Go.');
    deploy(after({ draft: 'confirmed' }));
    await session.send('Ship.');
    expect(instructionsInside(session).at(-2)).toContain('\n\nThe state in which you begin is: confirmed\n');
    expect(await storedPositions(session)).toEqual(positionsOf({ 41: 'shipped' }));
  });

  it('can be left by a reset', async () => {
    const again = calls(['orders', { orderId: '41', again: true }]);
    const { session, deploy } = deployed([
      orderCalls('41'),
      'So.',
      'Done.',
      again,
      calls('ship'),
      'So.',
      'Done.',
    ]);
    await session.send('Go.');
    deploy(after());
    await session.send('Again.');
    expect(await storedPositions(session)).toEqual(positionsOf({ 41: 'shipped' }));
  });

  it('is reported to every call of an open loop, and to the model', async () => {
    const { session, deploy } = deployed([
      orderCalls('41'),
      'So.',
      'Done.',
      orderCalls('41'),
      calls('confirm', 'status'),
      calls('status'),
      'So.',
      'Done.',
    ]);
    await session.send('Go.');
    expect(await session.send('Confirm.')).toMatchObject({ outcome: 'suspended' });
    deploy(after());
    await session.decide('confirm', 'approve');
    expect(await answersInside(session)).toEqual(
      ['confirm', 'status', 'status'].map((name) => `${name}: Error: Tool '${name}' did not run. ${gone}`),
    );
    expect(done).not.toContain('confirm');
    expect(instructionsInside(session).at(-1)).toBe(
      'You are an intelligent agent that can use tools to help you complete tasks. Use the provided tools to perform ' +
        `the following task: Processes one order.\n\n${gone}`,
    );
    expect(answersRead(session)).toEqual(['So.', 'So.']);
  });

  it('does not arise from a changed initial state, because a started machine keeps its state', async () => {
    const { session, deploy } = deployed([orderCalls('41'), 'So.', 'Done.', ...turnReplies('41', 'ship')]);
    await session.send('Go.');
    deploy(orderMachine({ initial: 'confirmed' }).machine);
    await session.send('Ship.');
    expect((await answersInside(session)).at(-1)).toBe(`ship: ${wrongStateText('draft', 'confirmed')}`);
  });
});
