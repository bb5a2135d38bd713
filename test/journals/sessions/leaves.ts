/** Sessions of agents with only leaf tools. */
import type { Journal } from '../journal.ts';

const finishedJournal: Journal = {
  name: 'finished',
  holds: ["'again-1'", '"type":"message-sent"', '"name":"order"', '"context":{"team":"red"}', "'retention'"],
  plays: [
    ['Go.', [[['look_up'], ['file_order', { item: 'shell' }]], [['charge', { amount: 5 }]], 'Charged.']],
    ['Again.', [[['count'], ['count']], [['file_order', { item: 'stone' }]], 'Counted.']],
    ['Thanks.', ['You are welcome.']],
    ['And now?', [[['count'], ['charge']], 'Done.']],
  ],
  async write(talk) {
    await talk.say('Go.');
    await talk.post(
      '/messages',
      { message: 'Again.', context: { team: 'red' } },
      { 'idempotency-key': 'again-1' },
    );
    await talk.say('Thanks.');
  },
  async continueSession(talk) {
    const again = { message: 'Again.', context: { team: 'red' } };
    await talk.post('/messages', again, { 'idempotency-key': 'again-1' });
    await talk.post('/messages', { message: 'Other.' }, { 'idempotency-key': 'again-1' });
    await talk.say('And now?');
  },
};

interface KilledOptions extends Partial<Journal> {
  /** The phase of the effect in which the charge is held. */
  readonly held: 'charge' | 'before charge';
}

/** A session that is killed while two calls of its turn are unanswered. */
const createKilledJournal = (name: string, { held: charge, ...more }: KilledOptions): Journal => ({
  name,
  holds: ["'held'", '"effect":"once"', '"effect":"idempotent"'],
  plays: [
    ['Go.', [[['look_up']], [['look_up'], ['charge', { amount: 5 }], ['mail']], 'Charged.']],
    ['And now?', [[['look_up']], 'All is well.']],
  ],
  async write(talk, world) {
    const holds = [world.hold(name, charge), world.hold(name, 'mail')];
    await talk.start('Go.');
    await Promise.all(holds.map(({ reached }) => reached));
    await talk.happened('tool-call-ended', 2);
  },
  continueSession: (talk) => talk.sayNext('And now?'),
  ...more,
});

const mistakes: Journal = {
  name: 'mistakes',
  holds: [
    'does not exist',
    '"reason":"invalid-input"',
    '"signal":{"type":"terminate-agent"',
    '"outcome":"returned-direct"',
  ],
  plays: [
    [
      'Go.',
      [
        [
          ['lok_up', { item: 'shell' }],
          ['look_up', { thing: 1 }],
          ['look_up', '{"item":'],
        ],
        [['break'], ['note', 'no JSON']],
        [['look_up', { item: 'shell' }]],
        'Mended.',
      ],
    ],
    ['Finish.', [[['finish']]]],
    ['Give up.', [[['give_up']]]],
    ['And now?', [[['break']], 'It is still broken.']],
  ],
  async write(talk) {
    await talk.say('Go.');
    await talk.say('Finish.');
    await talk.say('Give up.');
  },
  continueSession: (talk) => talk.say('And now?'),
};

const oneShot: Journal = {
  name: 'one-shot',
  holds: ['"loopId":"chapter-1"', 'holdfast.memo:heard'],
  plays: [
    ['Go.', [[['read_manual'], ['greet']], [['read_manual'], ['greet']], 'Written.']],
    ['On.', [[['read_manual'], ['greet']], 'Written on.']],
    ['And now?', [[['read_manual'], ['greet']], 'Written again.']],
  ],
  write: (talk) => talk.say('Go.', { loopId: 'chapter-1' }),
  async continueSession(talk) {
    await talk.say('On.', { loopId: 'chapter-1' });
    await talk.say('And now?');
  },
};

const blobs: Journal = {
  name: 'blobs',
  holds: ["VALUES ('event', ", "VALUES ('inbox', "],
  plays: [
    ['Go.', [[['fetch_page']], 'Fetched.']],
    ['Ask.', [[['ask_user']], 'Asked.']],
    ['kelp', ['That was long.']],
    ['And now?', ['Now it is over.']],
  ],
  async write(talk) {
    await talk.say('Go.');
    await talk.say('Ask.');
    await talk.post(
      '/messages?whenBusy=queue',
      { message: 'kelp '.repeat(14_000) },
      { prefer: 'respond-async' },
    );
  },
  async continueSession(talk) {
    await talk.settle('ask_user', { text: 'tång '.repeat(12_000) });
    await talk.rest();
  },
};

/** With the ends of these calls, the session exceeds the maximum number of events without a snapshot. */
const CALLS = 100;

const snapshot: Journal = {
  name: 'snapshot',
  holds: ["VALUES ('snapshot', ", '"type":"turn-yielded"', '"type":"turn-resumed"'],
  plays: [
    [
      'Go.',
      [Array.from({ length: CALLS }, () => ['look_up'] as const), [['fetch_page'], ['files']], 'Looked up.'],
    ],
    ['Again.', [[['look_up']], 'Looked up again.']],
    ['And now?', [[['recall']], [['read_file']], 'Recalled.']],
  ],
  async write(talk) {
    await talk.say('Go.');
    await talk.say('Again.');
  },
  continueSession: (talk) => talk.say('And now?'),
};

export const leaves: readonly Journal[] = [
  finishedJournal,
  createKilledJournal('killed-in-once', { held: 'charge' }),
  createKilledJournal('killed-in-once-done', { held: 'charge', reportsDone: 'killed-in-once-done' }),
  createKilledJournal('killed-in-once-not-done', { held: 'before charge' }),
  mistakes,
  oneShot,
  blobs,
  snapshot,
];
