/** Sessions with one tool of each kind that changes the later tools or represents several tools. */
import type { Call } from '../chat-completions.ts';
import type { Journal } from '../journal.ts';

/** Opens an unfolding tool for the turn, and another one for the session, which stays open. */
const unfoldedJournal: Journal = {
  name: 'unfolded',
  holds: ['"slice":"unfolding"', '"type":"tool-call-suspended"'],
  plays: [
    [
      'Go.',
      [
        [['files'], ['shop', { shelves: ['tea', 'milk'] }]],
        [['read_file'], ['take_tea']],
        [['office', { category: 'desk' }]],
        [['tidy']],
        'Tidied.',
      ],
    ],
    [
      'Again.',
      [[['office', { category: 'mail' }]], [['send_mail']], [['write_file'], ['send_mail']], 'Sent.'],
    ],
    ['And now?', [[['take_milk']], 'Taken.']],
  ],
  async write(talk) {
    await talk.say('Go.');
    await talk.say('Again.');
  },
  async continueSession(talk) {
    await talk.settle('send_mail', { decision: 'approve' });
    await talk.settle('send_mail', { decision: 'reject', reason: 'One is enough.' });
    await talk.say('And now?');
  },
};

const chainedJournal: Journal = {
  name: 'chained',
  holds: ['"slice":"chaining"'],
  plays: [
    [
      'Go.',
      [
        [['get_customer', { id: 'c1' }]],
        [['greet'], ['last_order']],
        [['get_customer', { id: 'c2' }], ['list_parcels']],
        [['greet'], ['parcel_p1_track']],
        'Greeted.',
      ],
    ],
    ['And now?', [[['greet'], ['last_order'], ['parcel_p2_track']], [['ship']], 'Shipped.']],
  ],
  write: (talk) => talk.say('Go.'),
  continueSession: (talk) => talk.say('And now?'),
};

const createResearchCall = (topic: string): Call => ['research', { topic }];

const playbook: Journal = {
  name: 'playbook',
  holds: ['"slice":"playbooks"'],
  plays: [
    ['Go.', [[createResearchCall('kelp')], [createResearchCall('tides')], 'Researched.']],
    ['And now?', [[createResearchCall('kelp')], 'Researched again.']],
    ['Later.', [[createResearchCall('tides')], 'Researched the tides.']],
    ['{"topic":"tides"}', [[['analyze']], [['search']], 'Tides.']],
    ['{"topic":"kelp"}', [[['search']], [['analyze'], ['archive']], [['report']], 'Kelp.']],
  ],
  write: (talk) => talk.say('Go.'),
  async continueSession(talk) {
    await talk.say('And now?');
    await talk.say('Later.');
  },
};

const createOrderCall = (id: number, note?: string): Call => [
  'orders',
  { id, ...(note !== undefined && { note }) },
];

const stateMachine: Journal = {
  name: 'state-machine',
  holds: ['"slice":"state-machines"'],
  plays: [
    ['Go.', [[createOrderCall(41)], [createOrderCall(42)], 'Ordered.']],
    ['And now?', [[createOrderCall(41, 'on')], [createOrderCall(42, 'on')], 'Shipped.']],
    ['{"id":41}', [[['add'], ['ship']], [['confirm']], [['status']], 'Confirmed 41.']],
    ['{"id":42}', [[['add']], 'Drafted 42.']],
    ['{"id":41,"note":"on"}', [[['ship']], [['ship'], ['status']], 'Shipped 41.']],
    ['{"id":42,"note":"on"}', [[['confirm']], 'Confirmed 42.']],
  ],
  write: (talk) => talk.say('Go.'),
  continueSession: (talk) => talk.say('And now?'),
};

const pipeline: Journal = {
  name: 'pipeline',
  holds: ['"planned":true', '"type":"tool-call-suspended"'],
  plays: [
    ['Go.', [[['prepare', { input: 'a page' }]], 'Prepared.']],
    ['And now?', [[['prepare', { input: 'another' }]]]],
  ],
  write: (talk) => talk.say('Go.'),
  async continueSession(talk) {
    await talk.settle('store', { decision: 'approve' });
    await talk.say('And now?');
  },
};

const strategies: Journal = {
  name: 'strategies',
  holds: ['"type":"tool-call-ended"'],
  plays: [
    ['Go.', [[['unlock']], [['pay'], ['lock']], [['unlock']], 'Unlocked.']],
    ['And now?', [[['pay']], 'Paid.']],
  ],
  write: (talk) => talk.say('Go.'),
  continueSession: (talk) => talk.say('And now?'),
};

export const kinds: readonly Journal[] = [
  unfoldedJournal,
  chainedJournal,
  playbook,
  stateMachine,
  pipeline,
  strategies,
];
