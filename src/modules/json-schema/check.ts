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
import { MAX_PATH, type Problem } from '../../tool/problem-lines.ts';
import { uniqueItemsSettled, withUniqueItemsNamed } from './unique-items.ts';

/**
 * Prepares a JSON Schema for checking inputs, by an interpreter: code generation as in Ajv is forbidden on Workers.
 * It keeps the schema and writes on it, so it is given its own copy.
 *
 * @throws Error when a `$ref` leads nowhere or a `pattern` is not a regular expression, which would otherwise only
 *   show when an input reaches that place.
 */
export function jsonSchemaCheck(schema: Schema): (value: Json) => readonly Problem[] {
  const lookup = dereference(schema);
  for (const part of Object.values(lookup)) if (typeof part === 'object') checkPart(part, lookup);
  const draft = draftOf(schema.$schema);
  const settled = uniqueItemsSettled({ schema, lookup, draft });
  return (input) =>
    toProblems(
      validate(input, settled?.(input) ?? schema, draft, lookup, false).errors.map(withUniqueItemsNamed),
    );
}

function checkPart(part: Schema, lookup: Record<string, Schema | boolean>): void {
  if (typeof part.$ref === 'string' && lookup[part.__absolute_ref__ ?? part.$ref] === undefined) {
    throw new Error(`"$ref": ${JSON.stringify(part.$ref)} leads nowhere`);
  }
  for (const pattern of [part.pattern, ...Object.keys(part.patternProperties ?? {})]) {
    if (typeof pattern === 'string') new RegExp(pattern, 'u');
  }
  // The interpreter's pattern for `url` takes twice as long with every letter of a host that fits no name.
  if (part.format === 'url') part.format = 'uri';
}

/**
 * What a schema asserts and `jsonSchemaCheck` cannot check, each as in `format: "phone"` and where it stands. An input
 * would pass for valid that is not. Annotations, such as `contentEncoding`, assert nothing. It writes on the schema.
 *
 * @throws Error when a `$id` or a `$ref` in it cannot be read.
 */
export function uncheckedIn(schema: Schema): readonly Unchecked[] {
  const isDraft4 = draftOf(schema.$schema) === '4';
  return schemasOf(schema).flatMap(({ part, path }) =>
    Object.entries(part)
      .filter(([keyword, value]) => isUnchecked(keyword, value, isDraft4))
      .map(([keyword, value]) => ({
        assertion: shorten(`${keyword}: ${JSON.stringify(value)}`, MAX_PATH),
        path: formatPath(path, '$'),
      })),
  );
}

/** A schema inside another. */
export interface Placed {
  readonly part: Schema;
  readonly path: readonly PropertyKey[];
}

/** Every schema inside this one, with where it stands. It writes on the schema. */
export const schemasOf = (schema: Schema): readonly Placed[] => schemasIn(schema, dereference(schema));

/** Every schema that an input may be held against, once, where it stands: also one that only a `$ref` leads to. */
function schemasIn(root: Schema, lookup: Record<string, Schema | boolean>): readonly Placed[] {
  const found = new Map<unknown, Placed>();
  const walk = (part: unknown, path: readonly PropertyKey[]): void => {
    if (typeof part !== 'object' || part === null || Array.isArray(part) || found.has(part)) return;
    found.set(part, { part, path });
    for (const [keyword, value] of Object.entries(part)) {
      const at = [...path, keyword];
      if (Object.hasOwn(schemaKeyword, keyword)) walk(value, at);
      if (HOLD_SEVERAL.some((words) => Object.hasOwn(words, keyword))) walkAll(value, at);
    }
    const { $ref, __absolute_ref__: absolute = $ref }: Schema = part;
    if (absolute === undefined || lookup[absolute] === undefined) return;
    // A name that an anchor was given need not be a pointer.
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

/** The keywords that hold lists or maps of schemas; the library knows the last one too, and does not say so. */
const HOLD_SEVERAL: readonly object[] = [schemaArrayKeyword, schemaMapKeyword, { dependencies: true }];

/** An assertion of a schema that is not checked. */
export interface Unchecked {
  /** As in `format: "phone"`. */
  readonly assertion: string;
  /** The schema that makes it, as in `$.properties.phone`. */
  readonly path: string;
}

function isUnchecked(keyword: string, value: unknown, isDraft4: boolean): boolean {
  if (NOT_CHECKED.has(keyword)) return true;
  if (keyword === 'format') return typeof value !== 'string' || !Object.hasOwn(format, value);
  if (keyword === '$recursiveRef') return value !== '#';
  if (isDraft4 && /^exclusiveM..imum$/.test(keyword)) return typeof value !== 'boolean';
  return NUMBERS.has(keyword) && typeof value !== 'number';
}

/** Of the drafts, and of what other validators add to them: the interpreter passes over these. */
const NOT_CHECKED = new Set([
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

/** Other values of these are compared with numbers all the same, to no good: `exclusiveMinimum: true` is of draft 4. */
const NUMBERS = new Set([
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength'],
  ...['minItems', 'maxItems', 'minContains', 'maxContains', 'minProperties', 'maxProperties'],
]);

/** The draft that a `$schema` names; the newest unless it names another. */
export function draftOf(dialect: unknown): SchemaDraft {
  if (typeof dialect !== 'string') return '2020-12';
  if (dialect.includes('draft-04')) return '4';
  if (dialect.includes('draft-07')) return '7';
  return dialect.includes('2019-09') ? '2019-09' : '2020-12';
}

/** Answers what of the interpreter's errors tells somebody something. */
export const toProblems = (errors: readonly OutputUnit[]): readonly Problem[] =>
  errors
    .filter(({ keyword }) => !PARENTS.has(keyword))
    .map(({ keyword, instanceLocation, error }) => ({
      path: parsePointer(instanceLocation),
      message: keyword === 'false' ? 'Not allowed.' : error,
    }));

/** Errors of these keywords only say that there are errors below them. */
const PARENTS = new Set([
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
