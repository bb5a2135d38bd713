/** Tells the first place at which two lists are not alike; nothing when there is none. */
export function differences(what: string, expected: readonly string[], seen: readonly string[]): string[] {
  const at = Math.max(expected.length, seen.length);
  for (let place = 0; place < at; place += 1) {
    if (expected[place] === seen[place]) continue;
    return [
      `${what}, at ${place + 1}: ${seen[place] ?? 'nothing'} instead of ${expected[place] ?? 'nothing'}`,
    ];
  }
  return [];
}
