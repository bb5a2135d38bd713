import { type AnyTool, text } from '../../../../src/index.ts';
import { nest } from '../../../../src/kinds/entry.ts';
import type { Kit } from '../lab/kit.ts';
import type { Scenario } from '../lab/scenario.ts';
import { defineSurvivor } from './survivor.ts';

const createTools = (kit: Kit): readonly AnyTool[] => [
  kit.tool({ name: 'look', care: 'read' }),
  kit.tool({ name: 'put', care: 'idempotent' }),
  kit.tool({ name: 'pay', care: 'reconciled' }),
  kit.tool({ name: 'mail', care: 'once' }),
  kit.tool({
    name: 'step',
    care: 'idempotent',
    serial: 'steps',
    answer(_, { state, blackboard }) {
      const steps = Number(state.get('steps') ?? 0) + 1;
      state.set('steps', steps);
      blackboard.add(steps);
      return `step ${steps} of ${blackboard.entries().length}`;
    },
  }),
];

/** A hand-written frame with the same tools. */
const createDig = (kit: Kit): AnyTool => ({
  name: 'dig',
  description: 'Digs deeper.',
  inputSchema: { type: 'object' },
  effect: 'none',
  returnDirect: false,
  metadata: {},
  check: async (input) => ({ ok: true, value: input }),
  async call(_, invocation) {
    const frame = await nest(invocation, {
      name: 'dig',
      instructions: '',
      message: 'Dig.',
      tools: createTools(kit),
    });
    return text(`${frame.outcome}: ${frame.text}`);
  },
});

/** Parallel calls of every kind, inside and outside of a frame. */
export const everything: Scenario = {
  kind: 'everything',
  agent: (kit) =>
    defineSurvivor([
      ...createTools(kit),
      createDig(kit),
      kit.tool({ name: 'finish', care: 'reconciled', returnDirect: true }),
    ]),
  script: [
    {
      to: 'Go.',
      replies: [
        { calls: ['look', 'put', 'pay', 'mail', 'step', 'step'] },
        { calls: ['dig', 'look'] },
        { calls: ['mail'] },
        { calls: ['finish'] },
      ],
    },
    { to: 'Dig.', replies: [{ calls: ['look', 'pay'] }, { calls: ['put', 'mail'] }, 'Dug.'] },
  ],
  steps: [{ send: 'Go.' }],
};
