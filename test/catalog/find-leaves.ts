import type { Catalog, CatalogLeaf } from '../../src/examples/catalog/catalog.ts';
import type { JsonObject } from '../../src/index.ts';
import { fillForm } from '../doors/model.ts';
import { countBytes } from './bytes-of.ts';
import type { Destination } from './pilot.ts';

/**
 * Returns one leaf for each of the `count` largest tags: the deepest one, and the one with the longest
 * definition if several are equally deep.
 */
export async function findLeaves({ leaves }: Catalog, count: number): Promise<readonly Destination[]> {
  const byTag = [...Map.groupBy(leaves, ({ operation }) => operation.tag).values()];
  const largest = byTag.toSorted((one, other) => other.length - one.length).slice(0, count);
  return Promise.all(largest.map(findHardest));
}

async function findHardest(leaves: readonly CatalogLeaf[]): Promise<Destination> {
  const ranked = leaves.toSorted(
    (one, other) =>
      other.way.length - one.way.length ||
      countBytes(other.tool.inputSchema) - countBytes(one.tool.inputSchema),
  );
  for (const leaf of ranked) {
    const input = createSmallestInput(leaf);
    if ((await leaf.tool.check(input)).ok) return { leaf, input, way: leaf.way };
  }
  throw new Error(`No operation of '${leaves[0]?.operation.tag}' accepts a generated input.`);
}

/** Returns a minimal input for the schema. It may not match patterns. */
const createSmallestInput = ({ tool }: CatalogLeaf): JsonObject =>
  JSON.parse(fillForm({ name: tool.name, schema: tool.inputSchema }, [], 'text'));
