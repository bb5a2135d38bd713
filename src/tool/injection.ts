import type { Discover, Discovers, Discovery } from './tool.ts';
import type { MemoryFact } from './tool-memory.ts';

/** The parts, each with the object that it is a method of. */
export const partsOf = (source: { readonly discover?: Discovers | undefined }): readonly Discover[] =>
  [source.discover ?? []].flat().map((find) => find.bind(source));

/**
 * What all parts found, for whoever goes on with some of it.
 *
 * @throws what the first part threw, when none found anything.
 */
export async function foundBy(
  parts: readonly Discover[],
  discovery: Discovery,
): Promise<readonly MemoryFact[]> {
  const settled = await Promise.allSettled(parts.map((find) => find(discovery)));
  const found = settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  for (const one of settled) if (one.status === 'rejected' && found.length === 0) throw one.reason;
  return found;
}
