/** Computes the share of a request that a cache of the previous request contains. */
import { PARTS, type Piece, type RequestParts } from './request-parts.ts';

/** The length of a request and of its common prefix with the previous one. */
export interface Length {
  readonly all: number;
  readonly kept: number;
}

export interface RequestShare {
  /** The number of UTF-8 bytes. */
  readonly bytes: Length;
  readonly tokens: Length;
}

/** Splits a text into tokens. */
export type Tokenizer = (text: string) => readonly number[];

/** Compares a request with the previous one. The common prefix of a loop's first request is empty. */
export function computeShare(
  before: RequestParts | undefined,
  now: RequestParts,
  tokenize: Tokenizer,
): RequestShare {
  const [was, is] = [before ? flattenParts(before) : [], flattenParts(now)];
  // Each piece is tokenized separately, so a token cannot extend over two pieces.
  const measureLength = (unitsOf: (text: string) => ArrayLike<number>): Length => {
    let [all, kept, isSame] = [0, 0, true];
    for (const [at, { text }] of is.entries()) {
      const units = unitsOf(text);
      all += units.length;
      if (!isSame) continue;
      const other = was[at]?.text;
      const common = other === text ? units.length : computeCommonLength(units, unitsOf(other ?? ''));
      kept += common;
      isSame = other === text;
    }
    return { all, kept };
  };
  return { bytes: measureLength((text) => encoder.encode(text)), tokens: measureLength(tokenize) };
}

const encoder = new TextEncoder();

const flattenParts = (parts: RequestParts): readonly Piece[] => PARTS.flatMap((part) => parts[part]);

function computeCommonLength(one: ArrayLike<number>, other: ArrayLike<number>): number {
  const most = Math.min(one.length, other.length);
  for (let at = 0; at < most; at += 1) if (one[at] !== other[at]) return at;
  return most;
}

/** The combined shares of several requests. */
export interface ShareSummary {
  /** The share of all sent data, including the first requests of loops. */
  readonly total: number;
  /** The shares of the requests that have a previous one. */
  readonly least: number;
  readonly median: number;
}

/** Summarizes lengths. @param lengths `isFirst` marks requests without a previous one. */
export function summarizeLengths(lengths: readonly (Length & { readonly isFirst: boolean })[]): ShareSummary {
  const shares = lengths
    .filter(({ isFirst }) => !isFirst)
    .map(({ kept, all }) => kept / all)
    .toSorted((a, b) => a - b);
  const sum = (of: (length: Length) => number): number => lengths.reduce((all, one) => all + of(one), 0);
  return {
    total: sum(({ kept }) => kept) / sum(({ all }) => all),
    least: shares[0] ?? 0,
    median: shares[Math.floor(shares.length / 2)] ?? 0,
  };
}
