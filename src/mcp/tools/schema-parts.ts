import { dereference, type Schema } from '@cfworker/json-schema';
import type { JsonObject } from '../../tool/json.ts';

/** A JSON Schema taken apart: every schema in it that is an object, and what `$ref` finds. */
export interface SchemaParts {
  readonly root: Schema;
  readonly parts: readonly Schema[];
  readonly lookup: Record<string, Schema | boolean>;
}

/** More nested `$id`s than this are refused: the library's work doubles with each. */
const MAX_NESTED_IDS = 4;

/**
 * Takes a copy of a schema apart. What is inside may be changed, and has been: the interpreter writes on it.
 *
 * @throws Error when it cannot be taken apart, or only by work without end.
 */
export function schemaParts(schema: JsonObject): SchemaParts {
  if (nestedIds(schema) > MAX_NESTED_IDS)
    throw new Error('too many schemas with an "$id" are inside each other');
  const root: Schema = JSON.parse(JSON.stringify(schema));
  const lookup = dereference(root);
  const parts = new Set(Object.values(lookup).filter((part) => typeof part === 'object'));
  return { root, parts: [...parts], lookup };
}

/** Also counts what only looks like an identifier, such as in a default: nobody nests that deeply. */
function nestedIds(node: unknown): number {
  if (typeof node !== 'object' || node === null) return 0;
  const values: readonly unknown[] = Object.values(node);
  const inside = values.reduce<number>((most, value) => Math.max(most, nestedIds(value)), 0);
  const isNamed = ['$id', 'id'].some(
    (key) => Object.hasOwn(node, key) && typeof Reflect.get(node, key) === 'string',
  );
  return inside + (isNamed ? 1 : 0);
}
