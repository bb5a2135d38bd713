import { isJsonObject, type Json } from './json.ts';
import { readAs } from './read-artifact.ts';
import type { AnyTool, BlackboardEntry } from './tool.ts';
import type { ToolArtifact } from './tool-output.ts';
import type { ArtifactType } from './tool-result.ts';

/** Something that tools made and that a client may list and show. */
export interface Asset<Value = Json> {
  readonly id: string;
  readonly type?: string | undefined;
  readonly value: Value;
}

/** Names on the blackboard that begin so are those of assets. */
const PREFIX = 'asset:';

/** The id of an artifact that is an asset: a JSON object whose `id` is text that is not blank, or a number. */
export function assetId(json: Json): string | undefined {
  if (!isJsonObject(json)) return undefined;
  const id = Object.hasOwn(json, 'id') ? json.id : undefined;
  if (typeof id === 'number') return String(id);
  return typeof id === 'string' && id.trim() !== '' ? id : undefined;
}

/** The name on the blackboard of the asset of this type and id: two types may both have a '1'. */
export const assetName = (id: string, type: string | undefined): string =>
  `${PREFIX}${type === undefined ? '' : JSON.stringify(type)}:${id}`;

/**
 * The assets among the entries of a blackboard (`call.blackboard.entries()`, or a session's state), oldest first and each
 * once; with a type only those, and of a domain type only values that its schema reads. Of two calls of one batch that add
 * the same one, the first in source order counts.
 */
export function assetsOf<Type extends ArtifactType | undefined = undefined>(
  entries: readonly BlackboardEntry[],
  type?: Type,
): readonly Asset<ToolArtifact<AnyTool, Type>>[] {
  const found = new Map<string, Asset<unknown>>();
  for (const { name, type: of, value } of entries) {
    const id = assetId(value);
    if (id === undefined || name !== assetName(id, of) || found.has(name)) continue;
    if (type !== undefined && of !== type.name) continue;
    const read = readAs(value, type);
    if (read) found.set(name, { id, ...(of !== undefined && { type: of }), value: read.value });
  }
  return [...found.values()] as Asset<ToolArtifact<AnyTool, Type>>[]; // as the type has just read them
}
