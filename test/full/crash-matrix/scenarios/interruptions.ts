import { sendLater } from '../../../../src/modules/schedules/entry.ts';
import type { Scenario } from '../lab/scenario.ts';
import { defineSurvivor } from './survivor.ts';

/** Two messages that wait for the running turn and are answered in order. */
const queuedScenario: Scenario = {
  kind: 'queued',
  agent: (kit) =>
    defineSurvivor([kit.tool({ name: 'look', care: 'read' }), kit.tool({ name: 'pay', care: 'reconciled' })]),
  script: [
    { to: 'Go.', replies: [{ calls: ['look'] }, { calls: ['pay'] }, 'Paid.'] },
    { to: 'And then?', replies: [{ calls: ['pay'] }, 'Paid again.'] },
    { to: 'At last?', replies: ['That is all.'] },
  ],
  steps: [
    {
      send: 'Go.',
      meanwhile: [
        { during: 'look', send: 'And then?', whenBusy: 'queue' },
        { during: 'look', send: 'At last?', whenBusy: 'queue' },
      ],
    },
  ],
};

/** A message that the running turn accepts. */
const steeredScenario: Scenario = {
  kind: 'steered',
  tells: '"type":"turn-steered"',
  agent: (kit) =>
    defineSurvivor([
      kit.tool({ name: 'put', care: 'idempotent' }),
      kit.tool({ name: 'pay', care: 'reconciled' }),
      kit.tool({ name: 'mail', care: 'once' }),
    ]),
  script: [
    { to: 'Go.', replies: [{ calls: ['put'] }, { calls: ['pay'] }, 'Paid.'] },
    { to: 'Mail it, too.', replies: [{ calls: ['pay', 'mail'] }, 'Paid and mailed.'] },
  ],
  steps: [{ send: 'Go.', meanwhile: [{ during: 'put', send: 'Mail it, too.', whenBusy: 'steer' }] }],
};

/** A turn that is cancelled while a batch of calls runs. */
const cancelledScenario: Scenario = {
  kind: 'cancelled',
  tells: '"outcome":"cancelled"',
  agent: (kit) =>
    defineSurvivor([
      kit.tool({ name: 'look', care: 'read' }),
      kit.tool({ name: 'put', care: 'idempotent' }),
      kit.tool({ name: 'pay', care: 'reconciled' }),
    ]),
  script: [
    {
      to: 'Go.',
      replies: [{ calls: ['pay'] }, { calls: ['put', 'pay', 'look'] }, { calls: ['pay'] }, 'Never said.'],
    },
    { to: 'Again.', replies: [{ calls: ['pay'] }, 'Paid.'] },
  ],
  steps: [{ send: 'Go.', meanwhile: [{ during: 'put', cancel: true }] }, { send: 'Again.' }],
};

/** A call that schedules a message to its session. */
const scheduledScenario: Scenario = {
  kind: 'scheduled',
  tells: '"scheduled":[',
  agent: (kit) =>
    defineSurvivor([
      kit.tool({
        name: 'remind',
        care: 'idempotent',
        answer: async (_, call) => {
          await sendLater(call, { message: 'It is time.', delaySeconds: 0.1 });
          return 'reminded';
        },
      }),
      kit.tool({ name: 'pay', care: 'reconciled' }),
    ]),
  script: [
    { to: 'Go.', replies: [{ calls: ['remind'] }, { calls: ['pay'] }, 'Paid.'] },
    { to: 'It is time.', replies: [{ calls: ['pay'] }, 'Paid in time.'] },
  ],
  steps: [{ send: 'Go.' }, { wait: 200 }],
};

export const interruptions: readonly Scenario[] = [
  queuedScenario,
  steeredScenario,
  cancelledScenario,
  scheduledScenario,
];
