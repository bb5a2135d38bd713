/** Sessions with nested loops. */
import type { Call } from '../chat-completions.ts';
import type { Journal } from '../journal.ts';

const createWorkCall = (task: string): Call => ['work', { task }];

const nestedJournal: Journal = {
  name: 'nested',
  holds: ['"ownBlackboard":true', '"type":"answer-rejected"', '"type":"frame-started"'],
  plays: [
    ['Go.', [[createWorkCall('left')], [['helper', { message: 'Find it.' }]], 'Worked.']],
    [
      'And now?',
      [[createWorkCall('right')], [['helper_by_name', { message: 'Find more.' }]], 'Worked again.'],
    ],
    ['"left"', [[['look_up'], ['dig']], 'Left it.']],
    ['"right"', [[['dig']], 'Right it is.']],
  ],
  inside: {
    helper: [
      ['Find it.', [[['find']], 'It is here.']],
      ['does not have the form', ['{"found":"here"}']],
      ['Find more.', [[['find']], '{"found":"more"}']],
    ],
  },
  write: (talk) => talk.say('Go.'),
  continueSession: (talk) => talk.say('And now?'),
};

/** The interrupted call was executed, but the next holder cannot find out its outcome. */
const killedInAgenticTool: Journal = {
  name: 'killed-in-agentic-tool',
  holds: ["'held'", '"parent":', '"effect":"once"'],
  plays: [
    ['Go.', [[createWorkCall('buy')], 'Worked.']],
    ['And now?', ['All is well.']],
    ['"buy"', [[['look_up']], [['deeper', { task: 'pay' }]], 'Bought.']],
    ['"pay"', [[['charge'], ['mail']], 'Paid, perhaps.']],
  ],
  async write(talk, world) {
    const held = world.hold('killed-in-agentic-tool', 'charge');
    await talk.start('Go.');
    await held.reached;
    await talk.happened('tool-call-ended', 2);
  },
  continueSession: (talk) => talk.sayNext('And now?'),
};

/** The interrupted call was executed, and the next holder can find out its outcome. */
const killedInSubagent: Journal = {
  name: 'killed-in-subagent',
  holds: ["'held'", '"ownBlackboard":true', '"effect":"once"'],
  plays: [
    ['Go.', [[['clerk', { message: 'Charge it.' }]], 'Charged.']],
    ['And now?', [[['clerk', { message: 'Look it up.' }]], 'All is well.']],
  ],
  inside: {
    clerk: [
      ['Charge it.', [[['look_up']], [['charge']], [['look_up']], 'It is charged.']],
      ['Look it up.', [[['look_up']], 'It is there.']],
    ],
  },
  reportsDone: 'clerk',
  async write(talk, world) {
    const held = world.hold('clerk', 'charge');
    await talk.start('Go.');
    await held.reached;
  },
  continueSession: (talk) => talk.sayNext('And now?'),
};

const suspendedInside: Journal = {
  name: 'suspended-inside',
  holds: ['"type":"frame-started"', '"type":"tool-call-suspended"'],
  plays: [
    ['Go.', [[['look_up'], createWorkCall('buy')], [['look_up']], 'Worked.']],
    ['"buy"', [[['pay']], 'Bought.']],
  ],
  write: (talk) => talk.say('Go.'),
  continueSession: (talk) => talk.settle('pay', { decision: 'approve' }),
};

/** Two messages are scheduled for a time before the reading. */
const processTools: Journal = {
  name: 'process-tools',
  holds: ['"scheduled":[{', "'start'", '"type":"message-sent"'],
  plays: [
    [
      'Go.',
      [
        [['keep', { it: 'shell' }], ['keep', { it: 'stone' }], ['agent_process']],
        [['process_budget'], ['process_cost'], ['process_tools_stats']],
        [['blackboard'], ['schedule_message', { message: 'Look again.', when: 'in 1 hour' }]],
        [
          ['blackboard_list'],
          ['communicate', { message: 'I kept two.' }],
          ['progress', { status: 'Keeping.' }],
        ],
        'Kept.',
      ],
    ],
    ['And now?', [[['blackboard_get', { name: 'shell' }], ['process_models']], 'A shell.']],
    ['Look again.', [[['process_tools_stats']], 'Looked again.']],
  ],
  write: (talk) => talk.say('Go.'),
  async continueSession(talk) {
    await talk.say('And now?');
    await talk.happened('turn-ended', 3);
  },
};

export const nestedLoops: readonly Journal[] = [
  nestedJournal,
  killedInAgenticTool,
  killedInSubagent,
  suspendedInside,
  processTools,
];
