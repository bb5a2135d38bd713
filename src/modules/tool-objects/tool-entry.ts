import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { CallContext, Effect, Reconciliation } from '../../tool/call.ts';
import type { ReconcileConfig, RunConfig, ToolConfigBase } from '../../tool/define-tool.ts';
import type { InputDeclaration, InputOf } from '../../tool/input-schema.ts';
import type { JsonObject, JsonSchema } from '../../tool/json.ts';
import type { NotJsonIn, ReturnsType, UninferredType } from '../../tool/returned.ts';
import type { AnyTool, Tool } from '../../tool/tool.ts';

/** Rejects a method whose return value JSON would change. */
export type JsonOutput<Output> = [NotJsonIn<Output>] extends [never] ? unknown : NotJsonIn<Output>;

/** Rejects a method whose return value does not match the tool's `output`. */
export type TypedOutput<Output, Type extends StandardSchemaV1> =
  ReturnsType<Output, Type> extends { readonly run: infer Run } ? Run : unknown;

/** Records the options and the method of a function that `toolMethod` returned. */
export function markMethod(marked: object, config: MarkedMethod, method: object): void {
  configs.set(marked, config);
  methods.set(marked, method);
}

/** The options by function. */
const configs = new WeakMap<object, MarkedMethod>();

/** The methods by function. */
const methods = new WeakMap<object, object>();

/** Returns the method inside a function from `toolMethod`, or the value itself. */
export const findMethod = (value: unknown): unknown => methods.get(Object(value)) ?? value;

/** The options of a method, without its types. */
interface MarkedMethod extends Omit<AnyToolEntry, 'reconcile'> {
  readonly reconcile?: ((input: never, call: CallContext) => unknown) | undefined;
}

/** Returns the options that `toolMethod` received for this value, or `undefined`. */
export const findMarkedMethod = (value: unknown): MarkedMethod | undefined => configs.get(Object(value));

/**
 * The type of tools that are entries of a plain object. Each key is a name, and each value contains the
 * options of `defineTool` without `name`. `run` receives the output of its `input`.
 */
export type PlainTools<Inputs, Tools> = Tools & {
  readonly [Name in keyof Inputs]: PlainTool<Inputs[Name]>;
} & UninferredType<CheckedTools<Tools>>;

type PlainTool<Input> = PlainToolConfig & {
  readonly input?: Input | undefined;
} & RunConfig<DeclaredInput<Input>, unknown> &
  ReconcileConfig<DeclaredInput<Input>>;

type PlainToolConfig = Omit<ToolConfigBase<string, undefined>, 'name' | 'input'> & {
  /** The category, which is stored in the metadata for programs that list tools. */
  readonly category?: string | undefined;
};

/** The declared type of an entry's input, if any. */
type DeclaredInput<Input> = unknown extends Input
  ? undefined
  : Input extends InputDeclaration
    ? Input
    : undefined;

/** Rejects unknown keys, invalid inputs, and return values that JSON would change, in each entry. */
export type CheckedTools<Tools> = {
  readonly [Name in keyof Tools]: {
    readonly [Key in Exclude<keyof Tools[Name], keyof PlainTool<undefined>>]: never;
  } & {
    readonly input?: StandardSchemaV1 | JsonSchema | undefined;
    readonly run: JsonOutput<ReturnedValue<Tools[Name]>> &
      TypedOutput<ReturnedValue<Tools[Name]>, OutputType<Tools[Name]>>;
  };
};

type ReturnedValue<Entry> = Entry extends { readonly run: (...given: never[]) => infer Output }
  ? Awaited<Output>
  : unknown;

type OutputType<Entry> = Entry extends { readonly output: infer Type extends StandardSchemaV1 }
  ? Type
  : StandardSchemaV1;

/** The type of the tools from the entries of a plain object. */
export type ToolOfPlain<Inputs, Tools> = [keyof Inputs] extends [never]
  ? AnyTool
  : {
      readonly [Name in keyof Inputs & keyof Tools & string]: Tool<
        Name,
        InputOf<DeclaredInput<Inputs[Name]>>,
        ReturnedValue<Tools[Name]>
      >;
    }[keyof Inputs & keyof Tools & string];

/** Accepts any value except a plain object with an invalid tool. The type then describes the mistake. */
export type ObjectOrMistake<Source> =
  'tool' extends EntryKinds<Source>
    ? MistakenSource<Source>
    : EntryKinds<Source> extends 'runs'
      ? [keyof Source] extends [never]
        ? unknown
        : MistakenSource<Source>
      : unknown;

/**
 * The kinds of an object's members. Any object can have a member with a `run`, such as a binding of the
 * Worker.
 */
type EntryKinds<Source> = {
  [Key in keyof Source]: [Source[Key]] extends [never]
    ? 'other'
    : Source[Key] extends { readonly run: unknown; readonly description: unknown }
      ? 'tool'
      : Source[Key] extends { readonly run: unknown }
        ? 'runs'
        : 'other';
}[keyof Source];

type MistakenSource<Source> = {
  readonly [Name in keyof Source]: PlainTool<undefined>;
} & CheckedTools<Source>;

/**
 * The type of the static `tools` of a class, which lists the methods that are tools, with their descriptions
 * for the model. A method receives its validated input and the call. A name that is not a method, or a method
 * that does not accept the output of its `input`, is a compile error.
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

/** The options of one method as a tool. */
export type ToolEntry<Instance, Method> = AnyToolEntry & {
  readonly reconcile?: ReconcilerOf<Instance> | undefined;
} & InputEntry<Method extends (input: infer Input, ...more: never[]) => unknown ? Input : unknown>;

/** The options of a method, without its types. */
export interface AnyToolEntry {
  /** The tool's name. Defaults to the method's name. */
  readonly name?: string | undefined;
  /** Describes to the model what the tool does and when to use it. */
  readonly description: string;
  readonly input?: StandardSchemaV1 | JsonSchema | undefined;
  /** The category, which is stored in the metadata for programs that list tools. */
  readonly category?: string | undefined;
  readonly metadata?: JsonObject | undefined;
  /** Defaults to `once`, the safest effect. */
  readonly effect?: Effect | undefined;
  /**
   * The name of the method that finds the outcome of an interrupted `once` call, like `reconcile` of
   * `defineTool`.
   */
  readonly reconcile?: string | undefined;
  readonly returnDirect?: boolean | undefined;
  readonly serial?: string | undefined;
  /** The time limit of the method in milliseconds. Defaults to 30,000. */
  readonly timeout?: number | undefined;
  /** The maximum number of subrequests of one call. Defaults to 1. */
  readonly subrequests?: number | undefined;
  /** See `output` of `defineTool`. */
  readonly output?: StandardSchemaV1 | undefined;
}

/** A schema whose output the method accepts. Without a schema, the method receives an empty object. */
type InputEntry<Input> =
  | { readonly input: StandardSchemaV1<unknown, Input> | JsonSchemaFor<Input> }
  | (Record<string, never> extends Input ? { readonly input?: undefined } : never);

/** A JSON Schema has no static type, so the method must accept any record. */
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
