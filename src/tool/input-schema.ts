import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import { reasonOf } from './async.ts';
import { copyJson, inWords } from './copy-json.ts';
import { isJsonObject, type JsonObject, type JsonSchema, own } from './json.ts';
import { literals } from './literals.ts';
import { issueLines, type ParsedInput } from './problem-lines.ts';

/**
 * Reads a declared input once, when a tool is defined: Valibot, any Standard Schema with a JSON Schema converter
 * (Zod 4, ArkType, `jsonSchema()`), or nothing (an object without properties; what the model sends is dropped).
 *
 * @throws InputSchemaError when there is no JSON Schema for it, or its root is not an object.
 */
export function toInputSchema<Declaration extends InputDeclaration = undefined>(
  declared?: Declaration | undefined,
): InputSchema<InputOf<Declaration>>;
export function toInputSchema(declared?: InputDeclaration): InputSchema<unknown> {
  if (declared === undefined) {
    return { json: { type: 'object', properties: {} }, parse: async () => ({ ok: true, value: {} }) };
  }
  if (isStandardSchema(declared)) return fromStandardSchema(declared);
  throw noObject(declared);
}

const noObject = (declared: unknown): InputSchemaError =>
  new InputSchemaError(literals?.noSchema(declared) ?? 'must be an object schema.');

/** What a definition may declare as its input: a Standard Schema, or nothing. */
export type InputDeclaration = StandardSchemaV1 | undefined;

/** The type of a valid input: a schema's output, an empty object for nothing. */
export type InputOf<Declaration extends InputDeclaration> = Declaration extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<Declaration>
  : Record<string, never>;

/** A declared input, in the two forms in which it is used. */
export interface InputSchema<Value> {
  /** What the model is shown; its root is an object. The same object on every read. */
  readonly json: JsonSchema;
  /** Rejects only with what the schema's own code throws. */
  parse(input: JsonObject): Promise<ParsedInput<Value>>;
}

/** A schema that cannot be the input of a tool, or the output of an agent. The message completes "Tool 'x': ". */
export class InputSchemaError extends Error {
  override readonly name = 'InputSchemaError';

  /** Completes "its input ". */
  readonly problem: string;

  constructor(problem: string, options?: ErrorOptions) {
    super(`its input ${problem}`, options);
    this.problem = problem;
  }
}

function fromStandardSchema(schema: StandardSchemaV1): InputSchema<unknown> {
  return {
    json: toShownSchema(standardToJsonSchema(schema)),
    async parse(input) {
      const result = await schema['~standard'].validate(input);
      if (!result.issues) return { ok: true, value: result.value };
      return { ok: false, problems: issueLines(result.issues) };
    },
  };
}

/**
 * Answers what a model is to send for a Standard Schema, its dialect named. @throws InputSchemaError when that cannot be
 * written.
 */
function standardToJsonSchema(schema: StandardSchemaV1): JsonSchema {
  // One dialect for all, since `$schema` is not shown to the model.
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
    const reason = reasonOf(cause);
    throw new InputSchemaError(`cannot be written as JSON Schema: ${reason}.`, { cause });
  }
  const how = literals?.convertible ?? '';
  throw new InputSchemaError(`is a schema of '${vendor}' that cannot be converted to JSON Schema.${how}`);
}

/** The schema as a model is shown it: a copy without `$schema`, with `properties`, and `required` only when it names some. */
function toShownSchema(schema: JsonSchema): JsonSchema {
  if (schema.type !== 'object') throw noObject(undefined);
  const copy = copyJson(schema);
  if (!copy.ok) throw new InputSchemaError(`is not JSON: ${inWords(copy.problem)}.`);
  const { $schema: _, required, ...rest } = isJsonObject(copy.value) ? copy.value : {};
  const names = Array.isArray(required) && required.length > 0 ? { required } : {};
  return { type: 'object', properties: {}, ...rest, ...names };
}

/** Tells whether a value is a schema of some library: plain JavaScript may declare anything, as may the AI SDK. ArkType's are functions. */
export const isStandardSchema = (declared: unknown): declared is StandardSchemaV1 =>
  (typeof declared === 'object' || typeof declared === 'function') &&
  declared !== null &&
  '~standard' in declared;

const isValibot = (schema: StandardSchemaV1): schema is GenericSchema =>
  schema['~standard'].vendor === 'valibot';

const hasConverter = (schema: StandardSchemaV1): schema is StandardSchemaV1 & StandardJSONSchemaV1 =>
  'jsonSchema' in schema['~standard'];

/** A value that is not taken, for one reason. */
export const refused = (problem: string): ParsedInput<never> => ({ ok: false, problems: [problem] });

/** A Standard Schema that refuses nothing. */
export type LenientSchema<Value> = StandardSchemaV1<unknown, Value> & StandardJSONSchemaV1<unknown, Value>;

/**
 * Shows the model one schema, and lets `read` make a value of whatever it sends: for tools that have words of their own
 * for a bad input. `read` must not throw.
 */
export const lenientSchema = <Value>(
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

/** The same for what may be refused: `problemOf` says what is wrong with an input, if anything is; it must not throw. */
export const checkedSchema = <Value>(
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

/** Says what is wrong with a property of an input that must be of this type; `undefined` when it is, or is not there and need not be. */
export function propertyIssue(
  input: JsonObject,
  name: string,
  { type, isOptional = false }: { readonly type: 'string' | 'integer'; readonly isOptional?: boolean },
): StandardSchemaV1.Issue | undefined {
  const value = own(input, name);
  if (value === undefined)
    return isOptional ? undefined : { message: `Instance does not have required property "${name}".` };
  const isRight = type === 'string' ? typeof value === 'string' : Number.isInteger(value);
  if (isRight) return undefined;
  const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return { path: [name], message: `Instance type "${kind}" is invalid. Expected "${type}".` };
}

/** An object with one required string. */
export const oneString = (name: string, description: string): JsonSchema => ({
  type: 'object',
  properties: { [name]: { type: 'string', description } },
  required: [name],
});

/** One property of an input that is declared by hand, such as by `stringParameter`. Its name is its key in `parameters`. */
export interface Parameter<Value = unknown, Required extends boolean = boolean> {
  /** As the model is shown it. */
  readonly schema: JsonSchema;
  readonly required: Required;
  /** Makes the schema of an object with this one property, whose value it is. */
  readonly alone: (name: string) => InputSchema<unknown>;
  readonly '~types'?: { readonly value: Value };
}

/** What a single property may be declared with. */
export type PropertyDeclaration = Parameter | StandardSchemaV1;

/** The value of a property as its own schema makes it. */
export type PropertyValue<Declared extends PropertyDeclaration> =
  Declared extends Parameter<infer Value, infer Required>
    ? Required extends true
      ? Value
      : Value | undefined
    : Declared extends StandardSchemaV1
      ? StandardSchemaV1.InferOutput<Declared>
      : unknown;

/**
 * A schema of an object with this one property; other properties are ignored. Its value is the property's.
 *
 * @throws InputSchemaError when there is no JSON Schema for it.
 */
export function toPropertySchema(name: string, declared: PropertyDeclaration): InputSchema<unknown> {
  if (isStandardSchema(declared)) return propertyOf(name, declared);
  if (!isParameter(declared)) throw new InputSchemaError(PLAIN);
  return declared.alone(name);
}

const PLAIN =
  "is a plain JSON Schema. Wrap it: jsonSchema({ ... }), with jsonSchema from 'holdfast/json-schema'.";

function propertyOf(name: string, schema: StandardSchemaV1): InputSchema<unknown> {
  const { $schema: _, ...shown } = standardToJsonSchema(schema);
  if ('$defs' in shown) {
    throw new InputSchemaError("is recursive; declare it in the tool's own input.");
  }
  const properties = { [name]: { ...shown, description: shown.description ?? name } };
  return {
    json: { type: 'object', properties, ...(!accepts(schema, undefined) && { required: [name] }) },
    async parse(input) {
      const result = await schema['~standard'].validate(own(input, name));
      if (!result.issues) return { ok: true, value: result.value };
      const issues = result.issues.map(({ path = [], message }) => ({ path: [name, ...path], message }));
      return { ok: false, problems: issueLines(issues) };
    },
  };
}

/** A schema that cannot tell at once is taken to refuse. */
function accepts(schema: StandardSchemaV1, value: unknown): boolean {
  try {
    const result = schema['~standard'].validate(value);
    if (!(result instanceof Promise)) return !result.issues;
    result.catch(() => undefined); // Nobody will wait for it.
  } catch {
    // Its own code failed on nothing, so it needs something.
  }
  return false;
}

const isParameter = (declared: object): declared is Parameter => 'alone' in declared;
