import { describe, expect, it } from 'vitest';
import { computeShare, summarizeLengths } from '../../../prompt-cache/measure/shares.ts';
import { createPieces } from './requests.ts';

/** Returns one token for each word. */
const getWordLengths = (text: string): readonly number[] => text.split(' ').map((word) => word.length);

const createRequest = (tools: readonly string[], system: string, ...messages: readonly string[]) => ({
  tools: createPieces(...tools),
  system: createPieces(system),
  messages: createPieces(...messages),
});

describe('the shared prefix of a request', () => {
  it('is the whole previous request if the request extends it', () => {
    const before = createRequest(['one two'], 'three', 'four');
    const now = createRequest(['one two'], 'three', 'four', 'five six');
    expect(computeShare(before, now, getWordLengths)).toEqual({
      bytes: { all: 24, kept: 16 },
      tokens: { all: 6, kept: 4 },
    });
  });

  it('ends at the first byte that differs, even if later bytes are equal', () => {
    const before = createRequest(['one two'], 'three', 'four');
    const now = createRequest(['one ten'], 'three', 'four');
    expect(computeShare(before, now, getWordLengths)).toEqual({
      bytes: { all: 16, kept: 5 },
      tokens: { all: 4, kept: 2 },
    });
  });

  it('ends at a tool that was added after the others', () => {
    const now = createRequest(['one', 'two'], 'three', 'four');
    expect(computeShare(createRequest(['one'], 'three', 'four'), now, getWordLengths).bytes).toEqual({
      all: 15,
      kept: 4,
    });
  });

  it('is measured in UTF-8, and is empty for a first request', () => {
    expect(computeShare(undefined, createRequest([], 'ü', '€'), getWordLengths).bytes).toEqual({
      all: 5,
      kept: 0,
    });
  });
});

it('the summary of shares has a minimum and a median without first requests, and a total of all requests', () => {
  const createShare = (kept: number, isFirst = false) => ({ all: 100, kept, isFirst });
  expect(summarizeLengths([createShare(0, true), createShare(90), createShare(50), createShare(60)])).toEqual(
    { total: 0.5, least: 0.5, median: 0.6 },
  );
});
