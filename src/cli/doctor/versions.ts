/**
 * Returns whether a version is in a range of the forms `^1.2.3`, `>=1.2` and `A || B`. Ranges of other forms
 * include every version.
 */
export function isInRange(version: string, range: string): boolean {
  return range.split('||').some((part) => {
    const [, sign, written] = /^\s*(\^|>=)\s*(\d+(?:\.\d+)*)\s*$/.exec(part) ?? [];
    if (sign === undefined || written === undefined) return true;
    const least = parseVersion(written);
    const given = parseVersion(version);
    if (isLess(given, least)) return false;
    if (sign === '>=') return true;
    // Up to the first number that is not 0, as in npm.
    const fixed = Math.min(
      least.findIndex((one) => one > 0),
      2,
    );
    return least.slice(0, fixed + 1).every((one, at) => one === given[at]);
  });
}

function parseVersion(version: string): readonly number[] {
  const [plain = ''] = version.split(/[-+]/);
  const numbers = plain.split('.').map(Number);
  return [0, 1, 2].map((at) => numbers[at] ?? 0);
}

function isLess(one: readonly number[], other: readonly number[]): boolean {
  const at = one.findIndex((number, place) => number !== other[place]);
  return at >= 0 && (one[at] ?? 0) < (other[at] ?? 0);
}
