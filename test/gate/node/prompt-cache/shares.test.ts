import { describe, expect, it } from 'vitest';
import { shareOf, summaryOf } from '../../../prompt-cache/measure/shares.ts';
import { pieces } from './requests.ts';

/** A token for each word. */
const words = (text: string): readonly number[] => text.split(' ').map((word) => word.length);

const request = (tools: readonly string[], system: string, ...messages: readonly string[]) => ({
  tools: pieces(...tools),
  system: pieces(system),
  messages: pieces(...messages),
});

describe('the share of a request', () => {
  it('is what stood in the one before, when that is extended', () => {
    const before = request(['one two'], 'three', 'four');
    const now = request(['one two'], 'three', 'four', 'five six');
    expect(shareOf(before, now, words)).toEqual({
      bytes: { all: 24, kept: 16 },
      tokens: { all: 6, kept: 4 },
    });
  });

  it('ends at the first byte that differs, and nothing behind it is kept, though it is the same', () => {
    const before = request(['one two'], 'three', 'four');
    const now = request(['one ten'], 'three', 'four');
    expect(shareOf(before, now, words)).toEqual({
      bytes: { all: 16, kept: 5 },
      tokens: { all: 4, kept: 2 },
    });
  });

  it('ends where a tool came behind the others', () => {
    const now = request(['one', 'two'], 'three', 'four');
    expect(shareOf(request(['one'], 'three', 'four'), now, words).bytes).toEqual({ all: 15, kept: 4 });
  });

  it('is counted in UTF-8, and nothing of a first request', () => {
    expect(shareOf(undefined, request([], 'ü', '€'), words).bytes).toEqual({ all: 5, kept: 0 });
  });
});

it('several shares have a least and a median of those that have one before, and a total of all', () => {
  const of = (kept: number, isFirst = false) => ({ all: 100, kept, isFirst });
  expect(summaryOf([of(0, true), of(90), of(50), of(60)])).toEqual({ total: 0.5, least: 0.5, median: 0.6 });
});
