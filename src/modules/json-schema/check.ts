import {
  dereference,
  format,
  type OutputUnit,
  type Schema,
  type SchemaDraft,
  schemaArrayKeyword,
  schemaKeyword,
  schemaMapKeyword,
  validate,
} from '@cfworker/json-schema';
import { attempt } from '../../tool/async.ts';
import { formatPath, type Json, shorten } from '../../tool/json.ts';
import { MAX_PATH_CHARACTERS, type Problem } from '../../tool/problem-lines.ts';
import { restoreUniqueItems, settleUniqueItems } from './unique-items.ts';

/**
 * Prepares a JSON Schema for checks of inputs. Uses an interpreter, because Workers forbid code generation as
 * in Ajv. Pass a copy of the schema, since the check keeps and modifies it.
 *
 * @throws Error if a `$ref` does not resolve or a `pattern` is not a regular expression. Otherwise, such an
 * error would appear only when an input reaches that part.
 */
export function createJsonSchemaCheck(schema: Schema): (value: Json) => readonly Problem[] {
  const lookup = dereference(schema);
  for (const part of Object.values(lookup)) if (typeof part === 'object') checkPart(part, lookup);
  const draft = getDraft(schema.$schema);
  const settled = settleUniqueItems({ schema, lookup, draft });
  return (input) =>
    toProblems(
      validate(input, settled?.(input) ?? schema, draft, lookup, false).errors.map(restoreUniqueItems),
    );
}

function checkPart(part: Schema, lookup: Record<string, Schema | boolean>): void {
  if (typeof part.$ref === 'string' && lookup[part.__absolute_ref__ ?? part.$ref] === undefined) {
    throw new Error(`"$ref": ${JSON.stringify(part.$ref)} does not resolve`);
  }
  for (const pattern of [part.pattern, ...Object.keys(part.patternProperties ?? {})]) {
    if (typeof pattern === 'string') new RegExp(pattern, 'u');
  }
  // The interpreter's pattern for `url` takes exponential time on some hosts.
  if (part.format === 'url') part.format = 'uri';
}

/**
 * Returns the assertions of a schema that `createJsonSchemaCheck` does not check, such as `format: "phone"`, with
 * their paths. Excludes annotations, such as `contentEncoding`. Modifies the schema.
 *
 * @throws Error if a `$id` or a `$ref` in it cannot be read.
 */
export function findUnchecked(schema: Schema): readonly UncheckedAssertion[] {
  const isDraft4 = getDraft(schema.$schema) === '4';
  return listSchemas(schema).flatMap(({ part, path }) =>
    Object.entries(part)
      .filter(([keyword, value]) => isUnchecked(keyword, value, isDraft4))
      .map(([keyword, value]) => ({
        assertion: shorten(`${keyword}: ${JSON.stringify(value)}`, MAX_PATH_CHARACTERS),
        path: formatPath(path, '$'),
      })),
  );
}

export interface PlacedSchema {
  readonly part: Schema;
  readonly path: readonly PropertyKey[];
}

/** Returns every schema inside this one, with its path. Modifies the schema. */
export const listSchemas = (schema: Schema): readonly PlacedSchema[] =>
  listRootSchemas(schema, dereference(schema));

/**
 * Returns every schema that an input can be checked against, once, with its path. Includes schemas that only
 * a `$ref` reaches.
 */
function listRootSchemas(root: Schema, lookup: Record<string, Schema | boolean>): readonly PlacedSchema[] {
  const found = new Map<unknown, PlacedSchema>();
  const walk = (part: unknown, path: readonly PropertyKey[]): void => {
    if (typeof part !== 'object' || part === null || Array.isArray(part) || found.has(part)) return;
    found.set(part, { part, path });
    for (const [keyword, value] of Object.entries(part)) {
      const at = [...path, keyword];
      if (Object.hasOwn(schemaKeyword, keyword)) walk(value, at);
      if (MULTI_SCHEMA_KEYWORDS.some((words) => Object.hasOwn(words, keyword))) walkAll(value, at);
    }
    const { $ref, __absolute_ref__: absolute = $ref }: Schema = part;
    if (absolute === undefined || lookup[absolute] === undefined) return;
    // The name of an anchor may not be a pointer.
    const at = attempt(() => parsePointer(absolute.slice(absolute.indexOf('#'))));
    walk(lookup[absolute], at.ok ? at.value : [...path, '$ref']);
  };
  const walkAll = (inner: unknown, path: readonly PropertyKey[]): void => {
    if (typeof inner !== 'object' || inner === null) return;
    for (const [key, one] of Object.entries(inner))
      walk(one, [...path, Array.isArray(inner) ? Number(key) : key]);
  };
  walk(root, []);
  return [...found.values()];
}

/**
 * The keywords that contain lists or maps of schemas. The library supports `dependencies` but does not export
 * it.
 */
const MULTI_SCHEMA_KEYWORDS: readonly object[] = [
  schemaArrayKeyword,
  schemaMapKeyword,
  { dependencies: true },
];

export interface UncheckedAssertion {
  /** The keyword and its value, such as `format: "phone"`. */
  readonly assertion: string;
  /** The path of its schema, such as `$.properties.phone`. */
  readonly path: string;
}

function isUnchecked(keyword: string, value: unknown, isDraft4: boolean): boolean {
  if (UNCHECKED_KEYWORDS.has(keyword)) return true;
  if (keyword === 'format') return typeof value !== 'string' || !Object.hasOwn(format, value);
  if (keyword === '$recursiveRef') return value !== '#';
  if (isDraft4 && /^exclusiveM..imum$/.test(keyword)) return typeof value !== 'boolean';
  return NUMBER_KEYWORDS.has(keyword) && typeof value !== 'number';
}

/** Keywords of JSON Schema drafts and other validators that the interpreter ignores. */
const UNCHECKED_KEYWORDS = new Set([
  ...['$dynamicRef', 'divisibleBy', 'disallow', 'extends'],
  ...['formatMinimum', 'formatMaximum', 'formatExclusiveMinimum', 'formatExclusiveMaximum'],
  ...[
    'allRequired',
    'anyRequired',
    'oneRequired',
    'patternRequired',
    'prohibited',
    'deepRequired',
    'deepProperties',
  ],
  ...['uniqueItemProperties', 'regexp', 'range', 'exclusiveRange', 'instanceof', 'typeof'],
]);

/**
 * Keywords whose value must be a number. The interpreter compares other values with wrong results, such as
 * `exclusiveMinimum: true` of draft 4.
 */
const NUMBER_KEYWORDS = new Set([
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength'],
  ...['minItems', 'maxItems', 'minContains', 'maxContains', 'minProperties', 'maxProperties'],
]);

/** Returns the draft that a `$schema` names. Defaults to the newest. */
export function getDraft(dialect: unknown): SchemaDraft {
  if (typeof dialect !== 'string') return '2020-12';
  if (dialect.includes('draft-04')) return '4';
  if (dialect.includes('draft-07')) return '7';
  return dialect.includes('2019-09') ? '2019-09' : '2020-12';
}

/** Converts the interpreter's errors to problems, without redundant ones. */
export const toProblems = (errors: readonly OutputUnit[]): readonly Problem[] =>
  errors
    .filter(({ keyword }) => !PARENT_KEYWORDS.has(keyword))
    .map(({ keyword, instanceLocation, error }) => ({
      path: parsePointer(instanceLocation),
      message: keyword === 'false' ? 'Not allowed.' : error,
    }));

/** Keywords whose errors only report that there are errors below them. */
const PARENT_KEYWORDS = new Set([
  ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties'],
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems'],
  ...['$ref', '$recursiveRef', 'allOf', 'if', 'dependentSchemas'],
]);

/** Reads a JSON pointer as a URI fragment, such as `#/items/0/a%20b`. */
const parsePointer = (pointer: string): readonly PropertyKey[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((key) => (/^\d+$/.test(key) ? Number(key) : key));
