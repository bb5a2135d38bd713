/** Finds the departures of a request from the previous one. A request should only extend the previous one. */
import { PARTS, type Part, type Piece, type RequestParts } from './request-parts.ts';

/** A piece from whose position on a cache of the previous request is unusable. */
export interface Departure {
  readonly part: Part;
  /** `inserted`: a new piece precedes an existing one at a position that a cache contains. */
  readonly what: 'changed' | 'gone' | 'inserted' | 'moved';
  /** Its index in the previous request, or in the new one if it was inserted. */
  readonly at: number;
  /** The key of the piece. */
  readonly key: string;
}

/**
 * Returns the departures: pieces that are changed, missing, moved, or preceded by a new piece. Tools and system
 * text come before the messages, so they must not grow. Messages may grow at their end.
 */
export const findDepartures = (before: RequestParts, now: RequestParts): readonly Departure[] =>
  PARTS.flatMap((part) => findPartDepartures(part, before[part], now[part]));

/** The index of each piece in the new request, by its index in the previous one. */
type Matches = ReadonlyMap<number, number>;

function findPartDepartures(
  part: Part,
  before: readonly Piece[],
  now: readonly Piece[],
): readonly Departure[] {
  const kept = findLongestCommon(before, now);
  const matched = new Map(kept);
  const moved = matchPieces(matched, { before, now }, (one, other) => one.text === other.text);
  const isSamePlace = createPlaceCheck(kept);
  const changed = matchPieces(
    matched,
    { before, now },
    (one, other, [at, to]) => one.key === other.key && (part === 'tools' || isSamePlace(at, to)),
  );
  const departed = before.flatMap(({ key }, at): readonly Departure[] => {
    if (kept.has(at)) return [];
    if (moved.has(at)) return [{ part, what: 'moved', at, key }];
    return [{ part, what: changed.has(at) ? 'changed' : 'gone', at, key }];
  });
  const found = new Set(matched.values());
  const end = part === 'messages' ? Math.max(-1, ...found) : now.length;
  const inserted = now.flatMap(({ key }, at): readonly Departure[] =>
    found.has(at) || at > end ? [] : [{ part, what: 'inserted', at, key }],
  );
  return [...departed, ...inserted];
}

interface Pieces {
  readonly before: readonly Piece[];
  readonly now: readonly Piece[];
}

/** Matches unmatched pieces in order, and returns the new matches. */
function matchPieces(
  matched: Map<number, number>,
  { before, now }: Pieces,
  isSame: (one: Piece, other: Piece, places: readonly [number, number]) => boolean,
): Matches {
  const made = new Map<number, number>();
  const taken = new Set(matched.values());
  for (const [at, one] of before.entries()) {
    if (matched.has(at)) continue;
    const to = now.findIndex((other, place) => !taken.has(place) && isSame(one, other, [at, place]));
    if (to === -1) continue;
    taken.add(to);
    made.set(at, to);
  }
  for (const [at, to] of made) matched.set(at, to);
  return made;
}

/** Returns `true` if two positions are equally far behind the same unchanged piece. */
function createPlaceCheck(kept: Matches): (at: number, to: number) => boolean {
  const pairs = [...kept];
  return (at, to) => {
    const [one, other] = pairs.findLast(([one]) => one < at) ?? [-1, -1];
    return at - one === to - other;
  };
}

/** Returns the longest common subsequence of pieces. */
function findLongestCommon(before: readonly Piece[], now: readonly Piece[]): Matches {
  // lengths[i][j] is the length for the pieces from i and j to the end.
  const lengths = Array.from({ length: before.length + 1 }, () => new Array<number>(now.length + 1).fill(0));
  const getLength = (at: number, to: number): number => lengths[at]?.[to] ?? 0;
  const isSame = (at: number, to: number): boolean => before[at]?.text === now[to]?.text;
  for (let at = before.length - 1; at >= 0; at -= 1) {
    const row = lengths[at] ?? [];
    for (let to = now.length - 1; to >= 0; to -= 1)
      row[to] = isSame(at, to)
        ? getLength(at + 1, to + 1) + 1
        : Math.max(getLength(at + 1, to), getLength(at, to + 1));
  }
  const kept = new Map<number, number>();
  for (let at = 0, to = 0; at < before.length && to < now.length; ) {
    if (isSame(at, to)) {
      kept.set(at, to);
      at += 1;
      to += 1;
    } else if (getLength(at + 1, to) >= getLength(at, to + 1)) at += 1;
    else to += 1;
  }
  return kept;
}
