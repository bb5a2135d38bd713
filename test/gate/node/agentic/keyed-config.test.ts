import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { after, definePlaybook, defineStateMachine } from '../../../../src/kinds/entry.ts';
import { resolveMemory } from '../../../doors/kinds.ts';
import { createConsoleLog } from '../../../doors/tools.ts';
import { callTools, createWorkshop, listInnerAnswers, startSession } from '../state-machine/scenes.ts';

// Plain JavaScript can pass this.
const createLateAnswer = (answer: () => unknown) => (async () => answer()) as unknown as () => boolean;
const throwBroken = (): never => {
  throw new Error('broken');
};

const captureErrors = () => vi.spyOn(console, 'error').mockImplementation(() => {});
let log: ReturnType<typeof captureErrors>;
beforeEach(() => {
  log = captureErrors();
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe('a reset function that returns a promise', () => {
  it.each([
    ['false', () => false],
    ['true', () => true],
    ['a call whose reset throws', throwBroken],
  ])('does not reset the memory for %s, and is reported once', async (_, answer) => {
    const { tool } = createWorkshop();
    const [pay, ship] = [tool('pay'), tool('ship')];
    const about = { description: 'Handles.', input: v.object({}) };
    const machine = defineStateMachine({
      ...about,
      name: 'orders',
      initial: 'open',
      reset: createLateAnswer(answer),
      states: { open: [{ tool: pay, to: 'paid' }], paid: [ship] },
    });
    const playbook = definePlaybook({
      ...about,
      name: 'desk',
      reset: createLateAnswer(answer),
      tools: [pay],
      locked: [{ tool: ship, unlockedBy: after(pay) }],
    });
    for (const one of [machine, playbook]) {
      log.mockClear();
      const createTurnReplies = (name: string) => [callTools(one.name), callTools(name), 'So.', 'Done.'];
      const session = startSession(
        [one],
        [...createTurnReplies('pay'), ...createTurnReplies('ship'), ...createTurnReplies('ship')],
      );
      for (const text of ['1', '2', '3']) await session.send(text);
      expect(await listInnerAnswers(session)).toEqual([
        'pay: pay done',
        'ship: ship done',
        'ship: ship done',
      ]);
      expect(log.mock.calls).toEqual([
        [`holdfast: \`reset\` of tool '${one.name}' returns a promise, but must be synchronous`],
      ]);
    }
  });
});

it('a reset function restarts the memory of a call only if it returns `true`', () => {
  const isReset = (answer: unknown) => {
    const reset = (() => answer) as () => boolean;
    return resolveMemory({ name: 'desk', reset }, {}, { log: createConsoleLog() }).isReset;
  };
  expect([true, false, 1, 'yes', {}, undefined].map(isReset)).toEqual([true, ...Array(5).fill(false)]);
});
