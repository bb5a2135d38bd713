/**
 * Checks values against a client's JSON Schema, which can be hostile. Uses a bounded number of steps and no
 * patterns.
 */
import { attempt } from '../../tool/async.ts';
import { getOwn, isEqualJson, isJsonObject, type Json, type JsonObject } from '../../tool/json.ts';
import { formatProblems, type Problem } from '../../tool/problem-lines.ts';
import type { JsonSchemaInput } from './json-schema.ts';

/** The keywords that are checked: those of structured outputs. */
const CHECKED_KEYWORDS = (
  '$ref $defs definitions type enum const properties required additionalProperties items anyOf oneOf allOf ' +
  'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems'
).split(' ');

/** Keywords that the model sees but are not checked. */
const ANNOTATION_KEYWORDS = (
  '$schema $id id $comment title description default examples example deprecated ' +
  'readOnly writeOnly format pattern contentEncoding contentMediaType'
).split(' ');

const TYPE_NAMES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

const MAX_DEPTH = 100;

/**
 * Returns the problem of a schema that cannot be checked, as an ending of "a JSON Schema ...". Returns
 * `undefined` if it can be checked.
 */
export const findFault = (root: JsonObject): string | undefined =>
  findFaultAt(root, { root, at: '$', depth: 0 });

/**
 * Returns a part of a schema with only the checked keywords. References are removed too, because they can
 * lead to any schema.
 */
export const pickCheckedKeywords = (part: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(part).filter(([word]) => word !== '$ref' && CHECKED_KEYWORDS.includes(word)),
  );

interface SchemaPosition {
  readonly root: JsonObject;
  /** The path, such as `$.properties.name`. */
  readonly at: string;
  readonly depth: number;
}

function findFaultAt(schema: Json, { root, at, depth }: SchemaPosition): string | undefined {
  if (depth > MAX_DEPTH) return 'that is nested less deeply';
  if (typeof schema === 'boolean') return undefined;
  if (!isJsonObject(schema)) return `with a schema at \`${at}\``;
  for (const [keyword, value] of Object.entries(schema)) {
    if (ANNOTATION_KEYWORDS.includes(keyword)) continue;
    const place = `${at}.${keyword.slice(0, 80)}`;
    if (!CHECKED_KEYWORDS.includes(keyword))
      return `without \`${keyword.slice(0, 80)}\` at \`${at}\`, which is not checked here`;
    if (!isValidKeyword(keyword, value, root)) return `with another \`${keyword}\` at \`${at}\``;
    for (const [name, one] of listInnerSchemas(keyword, value)) {
      const fault = findFaultAt(one, { root, at: place + name, depth: depth + 1 });
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

/** Returns the schemas inside a keyword, each with its path relative to it. */
function listInnerSchemas(keyword: string, value: Json): readonly (readonly [string, Json])[] {
  if (keyword === 'items' || keyword === 'additionalProperties') return [['', value]];
  const isList = LIST_KEYWORDS.includes(keyword);
  if (!isList && !MAP_KEYWORDS.includes(keyword)) return [];
  return Object.entries(Object(value)).map(([name, one]) => [
    isList ? `[${name}]` : `.${name.slice(0, 80)}`,
    one as Json,
  ]); // the schema is JSON
}

const MAP_KEYWORDS = ['properties', '$defs', 'definitions'];
const LIST_KEYWORDS = ['anyOf', 'oneOf', 'allOf'];

function isValidKeyword(keyword: string, value: Json, root: JsonObject): boolean {
  if (keyword === '$ref') return typeof value === 'string' && resolveRef(root, value) !== undefined;
  if (keyword === 'type') return [value].flat().every((one) => TYPE_NAMES.some((known) => known === one));
  if (keyword === 'required') return Array.isArray(value) && value.every((name) => typeof name === 'string');
  if (keyword === 'enum' || LIST_KEYWORDS.includes(keyword)) return Array.isArray(value);
  if (MAP_KEYWORDS.includes(keyword)) return isJsonObject(value);
  return keyword in LIMIT_CHECKS || keyword === 'multipleOf' ? typeof value === 'number' : true;
}

function resolveRef(root: JsonObject, ref: string): Json | undefined {
  if (ref === '#') return root;
  const [, place = '', name = ''] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(ref) ?? [];
  const known = root[place];
  return isJsonObject(known) ? getOwn(known, name.replaceAll('~1', '/').replaceAll('~0', '~')) : undefined;
}

/**
 * The maximum number of times that one check compares a part of a value with a schema. Real schemas need
 * about one step for each part of the value.
 */
const MAX_STEPS = 100_000;

/** Returns every problem of a value, one line each. A check that takes too long also returns a problem. */
export function findProblems(value: Json, schema: JsonObject): readonly string[] {
  const found = attempt(() => checkValue(value, schema, { root: schema, path: [], watch: { steps: 0 } }));
  return found.ok ? formatProblems(found.value) : ['It could not be checked: the check takes too long.'];
}

/**
 * Creates an input schema from a client's JSON Schema, for forms and tools. Models see keywords that are not
 * checked here.
 */
export const createUntrustedSchema = (schema: JsonObject): JsonSchemaInput<unknown> => ({
  '~standard': {
    version: 1,
    vendor: 'json-schema',
    validate(value) {
      const problems = findProblems(value as Json, schema); // models send parsed JSON
      return problems.length > 0 ? { issues: problems.map((message) => ({ message })) } : { value };
    },
    jsonSchema: { input: () => schema, output: () => schema },
  },
});

interface CheckContext {
  readonly root: JsonObject;
  readonly path: readonly PropertyKey[];
  readonly watch: { steps: number };
}

function checkValue(value: Json, schema: Json | undefined, at: CheckContext): readonly Problem[] {
  at.watch.steps += 1;
  if (at.watch.steps > MAX_STEPS) throw new RangeError(`it takes more than ${MAX_STEPS} steps to check`);
  const createProblem = (message: string): Problem => ({ path: at.path, message });
  if (schema === false) return [createProblem('It is not allowed.')];
  if (!isJsonObject(schema)) return [];
  const { $ref, type, enum: words, anyOf, oneOf, allOf = [] } = schema;
  const kinds = listTypes(value);
  if (type !== undefined && ![type].flat().some((one) => kinds.some((kind) => kind === one)))
    return [createProblem(`It must be of the type ${[type].flat().join(' or ')}.`)];
  const found: Problem[] = [];
  if (Array.isArray(words) && !words.some((one) => isEqualJson(one, value)))
    found.push(createProblem(`It must be one of ${JSON.stringify(words)}.`));
  if (schema.const !== undefined && !isEqualJson(schema.const, value))
    found.push(createProblem(`It must be ${JSON.stringify(schema.const)}.`));
  if (typeof $ref === 'string') found.push(...checkValue(value, resolveRef(at.root, $ref), at));
  for (const one of Array.isArray(allOf) ? allOf : []) found.push(...checkValue(value, one, at));
  for (const any of [anyOf, oneOf]) if (Array.isArray(any)) found.push(...checkAny(value, any, at));
  found.push(...findLimitProblems(value, schema).map(createProblem));
  if (Array.isArray(value))
    found.push(...value.flatMap((item, index) => checkValue(item, schema.items, enterKey(at, index))));
  else if (isJsonObject(value)) found.push(...checkMembers(value, schema, at));
  return found;
}

const enterKey = (at: CheckContext, key: PropertyKey): CheckContext => ({ ...at, path: [...at.path, key] });

function listTypes(value: Json): readonly string[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  return Number.isInteger(value) ? ['number', 'integer'] : [typeof value];
}

/** Returns the problems with the alternative that matches best. */
function checkAny(value: Json, any: readonly Json[], at: CheckContext): readonly Problem[] {
  const all = any
    .map((one) => checkValue(value, one, at))
    .toSorted((a, b) => measureDepth(b) - measureDepth(a));
  if (all.some((problems) => problems.length === 0)) return [];
  return all[0] ?? [{ path: at.path, message: 'It is not allowed.' }];
}

const measureDepth = (problems: readonly Problem[]): number =>
  Math.max(...problems.map(({ path }) => path.length));

function checkMembers(value: JsonObject, schema: JsonObject, at: CheckContext): readonly Problem[] {
  const { properties, required, additionalProperties } = schema;
  const known = isJsonObject(properties) ? properties : {};
  const missing = (Array.isArray(required) ? required : []).filter(
    (name) => !Object.hasOwn(value, String(name)),
  );
  return [
    ...missing.map((name) => ({ path: [...at.path, String(name)], message: 'It is missing.' })),
    ...Object.entries(value).flatMap(([name, one]) =>
      checkValue(
        one,
        Object.hasOwn(known, name) ? getOwn(known, name) : additionalProperties,
        enterKey(at, name),
      ),
    ),
  ];
}

type Measure = (value: Json) => number | undefined;
const measureNumber: Measure = (value) => (typeof value === 'number' ? value : undefined);
const measureText: Measure = (value) => (typeof value === 'string' ? [...value].length : undefined);
const countItems: Measure = (value) => (Array.isArray(value) ? value.length : undefined);

/** The measure of each limit, and its text in a problem. */
const LIMIT_CHECKS: Readonly<
  Record<string, { of: Measure; fits(is: number, limit: number): boolean; says: string }>
> = {
  minimum: { of: measureNumber, fits: (is, limit) => is >= limit, says: 'at least' },
  maximum: { of: measureNumber, fits: (is, limit) => is <= limit, says: 'at most' },
  exclusiveMinimum: { of: measureNumber, fits: (is, limit) => is > limit, says: 'more than' },
  exclusiveMaximum: { of: measureNumber, fits: (is, limit) => is < limit, says: 'less than' },
  minLength: { of: measureText, fits: (is, limit) => is >= limit, says: 'in characters at least' },
  maxLength: { of: measureText, fits: (is, limit) => is <= limit, says: 'in characters at most' },
  minItems: { of: countItems, fits: (is, limit) => is >= limit, says: 'in items at least' },
  maxItems: { of: countItems, fits: (is, limit) => is <= limit, says: 'in items at most' },
};

function findLimitProblems(value: Json, schema: JsonObject): readonly string[] {
  const found = Object.entries(LIMIT_CHECKS).flatMap(([keyword, { of, fits, says }]) => {
    const [is, limit] = [of(value), schema[keyword]];
    return is === undefined || typeof limit !== 'number' || fits(is, limit)
      ? []
      : `It must be ${says} ${limit}.`;
  });
  const { multipleOf } = schema;
  const isMultiple =
    typeof value !== 'number' ||
    typeof multipleOf !== 'number' ||
    Math.abs(value / multipleOf - Math.round(value / multipleOf)) < 1e-9;
  return isMultiple ? found : [...found, `It must be a multiple of ${multipleOf}.`];
}
