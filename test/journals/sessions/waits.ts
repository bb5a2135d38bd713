/** Sessions whose turns wait for a person, for another turn, or for a scheduled time. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Journal } from '../journal.ts';

const suspendedJournal: Journal = {
  name: 'suspended',
  holds: ['"for":"decision"', '"for":"result"', "'suspended'", '"type":"tool-call-answered"', "'answer "],
  plays: [
    [
      'First.',
      [
        [
          ['refund', { amount: 1 }],
          ['refund', { amount: 2 }],
        ],
        'Refunded one.',
      ],
    ],
    [
      'Go.',
      [
        [
          ['look_up'],
          ['refund', { amount: 5 }],
          ['measure', { what: 'it' }],
          ['refund', { amount: 7 }],
          ['human_input', { question: 'Is that all?' }],
        ],
        'Refunded.',
      ],
    ],
  ],
  async write(talk) {
    await talk.say('First.');
    await talk.settle('refund', { decision: 'approve' });
    await talk.settle('refund', { decision: 'reject', reason: 'Too much.' });
    await talk.say('Go.');
  },
  async continueSession(talk) {
    await talk.say('And now?');
    await talk.settle('measure', { text: 'Two feet.' });
    await talk.settle('refund', { decision: 'approve' });
    await talk.settle('refund', { decision: 'edit', input: { amount: 6 } });
    await talk.settle('human_input', { decision: 'edit', input: { text: 'That is all.' } });
  },
};

const manager = { 'x-user': 'grace', 'x-tenant': 'acme', 'x-role': 'manager' };

const tenantJournal: Journal = {
  name: 'of-a-tenant',
  holds: ['"by":"manager"', '"tenant":"acme"'],
  as: { 'x-tenant': 'acme' },
  plays: [
    ['Go.', [[['refund', { amount: 5 }]], 'Refunded.']],
    ['And now?', ['All is well.']],
  ],
  write: (talk) => talk.say('Go.'),
  async continueSession(talk) {
    await talk.settle('refund', { decision: 'approve' });
    await talk.settle('refund', { decision: 'approve' }, manager);
    await talk.post('/messages', { message: 'And now?' }, { 'x-user': 'grace' });
  },
};

/** When the session is read, the decision has been open for more than an hour. */
const expiredJournal: Journal = {
  name: 'expired',
  holds: ["'expiry'", '"onExpiry":"reject"'],
  plays: [
    ['Go.', [[['refund'], ['measure']], 'Then not.']],
    ['And now?', ['All is well.']],
  ],
  write: (talk) => talk.say('Go.'),
  async continueSession(talk) {
    await talk.settle('refund', { decision: 'approve' });
    await talk.happened('turn-ended');
    await talk.say('And now?');
  },
};

const queuedJournal: Journal = {
  name: 'queued',
  holds: ["'suspended'", "VALUES (2, 'message', "],
  plays: [
    ['Go.', [[['send']], 'Sent.']],
    ['And two?', ['Two.']],
    ['And three?', [[['send']], 'Three.']],
  ],
  async write(talk) {
    await talk.say('Go.');
    for (const message of ['And two?', 'And three?'])
      await talk.post('/messages?whenBusy=queue', { message }, { prefer: 'respond-async' });
  },
  async continueSession(talk) {
    await talk.settle('send', { decision: 'approve' });
    await talk.happened('tool-call-suspended', 2);
    await talk.settle('send', { decision: 'exit' });
  },
};

const scheduledJournal: Journal = {
  name: 'scheduled',
  holds: ["VALUES (2, 'scheduled', ", "'start'"],
  plays: [
    ['Go.', ['Gone.']],
    ['In an hour.', [[['look_up']], 'Looked up.']],
    ['And now?', ['Nothing.']],
  ],
  async write(talk) {
    await talk.say('Go.');
    await talk.say('In an hour.', { delaySeconds: 3600 });
    await talk.say('In a year.', { delaySeconds: 360 * 24 * 3600 });
  },
  async continueSession(talk) {
    await talk.say('And now?');
    await talk.happened('turn-ended', 3);
  },
};

/** A turn accepted one message, and another message was in transit when the Worker was killed. */
const steeredJournal: Journal = {
  name: 'steered',
  holds: ['"type":"turn-steered"', "'steered ", "'steer', ", "'held'"],
  plays: [
    ['Go.', [[['look_up']], 'Gone.']],
    ['To the left.', ['Gone left.']],
    ['Again.', [[['look_up']], 'Gone again.']],
    ['To the right.', ['Gone right.']],
    ['And now?', ['All is well.']],
  ],
  async write(talk, world) {
    const first = world.hold('steered', 'look_up');
    await talk.start('Go.');
    await first.reached;
    await talk.post('/messages?whenBusy=steer', { message: 'To the left.' });
    first.release();
    await talk.rest();
    const second = world.hold('steered', 'look_up');
    await talk.start('Again.');
    await second.reached;
    await talk.post('/messages?whenBusy=steer', { message: 'To the right.' });
  },
  continueSession: (talk) => talk.sayNext('And now?'),
};

/** Two calls returned after their turns were cancelled. No client received the second result. */
const cancelledJournal: Journal = {
  name: 'cancelled',
  holds: ['"type":"cancel-requested"', '"outcome":"cancelled"', '"type":"late-result-received"', "'late', "],
  plays: [
    ['Go.', [[['charge'], ['mail']]]],
    ['whose outcome was unknown, has answered after all', ['It was charged, late.']],
  ],
  async write(talk, world) {
    await cancelLate();
    await talk.say('On.');
    await cancelLate();

    /** Lets the call return after the end of its turn. */
    async function cancelLate(): Promise<void> {
      const held = [world.hold('cancelled', 'charge'), world.hold('cancelled', 'mail')];
      await talk.start('Go.');
      await Promise.all(held.map(({ reached }) => reached));
      await talk.post('/cancel');
      await talk.rest();
      for (const { release } of held) release();
      // No event confirms that the result is stored.
      await delay(1_000);
    }
  },
  continueSession: (talk) => talk.say('And now?'),
};

/** An answer arrived after the kill of the holder, and no invocation has read it. */
const killedWithAnswer: Journal = {
  name: 'killed-with-answer',
  holds: ["'held'", "'answer', ", "'answer "],
  plays: [
    ['Go.', [[['charge'], ['refund']], 'Refunded.']],
    ['And now?', ['All is well.']],
  ],
  async write(talk, world) {
    const held = world.hold('killed-with-answer', 'charge');
    await talk.start('Go.');
    await held.reached;
    await talk.happened('tool-call-suspended');
  },
  lastly: (talk) => talk.settle('refund', { decision: 'approve' }, { prefer: 'respond-async' }),
  continueSession: (talk) => talk.sayNext('And now?'),
};

/** A cancel arrived after the kill of the holder, and no invocation has read it. */
const killedWithCancel: Journal = {
  name: 'killed-with-cancel',
  holds: ["'held'", "'cancel', "],
  plays: [
    ['Go.', [[['charge'], ['refund']]]],
    ['And now?', ['All is well.']],
  ],
  async write(talk, world) {
    const held = world.hold('killed-with-cancel', 'charge');
    await talk.start('Go.');
    await held.reached;
    await talk.happened('tool-call-suspended');
  },
  lastly: (talk) => talk.post('/cancel'),
  continueSession: (talk) => talk.sayNext('And now?'),
};

/** Two calls asked questions while they ran. Only one of them may be restarted. */
const killedWhileAsking: Journal = {
  name: 'killed-while-asking',
  holds: ["'held'", '"type":"tool-call-suspended"', '"effect":"idempotent"', '"effect":"once"'],
  plays: [
    ['Go.', [[['put'], ['book']], 'Booked.']],
    ['And now?', ['All is well.']],
  ],
  async write(talk) {
    await talk.start('Go.');
    await talk.happened('tool-call-suspended', 2);
  },
  async continueSession(talk) {
    await talk.post('/messages?whenBusy=queue', { message: 'And now?' }, { prefer: 'respond-async' });
    await talk.happened('tool-call-ended');
    await talk.settle('put', { decision: 'approve' });
    await talk.happened('turn-ended', 2);
  },
};

export const waitJournals: readonly Journal[] = [
  suspendedJournal,
  tenantJournal,
  expiredJournal,
  queuedJournal,
  scheduledJournal,
  steeredJournal,
  cancelledJournal,
  killedWithAnswer,
  killedWithCancel,
  killedWhileAsking,
];
