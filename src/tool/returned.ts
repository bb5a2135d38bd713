import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { DomainType } from './domain-type.ts';
import type { AsJson, Json } from './json.ts';
import type { ToolResult } from './tool-result.ts';

/**
 * Refuses a `run` whose value JSON does not keep whole: the compiler's error names the place and what stands there. A type that says
 * nothing (`unknown`, `any`) is taken, and what is deeper than eight levels; their values are looked at when the tool has run.
 */
export type ReturnsJson<Output> = [NotJsonIn<Output>] extends [never]
  ? unknown
  : { readonly run: NotJsonIn<Output> };

/** What is not JSON in a type, and where: a text for the compiler's error; `never` when there is nothing. */
export type NotJsonIn<Value, Path extends string = '$', Level extends readonly unknown[] = []> = 0 extends 1 &
  Value
  ? never
  : unknown extends Value
    ? never
    : [Value] extends [Json | ToolResult | undefined]
      ? never
      : Level['length'] extends 8
        ? never
        : Found<Value, Path, [...Level, unknown]>;

/** Looks at each type of a union by itself. */
type Found<Value, Path extends string, Level extends readonly unknown[]> = Value extends
  | ToolResult
  | Error
  | Bytes
  | { toJSON(...given: never[]): unknown }
  ? never
  : Value extends bigint
    ? `${Path} is a bigint, which JSON does not keep`
    : Value extends symbol
      ? `${Path} is a symbol, which JSON does not keep`
      : Value extends PromiseLike<unknown>
        ? `${Path} is a promise: an await is missing`
        : Value extends (...given: never[]) => unknown
          ? `${Path} is a function, which JSON does not keep`
          : Value extends ReadonlyMap<infer Key, infer Item>
            ? NotJsonIn<Key | Item, Path, Level>
            : Value extends ReadonlySet<infer Item>
              ? NotJsonIn<Item, Path, Level>
              : Value extends readonly (infer Item)[]
                ? NotJsonIn<Item, `${Path}[]`, Level>
                : Value extends object
                  ? FoundIn<Value, Path, Level>
                  : never;

/** Properties whose key is a symbol are not looked at: JSON drops them. */
type FoundIn<Value extends object, Path extends string, Level extends readonly unknown[]> = {
  [Key in keyof Value & (string | number)]-?: NotJsonIn<Value[Key], `${Path}.${Key}`, Level>;
}[keyof Value & (string | number)];

/** What becomes a file. */
type Bytes = ArrayBuffer | ArrayBufferView;

/**
 * Refuses a `run` whose values are none of the type that its tool declares as `output`. A list of them is taken, and so are words,
 * nothing, and results that `run` makes itself: those are looked at when the tool has run.
 */
export type ReturnsType<Output, Type extends StandardSchemaV1> =
  StandardSchemaV1.InferInput<Type> extends infer Sent
    ? unknown extends Sent | Output
      ? unknown
      : [AsJson<Exclude<Output, NoArtifact>>] extends [Settled<Sent> | readonly Settled<Sent>[]]
        ? unknown
        : { readonly run: (...given: never[]) => Sent | Promise<Sent> }
    : unknown;

/**
 * What is looked at of a value for which a domain type is declared: of an object of a class its properties alone, since its
 * type makes the methods again that are tools.
 */
export type KeptAs<Type extends StandardSchemaV1, Output> =
  Type extends DomainType<string, unknown, infer Sent>
    ? unknown extends Sent | Output
      ? Output
      : WithoutMethods<Output>
    : Output;

type WithoutMethods<Value> = Value extends
  | NoArtifact
  | Bytes
  | PromiseLike<unknown>
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  | Method
  ? Value
  : Value extends readonly (infer Item)[]
    ? readonly WithoutMethods<Item>[]
    : { readonly [Key in keyof Value as Value[Key] extends Method ? never : Key]: Value[Key] };

type Method = (...given: never[]) => unknown;

/** What `run` may return beside an artifact. */
type NoArtifact = ToolResult | Error | string | number | boolean | null | undefined;

/** A value that is only read: its lists may be of the kind that cannot be changed, and what may be absent may be `undefined`. */
type Settled<Value> = Value extends object
  ? {
      readonly [Key in keyof Value]: Settled<Value[Key]> | (undefined extends Value[Key] ? undefined : never);
    }
  : Value;

/** A type that nothing is inferred from, and that is itself, unions too, once it is known. */
export type Inferred<Type> = [Type][Type extends unknown ? 0 : never];
