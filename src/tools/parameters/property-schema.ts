import type { StandardSchemaV1 } from '@standard-schema/spec';
import {
  type InputSchema,
  InputSchemaError,
  isStandardSchema,
  standardToJsonSchema,
  toInputSchema,
} from '../input-schema.ts';
import type { Json, JsonObject } from '../json.ts';
import { issueLines } from '../problem-lines.ts';
import type { JsonSchema } from '../tool.ts';
import { objectSchema, type Parameter } from './parameter.ts';

/** What a single property may be declared with. A bare JSON Schema is required. */
export type PropertyDeclaration = Parameter | StandardSchemaV1 | JsonSchema;

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
  if (isParameter(declared)) return fromParameter(name, declared);
  if (isStandardSchema(declared)) return fromStandardSchema(name, declared);
  return fromParameter(name, { schema: declared, required: true });
}

function fromParameter(name: string, parameter: Parameter): InputSchema<unknown> {
  const schema = toInputSchema(objectSchema({ [name]: parameter }));
  return {
    json: schema.json,
    async parse(input) {
      const value = own(input, name);
      const parsed = await schema.parse(value === undefined ? {} : { [name]: value });
      return parsed.ok ? { ok: true, value } : parsed;
    },
  };
}

function fromStandardSchema(name: string, schema: StandardSchemaV1): InputSchema<unknown> {
  const { $schema: _, ...shown } = standardToJsonSchema(schema);
  if ('$defs' in shown) {
    throw new InputSchemaError(`its parameter '${name}' is recursive; declare it in the tool's own input.`);
  }
  const parameter = { schema: shown, required: !accepts(schema, undefined) };
  return {
    json: objectSchema({ [name]: parameter }),
    async parse(input) {
      const result = await schema['~standard'].validate(own(input, name));
      if (!result.issues) return { ok: true, value: result.value };
      const issues = result.issues.map(({ path = [], message }) => ({ path: [name, ...path], message }));
      return { ok: false, problems: issueLines(issues) };
    },
  };
}

const own = (input: JsonObject, name: string): Json | undefined =>
  Object.hasOwn(input, name) ? input[name] : undefined;

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

/** JSON Schema says `required` of an object's properties, as a list. */
const isParameter = (declared: PropertyDeclaration): declared is Parameter =>
  'schema' in declared && typeof Reflect.get(declared, 'required') === 'boolean';
