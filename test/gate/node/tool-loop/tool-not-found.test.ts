import { describe, expect, it } from 'vitest';
import { suggestNames } from '../../../doors/loop.ts';

describe('suggested names', () => {
  const names = ['vectorSearch', 'textSearch', 'sendMail', 'send_mail_later', 'list'];
  it.each([
    ['SEND-MAIL', ['sendMail']],
    ['Vector_Search', ['vectorSearch']],
    ['ragbot_vectorSearch', ['vectorSearch']],
    ['mail_sender', ['sendMail', 'send_mail_later']],
    ['search', ['vectorSearch', 'textSearch']],
    ['weather', []],
    ['', []],
    ['ab', []],
    ['x'.repeat(10_000), []],
  ])('for the unknown name %s are %j (TNF-04, TNF-05)', (wanted, suggested) => {
    expect(suggestNames(wanted, names)).toEqual(suggested);
  });
});
