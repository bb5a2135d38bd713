import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { attempt, getErrorMessage } from '../../tool/async.ts';
import { copyJson } from '../../tool/copy-json.ts';
import { InputSchemaError } from '../../tool/input-schema.ts';
import { isEqualJson, type Json, type JsonObject, type JsonSchema } from '../../tool/json.ts';
import { literals } from '../../tool/literals.ts';
import type { Problem } from '../../tool/problem-lines.ts';
import { fillDefaults, withoutDefaultsRequired } from './change-schema.ts';
import { createJsonSchemaCheck, findUnchecked } from './check.ts';
import { findSchemaMistake } from './schema-mistakes.ts';

/** A JSON Schema as a Standard Schema. It checks values, and models see the JSON Schema unchanged. */
export type JsonSchemaInput<Value> = StandardSchemaV1<Value, Value> & StandardJSONSchemaV1<Value, Value>;

/** The type of a literal's values. Defaults to any record if the literal does not describe a type. */
export type JsonSchemaValue<Schema extends JsonSchema> =
  FromJsonSchema<Schema> extends infer Value
    ? unknown extends Value
      ? Record<string, unknown>
      : Value
    : never;

/**
 * Converts a JSON Schema to a schema for the `input` of a tool or the `output` of an agent, without a schema
 * library. An interpreter checks the values (JSON Schema 2020-12, 2019-09, draft-07 or draft-04, depending on
 * `$schema`). Values are typed by the types, properties, items, `enum`, `const`, `anyOf` and `oneOf` of the
 * literal. A required property with a `default` is optional for a model, and its value is filled in.
 * Functions that receive the schema, such as `defineTool`, report mistakes in it: an unknown keyword or type,
 * or an assertion that is not checked.
 *
 * @example
 * ```ts
 * const findOrder = defineTool({
 *   name: 'find_order',
 *   description: 'Find an order',
 *   input: jsonSchema({ type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }),
 *   run: ({ id }) => `Order ${id} is on its way.`,
 * });
 * ```
 */
export function jsonSchema<const Schema extends JsonSchema>(
  schema: Schema,
): JsonSchemaInput<JsonSchemaValue<Schema>>;
export function jsonSchema(schema: JsonSchema): JsonSchemaInput<unknown> {
  let read: ParsedSchema | undefined;
  const getShownSchema = (): JsonSchema => {
    // The function that receives the schema rejects a value that is not JSON.
    if (!copyJson(schema).ok) return schema;
    read ??= readSchema(schema);
    return read.shown;
  };
  return {
    '~standard': {
      version: 1,
      vendor: 'json-schema',
      validate(value) {
        if (value === undefined) return { issues: [{ message: 'It is missing.' }] };
        read ??= readSchema(schema);
        const filled = read.fill(value as Json); // models send JSON, and answers are JSON
        const issues = read.check(filled);
        return issues.length > 0 ? { issues } : { value: filled };
      },
      jsonSchema: { input: getShownSchema, output: getShownSchema },
    },
  };
}

interface ParsedSchema {
  readonly check: JsonSchemaCheck;
  /** The schema in which properties with a default are optional. */
  readonly shown: JsonSchema;
  /** Adds missing defaults to a value. */
  fill(value: Json): Json;
}

/** Parses a schema. @throws InputSchemaError as `createSchemaCheck` does. */
function readSchema(schema: JsonSchema): ParsedSchema {
  const check = createSchemaCheck(schema);
  const json: JsonObject = JSON.parse(JSON.stringify(schema));
  const lenient = withoutDefaultsRequired(json);
  // Most schemas have no defaults, and stay the same object.
  if (isEqualJson(lenient, json)) return { check, shown: schema, fill: (value) => value };
  return { check, shown: lenient as JsonObject, fill: (value) => fillDefaults(value, json) }; // a copy of an object
}

/**
 * Returns every problem of a value, or an empty list if it is valid. @throws RangeError if it is nested too
 * deeply.
 */
export type JsonSchemaCheck = (value: Json) => readonly Problem[];

/**
 * Returns the check of a schema. @throws InputSchemaError if the schema contains a mistake or an assertion
 * that is not checked.
 */
export function createSchemaCheck(schema: JsonSchema): JsonSchemaCheck {
  const copy: JsonSchema = JSON.parse(JSON.stringify(schema));
  if (literals) {
    const mistake = readOrThrow(() => findSchemaMistake(copy));
    if (mistake !== undefined) throw new InputSchemaError(`has a mistake: ${mistake}`);
  }
  const check = readOrThrow(() => createJsonSchemaCheck(copy));
  assertAllChecked(copy);
  return check;
}

function readOrThrow<Value>(read: () => Value): Value {
  const made = attempt(read);
  if (made.ok) return made.value;
  const { thrown: cause } = made;
  const reason = getErrorMessage(cause);
  throw new InputSchemaError(`is not valid JSON Schema: ${reason}.`, { cause });
}

/**
 * Checks and modifies the schema. @throws InputSchemaError if it has an assertion that `createJsonSchemaCheck` does
 * not check.
 */
function assertAllChecked(schema: JsonSchema): void {
  const [first, ...others] = findUnchecked(schema);
  if (!first) return;
  const more = others.length > 0 ? `, and ${others.length} more` : '';
  const unchecked =
    `\`${first.assertion}\` at \`${first.path}\`${more}. Use other keywords, such as a \`pattern\`, or the description, or ` +
    'a schema library, which has its own checks';
  throw new InputSchemaError(`has an assertion that Holdfast cannot check: ${unchecked}.`);
}

/**
 * The type of a JSON Schema literal's values, from its types, properties, items, `enum`, `const`, `anyOf` and
 * `oneOf`. Other keywords are checked only at run time. Parts without a type are `unknown`. If the type of
 * the schema is not literal, the type is any record.
 */
type FromJsonSchema<Schema> = Schema extends object
  ? string extends keyof Schema
    ? Record<string, unknown>
    : DescribedValue<Schema>
  : unknown;

type DescribedValue<Schema extends object> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly type: infer Type }
      ? ValueOfType<Type, Schema>
      : Schema extends { readonly anyOf: readonly (infer One)[] } | { readonly oneOf: readonly (infer One)[] }
        ? FromJsonSchema<One>
        : unknown;

/** Distributes over a list of types. */
type ValueOfType<Type, Schema extends object> = Type extends readonly (infer One)[]
  ? ValueOfType<One, Schema>
  : Type extends 'string'
    ? string
    : Type extends 'number' | 'integer'
      ? number
      : Type extends 'boolean'
        ? boolean
        : Type extends 'null'
          ? null
          : Type extends 'array'
            ? ItemsOf<Schema>[]
            : Type extends 'object'
              ? PropertiesOf<Schema>
              : unknown;

type ItemsOf<Schema extends object> = Schema extends { readonly items: infer Items }
  ? FromJsonSchema<Items>
  : unknown;

type PropertiesOf<Schema extends object> = Schema extends { readonly properties: infer Properties }
  ? FlatType<
      { -readonly [Name in keyof Properties & RequiredOf<Schema>]: FromJsonSchema<Properties[Name]> } & {
        -readonly [Name in Exclude<keyof Properties, RequiredOf<Schema>>]?:
          | FromJsonSchema<Properties[Name]>
          | undefined;
      }
    >
  : Record<string, unknown>;

type RequiredOf<Schema extends object> = Schema extends { readonly required: readonly (infer Name)[] }
  ? Name
  : never;

type FlatType<Type> = { [Key in keyof Type]: Type[Key] };
