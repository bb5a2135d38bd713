/** Something that tools are made of, and its name for whoever reads the console. */
export interface Nested {
  readonly of: object;
  readonly name: string;
}

/** How deep what makes tools may stand inside other such things. */
const MAX_DEPTH = 16;

/**
 * Says why something may not be looked into for tools that stands inside all that the path names: because it is one of those, or
 * too deep. `undefined` when it may be.
 */
export function nestingProblem(path: readonly Nested[], inner: Nested): string | undefined {
  const isCircle = path.some(({ of }) => of === inner.of);
  if (!isCircle && path.length < MAX_DEPTH) return undefined;
  const way = [...path, inner].map(({ name }) => name).join(' > ');
  const what = isCircle ? 'stand inside themselves' : `stand more than ${MAX_DEPTH} deep inside each other`;
  return `what makes tools must not ${what}, so the last of these is left out: ${way}`;
}

/** Tells whether it may be looked into; the console is told why not, once. */
export function mayNest(path: readonly Nested[], inner: Nested): boolean {
  const problem = nestingProblem(path, inner);
  if (problem !== undefined) warnOnce(`holdfast: ${problem}`);
  return problem === undefined;
}

/** Warnings are remembered up to this many; what makes tools without end would fill the memory. */
const MAX_WARNED = 1_000;

const warned = new Set<string>();

/** Says it on the console, unless it was said before. */
export function warnOnce(message: string): void {
  if (warned.has(message) || warned.size >= MAX_WARNED) return;
  warned.add(message);
  console.warn(message);
}
