import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { type InputSchema, type Parameter, toInputSchema } from '../../tool/input-schema.ts';
import { getOwn, isJsonObject, type JsonSchema } from '../../tool/json.ts';
import { createSchemaCheck, jsonSchema } from './json-schema.ts';

/** The schema of an input that parameters declare. */
export type ParametersSchema<Values> = StandardSchemaV1<unknown, Values> &
  StandardJSONSchemaV1<unknown, Values>;

/**
 * Creates the `input` of a tool from named parameters, without a schema library. For defaults, bounds or
 * transforms, use Valibot. Undeclared properties that a model sends are passed on.
 *
 * @throws InputSchemaError if a parameter's schema has an assertion that is not checked, such as an unknown
 * `format`.
 *
 * @example
 * ```ts
 * const input = parameters({ city: stringParameter('Where'), days: integerParameter('How many', { required: false }) });
 * ```
 */
export function parameters<const Parameters extends Readonly<Record<string, Parameter>>>(
  declared: Parameters,
): ParametersSchema<ParameterValues<Parameters>> {
  const schema = createObjectSchema(declared);
  const check = createSchemaCheck(schema);
  return {
    '~standard': {
      version: 1,
      vendor: 'holdfast',
      validate(input) {
        const issues = isJsonObject(input) ? check(input) : [{ message: 'Expected an object.' }];
        if (issues.length > 0) return { issues };
        return { value: input as ParameterValues<Parameters> }; // the check above has passed
      },
      jsonSchema: { input: () => schema, output: () => schema },
    },
  };
}

/** Options of a parameter. */
export interface ParameterOptions {
  /** Defaults to `true`. */
  readonly required?: boolean | undefined;
}

/** Options of a parameter with a list of allowed values. */
export interface EnumOptions<Value> extends ParameterOptions {
  /** The allowed values. */
  readonly enum?: readonly Value[] | undefined;
}

type RequiredValue<Options> = Options extends { readonly required: infer Required extends boolean }
  ? Required
  : true;

type ListedValue<Options, Base> = Options extends { readonly enum: readonly (infer Value extends Base)[] }
  ? Value
  : Base;

/** The values of an input with these parameters. Parameters that are not required are optional. */
export type ParameterValues<Parameters extends Readonly<Record<string, Parameter>>> = {
  -readonly [Key in keyof Parameters as Parameters[Key] extends Parameter<unknown, true>
    ? Key
    : never]: ValueOf<Parameters[Key]>;
} & {
  -readonly [Key in keyof Parameters as Parameters[Key] extends Parameter<unknown, true>
    ? never
    : Key]?: ValueOf<Parameters[Key]>;
} extends infer Values
  ? { [Key in keyof Values]: Values[Key] }
  : never;

type ValueOf<P> = P extends Parameter<infer Value> ? Value : never;

/**
 * Declares a string, or with `enum` one of several strings. As with every parameter, its description defaults
 * to its name.
 */
export const stringParameter = <const Options extends EnumOptions<string>>(
  description?: string,
  options?: Options,
): Parameter<ListedValue<Options, string>, RequiredValue<Options>> =>
  createParameter({ type: 'string' }, description, options);

/** Declares a whole number. */
export const integerParameter = <const Options extends EnumOptions<number>>(
  description?: string,
  options?: Options,
): Parameter<ListedValue<Options, number>, RequiredValue<Options>> =>
  createParameter({ type: 'integer' }, description, options);

/** Declares a number, whole or not. */
export const numberParameter = <const Options extends EnumOptions<number>>(
  description?: string,
  options?: Options,
): Parameter<ListedValue<Options, number>, RequiredValue<Options>> =>
  createParameter({ type: 'number' }, description, options);

/** Declares a boolean. */
export const booleanParameter = <const Options extends ParameterOptions>(
  description?: string,
  options?: Options,
): Parameter<boolean, RequiredValue<Options>> => createParameter({ type: 'boolean' }, description, options);

/** Declares a list of items. The item's own `required` is ignored. */
export const arrayParameter = <Item, const Options extends ParameterOptions>(
  item: Parameter<Item>,
  description?: string,
  options?: Options,
): Parameter<Item[], RequiredValue<Options>> =>
  createParameter({ type: 'array', items: item.schema }, description, options);

/** Declares an object with these properties. Objects can be nested. */
export const objectParameter = <
  Properties extends Readonly<Record<string, Parameter>>,
  const Options extends ParameterOptions,
>(
  properties: Properties,
  description?: string,
  options?: Options,
): Parameter<ParameterValues<Properties>, RequiredValue<Options>> =>
  createParameter(createObjectSchema(properties), description, options);

/**
 * Returns the schema of an object with these parameters. It has `required` only if a parameter is required.
 */
function createObjectSchema(properties: Readonly<Record<string, Parameter>>): JsonSchema {
  const entries = Object.entries(properties);
  const required = entries.filter(([, parameter]) => parameter.required).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(
      entries.map(([name, { schema }]) => [name, { ...schema, description: schema.description ?? name }]),
    ),
    ...(required.length > 0 && { required }),
  };
}

function createParameter<Value, Required extends boolean>(
  type: JsonSchema,
  description: string | undefined,
  { required = true, enum: values }: EnumOptions<unknown> = {},
): Parameter<Value, Required> {
  const schema = {
    ...type,
    ...(description !== undefined && { description }),
    ...(values && { enum: values }),
  };
  return {
    schema,
    required: required as Required, // `RequiredValue` derives the same from the options
    alone(name) {
      return toSingleSchema(name, this);
    },
  };
}

function toSingleSchema(name: string, parameter: Parameter): InputSchema<unknown> {
  const schema = toInputSchema(jsonSchema(createObjectSchema({ [name]: parameter })));
  return {
    json: schema.json,
    async parse(input) {
      const value = getOwn(input, name);
      const parsed = await schema.parse(value === undefined ? {} : { [name]: value });
      return parsed.ok ? { ok: true, value } : parsed;
    },
  };
}
