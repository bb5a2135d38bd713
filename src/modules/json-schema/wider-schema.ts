import { getOwn, isEqualJson, isJsonObject, type Json, type JsonObject } from '../../tool/json.ts';
import { mapSchemas } from './change-schema.ts';

/** Annotations, which do not affect validity. */
const ANNOTATION_KEYWORDS = new Set([
  ...['title', 'description', 'default', 'examples', '$comment', 'deprecated', 'readOnly', 'writeOnly'],
]);

/** Returns a copy of a schema without annotations. Never throws for well-formed JSON Schema. */
export const withoutAnnotations = (schema: Json): Json =>
  mapSchemas(schema, (part) =>
    Object.fromEntries(Object.entries(part).filter(([keyword]) => !ANNOTATION_KEYWORDS.has(keyword))),
  );

/**
 * Matches keywords whose effect depends on other places. A change elsewhere can change what is valid here.
 */
const FAR_REACHING_KEYWORD =
  /"(?:unevaluated\w+|patternProperties|\$dynamicRef|\$recursiveRef|\$id)":|"\$ref":"(?!#\/(?:\$defs|definitions)\/)/;

/** The maximum number of places of two schemas to compare. */
const MAX_COMPARISONS = 10_000;

/**
 * Returns the path of a property where a schema can accept more than an earlier one. The path is empty for
 * the input itself. Returns `undefined` if every value that is valid now was valid before, and no property
 * has a new name. A new named property counts even if the object was open, because the model is asked for it.
 * If this cannot be shown in bounded time, the schema counts as wider.
 */
export function findWidening(now: JsonObject, before: JsonObject): string | undefined {
  const [is, was] = [withoutAnnotations(now), withoutAnnotations(before)];
  if (isEqualJson(is, was)) return undefined;
  if ([is, was].some((schema) => FAR_REACHING_KEYWORD.test(JSON.stringify(schema)))) return '';
  let left = MAX_COMPARISONS;
  return findFirstWidening({ is, was, at: '', isTooMuch: () => --left < 0 });
}

/** Two schemas at one place. A missing keyword is `true`, which accepts every value. */
interface SchemaPair {
  readonly is: Json;
  readonly was: Json;
  readonly at: string;
  isTooMuch(): boolean;
}

function findFirstWidening(compared: SchemaPair): string | undefined {
  const { is, was, at } = compared;
  if (compared.isTooMuch()) return at;
  if (is === was || is === false) return undefined;
  const [now, before] = [toObject(is), toObject(was)];
  const keywords = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  if (!keywords.every((keyword) => isNarrower(keyword, getOwn(now, keyword), getOwn(before, keyword))))
    return at;
  return findWiderProperty(compared, now, before) ?? findWiderPart(compared, now, before);
}

const toObject = (schema: Json): JsonObject => {
  if (isJsonObject(schema)) return schema;
  return schema === true ? {} : { not: {} };
};

/** Keywords that contain schemas or depend on them. They are compared one by one. */
const PART_KEYWORDS = new Set([
  ...['properties', 'additionalProperties', 'required', 'items', 'propertyNames', 'anyOf', 'allOf'],
]);

type Comparison = (now: Json, before: Json) => boolean;

const isNumber = (value: Json): value is number => typeof value === 'number';
const isAtMost: Comparison = (now, before) => isNumber(now) && isNumber(before) && now <= before;
const isAtLeast: Comparison = (now, before) => isAtMost(before, now);
const isSame: Comparison = () => false; // already compared

/**
 * Keywords that make a schema narrower when added, with a function that returns `true` if one value is
 * narrower than another. All other keywords must stay the same.
 */
const COMPARISONS: ReadonlyMap<string, Comparison> = new Map([
  ...['const', 'pattern', 'format', 'multipleOf', 'uniqueItems'].map((word) => [word, isSame] as const),
  ...['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems', 'maxProperties'].map(
    (word) => [word, isAtMost] as const,
  ),
  ...['minLength', 'minimum', 'exclusiveMinimum', 'minItems', 'minProperties'].map(
    (word) => [word, isAtLeast] as const,
  ),
  [
    'enum',
    (now, before) => toList(now).every((one) => toList(before).some((other) => isEqualJson(one, other))),
  ],
  ['type', (now, before) => toList(now).every((one) => listTypes(before).includes(one))],
]);

const toList = (value: Json): readonly Json[] => [value].flat();

const listTypes = (type: Json): readonly Json[] =>
  toList(type).flatMap((one) => (one === 'number' ? [one, 'integer'] : [one]));

function isNarrower(keyword: string, now: Json | undefined, before: Json | undefined): boolean {
  if (PART_KEYWORDS.has(keyword) || isEqualJson(now, before)) return true;
  const compare = COMPARISONS.get(keyword);
  return compare !== undefined && now !== undefined && (before === undefined || compare(now, before));
}

/** Returns the path of a property that is new, accepts more values than before, or is no longer required. */
function findWiderProperty(compared: SchemaPair, now: JsonObject, before: JsonObject): string | undefined {
  const { at } = compared;
  const [named, known] = [getProperties(now), getProperties(before)];
  const added = Object.keys(named).find((name) => !Object.hasOwn(known, name));
  if (added !== undefined) return joinPath(at, added);
  const { additionalProperties: rest = true } = now;
  for (const [name, was] of Object.entries(known)) {
    const wider = findFirstWidening({
      ...compared,
      is: getOwn(named, name) ?? rest,
      was,
      at: joinPath(at, name),
    });
    if (wider !== undefined) return wider;
  }
  const [required, formerly] = [toList(now.required ?? []), toList(before.required ?? [])];
  const isOld = (name: Json): boolean => formerly.includes(name) || Object.hasOwn(known, String(name));
  return formerly.every((name) => required.includes(name)) && required.every(isOld) ? undefined : at;
}

const getProperties = ({ properties = {} }: JsonObject): JsonObject =>
  isJsonObject(properties) ? properties : {};

const joinPath = (at: string, name: string): string => (at === '' ? name : `${at}.${name}`);

/**
 * Returns the path if the schema of items, other properties, property names or alternatives accepts more
 * values than before.
 */
function findWiderPart(compared: SchemaPair, now: JsonObject, before: JsonObject): string | undefined {
  const { at } = compared;
  for (const keyword of ['additionalProperties', 'propertyNames', 'items']) {
    const [is = true, was = true] = [getOwn(now, keyword), getOwn(before, keyword)];
    // A list with one schema per item must stay the same.
    const isKept = Array.isArray(is) || Array.isArray(was) ? isEqualJson(is, was) : undefined;
    const isWider =
      isKept === undefined ? findFirstWidening({ ...compared, is, was }) !== undefined : !isKept;
    if (isWider) return at;
  }
  const isWithin = (is: Json, was: Json): boolean =>
    findFirstWidening({ ...compared, is, was }) === undefined;
  const [any, formerAny] = [toList(now.anyOf ?? true), toList(before.anyOf ?? true)];
  if (!any.every((is) => formerAny.some((was) => isWithin(is, was)))) return at;
  const [all, formerAll] = [toList(now.allOf ?? true), toList(before.allOf ?? true)];
  const isMet = formerAll.every((was) => all.some((is) => isWithin(is, was)));
  return isMet && all.every((is) => [true, ...formerAll].some((was) => isWithin(is, was))) ? undefined : at;
}
