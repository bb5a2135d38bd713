/**
 * The entry `holdfast/json-schema`: inputs and outputs in JSON Schema, and parameters without a schema
 * library.
 */

export { type JsonSchemaInput, type JsonSchemaValue, jsonSchema } from './json-schema.ts';
export {
  arrayParameter,
  booleanParameter,
  type EnumOptions,
  integerParameter,
  numberParameter,
  objectParameter,
  type ParameterOptions,
  type ParametersSchema,
  type ParameterValues,
  parameters,
  stringParameter,
} from './parameters.ts';
