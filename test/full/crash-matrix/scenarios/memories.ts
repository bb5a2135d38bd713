import * as v from 'valibot';
import { artifact } from '../../../../src/index.ts';
import { definePipeline } from '../../../../src/kinds/entry.ts';
import { oneShotPerLoop, publishToBlackboard } from '../../../../src/modules/decorators/entry.ts';
import type { Scenario } from '../lab/scenario.ts';
import { defineSurvivor } from './survivor.ts';

/** A result that is sent once for each loop and referenced afterwards. A new turn sends it again. */
const oneShot: Scenario = {
  kind: 'one-shot',
  agent: (kit) =>
    defineSurvivor([oneShotPerLoop(kit.tool({ name: 'manual', care: 'read' }), 'Write it now.')]),
  script: [
    { to: 'Go.', replies: [{ calls: ['manual', 'manual'] }, { calls: ['manual'] }, 'Written.'] },
    { to: 'Again.', replies: [{ calls: ['manual'] }, 'Written again.'] },
  ],
  steps: [{ send: 'Go.' }, { send: 'Again.' }],
};

/** Artifacts that are written to the blackboard, and a tool that reads it. */
const sinkScenario: Scenario = {
  kind: 'sink-blackboard',
  agent: (kit) =>
    defineSurvivor([
      publishToBlackboard(
        kit.tool({
          name: 'find',
          care: 'read',
          input: v.object({ id: v.number() }),
          answer: ({ id }) => artifact(`found ${id}`, { id }),
        }),
        { name: 'found' },
      ),
      kit.tool({
        name: 'list',
        care: 'idempotent',
        answer: (_, { blackboard }) => JSON.stringify(blackboard.entries()),
      }),
    ]),
  script: [
    {
      to: 'Go.',
      replies: [
        {
          calls: [
            { name: 'find', input: { id: 1 } },
            { name: 'find', input: { id: 2 } },
          ],
        },
        { calls: ['list'] },
        'Listed.',
      ],
    },
    { to: 'Again.', replies: [{ calls: ['list'] }, 'Listed again.'] },
  ],
  steps: [{ send: 'Go.' }, { send: 'Again.' }],
};

/** Steps that run without a model request between them. */
const pipeline: Scenario = {
  kind: 'pipeline',
  agent: (kit) =>
    defineSurvivor([
      definePipeline({
        name: 'prepare',
        steps: [
          kit.text({ name: 'fetch', care: 'read', answer: (input) => `${input}, fetched` }),
          kit.text({ name: 'clean', care: 'idempotent', answer: (input) => `${input}, cleaned` }),
          kit.text({ name: 'store', care: 'reconciled', answer: (input) => `${input}, stored` }),
        ],
      }),
    ]),
  script: [
    { to: 'Go.', replies: [{ calls: [{ name: 'prepare', input: { input: 'a page' } }] }, 'Prepared.'] },
  ],
  steps: [{ send: 'Go.' }],
};

/** An answer that is rejected once, after a call. */
const structured: Scenario = {
  kind: 'structured-answer',
  agent: (kit) =>
    defineSurvivor([kit.tool({ name: 'count', care: 'reconciled', answer: () => '7' })], {
      output: v.object({ total: v.number() }),
    }),
  script: [
    { to: 'Go.', replies: [{ calls: ['count'] }, 'Seven.'] },
    { to: 'does not have the form', replies: ['{"total":7}'] },
  ],
  steps: [{ send: 'Go.' }],
};

/** An answer that is rejected twice. */
const refusedAnswerScenario: Scenario = {
  ...structured,
  kind: 'structured-answer-refused',
  script: [
    { to: 'Go.', replies: [{ calls: ['count'] }, 'Seven.'] },
    { to: 'does not have the form', replies: ['Eight.'] },
  ],
};

export const memories: readonly Scenario[] = [
  oneShot,
  sinkScenario,
  pipeline,
  structured,
  refusedAnswerScenario,
];
