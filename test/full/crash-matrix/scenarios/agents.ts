import * as v from 'valibot';
import { artifact, defineAgent } from '../../../../src/index.ts';
import { defineAgenticTool, defineSubagent } from '../../../../src/kinds/entry.ts';
import { requireApproval } from '../../../../src/modules/decorators/entry.ts';
import type { Kit } from '../lab/kit.ts';
import type { Scenario } from '../lab/scenario.ts';
import { defineSurvivor } from './survivor.ts';

const task = v.object({ task: v.string() });

/** Two parallel nested loops, one of which contains another nested loop. */
const agentic: Scenario = {
  kind: 'agentic',
  agent: (kit) => {
    const dig = kit.tool({ name: 'dig', care: 'reconciled', answer: () => artifact('dug', { deep: true }) });
    const deeper = defineAgenticTool({
      name: 'deeper',
      description: 'Digs deeper.',
      input: task,
      tools: [dig],
    });
    const work = defineAgenticTool({
      name: 'work',
      description: 'Works.',
      input: task,
      instructions: ({ iterations }, input) => `${input.task}, reply ${iterations + 1}.`,
      captureNestedArtifacts: true,
      tools: [kit.tool({ name: 'look', care: 'read' }), dig, deeper],
    });
    return defineSurvivor([work]);
  },
  script: [
    {
      to: 'Go.',
      replies: [
        {
          calls: [
            { name: 'work', input: { task: 'left' } },
            { name: 'work', input: { task: 'right' } },
          ],
        },
        'Worked.',
      ],
    },
    { to: '"left"', replies: [{ calls: ['look', 'dig'] }, 'Left it.'] },
    { to: '"right"', replies: [{ calls: [{ name: 'deeper', input: { task: 'down' } }] }, 'Right it is.'] },
    { to: '"down"', replies: [{ calls: ['dig'] }, 'Deep enough.'] },
  ],
  steps: [{ send: 'Go.' }],
};

/** A nested loop whose interrupted call cannot be reconciled. */
const agenticOnce: Scenario = {
  kind: 'agentic-once',
  agent: (kit) =>
    defineSurvivor([
      defineAgenticTool({
        name: 'work',
        description: 'Works.',
        input: task,
        tools: [kit.tool({ name: 'mail', care: 'once' })],
      }),
    ]),
  script: [
    { to: 'Go.', replies: [{ calls: [{ name: 'work', input: { task: 'write' } }] }, 'Worked.'] },
    { to: '"write"', replies: [{ calls: ['mail'] }, 'Written.'] },
  ],
  steps: [{ send: 'Go.' }],
};

/** A question from a call inside a nested loop. */
const nestedApproval: Scenario = {
  kind: 'agentic-approval',
  agent: (kit) =>
    defineSurvivor([
      defineAgenticTool({
        name: 'work',
        description: 'Works.',
        input: task,
        tools: [requireApproval(kit.tool({ name: 'pay', care: 'reconciled' }), () => 'Pay?')],
      }),
      kit.tool({ name: 'look', care: 'read' }),
    ]),
  script: [
    {
      to: 'Go.',
      replies: [
        { calls: ['look', { name: 'work', input: { task: 'buy' } }] },
        { calls: ['look'] },
        'Worked.',
      ],
    },
    { to: '"buy"', replies: [{ calls: ['pay'] }, 'Bought.'] },
  ],
  steps: [{ send: 'Go.' }, { decide: 'pay', as: { decision: 'approve' } }],
};

const defineHelper = (kit: Kit) =>
  defineAgent({
    name: 'helper',
    description: 'Helps.',
    instructions: 'You help.',
    output: v.object({ found: v.string() }),
    tools: [
      kit.tool({
        name: 'find',
        care: 'reconciled',
        answer(_, { blackboard }) {
          blackboard.add('a find', { name: 'find' });
          return `found beside ${blackboard.entries().length}`;
        },
      }),
      kit.tool({ name: 'recall', care: 'read', answer: (_, { blackboard }) => blackboard.get('find') }),
    ],
  });

/** Subagents that are set as a definition and by name. Their blackboard entries are returned on success. */
const subagent: Scenario = {
  kind: 'subagent',
  agent: (kit) =>
    defineSurvivor([
      defineSubagent({ agent: defineHelper(kit) }),
      defineSubagent({ agent: 'helper', name: 'helper_by_name' }),
      kit.tool({
        name: 'board',
        care: 'idempotent',
        answer: (_, { blackboard }) => JSON.stringify(blackboard.entries()),
      }),
    ]),
  agents: (kit) => [defineHelper(kit)],
  script: [
    {
      to: 'Go.',
      replies: [
        { calls: [{ name: 'helper', input: { message: 'Find one.' } }] },
        { calls: [{ name: 'helper_by_name', input: { message: 'What was found?' } }, 'board'] },
        'Found.',
      ],
    },
    { to: 'Find one.', replies: [{ calls: ['find'] }, { calls: ['recall'] }, 'It is here.'] },
    { to: 'What was found?', replies: [{ calls: ['recall'] }, '{"found":"that"}'] },
    { to: 'does not have the form', replies: ['{"found":"one"}'] },
  ],
  steps: [{ send: 'Go.' }],
};

export const agents: readonly Scenario[] = [agentic, agenticOnce, nestedApproval, subagent];
