import * as v from 'valibot';
import { answers, defineManualTool } from '../../../../src/modules/answers/entry.ts';
import { requireApproval } from '../../../../src/modules/decorators/entry.ts';
import type { RepeatEffect } from '../../../doors/testing.ts';
import type { Scenario } from '../lab/scenario.ts';
import { defineSurvivor } from './survivor.ts';

/** Two payments, one approved and one edited, after another call of the reply has already run. */
const approval: Scenario = {
  kind: 'approval',
  agent: (kit) => {
    const pay = (name: string) =>
      requireApproval(
        kit.tool({
          name,
          care: 'reconciled',
          input: v.object({ amount: v.number() }),
          answer: ({ amount }) => `paid ${amount}`,
        }),
        ({ amount }) => `Pay ${amount}?`,
      );
    return defineSurvivor([pay('pay'), pay('refund'), kit.tool({ name: 'look', care: 'read' })]);
  },
  script: [
    {
      to: 'Go.',
      replies: [
        { calls: ['look', { name: 'pay', input: { amount: 5 } }, { name: 'refund', input: { amount: 6 } }] },
        { calls: ['look'] },
        'Paid.',
      ],
    },
  ],
  steps: [
    { send: 'Go.' },
    { decide: 'pay', as: { decision: 'approve' } },
    { decide: 'refund', as: { decision: 'edit', input: { amount: 4 } } },
  ],
};

/** A reply with a tool that the caller runs. */
const manualResult: Scenario = {
  kind: 'manual-result',
  agent: (kit) =>
    defineSurvivor([
      defineManualTool({
        name: 'ask_user',
        description: 'Asks the user.',
        input: v.object({ what: v.string() }),
      }),
      kit.tool({ name: 'pay', care: 'reconciled' }),
    ]),
  script: [
    {
      to: 'Go.',
      replies: [
        { calls: ['pay', { name: 'ask_user', input: { what: 'Sure?' } }] },
        { calls: ['pay'] },
        'Done.',
      ],
    },
  ],
  steps: [{ send: 'Go.' }, { result: 'ask_user', as: { text: 'Yes.' } }],
};

/** Two calls that ask questions while they run and receive no answer. Only one of them may be restarted. */
const askingWhileRunning: Scenario = {
  kind: 'asks-while-running',
  tells: '"type":"tool-call-answered"',
  agent: (kit) => {
    const createAskingTool = (name: string, care: RepeatEffect) =>
      kit.tool({
        name,
        care,
        async answer(_, call) {
          const question = { for: 'decision', meanwhile: 'running', message: `${name}?` } as const;
          return (await call.ask({ ...question, expires: 20, onExpiry: 'approve' })).decision;
        },
      });
    const tools = [
      createAskingTool('put', 'idempotent'),
      createAskingTool('book', 'once'),
      kit.tool({ name: 'look', care: 'read' }),
    ];
    return defineSurvivor(tools, { use: [answers] });
  },
  script: [{ to: 'Go.', replies: [{ calls: ['book', 'look'] }, { calls: ['put', 'book'] }, 'Booked.'] }],
  // A restartable call is suspended when its invocation is lost.
  steps: [{ send: 'Go.' }, { wait: 100 }],
};

export const waitScenarios: readonly Scenario[] = [approval, manualResult, askingWhileRunning];
