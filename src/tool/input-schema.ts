import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import { getErrorMessage } from './async.ts';
import { copyJson, describeNonJson } from './copy-json.ts';
import { getOwn, isJsonObject, type JsonObject, type JsonSchema } from './json.ts';
import { literals } from './literals.ts';
import { formatIssues, type ParsedInput } from './problem-lines.ts';

/**
 * Converts a declared input when a tool is defined: Valibot, any Standard Schema with a JSON Schema converter
 * (Zod 4, ArkType, `jsonSchema()`), or `undefined` for an object without properties, whose input is dropped.
 *
 * @throws InputSchemaError if it has no JSON Schema, or if its root is not an object.
 */
export function toInputSchema<Declaration extends InputDeclaration = undefined>(
  declared?: Declaration | undefined,
): InputSchema<InputOf<Declaration>>;
export function toInputSchema(declared?: InputDeclaration): InputSchema<unknown> {
  if (declared === undefined) {
    return { json: { type: 'object', properties: {} }, parse: async () => ({ ok: true, value: {} }) };
  }
  if (isStandardSchema(declared)) return convertStandardSchema(declared);
  throw createNotObjectError(declared);
}

const createNotObjectError = (declared: unknown): InputSchemaError =>
  new InputSchemaError(literals?.noSchema(declared) ?? 'must be an object schema.');

/** The input that a definition can declare: a Standard Schema, or `undefined` for none. */
export type InputDeclaration = StandardSchemaV1 | undefined;

/** The type of a valid input: a schema's output, or an empty object without a schema. */
export type InputOf<Declaration extends InputDeclaration> = Declaration extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<Declaration>
  : Record<string, never>;

/** A declared input, as JSON Schema and as a parser. */
export interface InputSchema<Value> {
  /** The schema for the model, whose root is an object. The same object on every read. */
  readonly json: JsonSchema;
  /** Parses an input. Rejects only with errors of the schema's own code. */
  parse(input: JsonObject): Promise<ParsedInput<Value>>;
}

/**
 * Thrown for a schema that cannot be the input of a tool or the output of an agent. The message completes
 * "Tool 'x': ".
 */
export class InputSchemaError extends Error {
  override readonly name = 'InputSchemaError';

  /** The text after "its input ". */
  readonly problem: string;

  constructor(problem: string, options?: ErrorOptions) {
    super(`its input ${problem}`, options);
    this.problem = problem;
  }
}

function convertStandardSchema(schema: StandardSchemaV1): InputSchema<unknown> {
  return {
    json: toShownSchema(toStandardJsonSchema(schema)),
    async parse(input) {
      const result = await schema['~standard'].validate(input);
      if (!result.issues) return { ok: true, value: result.value };
      return { ok: false, problems: formatIssues(result.issues) };
    },
  };
}

/**
 * Returns the JSON Schema of a Standard Schema's input.
 *
 * @throws InputSchemaError if it cannot be converted.
 */
function toStandardJsonSchema(schema: StandardSchemaV1): JsonSchema {
  // All schemas use one dialect, since the model does not see `$schema`.
  const target = 'draft-2020-12';
  const { vendor } = schema['~standard'];
  try {
    if (isValibot(schema)) {
      const refusing = literals?.refusing.valibot;
      return { ...toJsonSchema(schema, { target, typeMode: 'input', errorMode: 'ignore', ...refusing }) };
    }
    if (hasConverter(schema)) {
      const libraryOptions = vendor === 'arktype' ? literals?.refusing.arktype : undefined;
      return schema['~standard'].jsonSchema.input({ target, libraryOptions });
    }
  } catch (cause) {
    if (cause instanceof InputSchemaError) throw cause;
    const reason = getErrorMessage(cause);
    throw new InputSchemaError(`cannot be written as JSON Schema: ${reason}.`, { cause });
  }
  const how = literals?.convertible ?? '';
  throw new InputSchemaError(`is a schema of '${vendor}' that cannot be converted to JSON Schema.${how}`);
}

/**
 * Returns the schema for the model: a copy without `$schema`, with `properties`, and with `required` only if
 * it is not empty.
 */
function toShownSchema(schema: JsonSchema): JsonSchema {
  if (schema.type !== 'object') throw createNotObjectError(undefined);
  const copy = copyJson(schema);
  if (!copy.ok) throw new InputSchemaError(`is not JSON: ${describeNonJson(copy.problem)}.`);
  const { $schema: _, required, ...rest } = isJsonObject(copy.value) ? copy.value : {};
  const names = Array.isArray(required) && required.length > 0 ? { required } : {};
  return { type: 'object', properties: {}, ...rest, ...names };
}

/**
 * Returns whether a value is a Standard Schema. Plain JavaScript can declare anything. ArkType's schemas are
 * functions.
 */
export const isStandardSchema = (declared: unknown): declared is StandardSchemaV1 =>
  (typeof declared === 'object' || typeof declared === 'function') &&
  declared !== null &&
  '~standard' in declared;

const isValibot = (schema: StandardSchemaV1): schema is GenericSchema =>
  schema['~standard'].vendor === 'valibot';

const hasConverter = (schema: StandardSchemaV1): schema is StandardSchemaV1 & StandardJSONSchemaV1 =>
  'jsonSchema' in schema['~standard'];

/** Returns a refusal with one problem. */
export const createRefusedInput = (problem: string): ParsedInput<never> => ({
  ok: false,
  problems: [problem],
});

/** A Standard Schema that accepts every input. */
export type LenientSchema<Value> = StandardSchemaV1<unknown, Value> & StandardJSONSchemaV1<unknown, Value>;

/**
 * Returns a schema that shows `shown` to the model but accepts any input, which `read` converts. For tools
 * with their own errors for invalid input. `read` must not throw.
 */
export const createLenientSchema = <Value>(
  shown: JsonSchema,
  read: (input: JsonObject) => Value,
): LenientSchema<Value> => ({
  '~standard': {
    version: 1,
    vendor: 'holdfast',
    validate: (sent) => ({ value: read(isJsonObject(sent) ? sent : {}) }),
    jsonSchema: { input: () => shown, output: () => shown },
  },
});

/** Like `createLenientSchema`, but `problemOf` can refuse an input by returning its problem. It must not throw. */
export const createCheckedSchema = <Value>(
  shown: JsonSchema,
  problemOf: (input: JsonObject) => StandardSchemaV1.Issue | undefined,
): LenientSchema<Value> => ({
  '~standard': {
    version: 1,
    vendor: 'holdfast',
    validate(sent) {
      const input = isJsonObject(sent) ? sent : {};
      const issue = problemOf(input);
      return issue ? { issues: [issue] } : { value: input as Value }; // just checked
    },
    jsonSchema: { input: () => shown, output: () => shown },
  },
});

/**
 * Returns the problem of a property that must have this type. Returns `undefined` if it is valid, or is
 * absent and optional.
 */
export function findPropertyIssue(
  input: JsonObject,
  name: string,
  { type, isOptional = false }: { readonly type: 'string' | 'integer'; readonly isOptional?: boolean },
): StandardSchemaV1.Issue | undefined {
  const value = getOwn(input, name);
  if (value === undefined)
    return isOptional ? undefined : { message: `Instance does not have required property "${name}".` };
  const isRight = type === 'string' ? typeof value === 'string' : Number.isInteger(value);
  if (isRight) return undefined;
  const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return { path: [name], message: `Instance type "${kind}" is invalid. Expected "${type}".` };
}

/** Returns the schema of an object with one required string. */
export const createSingleStringSchema = (name: string, description: string): JsonSchema => ({
  type: 'object',
  properties: { [name]: { type: 'string', description } },
  required: [name],
});

/**
 * A property of an input that is declared individually, such as by `stringParameter`. Its name is its key in
 * `parameters`.
 */
export interface Parameter<Value = unknown, Required extends boolean = boolean> {
  /** The schema for the model. */
  readonly schema: JsonSchema;
  readonly required: Required;
  /** Creates the schema of an object with only this property. It parses to the property's value. */
  readonly alone: (name: string) => InputSchema<unknown>;
  readonly '~types'?: { readonly value: Value };
}

/** The declaration of a single property. */
export type PropertyDeclaration = Parameter | StandardSchemaV1;

/** The output of a property's schema. */
export type PropertyValue<Declared extends PropertyDeclaration> =
  Declared extends Parameter<infer Value, infer Required>
    ? Required extends true
      ? Value
      : Value | undefined
    : Declared extends StandardSchemaV1
      ? StandardSchemaV1.InferOutput<Declared>
      : unknown;

/**
 * Returns the schema of an object with this property. It parses to the property's value, and ignores other
 * properties.
 *
 * @throws InputSchemaError if it has no JSON Schema.
 */
export function toPropertySchema(name: string, declared: PropertyDeclaration): InputSchema<unknown> {
  if (isStandardSchema(declared)) return toSinglePropertySchema(name, declared);
  if (!isParameter(declared)) throw new InputSchemaError(PLAIN_SCHEMA_PROBLEM);
  return declared.alone(name);
}

const PLAIN_SCHEMA_PROBLEM =
  "is a plain JSON Schema. Wrap it: jsonSchema({ ... }), with jsonSchema from 'holdfast/json-schema'.";

function toSinglePropertySchema(name: string, schema: StandardSchemaV1): InputSchema<unknown> {
  const { $schema: _, ...shown } = toStandardJsonSchema(schema);
  if ('$defs' in shown) {
    throw new InputSchemaError("is recursive. Declare it in the tool's own input.");
  }
  const properties = { [name]: { ...shown, description: shown.description ?? name } };
  return {
    json: { type: 'object', properties, ...(!isAcceptedBy(schema, undefined) && { required: [name] }) },
    async parse(input) {
      const result = await schema['~standard'].validate(getOwn(input, name));
      if (!result.issues) return { ok: true, value: result.value };
      const issues = result.issues.map(({ path = [], message }) => ({ path: [name, ...path], message }));
      return { ok: false, problems: formatIssues(issues) };
    },
  };
}

/** Returns whether a schema accepts a value. Returns `false` for an asynchronous schema. */
function isAcceptedBy(schema: StandardSchemaV1, value: unknown): boolean {
  try {
    const result = schema['~standard'].validate(value);
    if (!(result instanceof Promise)) return !result.issues;
    result.catch(() => undefined); // Prevents an unhandled rejection.
  } catch {
    // The schema's code fails for this value, so the schema does not accept it.
  }
  return false;
}

const isParameter = (declared: object): declared is Parameter => 'alone' in declared;
