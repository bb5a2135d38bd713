import type { StandardSchemaV1 } from '@standard-schema/spec';
import {
  type InputSchema,
  InputSchemaError,
  isStandardSchema,
  standardToJsonSchema,
} from './input-schema.ts';
import { type JsonSchema, own } from './json.ts';
import { issueLines } from './problem-lines.ts';

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
  if (isStandardSchema(declared)) return fromStandardSchema(name, declared);
  if (!isParameter(declared)) throw new InputSchemaError(PLAIN);
  return declared.alone(name);
}

const PLAIN =
  "is a plain JSON Schema. Wrap it: jsonSchema({ ... }), with jsonSchema from 'holdfast/json-schema'.";

function fromStandardSchema(name: string, schema: StandardSchemaV1): InputSchema<unknown> {
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
