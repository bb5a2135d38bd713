import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { CallInDoubt, Effect, Reconciliation, ToolCall } from '../../tool/call.ts';
import type { JsonObject } from '../../tool/json.ts';
import type { JsonSchema } from '../../tool/json-schema.ts';
import type { ArtifactType } from '../../tool/tool-result.ts';

/**
 * The static `tools` of a class: which of its methods are tools, and what the model is told of each. A method is given
 * its validated input and the call. A name that is no such method, or a method that does not take what its `input`
 * makes, is a compile error.
 *
 * @example
 * ```ts
 * class Calculator {
 *   static readonly tools = {
 *     add: { description: 'Adds.', input: v.object({ a: v.number(), b: v.number() }), effect: 'read' },
 *   } satisfies ToolTable<Calculator>;
 *   add({ a, b }: { a: number; b: number }) { return a + b; }
 * }
 * ```
 */
export type ToolTable<Instance> = {
  readonly [Name in keyof Instance as Instance[Name] extends ToolMethod ? Name : never]?:
    | ToolEntry<Instance, Instance[Name]>
    | undefined;
};

/** A method that can be a tool. */
type ToolMethod = (input: never, call: ToolCall) => unknown;

/** What the model and the loop are told of one method. */
export type ToolEntry<Instance, Method> = AnyToolEntry & {
  readonly reconcile?: ReconcilerOf<Instance> | undefined;
} & InputEntry<Method extends (input: infer Input, ...more: never[]) => unknown ? Input : unknown>;

/** An entry without its types, as it is read. */
export interface AnyToolEntry {
  /** The method's name unless given. */
  readonly name?: string | undefined;
  /** What the tool does and when to use it, for the model. */
  readonly description: string;
  readonly input?: StandardSchemaV1 | JsonSchema | undefined;
  /** Kept in the metadata, for programs that list tools. */
  readonly category?: string | undefined;
  readonly metadata?: JsonObject | undefined;
  /** `once`, the careful one, unless given. */
  readonly effect?: Effect | undefined;
  /** The method that finds out what became of a `once` call whose end is not known, as `reconcile` of `defineTool` does. */
  readonly reconcile?: string | undefined;
  readonly returnDirect?: boolean | undefined;
  readonly serial?: string | undefined;
  /** Milliseconds that the method has, 30,000 unless given. */
  readonly timeout?: number | undefined;
  /** Requests that one call makes at the most; 1 unless given. */
  readonly subrequests?: number | undefined;
  /** The type of the artifacts that it returns without naming one. */
  readonly output?: ArtifactType | undefined;
}

/** A schema whose output the method takes. Without one it is given an empty object. */
type InputEntry<Input> =
  | { readonly input: StandardSchemaV1<unknown, Input> | JsonSchemaFor<Input> }
  | (Record<string, never> extends Input ? { readonly input?: undefined } : never);

/** JSON Schema says nothing of types, so the method must take any record. */
type JsonSchemaFor<Input> =
  Record<string, unknown> extends Input ? JsonSchema & { readonly '~standard'?: never } : never;

type ReconcilerOf<Instance> = {
  [Name in keyof Instance]: Instance[Name] extends (
    input: never,
    call: CallInDoubt,
  ) => Reconciliation | Promise<Reconciliation>
    ? Name & string
    : never;
}[keyof Instance];
