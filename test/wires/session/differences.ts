/** Returns the first difference between two lists, or an empty list. */
export function findDifferences(
  what: string,
  expected: readonly string[],
  seen: readonly string[],
): string[] {
  const at = Math.max(expected.length, seen.length);
  for (let place = 0; place < at; place += 1) {
    if (expected[place] === seen[place]) continue;
    return [
      `${what}, at ${place + 1}: ${seen[place] ?? 'nothing'} instead of ${expected[place] ?? 'nothing'}`,
    ];
  }
  return [];
}
