import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { isJsonObject, type JsonObject } from './json.ts';
import type { JsonSchema } from './tool.ts';

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

/** An object with one required string. */
export const oneString = (name: string, description: string): JsonSchema => ({
  type: 'object',
  properties: { [name]: { type: 'string', description } },
  required: [name],
});
