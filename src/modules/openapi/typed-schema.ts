/** JSON Schemas that the compiler holds to the types of the values that they describe. */

/** JSON Schema, as OpenAPI 3.1 writes it. */
export type Schema = Readonly<Record<string, unknown>>;

declare const described: unique symbol;

/** A schema of the values of exactly this type: one of a wider or of a narrower type is not taken in its place. */
export type SchemaOf<Value> = Schema & { readonly [described]: (value: Value) => Value };

/** The type of the values that a schema describes. */
type ValueOf<Described> = Described extends SchemaOf<infer Value> ? Value : never;

/** Says which values a schema describes, where the compiler cannot tell: no more than the type of it is changed. */
export const typed = <Value>(schema: Schema): SchemaOf<Value> => schema as SchemaOf<Value>;

/** The schemas of the properties of an object, all of them: those that may be absent have a question mark behind their names. */
export type Fields<Value> = {
  readonly [Key in keyof Value & string as object extends Pick<Value, Key> ? `${Key}?` : Key]-?: SchemaOf<
    Exclude<Value[Key], undefined>
  >;
};

export const text = typed<string>({ type: 'string' });
export const number = typed<number>({ type: 'number' });
export const whole = typed<number>({ type: 'integer' });
export const yes = typed<true>({ const: true });

/** Any JSON. */
export const anything = <Value>(): SchemaOf<Value> => typed({});

/** Any JSON object. */
export const anyObject = <Value>(): SchemaOf<Value> => typed({ type: 'object', additionalProperties: true });

/** One of these texts. */
export const values = <const Values extends readonly string[]>(...all: Values): SchemaOf<Values[number]> =>
  typed({ type: 'string', ...(all.length === 1 ? { const: all[0] } : { enum: all }) });

export const list = <Item>(items: SchemaOf<Item>): SchemaOf<readonly Item[]> =>
  typed({ type: 'array', items });

/** An object whose keys are data. */
export const record = <Value>(of: SchemaOf<Value>): SchemaOf<Readonly<Record<string, Value>>> =>
  typed({ type: 'object', additionalProperties: of });

/** A value of one of the schemas. */
export const either = <const Schemas extends readonly Schema[]>(
  ...anyOf: Schemas
): SchemaOf<ValueOf<Schemas[number]>> => typed({ anyOf });

export const orNull = <Value>(schema: SchemaOf<Value>): SchemaOf<Value | null> =>
  typed({ anyOf: [schema, { type: 'null' }] });

/** The schema with words for whoever reads it. */
export const saying = <Value>(description: string, schema: SchemaOf<Value>): SchemaOf<Value> =>
  typed({ ...schema, description });

/**
 * An object with these properties, and with others that later versions may add: a client that was generated from an older description
 * ignores them.
 */
export function object<Value extends object>(fields: Fields<Value>): SchemaOf<Value> {
  const named = Object.entries<Schema>(fields);
  const required = named.flatMap(([name]) => (name.endsWith('?') ? [] : name));
  const properties = Object.fromEntries(named.map(([name, schema]) => [name.replace('?', ''), schema]));
  return typed({ type: 'object', ...(required.length > 0 && { required }), properties });
}
