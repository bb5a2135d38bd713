import { describe, expect, it } from 'vitest';
import { messageOf } from '../../../doors/loop.ts';

const failure = (message: string, cause?: unknown) => new Error(message, { cause });

describe('the message of a thrown value', () => {
  it.each<[string, unknown, string]>([
    ['its own message', failure('No stock'), 'No stock'],
    [
      'its message and that of its cause',
      failure('No stock', failure('disk full')),
      'No stock (cause: disk full)',
    ],
    [
      'its message and those of a chain of causes',
      failure('a', failure('b', failure('c'))),
      'a (cause: b (cause: c))',
    ],
    ['a cause of any kind', failure('No stock', 'disk full'), 'No stock (cause: disk full)'],
    ['a cause once', failure('No stock: disk full', failure('disk full')), 'No stock: disk full'],
    ['the cause if its own message is empty', failure(' ', failure('disk full')), 'disk full'],
    ['its own message if that of the cause is empty', failure('No stock', failure('')), 'No stock'],
    ['the text of a value that is not an error', 'plain words', 'plain words'],
  ])('is %s (ANN-11)', (_, thrown, expected) => {
    expect(messageOf('buy', thrown)).toBe(expected);
  });

  it('is finite even if its causes are circular', () => {
    const round = failure('round');
    round.cause = failure('and round', round);
    expect(messageOf('buy', round)).toBe(
      'round (cause: and round (cause: round (cause: and round (cause: round (cause: and round)))))',
    );
  });

  it('is truncated', () => {
    expect(messageOf('buy', failure('a'.repeat(1_999), failure('b'.repeat(9))))).toBe(
      `${'a'.repeat(1_999)} `,
    );
  });

  it('is its class if it is empty or unreadable', () => {
    const hostile = Object.defineProperty(new TypeError('x'), 'cause', {
      get() {
        throw new Error('no');
      },
    });
    expect(messageOf('buy', hostile)).toBe('Exception occurred in tool: buy (TypeError)');
    expect(messageOf('buy', new RangeError(''))).toBe('Exception occurred in tool: buy (RangeError)');
  });
});
