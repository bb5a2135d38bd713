/**
 * Shapes of JSON as data. Types are inferred from shapes, and the module `openapi` converts them to JSON
 * Schema. A shape is a literal without calls and spreads, so that a bundle without that module drops it.
 */
import type { Json, JsonObject, JsonSchema } from './json.ts';

/** The shape of JSON values. */
export type Shape = { readonly says?: string } & (
  | { readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'null'; readonly also?: JsonObject }
  | { readonly only: string | true }
  | { readonly oneOf: readonly string[] }
  | { readonly listOf: Shape; readonly also?: JsonObject }
  /** An object whose keys are data. */
  | { readonly mapOf: Shape }
  | { readonly anyOf: readonly Shape[] }
  /** An object. With `and`, it also has the properties of that shape. */
  | { readonly object: Fields; readonly and?: ObjectShape; readonly also?: JsonObject }
  | ShapeAs<unknown>
);

/** The properties of an object. */
export type Fields = { readonly [name: string]: Shape | { readonly optional: Shape } };

export interface ObjectShape {
  readonly object: Fields;
  readonly and?: ObjectShape;
  readonly says?: string;
  readonly also?: JsonObject;
}

/** A shape with an explicit type that cannot be inferred. It has a JSON Schema or a similar shape. */
export type ShapeAs<Value> = {
  /** For type inference only. */
  readonly value?: Value;
  readonly says?: string;
} & ({ readonly schema: Schema | (() => Schema) } | { readonly like: Shape | (() => Shape) });

/** A JSON Schema in the dialect of OpenAPI 3.1. */
export type Schema = Readonly<Record<string, unknown>>;

/** The type of a shape's values. The comments on its properties are those of the shape. */
export type Infer<Of> = Of extends { readonly object: infer Own; readonly and: infer Base }
  ? ObjectOf<Own> & Infer<Base>
  : Of extends { readonly object: infer Own }
    ? ObjectOf<Own>
    : Of extends { readonly only: infer Value } | { readonly oneOf: readonly (infer Value)[] }
      ? Value
      : Of extends { readonly listOf: infer Item }
        ? readonly Infer<Item>[]
        : Of extends { readonly mapOf: infer Item }
          ? { readonly [key: string]: Infer<Item> }
          : Of extends { readonly anyOf: readonly (infer One)[] }
            ? InferEach<One>
            : Of extends { readonly type: infer Name }
              ? PrimitiveTypes[Name & keyof PrimitiveTypes]
              : Of extends ShapeAs<infer Value>
                ? Value
                : never;

type InferEach<One> = One extends unknown ? Infer<One> : never;

interface PrimitiveTypes {
  readonly string: string;
  readonly number: number;
  readonly integer: number;
  readonly boolean: boolean;
  readonly null: null;
}

type RequiredKeys<Of> = { [Key in keyof Of]: Of[Key] extends Optional ? never : Key }[keyof Of];

type Optional = { readonly optional: unknown };

type ValuesOf<Of> = {
  readonly [Key in keyof Of]: Of[Key] extends { readonly optional: infer One } ? Infer<One> : Infer<Of[Key]>;
};

type ObjectOf<Of> = ValuesOf<Pick<Of, RequiredKeys<Of>>> &
  Partial<ValuesOf<Pick<Of, Exclude<keyof Of, RequiredKeys<Of>>>>>;

/** The same type, but optional properties can also be `undefined`, for values from an app's code. */
export type WithUndefined<Value> = {
  [Key in keyof Value]: object extends Pick<Value, Key> ? Value[Key] | undefined : Value[Key];
};

export const TEXT = { type: 'string' } as const;
export const NUMBER = { type: 'number' } as const;
export const INTEGER = { type: 'integer' } as const;
export const BOOLEAN = { type: 'boolean' } as const;
export const ONLY_TRUE = { only: true } as const;
export const NULL = { type: 'null' } as const;
export const OPTIONAL_TEXT = { optional: TEXT } as const;
export const OPTIONAL_NUMBER = { optional: NUMBER } as const;
export const OPTIONAL_INTEGER = { optional: INTEGER } as const;
export const OPTIONAL_TRUE = { optional: ONLY_TRUE } as const;
export const TEXT_OR_NULL = { anyOf: [TEXT, NULL] } as const;
export const ANY_JSON: ShapeAs<Json> = { schema: {} };
export const ANY_OBJECT: ShapeAs<JsonObject> = { schema: { type: 'object', additionalProperties: true } };
export const JSON_SCHEMA: ShapeAs<JsonSchema> = { schema: { type: 'object', additionalProperties: true } };
/** For an object with only the properties of its shape, such as a request body. */
export const NO_OTHER_PROPERTIES = { additionalProperties: false } as const;

/** The keys of an object of a shape, for code that checks it. The compiler requires all of them. */
export type KeysOf<Of> = Readonly<Record<keyof Infer<Of>, 1>>;
