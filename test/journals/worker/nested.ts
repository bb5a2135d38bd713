/** Agents with nested loops that finish, or during which the Worker is killed. */
import * as v from 'valibot';
import { artifact, defineTool } from '../../../src/index.ts';
import {
  agentProcessTools,
  blackboardTools,
  communicateTool,
  defineAgenticTool,
  defineSubagent,
  progressTool,
} from '../../../src/kinds/entry.ts';
import { publishToBlackboard, requireApproval } from '../../../src/modules/decorators/entry.ts';
import { callLimits } from '../../../src/modules/limits/entry.ts';
import { scheduleMessage } from '../../../src/modules/schedules/entry.ts';
import { createActingTool, createReconcilingTool, defineScene, performAct } from './scene.ts';

const task = v.object({ task: v.string() });

const helper = defineScene('helper', {
  description: 'Helps.',
  output: v.object({ found: v.string() }),
  tools: [
    defineTool({
      name: 'find',
      description: 'Finds.',
      effect: 'once',
      run: async (_, call) => {
        call.blackboard.add('a find', { name: 'find' });
        return `${await performAct('helper/find', {}, call)}, beside ${call.blackboard.entries().length}`;
      },
    }),
  ],
});

const nestedScene = defineScene('nested', {
  tools: [
    defineAgenticTool({
      name: 'work',
      description: 'Works.',
      input: task,
      instructions: ({ iterations }, input) => `${input.task}, reply ${iterations + 1}.`,
      captureNestedArtifacts: true,
      tools: [
        createActingTool('nested', 'look_up', { effect: 'read' }),
        publishToBlackboard(
          defineTool({
            name: 'dig',
            description: 'Digs.',
            effect: 'once',
            run: async (_, call) => {
              const dug = Number(call.state.get('dug') ?? 0) + 1;
              call.state.set('dug', dug);
              return artifact(await performAct('nested/dig', {}, call), { dug });
            },
          }),
          { name: 'hole' },
        ),
      ],
    }),
    defineSubagent({ agent: helper }),
    defineSubagent({ agent: 'helper', name: 'helper_by_name' }),
  ],
});

/**
 * An agent whose Worker is killed in a call of a doubly nested loop. The next holder cannot find out the
 * outcome of the call.
 */
const killedInAgenticTool = defineScene('killed-in-agentic-tool', {
  tools: [
    defineAgenticTool({
      name: 'work',
      description: 'Works.',
      input: task,
      tools: [
        createActingTool('killed-in-agentic-tool', 'look_up', { effect: 'read' }),
        defineAgenticTool({
          name: 'deeper',
          description: 'Works deeper.',
          input: task,
          tools: [
            createActingTool('killed-in-agentic-tool', 'charge', { effect: 'once' }),
            createActingTool('killed-in-agentic-tool', 'mail', { effect: 'idempotent' }),
          ],
        }),
      ],
    }),
  ],
});

const clerk = defineScene('clerk', {
  description: 'Charges.',
  tools: [createReconcilingTool('clerk', 'charge'), createActingTool('clerk', 'look_up', { effect: 'read' })],
});
const killedInSubagent = defineScene('killed-in-subagent', { tools: [defineSubagent({ agent: clerk })] });

const suspendedInside = defineScene('suspended-inside', {
  tools: [
    defineAgenticTool({
      name: 'work',
      description: 'Works.',
      input: task,
      tools: [requireApproval(createActingTool('suspended-inside', 'pay', { effect: 'once' }), () => 'Pay?')],
    }),
    createActingTool('suspended-inside', 'look_up', { effect: 'read' }),
  ],
});

const processTools = defineScene('process-tools', {
  use: [callLimits({ toolCalls: 40 })],
  tools: [
    agentProcessTools({ scope: 'session' }),
    blackboardTools(),
    communicateTool(),
    progressTool(),
    scheduleMessage(),
    defineTool({
      name: 'keep',
      description: 'Keeps.',
      input: v.object({ it: v.string() }),
      effect: 'idempotent',
      run: ({ it }, { blackboard }) => {
        blackboard.add({ it }, { name: it, type: 'Thing' });
        return `Kept ${it}.`;
      },
    }),
  ],
});

export const nestedLoops = [
  helper,
  nestedScene,
  killedInAgenticTool,
  clerk,
  killedInSubagent,
  suspendedInside,
  processTools,
];
