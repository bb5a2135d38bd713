import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { CallContext, Effect, Reconciliation } from '../../tool/call.ts';
import type { ReconcileConfig, RunConfig, ToolConfigBase } from '../../tool/define-tool.ts';
import type { InputDeclaration, InputOf } from '../../tool/input-schema.ts';
import type { JsonObject, JsonSchema } from '../../tool/json.ts';
import type { Inferred, NotJsonIn, ReturnsType } from '../../tool/returned.ts';
import type { AnyTool, Tool } from '../../tool/tool.ts';

/** Refuses a method whose value JSON does not keep whole. */
export type Kept<Output> = [NotJsonIn<Output>] extends [never] ? unknown : NotJsonIn<Output>;

/** Refuses a method whose value is none of the type that its tool declares as `output`. */
export type Typed<Output, Type extends StandardSchemaV1> =
  ReturnsType<Output, Type> extends { readonly run: infer Run } ? Run : unknown;

/** Remembers that `toolMethod` made this function, of what, and with what. */
export function mark(marked: object, config: MarkedMethod, method: object): void {
  configs.set(marked, config);
  methods.set(marked, method);
}

/** What each method was made with. */
const configs = new WeakMap<object, MarkedMethod>();

/** What each of them runs. */
const methods = new WeakMap<object, object>();

/** What a value runs that `toolMethod` made; the value itself for anything else. */
export const methodIn = (value: unknown): unknown => methods.get(Object(value)) ?? value;

/** What is told of a method, its types erased. */
interface MarkedMethod extends Omit<AnyToolEntry, 'reconcile'> {
  readonly reconcile?: ((input: never, call: CallContext) => unknown) | undefined;
}

/** What `toolMethod` was told of this value; `undefined` for anything else. */
export const markOf = (value: unknown): MarkedMethod | undefined => configs.get(Object(value));

/**
 * Tools as the entries of a plain object: each key is a name, and its value the literal of `defineTool` without one. What
 * `run` is given is the output of its `input`.
 */
export type PlainTools<Inputs, Tools> = Tools & {
  readonly [Name in keyof Inputs]: PlainTool<Inputs[Name]>;
} & Inferred<CheckedTools<Tools>>;

type PlainTool<Input> = Said & {
  readonly input?: Input | undefined;
} & RunConfig<Declared<Input>, unknown> &
  ReconcileConfig<Declared<Input>>;

type Said = Omit<ToolConfigBase<string, undefined>, 'name' | 'input'> & {
  /** Kept in the metadata, for programs that list tools. */
  readonly category?: string | undefined;
};

/** An entry that declares no input says nothing of its type. */
type Declared<Input> = unknown extends Input ? undefined : Input extends InputDeclaration ? Input : undefined;

/** Refuses in each entry the keys that are not known, an input that is none, and values that JSON does not keep. */
export type CheckedTools<Tools> = {
  readonly [Name in keyof Tools]: {
    readonly [Key in Exclude<keyof Tools[Name], keyof PlainTool<undefined>>]: never;
  } & {
    readonly input?: StandardSchemaV1 | JsonSchema | undefined;
    readonly run: Kept<Returned<Tools[Name]>> & Typed<Returned<Tools[Name]>, OutputType<Tools[Name]>>;
  };
};

type Returned<Entry> = Entry extends { readonly run: (...given: never[]) => infer Output }
  ? Awaited<Output>
  : unknown;

type OutputType<Entry> = Entry extends { readonly output: infer Type extends StandardSchemaV1 }
  ? Type
  : StandardSchemaV1;

/** The tools that the entries of a plain object make. */
export type ToolOfPlain<Inputs, Tools> = [keyof Inputs] extends [never]
  ? AnyTool
  : {
      readonly [Name in keyof Inputs & keyof Tools & string]: Tool<
        Name,
        InputOf<Declared<Inputs[Name]>>,
        Returned<Tools[Name]>
      >;
    }[keyof Inputs & keyof Tools & string];

/** Anything but a plain object of tools; of one that is meant to be, what is wrong with it. */
export type ObjectOrMistake<Source> =
  'tool' extends Kinds<Source>
    ? Mistake<Source>
    : Kinds<Source> extends 'runs'
      ? [keyof Source] extends [never]
        ? unknown
        : Mistake<Source>
      : unknown;

/** What the members of an object look like. Any object may have one with a `run`, such as a binding of the Worker. */
type Kinds<Source> = {
  [Key in keyof Source]: [Source[Key]] extends [never]
    ? 'other'
    : Source[Key] extends { readonly run: unknown; readonly description: unknown }
      ? 'tool'
      : Source[Key] extends { readonly run: unknown }
        ? 'runs'
        : 'other';
}[keyof Source];

type Mistake<Source> = { readonly [Name in keyof Source]: PlainTool<undefined> } & CheckedTools<Source>;

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
type ToolMethod = (input: never, call: CallContext) => unknown;

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
  /** As for `defineTool`. */
  readonly output?: StandardSchemaV1 | undefined;
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
    call: CallContext,
  ) => Reconciliation | Promise<Reconciliation>
    ? Name & string
    : never;
}[keyof Instance];
