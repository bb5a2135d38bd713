import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { DomainType } from './domain-type.ts';
import type { AsJson, Json } from './json.ts';
import type { ToolResult } from './tool-result.ts';

/**
 * Rejects a `run` whose return value JSON cannot fully represent. The compile error shows the path and the
 * type there. Unknown types (`unknown`, `any`) and types below eight levels are accepted. Their values are
 * checked after the tool has run.
 */
export type JsonReturn<Output> = [NotJsonIn<Output>] extends [never]
  ? unknown
  : { readonly run: NotJsonIn<Output> };

/**
 * The first part of a type that is not JSON, with its path, as text for the compile error. `never` if there
 * is none.
 */
export type NotJsonIn<Value, Path extends string = '$', Level extends readonly unknown[] = []> = 0 extends 1 &
  Value
  ? never
  : unknown extends Value
    ? never
    : [Value] extends [Json | ToolResult | undefined]
      ? never
      : Level['length'] extends 8
        ? never
        : NotJsonMember<Value, Path, [...Level, unknown]>;

/** Checks each member of a union separately. */
type NotJsonMember<Value, Path extends string, Level extends readonly unknown[]> = Value extends
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
                  ? NotJsonProperty<Value, Path, Level>
                  : never;

/**
 * Checks the properties of an object. Properties with a symbol as their key are skipped, since JSON drops
 * them.
 */
type NotJsonProperty<Value extends object, Path extends string, Level extends readonly unknown[]> = {
  [Key in keyof Value & (string | number)]-?: NotJsonIn<Value[Key], `${Path}.${Key}`, Level>;
}[keyof Value & (string | number)];

/** Types that become a file. */
type Bytes = ArrayBuffer | ArrayBufferView;

/**
 * Rejects a `run` whose return value does not match the tool's declared `output`. Accepts a list of matching
 * values, text, `undefined`, and results that `run` creates itself. They are checked after the tool has run.
 */
export type ReturnsType<Output, Type extends StandardSchemaV1> =
  StandardSchemaV1.InferInput<Type> extends infer Sent
    ? unknown extends Sent | Output
      ? unknown
      : [AsJson<Exclude<Output, NoArtifact>>] extends [ReadonlyView<Sent> | readonly ReadonlyView<Sent>[]]
        ? unknown
        : { readonly run: (...given: never[]) => Sent | Promise<Sent> }
    : unknown;

/**
 * The part of a return type that a declared domain type checks. For an object of a class, these are only its
 * properties, since the type recreates the methods that are tools.
 */
export type CheckedPart<Type extends StandardSchemaV1, Output> =
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

/** Types other than an artifact that `run` can return. */
type NoArtifact = ToolResult | Error | string | number | boolean | null | undefined;

/** A read-only view of a type: lists can be readonly, and optional properties can be `undefined`. */
type ReadonlyView<Value> = Value extends object
  ? {
      readonly [Key in keyof Value]:
        | ReadonlyView<Value[Key]>
        | (undefined extends Value[Key] ? undefined : never);
    }
  : Value;

/** A type from which nothing is inferred. Once inferred, it equals the type itself, including unions. */
export type UninferredType<Type> = [Type][Type extends unknown ? 0 : never];
