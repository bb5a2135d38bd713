import { describe, expect, it } from 'vitest';
import type { HistoryMessage } from '../../../../../src/kinds/entry.ts';
import { slidingWindow } from '../../../../../src/modules/transformers/entry.ts';
import { showThrough } from './shown-by.ts';

/**
 * Makes a conversation: `u1` is a user message, `a1` a reply without calls, `c2` a reply with two calls,
 * `loop` a message from the loop itself.
 */
function createConversation(words: string): HistoryMessage[] {
  return words.split(' ').map((word, index): HistoryMessage => {
    if (word === 'loop') return { role: 'user', text: word, by: 'loop' };
    if (word.startsWith('u')) return { role: 'user', text: word };
    const count = word.startsWith('c') ? Number(word.slice(1)) : 0;
    const calls = Array.from({ length: count }, (_, n) => ({
      id: `${index}.${n}`,
      name: 'look',
      input: '{}',
      result: { type: 'text', content: 'seen' } as const,
    }));
    return { role: 'assistant', text: word, calls };
  });
}

const getShownTexts = (words: string, maxMessages: number): string =>
  showThrough(slidingWindow({ maxMessages }), createConversation(words))
    .map(({ text }) => text)
    .join(' ');

describe('a sliding window', () => {
  it.each<[string, number, string, string]>([
    ['u1 a1 u2', 3, 'u1 a1 u2', 'all that fits'],
    ['u1 a1 u2', 10, 'u1 a1 u2', 'all that fits'],
    ['u1 a1 u2 a2 u3', 3, 'u2 a2 u3', 'the newest'],
    ['u1 a1 u2 a2 u3', 2, 'u3', 'no reply to a message that is not shown'],
    ['u1 c1 c1 c1', 3, 'u1 c1', 'whole replies with their results, and the newest message of the user'],
    ['u1 c1 c1 c1', 5, 'u1 c1 c1', 'whole replies with their results, and the newest message of the user'],
    ['u1 c1 c1 c1', 4, 'u1 c1', 'no half of a reply that would not fit'],
    ['u1 c2 c2', 4, 'u1 c2', 'two results of one reply'],
    ['u1 a1 u2 c1 c1', 5, 'u2 c1 c1', 'nothing earlier if the newest message fills the rest'],
    ['u1 c9', 3, 'u1 c9', 'the newest reply, even if it alone is too long'],
    ['u1 c1 a1 loop', 2, 'u1 loop', 'the message of the loop, beside that of the user'],
    ['u1 c1 a1 loop', 3, 'u1 a1 loop', 'the message of the loop, beside that of the user'],
    ['u1', 1, 'u1', 'the only message'],
    ['u1 a1 u2', 1, 'u2', 'the newest message'],
  ])('of %s, with at most %i messages, keeps %s: %s (CBK-06, CBK-07)', (words, most, kept) => {
    expect(getShownTexts(words, most)).toBe(kept);
  });

  it('does not change the messages that it keeps', () => {
    const messages = createConversation('u1 c2 a1');
    expect(showThrough(slidingWindow({ maxMessages: 2 }), messages)).toEqual([messages[0], messages[2]]);
  });

  it.each([0, -1, 1.5, Number.NaN])('is refused with %d messages', (maxMessages) => {
    expect(() => slidingWindow({ maxMessages })).toThrow(
      new RangeError(`slidingWindow: maxMessages is ${maxMessages}. Use a positive whole number.`),
    );
  });
});
