import { dereference, type OutputUnit, type Schema, type SchemaDraft, validate } from '@cfworker/json-schema';
import type { JsonObject } from './json.ts';
import type { Problem } from './problem-lines.ts';

/** Answers every problem of an input; none: it is valid. @throws RangeError when the input is nested too deeply. */
export type JsonSchemaCheck = (input: JsonObject) => readonly Problem[];

/**
 * Prepares a JSON Schema for checking inputs, by an interpreter: code generation as in Ajv is forbidden on Workers.
 * It keeps the schema and writes on it, so it is given its own copy.
 *
 * @throws Error when a `$ref` leads nowhere or a `pattern` is not a regular expression, which would otherwise only
 *   show when an input reaches that place.
 */
export function jsonSchemaCheck(schema: Schema): JsonSchemaCheck {
  const lookup = dereference(schema);
  for (const part of Object.values(lookup)) if (typeof part === 'object') checkPart(part, lookup);
  const draft = draftOf(schema.$schema);
  return (input) => toProblems(validate(input, schema, draft, lookup, false).errors);
}

function checkPart(part: Schema, lookup: Record<string, Schema | boolean>): void {
  if (typeof part.$ref === 'string' && lookup[part.__absolute_ref__ ?? part.$ref] === undefined) {
    throw new Error(`"$ref": ${JSON.stringify(part.$ref)} leads nowhere`);
  }
  for (const pattern of [part.pattern, ...Object.keys(part.patternProperties ?? {})]) {
    if (typeof pattern === 'string') new RegExp(pattern, 'u');
  }
}

/** The draft that a `$schema` names; the newest unless it names another. */
export function draftOf(dialect: unknown): SchemaDraft {
  if (typeof dialect !== 'string') return '2020-12';
  if (dialect.includes('draft-04')) return '4';
  if (dialect.includes('draft-07')) return '7';
  return dialect.includes('2019-09') ? '2019-09' : '2020-12';
}

/** Errors of these keywords only say that there are errors below them. */
const PARENTS = new Set([
  ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties'],
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems'],
  ...['$ref', '$recursiveRef', 'allOf', 'if', 'dependentSchemas'],
]);

/** What of the interpreter's errors tells somebody something. */
export const toProblems = (errors: readonly OutputUnit[]): readonly Problem[] =>
  errors
    .filter(({ keyword }) => !PARENTS.has(keyword))
    .map(({ keyword, instanceLocation, error }) => ({
      path: parsePointer(instanceLocation),
      message: keyword === 'false' ? 'Not allowed.' : error,
    }));

/** Reads a JSON pointer as a URI fragment, such as `#/items/0/a%20b`. */
const parsePointer = (pointer: string): readonly PropertyKey[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((key) => (/^\d+$/.test(key) ? Number(key) : key));
