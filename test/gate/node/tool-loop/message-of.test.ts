import { describe, expect, it } from 'vitest';
import { messageOf } from '../../../doors/loop.ts';

const failureWith = (message: string, cause?: unknown) => new Error(message, { cause });

describe('the message that a model sees for a thrown value', () => {
  it.each<[string, unknown, string]>([
    ['the message of the error', failureWith('No stock'), 'No stock'],
    [
      'the messages of the error and of its cause',
      failureWith('No stock', failureWith('disk full')),
      'No stock (cause: disk full)',
    ],
    [
      'the messages of a chain of causes',
      failureWith('a', failureWith('b', failureWith('c'))),
      'a (cause: b (cause: c))',
    ],
    ['a cause that is not an error', failureWith('No stock', 'disk full'), 'No stock (cause: disk full)'],
    [
      'a repeated cause only once',
      failureWith('No stock: disk full', failureWith('disk full')),
      'No stock: disk full',
    ],
    [
      'the message of the cause if the error has no message',
      failureWith(' ', failureWith('disk full')),
      'disk full',
    ],
    [
      'the message of the error if the cause has no message',
      failureWith('No stock', failureWith('')),
      'No stock',
    ],
    ['the text of a value that is not an error', 'plain words', 'plain words'],
  ])('contains %s (ANN-11)', (_, thrown, expected) => {
    expect(messageOf('buy', thrown)).toBe(expected);
  });

  it('is finite even if its causes are circular', () => {
    const round = failureWith('round');
    round.cause = failureWith('and round', round);
    expect(messageOf('buy', round)).toBe(
      'round (cause: and round (cause: round (cause: and round (cause: round (cause: and round)))))',
    );
  });

  it('is truncated', () => {
    expect(messageOf('buy', failureWith('a'.repeat(1_999), failureWith('b'.repeat(9))))).toBe(
      `${'a'.repeat(1_999)} `,
    );
  });

  it('is the class of the value if the message is empty or unreadable', () => {
    const hostile = Object.defineProperty(new TypeError('x'), 'cause', {
      get() {
        throw new Error('no');
      },
    });
    expect(messageOf('buy', hostile)).toBe('Exception occurred in tool: buy (TypeError)');
    expect(messageOf('buy', new RangeError(''))).toBe('Exception occurred in tool: buy (RangeError)');
  });
});
