/** Returns the word that differs least from this one, in at most `most` letters that are missing, added, other or swapped. */
export function nearest(word: string, words: readonly string[], most: number): string | undefined {
  const ranked = words
    .map((other) => ({ other, far: distance(word.toLowerCase(), other.toLowerCase()) }))
    .filter(({ far }) => far <= most)
    .sort((a, b) => a.far - b.far);
  return ranked[0]?.other;
}

/** Returns the word that begins as this one does, but for its case. */
export const meantBy = (given: string, words: readonly string[]): string | undefined =>
  words.find((word) => given.trim().toLowerCase().startsWith(word.slice(0, 3)));

/** Counts the letters by which two words differ; a swap of neighbours counts once. */
function distance(a: string, b: string): number {
  if (a.length > MOST_LETTERS) return MOST_LETTERS;
  let before: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const at = (line: readonly number[], index: number): number => line[index] ?? MOST_LETTERS;
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          at(last, j) + 1,
          at(row, j - 1) + 1,
          at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
          isSwap ? at(before, j - 2) + 1 : MOST_LETTERS,
        ),
      );
    }
    [before, last] = [last, row];
  }
  return last[b.length] ?? MOST_LETTERS;
}

const MOST_LETTERS = 64;
