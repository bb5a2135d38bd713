import { describe, expect, it } from 'vitest';
import { shareOf, summaryOf } from '../../../prompt-cache/measure/shares.ts';
import { pieces } from './requests.ts';

/** Returns one token for each word. */
const wordLengths = (text: string): readonly number[] => text.split(' ').map((word) => word.length);

const request = (tools: readonly string[], system: string, ...messages: readonly string[]) => ({
  tools: pieces(...tools),
  system: pieces(system),
  messages: pieces(...messages),
});

describe('the shared prefix of a request', () => {
  it('is the whole previous request if the request extends it', () => {
    const before = request(['one two'], 'three', 'four');
    const now = request(['one two'], 'three', 'four', 'five six');
    expect(shareOf(before, now, wordLengths)).toEqual({
      bytes: { all: 24, kept: 16 },
      tokens: { all: 6, kept: 4 },
    });
  });

  it('ends at the first byte that differs, even if later bytes are equal', () => {
    const before = request(['one two'], 'three', 'four');
    const now = request(['one ten'], 'three', 'four');
    expect(shareOf(before, now, wordLengths)).toEqual({
      bytes: { all: 16, kept: 5 },
      tokens: { all: 4, kept: 2 },
    });
  });

  it('ends at a tool that was added after the others', () => {
    const now = request(['one', 'two'], 'three', 'four');
    expect(shareOf(request(['one'], 'three', 'four'), now, wordLengths).bytes).toEqual({ all: 15, kept: 4 });
  });

  it('is measured in UTF-8, and is empty for a first request', () => {
    expect(shareOf(undefined, request([], 'ü', '€'), wordLengths).bytes).toEqual({ all: 5, kept: 0 });
  });
});

it('the summary of shares has a minimum and a median without first requests, and a total of all requests', () => {
  const of = (kept: number, isFirst = false) => ({ all: 100, kept, isFirst });
  expect(summaryOf([of(0, true), of(90), of(50), of(60)])).toEqual({ total: 0.5, least: 0.5, median: 0.6 });
});
