/** The longest name that every provider takes. */
const MAX_NAME = 64;

/** The name, or one that begins with the facade's, so that no two tools share one (UNF-31). */
export function freeName(facade: string, name: string, taken: { has(name: string): boolean }): string {
  const wanted = name.slice(0, MAX_NAME);
  if (!taken.has(wanted)) return wanted;
  for (let count = 1; ; count += 1) {
    const suffix = count === 1 ? '' : `_${count}`;
    const free = `${facade}_${name}`.slice(0, MAX_NAME - suffix.length) + suffix;
    if (!taken.has(free)) return free;
  }
}
