/** Sessions with a limit, a failure, a structured answer, or a compacted conversation. */
import type { Call } from '../chat-completions.ts';
import type { Journal } from '../journal.ts';

const createWorkCall = (task: string): Call => ['work', { task }];

/** The budget of its nested loop is smaller than one reply. */
const budgetedJournal: Journal = {
  name: 'budgeted',
  holds: ['"module":"budgets"', '"type":"model-refused"', '"cost":'],
  plays: [
    ['Go.', [[['look_up']], [createWorkCall('buy')], 'Bought.']],
    ['And now?', [[['look_up']], [createWorkCall('more')], 'Bought more.']],
  ],
  write: (talk) => talk.say('Go.'),
  continueSession: (talk) => talk.say('And now?'),
};

/** The tokens that the interrupted model request has reserved stay reserved. */
const killedInModel: Journal = {
  name: 'killed-in-model',
  holds: ["'held'", '"module":"budgets"'],
  plays: [
    ['Go.', [[['look_up']], 'Gone.']],
    ['Again.', [[['look_up']], 'Gone again.']],
    ['And now?', ['All is well.']],
  ],
  async write(talk, world) {
    await talk.say('Go.');
    const held = world.hold('killed-in-model', 'model');
    await talk.start('Again.');
    await held.reached;
  },
  continueSession: (talk) => talk.sayNext('And now?'),
};

const failedJournal: Journal = {
  name: 'failed',
  holds: ['"type":"model-failure"'],
  plays: [
    ['Go.', [[['look_up']], { refuses: 'This model is gone.' }]],
    ['And now?', [[['look_up']], 'It is back.']],
  ],
  write: (talk) => talk.say('Go.'),
  continueSession: (talk) => talk.say('And now?'),
};

const limitReached: Journal = {
  name: 'limit-reached',
  holds: ['"last":true', '"outcome":"limit-reached"'],
  plays: [
    ['Go.', [[['look_up'], ['look_up'], ['look_up']], [['note']]]],
    ['And now?', [[['look_up']], [['note']]]],
    ['STOP: Maximum tool iterations', ['That is all I know.']],
  ],
  write: (talk) => talk.say('Go.'),
  continueSession: (talk) => talk.say('And now?'),
};

const structured: Journal = {
  name: 'structured',
  holds: ['"type":"answer-rejected"', '"object":{"total":7}'],
  plays: [
    ['Go.', [[['count']], 'Seven.']],
    ['does not have the form', ['{"total":7}']],
    ['And now?', ['{"total":8}']],
  ],
  write: (talk) => talk.say('Go.'),
  continueSession: (talk) => talk.say('And now?'),
};

/** Text that fills a conversation. */
const LONG_ANSWER = 'as you asked, and in the way that you had asked for, '.repeat(4);

const compactedJournal: Journal = {
  name: 'compacted',
  holds: ['"type":"conversation-cut"', "VALUES ('snapshot', "],
  plays: [
    ['{"summary":', ['In short: it was paid twice.']],
    ['{"user":"Go."}', ['In short: it was paid.']],
    ['Go.', [[['pay']], `Paid ${LONG_ANSWER}.`]],
    ['And then?', [[['pay']], `Paid again ${LONG_ANSWER}.`]],
    ['On.', [[['pay']], `Paid once more ${LONG_ANSWER}.`]],
    ['Yes?', ['Yes.']],
    ['And now?', [[['pay']], 'Paid for the last time.']],
  ],
  async write(talk) {
    for (const message of ['Go.', 'And then?', 'On.', 'Yes?']) await talk.say(message);
  },
  continueSession: (talk) => talk.say('And now?'),
};

const summaryDropped: Journal = {
  name: 'summary-dropped',
  holds: ['"module":"compaction"'],
  plays: [
    ['{"user":', ['Much longer than what it is for. '.repeat(60)]],
    ['Go.', [[['pay']], `Paid ${LONG_ANSWER}.`]],
    ['And then?', [`Paid ${LONG_ANSWER}.`]],
    ['On.', ['Yes.']],
    ['And now?', [`All is well, ${LONG_ANSWER}.`]],
    ['Again.', ['All is still well.']],
  ],
  async write(talk) {
    for (const message of ['Go.', 'And then?', 'On.']) await talk.say(message);
  },
  async continueSession(talk) {
    await talk.say('And now?');
    await talk.say('Again.');
  },
};

export const limits: readonly Journal[] = [
  budgetedJournal,
  killedInModel,
  failedJournal,
  limitReached,
  structured,
  compactedJournal,
  summaryDropped,
];
