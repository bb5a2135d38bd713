import { isRecord } from '../untrusted-json.ts';
import { referred, type Schema } from './params.ts';

const maxDepth = 5;
const maxBranches = 20;

/**
 * A part of a schema as one object with one `type`: behind its references, with all that `allOf` adds, and of a union the
 * first branch that is more than `null`.
 */
export function partOf(schema: unknown, root: Schema, depth = 0): Schema {
  if (!isRecord(schema) || depth > maxDepth) return {};
  const { $ref: reference, allOf, anyOf, oneOf, ...rest } = schema;
  const behind = typeof reference === 'string' ? [referred(reference, root)] : [];
  const all = Array.isArray(allOf) ? allOf.slice(0, maxBranches) : [];
  const branches = [anyOf, oneOf].find(Array.isArray) ?? [];
  const parts = [...behind, ...all, ...branches.slice(0, maxBranches).filter(isMore).slice(0, 1)].map(
    (part) => partOf(part, root, depth + 1),
  );
  const merged = [rest, ...parts].reduceRight(together, {});
  return { ...merged, type: typeOf(merged) };
}

const isMore = (branch: unknown): boolean => !isRecord(branch) || branch.type !== 'null';

function together(less: Schema, more: Schema): Schema {
  const required = [less.required, more.required].flatMap((names) => (Array.isArray(names) ? names : []));
  const properties = [less.properties, more.properties].filter(isRecord);
  return {
    ...less,
    ...more,
    ...(required.length > 0 ? { required } : {}),
    ...(properties.length > 0 ? { properties: Object.fromEntries(properties.flatMap(Object.entries)) } : {}),
  };
}

/** Of several types the first that is more than `null`; without any, what the other keywords are about. */
function typeOf({ type, properties, items }: Schema): unknown {
  if (Array.isArray(type)) return type.find((one) => one !== 'null') ?? 'null';
  if (type !== undefined) return type;
  if (isRecord(properties)) return 'object';
  return items === undefined ? undefined : 'array';
}
