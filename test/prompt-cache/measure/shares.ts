/** How much of a request a cache has that kept the one before. */
import { PARTS, type Piece, type RequestParts } from './request-parts.ts';

/** A length of a request, and of the beginning that it has in common with the one before. */
export interface Length {
  readonly all: number;
  readonly kept: number;
}

export interface RequestShare {
  /** Of UTF-8. */
  readonly bytes: Length;
  readonly tokens: Length;
}

/** Makes the tokens of a text. */
export type Tokenizer = (text: string) => readonly number[];

/** Measures a request beside the one before it; the first of a loop has none, and nothing is kept of it. */
export function shareOf(
  before: RequestParts | undefined,
  now: RequestParts,
  tokenize: Tokenizer,
): RequestShare {
  const [was, is] = [before ? inOrder(before) : [], inOrder(now)];
  // One piece is tokenized by itself: no token crosses the border of two.
  const measured = (unitsOf: (text: string) => ArrayLike<number>): Length => {
    let [all, kept, isSame] = [0, 0, true];
    for (const [at, { text }] of is.entries()) {
      const units = unitsOf(text);
      all += units.length;
      if (!isSame) continue;
      const other = was[at]?.text;
      const common = other === text ? units.length : commonLength(units, unitsOf(other ?? ''));
      kept += common;
      isSame = other === text;
    }
    return { all, kept };
  };
  return { bytes: measured((text) => encoder.encode(text)), tokens: measured(tokenize) };
}

const encoder = new TextEncoder();

const inOrder = (parts: RequestParts): readonly Piece[] => PARTS.flatMap((part) => parts[part]);

function commonLength(one: ArrayLike<number>, other: ArrayLike<number>): number {
  const most = Math.min(one.length, other.length);
  for (let at = 0; at < most; at += 1) if (one[at] !== other[at]) return at;
  return most;
}

/** What the shares of several requests come to. */
export interface ShareSummary {
  /** Of all that was sent, the first requests of loops included. */
  readonly total: number;
  /** Of the requests that have one before them. */
  readonly least: number;
  readonly median: number;
}

/** Sums up lengths; `first` are those of requests that have none before them. */
export function summaryOf(lengths: readonly (Length & { readonly isFirst: boolean })[]): ShareSummary {
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
