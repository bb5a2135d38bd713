import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import { copyJson } from './copy-json.ts';
import { isJsonObject, type JsonObject, own } from './json.ts';
import type { JsonSchema } from './json-schema.ts';
import { issueLines } from './problem-lines.ts';
import type { ToolResult } from './tool-result.ts';

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
  if (!isStandardSchema(declared))
    throw new InputSchemaError(isTyped(declared) ? plainSchema('its input') : NO_OBJECT);
  return fromStandardSchema(declared);
}

const NO_OBJECT =
  'its input must be an object schema, since a model sends a JSON object: ' +
  "v.object({ ... }), z.object({ ... }), or jsonSchema({ type: 'object', ... }). Put anything else into a property.";

/** As plain JSON Schema is, and a record of schemas is not. */
const isTyped = (declared: unknown): boolean => typeof Object(declared).type === 'string';

/** Tells that something was declared by a plain JSON Schema, which is taken in a wrapper alone. */
export const plainSchema = (what: string): string =>
  `${what} is a plain JSON Schema. Wrap it: jsonSchema({ ... }), with jsonSchema from 'holdfast/json-schema'.`;

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

/** A valid input as `run` is given it, or every problem, one short line each, for the model to read. */
export type ParsedInput<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly string[] };

/** The input that `run` is given, or what the model is answered instead. */
export type CheckedInput<Value> =
  | { readonly ok: true; readonly value: Value }
  | {
      readonly ok: false;
      readonly answer: ToolResult;
      /** What the answer lists; absent when the schema itself failed. */
      readonly problems?: readonly string[] | undefined;
    };

/** The input that was declared cannot be a tool's input. The message completes "Tool 'x': ". */
export class InputSchemaError extends Error {
  override readonly name = 'InputSchemaError';
  /** What it asserts that nobody would check; absent when something else is wrong. */
  readonly unchecked: string | undefined;
  /** The slip in plain JSON Schema, in a sentence; absent when something else is wrong. */
  readonly mistake: string | undefined;

  constructor(
    message: string,
    {
      unchecked,
      mistake,
      ...options
    }: ErrorOptions & { readonly unchecked?: string; readonly mistake?: string } = {},
  ) {
    super(message, options);
    this.unchecked = unchecked;
    this.mistake = mistake;
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
export function standardToJsonSchema(schema: StandardSchemaV1): JsonSchema {
  // One dialect for all, since `$schema` is not shown to the model.
  const target = 'draft-2020-12';
  const failure = 'cannot be written as JSON Schema';
  if (isValibot(schema)) {
    return attempt(failure, () => ({
      ...toJsonSchema(schema, {
        target,
        typeMode: 'input',
        errorMode: 'ignore',
        overrideSchema: ({ valibotSchema: { type } }) => (UNSENDABLE.has(type) ? refuse(type) : undefined),
      }),
    }));
  }
  if (hasConverter(schema)) {
    const { jsonSchema, vendor } = schema['~standard'];
    const libraryOptions = vendor === 'arktype' ? ARKTYPE : undefined;
    return attempt(failure, () => jsonSchema.input({ target, libraryOptions }));
  }
  throw new InputSchemaError(
    `its input is a schema of '${schema['~standard'].vendor}' that cannot be converted to JSON Schema. ` +
      "Use Valibot, Zod 4 (import from 'zod', not 'zod/mini'), ArkType, or jsonSchema() of 'holdfast/json-schema'.",
  );
}

/** Valibot's types that no JSON value belongs to. Left alone they would be shown as anything. */
const UNSENDABLE = new Set([
  ...['function', 'promise', 'instance', 'symbol', 'bigint'],
  ...['map', 'set', 'date', 'blob', 'file'],
]);

/** The same for ArkType, by its own settings; Zod refuses them unasked. */
const ARKTYPE = {
  fallback: {
    proto: ({ proto }: { readonly proto: { readonly name: string } }) => refuse(proto.name),
    domain: ({ domain }: { readonly domain: string }) => refuse(domain),
    date: () => refuse('Date'),
  },
};

function refuse(type: string): never {
  throw new Error(`a model cannot send a value of the type '${type}'`);
}

/** The schema as a model is shown it: a copy without `$schema`, with `properties`, and `required` only when it names some. */
function toShownSchema(schema: JsonSchema): JsonSchema {
  if (schema.type !== 'object') {
    throw new InputSchemaError(NO_OBJECT);
  }
  const copy = copyJson(schema);
  if (!copy.ok) {
    throw new InputSchemaError(
      `its input schema is not JSON: the value at \`${copy.problem.path}\` is ${copy.problem.what}.`,
    );
  }
  const { $schema: _, required, ...rest } = isJsonObject(copy.value) ? copy.value : {};
  const names = Array.isArray(required) && required.length > 0 ? { required } : {};
  return { type: 'object', properties: {}, ...rest, ...names };
}

function attempt<Value>(failure: string, convert: () => Value): Value {
  try {
    return convert();
  } catch (cause) {
    if (cause instanceof InputSchemaError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new InputSchemaError(`its input ${failure}: ${reason}.`, { cause });
  }
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
