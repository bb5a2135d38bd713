/**
 * The type of the values that a literal of JSON Schema describes: its types, properties, items, `enum`, `const`, `anyOf` and `oneOf`. What else
 * it says is checked when a value comes, and `unknown` stands where it says nothing. A schema whose literal is not known is any record.
 */
export type FromJsonSchema<Schema> = Schema extends object
  ? string extends keyof Schema
    ? Record<string, unknown>
    : Described<Schema>
  : unknown;

type Described<Schema extends object> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly type: infer Type }
      ? OfType<Type, Schema>
      : Schema extends { readonly anyOf: readonly (infer One)[] } | { readonly oneOf: readonly (infer One)[] }
        ? FromJsonSchema<One>
        : unknown;

/** Of each of several types by itself. */
type OfType<Type, Schema extends object> = Type extends readonly (infer One)[]
  ? OfType<One, Schema>
  : Type extends 'string'
    ? string
    : Type extends 'number' | 'integer'
      ? number
      : Type extends 'boolean'
        ? boolean
        : Type extends 'null'
          ? null
          : Type extends 'array'
            ? ItemsOf<Schema>[]
            : Type extends 'object'
              ? PropertiesOf<Schema>
              : unknown;

type ItemsOf<Schema extends object> = Schema extends { readonly items: infer Items }
  ? FromJsonSchema<Items>
  : unknown;

type PropertiesOf<Schema extends object> = Schema extends { readonly properties: infer Properties }
  ? Flat<
      { -readonly [Name in keyof Properties & RequiredOf<Schema>]: FromJsonSchema<Properties[Name]> } & {
        -readonly [Name in Exclude<keyof Properties, RequiredOf<Schema>>]?:
          | FromJsonSchema<Properties[Name]>
          | undefined;
      }
    >
  : Record<string, unknown>;

type RequiredOf<Schema extends object> = Schema extends { readonly required: readonly (infer Name)[] }
  ? Name
  : never;

type Flat<Type> = { [Key in keyof Type]: Type[Key] };
