/** Sessions with external clients or external tools. */
import type { Journal } from '../journal.ts';

const hookedJournal: Journal = {
  name: 'hooked',
  holds: ["'delivery sender ", '"principal":{"id":"webhook:sender"'],
  plays: [
    ['It rains.', [[['look_up']], 'So it does.']],
    ['It snows.', ['It does.']],
  ],
  async write(talk) {
    await talk.deliver('sender', { id: 'delivery-1', message: 'It rains.' });
    await talk.happened('turn-ended');
  },
  async continueSession(talk) {
    await talk.deliver('sender', { id: 'delivery-1', message: 'It rains.' });
    await talk.deliver('sender', { id: 'delivery-2', message: 'It snows.' });
    await talk.happened('turn-ended', 2);
  },
};

const toolGroup: Journal = {
  name: 'tool-group',
  holds: ['"name":"fetch_page"'],
  plays: [
    ['Go.', [[['search'], ['fetch_page']], [['note']], 'Noted.']],
    ['And now?', [[['search']], 'Found.']],
  ],
  write: (talk) => talk.say('Go.'),
  continueSession: (talk) => talk.say('And now?'),
};

/** The server's list is valid for ten minutes. When the journal is read, the server is unavailable. */
const mcp: Journal = {
  name: 'mcp',
  holds: ['"type":"tools-listed"', '"slice":"listings"'],
  plays: [
    [
      'Go.',
      [[['count_words', { text: 'kelp and tides' }], ['pages']], [['read_page', { title: 'Kelp' }]], 'Read.'],
    ],
    ['And now?', [[['pages']], 'There are pages.']],
  ],
  write: (talk) => talk.say('Go.'),
  continueSession: (talk) => talk.say('And now?'),
};

export const outsideJournals: readonly Journal[] = [hookedJournal, toolGroup, mcp];
