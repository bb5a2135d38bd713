/** Agents with only leaf tools: all effects, artifacts, sinks, state, memos, and long results. */

import * as v from 'valibot';
import { artifact, defineTextTool, defineTool, terminateAgent } from '../../../src/index.ts';
import { defineUnfolding } from '../../../src/kinds/entry.ts';
import { defineManualTool } from '../../../src/modules/answers/entry.ts';
import { retain } from '../../../src/modules/app/entry.ts';
import {
  blackboardSink,
  compositeSink,
  loopMemo,
  oneShotPerLoop,
  publishToBlackboard,
  sinkArtifacts,
} from '../../../src/modules/decorators/entry.ts';
import { createActingTool, createReconcilingTool, defineScene, performAct } from './scene.ts';

const item = v.object({ item: v.string() });

const finishedScene = defineScene('finished', {
  use: [retain({ days: 30 })],
  context: { desk: 'front', team: 'blue' },
  tools: [
    createActingTool('finished', 'look_up', { effect: 'read' }),
    publishToBlackboard(
      defineTool({
        name: 'file_order',
        description: 'Files an order.',
        input: item,
        effect: 'idempotent',
        run: async (input, call) => {
          await performAct('finished/file_order', input, call);
          return artifact(`Filed ${input.item}.`, { ...input, team: call.context.get('team', v.string()) });
        },
      }),
      { name: 'order' },
    ),
    createActingTool('finished', 'charge', { effect: 'once' }),
    sinkArtifacts(
      defineTool({
        name: 'count',
        description: 'Counts how often it is called.',
        effect: 'idempotent',
        serial: 'counter',
        run: (_, { state, blackboard, say }) => {
          const counted = Number(state.get('counted') ?? 0) + 1;
          state.set('counted', counted);
          say(`That was call ${counted}.`);
          return { counted, onBoard: blackboard.entries().length };
        },
      }),
      compositeSink(blackboardSink({ name: 'count' })),
    ),
  ],
});

/** An agent whose Worker is killed during two calls, one of which must run only once. */
const createKilledScene = (name: string, charge = createActingTool(name, 'charge', { effect: 'once' })) =>
  defineScene(name, {
    tools: [
      createActingTool(name, 'look_up', { effect: 'read' }),
      charge,
      createActingTool(name, 'mail', { effect: 'idempotent' }),
    ],
  });

const mistakes = defineScene('mistakes', {
  tools: [
    defineTool({
      name: 'look_up',
      description: 'Looks up.',
      input: item,
      effect: 'read',
      run: () => 'Seen.',
    }),
    defineTool({
      name: 'break',
      description: 'Breaks.',
      effect: 'read',
      run: () => {
        throw new Error('It is broken.', { cause: new Error('It fell down.') });
      },
    }),
    defineTool({
      name: 'give_up',
      description: 'Gives up.',
      effect: 'read',
      run: () => {
        throw terminateAgent('There is nothing more to be done.');
      },
    }),
    createActingTool('mistakes', 'finish', { effect: 'idempotent', returnDirect: true }),
    defineTextTool({
      name: 'note',
      description: 'Notes.',
      effect: 'read',
      run: (words) => `Noted: ${words}`,
    }),
  ],
});

const heardMemo = loopMemo('heard');
const oneShot = defineScene('one-shot', {
  tools: [
    oneShotPerLoop(createActingTool('one-shot', 'read_manual', { effect: 'read' }), 'Write it now.'),
    defineTool({
      name: 'greet',
      description: 'Greets.',
      effect: 'idempotent',
      run: (_, call) => (heardMemo.firstTimeIn(call) ? 'Good morning.' : 'Good morning again.'),
    }),
  ],
});

/** An agent with bodies of more than 64 KiB, which are stored separately. */
const blobs = defineScene('blobs', {
  tools: [
    defineTool({
      name: 'fetch_page',
      description: 'Fetches.',
      effect: 'read',
      run: () => 'tång '.repeat(12_000),
    }),
    defineManualTool({ name: 'ask_user', description: 'Asks the user.' }),
  ],
});

/**
 * An agent whose turn exceeds the maximum number of events without a snapshot and of requests per invocation.
 */
const snapshot = defineScene('snapshot', {
  tools: [
    createActingTool('snapshot', 'look_up', { effect: 'read' }),
    publishToBlackboard(
      defineTool({
        name: 'fetch_page',
        description: 'Fetches.',
        effect: 'read',
        run: (_, { state }) => {
          state.set('fetched', true);
          return { page: 'tång '.repeat(12_000) };
        },
      }),
      { name: 'page' },
    ),
    defineTool({
      name: 'recall',
      description: 'Tells what is remembered.',
      effect: 'read',
      run: (_, { state, blackboard }) => {
        const names = blackboard.entries().map(({ name }) => name);
        return `fetched: ${state.get('fetched')}, on the blackboard: ${names}`;
      },
    }),
    defineUnfolding({
      name: 'files',
      description: 'Works with files.',
      scope: 'session',
      tools: [createActingTool('snapshot', 'read_file', { effect: 'read' })],
    }),
  ],
});

export const leaves = [
  finishedScene,
  createKilledScene('killed-in-once'),
  createKilledScene('killed-in-once-done', createReconcilingTool('killed-in-once-done', 'charge')),
  createKilledScene('killed-in-once-not-done', createReconcilingTool('killed-in-once-not-done', 'charge')),
  mistakes,
  oneShot,
  blobs,
  snapshot,
];
