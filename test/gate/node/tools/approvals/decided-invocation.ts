import type { Decision, Question } from '../../../../../src/index.ts';
import type { BlackboardEntry, CallBlackboard, CallRun } from '../../../../../src/kinds/entry.ts';
import { createCallBlackboard } from '../../../../doors/tools.ts';
import { toStored } from '../fake-call.ts';
import { answerDecisions, createFakeInvocation } from '../fake-invocation.ts';

/** An invocation with prepared decisions, which records its questions and its additions to the blackboard. */
export function createDecidedCall(
  tool: string,
  decisions: readonly Decision[],
  change: Partial<CallRun> = {},
) {
  const { call: fake, leaves } = createFakeInvocation(tool);
  const asked: Question<'decision'>[] = [];
  const board: BlackboardEntry[] = [];
  const blackboard: CallBlackboard = createCallBlackboard({
    entries: () => [...board],
    add: (value, { name, type }) => {
      board.push({
        value: toStored(value),
        ...(name !== undefined && { name }),
        ...(type !== undefined && { type }),
      });
    },
  });
  const live: CallRun = {
    ...fake,
    blackboard,
    execute: (leaf) => fake.execute({ ...leaf, run: (call) => leaf.run({ ...call, blackboard }) }),
    ask: answerDecisions(async (question) => {
      const decision = decisions[asked.push(question) - 1];
      if (!decision) throw new Error('This question has no prepared decision.');
      return decision;
    }),
    ...change,
  };
  return { call: live, leaves, asked, board };
}
