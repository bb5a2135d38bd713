import type { RepeatEffect } from '../../../doors/testing.ts';
import type { Scenario } from '../lab/scenario.ts';
import { defineSurvivor } from './survivor.ts';

/** One tool, called once and then twice in one reply. */
const createLeafScenario = (kind: string, care: RepeatEffect): Scenario => ({
  kind,
  agent: (kit) => defineSurvivor([kit.tool({ name: 'act', care })]),
  script: [{ to: 'Go.', replies: [{ calls: ['act'] }, { calls: ['act', 'act'] }, 'Acted.'] }],
  steps: [{ send: 'Go.' }],
});

/** A reply with more calls than an invocation runs in parallel, with tools of every effect. */
const batch: Scenario = {
  kind: 'parallel-batch',
  agent: (kit) =>
    defineSurvivor([
      kit.tool({ name: 'look', care: 'read' }),
      kit.tool({ name: 'put', care: 'idempotent' }),
      kit.tool({ name: 'pay', care: 'reconciled' }),
      kit.tool({ name: 'mail', care: 'once' }),
    ]),
  script: [
    {
      to: 'Go.',
      replies: [{ calls: ['look', 'put', 'pay', 'mail', 'pay', 'put', 'mail', 'look'] }, 'Acted.'],
    },
  ],
  steps: [{ send: 'Go.' }],
};

/** Serial calls of one reply. Each depends on the previous one. */
const serialLane: Scenario = {
  kind: 'serial-lane',
  agent: (kit) =>
    defineSurvivor([
      kit.tool({
        name: 'step',
        care: 'idempotent',
        serial: 'steps',
        answer(_, { state, blackboard }) {
          const steps = Number(state.get('steps') ?? 0) + 1;
          state.set('steps', steps);
          blackboard.add(steps, { name: 'step' });
          return `step ${steps}, on the board ${blackboard.entries().length}`;
        },
      }),
      kit.tool({ name: 'look', care: 'read' }),
    ]),
  script: [
    { to: 'Go.', replies: [{ calls: ['step', 'look', 'step', 'step'] }, { calls: ['step'] }, 'Stepped.'] },
  ],
  steps: [{ send: 'Go.' }],
};

/** A tool with unparsed text input, and a tool whose result is the answer. */
const textTool: Scenario = {
  kind: 'text-tool',
  agent: (kit) =>
    defineSurvivor([
      kit.text({ name: 'note', care: 'idempotent', answer: (input) => `noted: ${input}` }),
      kit.tool({ name: 'finish', care: 'reconciled', returnDirect: true }),
    ]),
  script: [
    { to: 'Go.', replies: [{ calls: [{ name: 'note', input: 'no JSON at all' }] }, { calls: ['finish'] }] },
  ],
  steps: [{ send: 'Go.' }],
};

export const leaves: readonly Scenario[] = [
  createLeafScenario('read', 'read'),
  createLeafScenario('idempotent', 'idempotent'),
  createLeafScenario('once', 'once'),
  createLeafScenario('once-reconciled', 'reconciled'),
  batch,
  serialLane,
  textTool,
];
