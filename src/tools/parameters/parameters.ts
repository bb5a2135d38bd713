import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { isJsonObject } from '../json.ts';
import { jsonSchemaCheck } from '../json-schema-check.ts';
import { objectSchema, type Parameter, type ParameterValues } from './parameter.ts';

/** An input that is declared by hand, with the type that follows from its parameters. */
export type ParametersSchema<Values> = StandardSchemaV1<unknown, Values> &
  StandardJSONSchemaV1<unknown, Values>;

/**
 * The `input` of a tool without a schema library: JSON Schema of its parameters, by name. For anything that needs
 * defaults, bounds or transforms use Valibot. What a model sends beside the parameters is handed on.
 *
 * @example
 * input: parameters({ city: stringParameter('Where'), days: integerParameter('How many', { required: false }) })
 */
export function parameters<const Parameters extends Readonly<Record<string, Parameter>>>(
  declared: Parameters,
): ParametersSchema<ParameterValues<Parameters>> {
  const schema = objectSchema(declared);
  const check = jsonSchemaCheck(JSON.parse(JSON.stringify(schema)));
  return {
    '~standard': {
      version: 1,
      vendor: 'holdfast',
      validate(input) {
        const issues = isJsonObject(input) ? check(input) : [{ message: 'Expected an object.' }];
        if (issues.length > 0) return { issues };
        return { value: input as ParameterValues<Parameters> }; // just checked
      },
      jsonSchema: { input: () => schema, output: () => schema },
    },
  };
}
