import type { Schema } from '@cfworker/json-schema';
import type { SchemaParts } from './schema-parts.ts';

/** Schemas that one part of a value may be held against: the richest unions of honest servers come to some dozens. */
const MAX_IN_PLACE = 1_000;

/**
 * Whether a schema is held against each part of a value a bounded number of times: `$ref`, `allOf` and their like hold more
 * schemas against the same part, and a few that double each other are for ever. What leads back to itself without going
 * into the value never ends. (`$dynamicRef` is not followed by the interpreter.)
 */
export function isBounded({ root, parts, lookup }: SchemaParts): boolean {
  const counts = new Map<Schema, number>();
  const count = (part: Schema | boolean | undefined): number => {
    if (typeof part !== 'object') return 1;
    const known = counts.get(part);
    if (known !== undefined) return known;
    counts.set(part, Number.POSITIVE_INFINITY); // whoever comes by here again before it is counted, is in a cycle
    const inside = inPlace(part, root, lookup).map(count);
    const all = inside.reduce((sum, one) => sum + one, 1);
    counts.set(part, all);
    return all;
  };
  return parts.every((part) => count(part) <= MAX_IN_PLACE);
}

/** The schemas that are held against whatever this one is held against. */
function inPlace(
  part: Schema,
  root: Schema,
  lookup: SchemaParts['lookup'],
): readonly (Schema | boolean | undefined)[] {
  const { $ref, $recursiveRef, __absolute_ref__: absolute } = part;
  return [
    ...($ref === undefined ? [] : [lookup[absolute ?? $ref]]),
    // Without an anchor the interpreter takes the schema itself, for ever.
    ...($recursiveRef === undefined ? [] : [root.$recursiveAnchor === true ? root : part]),
    ...[part.allOf, part.anyOf, part.oneOf].flatMap((list) => list ?? []),
    ...[part.not, part.if, part.then, part.else].filter((inner) => inner !== undefined),
    ...[part.dependentSchemas, part.dependencies].flatMap(schemasOf),
  ];
}

const schemasOf = (map: Readonly<Record<string, unknown>> | undefined): readonly Schema[] =>
  Object.values(map ?? {}).filter(
    (inner): inner is Schema => typeof inner === 'object' && inner !== null && !Array.isArray(inner),
  );
