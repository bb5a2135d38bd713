import { describe, expect, it } from 'vitest';
import { getThrownMessage } from '../../../doors/loop.ts';

const createFailure = (message: string, cause?: unknown) => new Error(message, { cause });

describe('the message that a model sees for a thrown value', () => {
  it.each<[string, unknown, string]>([
    ['the message of the error', createFailure('No stock'), 'No stock'],
    [
      'the messages of the error and of its cause',
      createFailure('No stock', createFailure('disk full')),
      'No stock (cause: disk full)',
    ],
    [
      'the messages of a chain of causes',
      createFailure('a', createFailure('b', createFailure('c'))),
      'a (cause: b (cause: c))',
    ],
    ['a cause that is not an error', createFailure('No stock', 'disk full'), 'No stock (cause: disk full)'],
    [
      'a repeated cause only once',
      createFailure('No stock: disk full', createFailure('disk full')),
      'No stock: disk full',
    ],
    [
      'the message of the cause if the error has no message',
      createFailure(' ', createFailure('disk full')),
      'disk full',
    ],
    [
      'the message of the error if the cause has no message',
      createFailure('No stock', createFailure('')),
      'No stock',
    ],
    ['the text of a value that is not an error', 'plain words', 'plain words'],
  ])('contains %s (ANN-11)', (_, thrown, expected) => {
    expect(getThrownMessage('buy', thrown)).toBe(expected);
  });

  it('has a limited depth even if its causes are circular', () => {
    const round = createFailure('round');
    round.cause = createFailure('and round', round);
    expect(getThrownMessage('buy', round)).toBe(
      'round (cause: and round (cause: round (cause: and round (cause: round (cause: and round)))))',
    );
  });

  it('is truncated after 2,000 characters', () => {
    expect(getThrownMessage('buy', createFailure('a'.repeat(1_999), createFailure('b'.repeat(9))))).toBe(
      `${'a'.repeat(1_999)} `,
    );
  });

  it('contains the class of the value if the message is empty or unreadable', () => {
    const hostile = Object.defineProperty(new TypeError('x'), 'cause', {
      get() {
        throw new Error('no');
      },
    });
    expect(getThrownMessage('buy', hostile)).toBe('Exception occurred in tool: buy (TypeError)');
    expect(getThrownMessage('buy', new RangeError(''))).toBe('Exception occurred in tool: buy (RangeError)');
  });
});
