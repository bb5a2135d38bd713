import type { JsonSchema } from '../tool.ts';

/** One property of an input that is declared by hand. Its name is its key in `parameters`. */
export interface Parameter<Value = unknown, Required extends boolean = boolean> {
  /** As the model is shown it. */
  readonly schema: JsonSchema;
  readonly required: Required;
  readonly '~types'?: { readonly value: Value };
}

/** What is said of a parameter beside its type and description. */
export interface ParameterOptions {
  /** `true` unless given. */
  readonly required?: boolean | undefined;
}

/** The same for a parameter whose values can be listed. */
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

/** Text; with `enum`, one of its words. Described by its name unless given, as every parameter (TOOL-05). */
export const stringParameter = <const Options extends EnumOptions<string>>(
  description?: string,
  options?: Options,
): Parameter<ListedBy<Options, string>, RequiredBy<Options>> =>
  parameterOf({ type: 'string' }, description, options);

/** A whole number. */
export const integerParameter = <const Options extends EnumOptions<number>>(
  description?: string,
  options?: Options,
): Parameter<ListedBy<Options, number>, RequiredBy<Options>> =>
  parameterOf({ type: 'integer' }, description, options);

/** A number. */
export const numberParameter = <const Options extends EnumOptions<number>>(
  description?: string,
  options?: Options,
): Parameter<ListedBy<Options, number>, RequiredBy<Options>> =>
  parameterOf({ type: 'number' }, description, options);

/** `true` or `false`. */
export const booleanParameter = <const Options extends ParameterOptions>(
  description?: string,
  options?: Options,
): Parameter<boolean, RequiredBy<Options>> => parameterOf({ type: 'boolean' }, description, options);

/** A list of such items (TOOL-06). Whether the item is required says nothing here. */
export const arrayParameter = <Item, const Options extends ParameterOptions>(
  item: Parameter<Item>,
  description?: string,
  options?: Options,
): Parameter<Item[], RequiredBy<Options>> =>
  parameterOf({ type: 'array', items: item.schema }, description, options);

/** An object of such properties, nested as deeply as needed (TOOL-06). */
export const objectParameter = <
  Properties extends Readonly<Record<string, Parameter>>,
  const Options extends ParameterOptions,
>(
  properties: Properties,
  description?: string,
  options?: Options,
): Parameter<ParameterValues<Properties>, RequiredBy<Options>> =>
  parameterOf(objectSchema(properties), description, options);

/** The schema of an object of these parameters; `required` only when it names some (TOOL-07). */
export function objectSchema(properties: Readonly<Record<string, Parameter>>): JsonSchema {
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
  return { schema, required: required as Required }; // `RequiredBy` says the same of the options
}
