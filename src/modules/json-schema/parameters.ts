import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { type InputSchema, type Parameter, toInputSchema } from '../../tool/input-schema.ts';
import { isJsonObject, type JsonSchema, own } from '../../tool/json.ts';
import { checkOf, jsonSchema } from './json-schema.ts';

/** An input that is declared by hand, with the type that follows from its parameters. */
export type ParametersSchema<Values> = StandardSchemaV1<unknown, Values> &
  StandardJSONSchemaV1<unknown, Values>;

/**
 * The `input` of a tool without a schema library: JSON Schema of its parameters, by name. For anything that needs
 * defaults, bounds or transforms use Valibot. What a model sends beside the parameters is handed on.
 *
 * @throws InputSchemaError when the schema of one asserts what is not checked here, such as an unknown `format`.
 *
 * @example
 * ```ts
 * const input = parameters({ city: stringParameter('Where'), days: integerParameter('How many', { required: false }) });
 * ```
 */
export function parameters<const Parameters extends Readonly<Record<string, Parameter>>>(
  declared: Parameters,
): ParametersSchema<ParameterValues<Parameters>> {
  const schema = objectSchema(declared);
  const check = checkOf(schema);
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

/** What is said of a parameter beside its type and description. */
export interface ParameterOptions {
  /** `true` unless given. */
  readonly required?: boolean | undefined;
}

/** What is said of a parameter whose values can be listed. */
export interface EnumOptions<Value> extends ParameterOptions {
  /** The only values that are allowed. */
  readonly enum?: readonly Value[] | undefined;
}

type RequiredBy<Options> = Options extends { readonly required: infer Required extends boolean }
  ? Required
  : true;

type ListedBy<Options, Base> = Options extends { readonly enum: readonly (infer Value extends Base)[] }
  ? Value
  : Base;

/** The values of an input of these parameters; optional where they are not required. */
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

/** Declares a text; with `enum`, one of its words. It is described by its name unless given, as every parameter. */
export const stringParameter = <const Options extends EnumOptions<string>>(
  description?: string,
  options?: Options,
): Parameter<ListedBy<Options, string>, RequiredBy<Options>> =>
  parameterOf({ type: 'string' }, description, options);

/** Declares a whole number. */
export const integerParameter = <const Options extends EnumOptions<number>>(
  description?: string,
  options?: Options,
): Parameter<ListedBy<Options, number>, RequiredBy<Options>> =>
  parameterOf({ type: 'integer' }, description, options);

/** Declares a number, whole or not. */
export const numberParameter = <const Options extends EnumOptions<number>>(
  description?: string,
  options?: Options,
): Parameter<ListedBy<Options, number>, RequiredBy<Options>> =>
  parameterOf({ type: 'number' }, description, options);

/** Declares a parameter that is `true` or `false`. */
export const booleanParameter = <const Options extends ParameterOptions>(
  description?: string,
  options?: Options,
): Parameter<boolean, RequiredBy<Options>> => parameterOf({ type: 'boolean' }, description, options);

/** Declares a list of such items. Whether the item is required says nothing here. */
export const arrayParameter = <Item, const Options extends ParameterOptions>(
  item: Parameter<Item>,
  description?: string,
  options?: Options,
): Parameter<Item[], RequiredBy<Options>> =>
  parameterOf({ type: 'array', items: item.schema }, description, options);

/** Declares an object of such properties, nested as deeply as needed. */
export const objectParameter = <
  Properties extends Readonly<Record<string, Parameter>>,
  const Options extends ParameterOptions,
>(
  properties: Properties,
  description?: string,
  options?: Options,
): Parameter<ParameterValues<Properties>, RequiredBy<Options>> =>
  parameterOf(objectSchema(properties), description, options);

/** The schema of an object of these parameters; `required` only when it names some. */
function objectSchema(properties: Readonly<Record<string, Parameter>>): JsonSchema {
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

function parameterOf<Value, Required extends boolean>(
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
    required: required as Required, // `RequiredBy` says the same of the options
    alone(name) {
      return aloneIn(name, this);
    },
  };
}

function aloneIn(name: string, parameter: Parameter): InputSchema<unknown> {
  const schema = toInputSchema(jsonSchema(objectSchema({ [name]: parameter })));
  return {
    json: schema.json,
    async parse(input) {
      const value = own(input, name);
      const parsed = await schema.parse(value === undefined ? {} : { [name]: value });
      return parsed.ok ? { ok: true, value } : parsed;
    },
  };
}
