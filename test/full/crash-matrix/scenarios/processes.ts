import * as v from 'valibot';
import {
  agentProcessTools,
  blackboardTools,
  communicateTool,
  defineAgenticTool,
} from '../../../../src/kinds/entry.ts';
import { callLimits, budget as holdBack } from '../../../../src/modules/limits/entry.ts';
import type { Scenario } from '../lab/scenario.ts';
import { defineSurvivor } from './survivor.ts';

/** A turn that inspects its process. Times are removed from the results. */
const process: Scenario = {
  kind: 'process-tools',
  agent: (kit) =>
    defineSurvivor([agentProcessTools(), kit.tool({ name: 'put', care: 'idempotent' })], {
      use: [callLimits({ toolCalls: 20 })],
    }),
  script: [
    {
      to: 'Go.',
      replies: [
        { calls: ['agent_process'] },
        { calls: ['put'] },
        { calls: ['process_budget'] },
        { calls: ['process_tools_stats', 'process_models'] },
        'Looked.',
      ],
    },
  ],
  steps: [{ send: 'Go.' }],
};

/** A turn that reads its blackboard and shows it to the user. */
const blackboard: Scenario = {
  kind: 'blackboard-tools',
  agent: (kit) =>
    defineSurvivor([
      blackboardTools({ format: (value) => `<${JSON.stringify(value)}>` }),
      communicateTool(),
      kit.tool({
        name: 'keep',
        care: 'reconciled',
        input: v.object({ it: v.string() }),
        answer({ it }, call) {
          call.blackboard.add({ it }, { name: it, type: 'Thing' });
          return `kept ${it}`;
        },
      }),
    ]),
  script: [
    {
      to: 'Go.',
      replies: [
        {
          calls: [
            { name: 'keep', input: { it: 'shell' } },
            { name: 'keep', input: { it: 'stone' } },
            'blackboard',
          ],
        },
        { calls: ['blackboard_list', { name: 'blackboard_last', input: { typeName: 'Thing' } }] },
        {
          calls: [
            { name: 'communicate', input: { message: 'I kept two.' } },
            { name: 'blackboard_get', input: { name: 'shell' } },
          ],
        },
        'Kept.',
      ],
    },
  ],
  steps: [{ send: 'Go.' }],
};

/** A budget that reserves tokens before each model call, with enough for one lost attempt. */
const budget: Scenario = {
  kind: 'budget',
  agent: (kit) => {
    const pay = kit.tool({ name: 'pay', care: 'reconciled' });
    return defineSurvivor(
      [
        pay,
        defineAgenticTool({
          name: 'work',
          description: 'Works.',
          input: v.object({ task: v.string() }),
          tools: [pay],
          use: [holdBack({ tokens: 50_000 })],
        }),
      ],
      { use: [holdBack({ tokens: 100_000 })] },
    );
  },
  script: [
    { to: 'Go.', replies: [{ calls: ['pay', { name: 'work', input: { task: 'buy' } }] }, 'Paid.'] },
    { to: '"buy"', replies: [{ calls: ['pay'] }, 'Bought.'] },
  ],
  steps: [{ send: 'Go.' }],
};

export const processes: readonly Scenario[] = [process, blackboard, budget];
