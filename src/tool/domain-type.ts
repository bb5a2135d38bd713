import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { attempt, reasonOf } from './async.ts';
import type { CallContext } from './call.ts';
import { keepJson } from './copy-json.ts';
import { type DomainObjects, DomainTypeError, domainObjects } from './domain-objects.ts';
import { InputSchemaError, refused, toInputSchema } from './input-schema.ts';
import { type AsJson, type Json, type JsonSchema, shorten } from './json.ts';
import type { CheckedType } from './kept-values.ts';
import { literals } from './literals.ts';
import { issueLines, type ParsedInput } from './problem-lines.ts';
import { nameIn } from './shown.ts';
import type { AnyTool, ToolOutput } from './tool.ts';
import { type ArtifactType, artifactItems, type ToolResult } from './tool-result.ts';

/** A type of artifacts whose values are checked. Nominal: the journal keeps its name, so renaming it is a new type. */
export interface DomainType<Name extends string = string, Value = unknown, Sent = unknown>
  extends CheckedType<Name, Value, Sent> {
  readonly '~standard': StandardSchemaV1.Props<Sent, Value> & StandardJSONSchemaV1.Props<Sent, Value>;
  /** What a value looks like as JSON; the same object on every read. */
  readonly json: JsonSchema;
  /** Absent when its values bring no tools. */
  readonly objects?: DomainObjects | undefined;
  /** Says a value as its JSON in words, where the type has some; `undefined` when it is not of the type, or has none. Never throws. */
  readonly inWords?: ((value: unknown) => string | undefined) | undefined;
}

/** The literal that `defineDomainType` takes. */
export interface DomainTypeConfig<Name extends string, Schema extends StandardSchemaV1> {
  /** Letters, digits, `_` and `-`, at most 64. */
  readonly name: Name;
  /** Describes a JSON object: Valibot, Zod 4, ArkType. Synchronous, since conditions are asked between two events. */
  readonly schema: Schema;
  /** What tells an object from others of its type; its property `id` unless given. At most 256 characters. */
  readonly id?:
    | ((value: StandardSchemaV1.InferOutput<Schema>) => string | number | null | undefined)
    | undefined;
  /** Begins the names of an object's tools where `discover` offers several; the type's name in lower case unless given. */
  readonly prefix?: string | undefined;
  /**
   * The tools that an object brings with it, for loops that chain the type. They are made again from the object's JSON
   * in every invocation, so a closure remembers nothing: what changes belongs in `call.state`. An agentic tool among them
   * keeps its state by `key: () => value.id`, or all objects share it.
   *
   * The function is also called once without an object, to tell the model of the tools beforehand. It may read
   * properties to hand them on, but needs the values only inside `run`.
   */
  readonly tools?: ((value: StandardSchemaV1.InferOutput<Schema>) => readonly AnyTool[]) | undefined;
  /** A value in words, for a model that is shown it: by `blackboardTools({ types })`, in the place of its JSON. */
  readonly content?: ((value: StandardSchemaV1.InferOutput<Schema>) => string) | undefined;
  /** The same, and before `content`; `verbose`: with all that there is to say, as the model is told. */
  readonly infoString?:
    | ((value: StandardSchemaV1.InferOutput<Schema>, options: { readonly verbose: boolean }) => string)
    | undefined;
}

/**
 * Declares a type of artifacts: `output: Customer` on a tool or an agent, or `artifact(text, Customer, value)`. What is journaled
 * is the value's JSON, the schema's input; sinks, conditions and other readers receive the schema's output. Where a schema is
 * accepted, so is the type.
 *
 * @throws DomainTypeError when the name or the prefix is no name, the schema cannot be written as the JSON Schema of an
 *   object, or its tools cannot be told before there is an object.
 *
 * @example
 * ```ts
 * const Customer = defineDomainType({
 *   name: 'Customer',
 *   schema: v.object({ id: v.string(), city: v.string() }),
 *   id: ({ id }) => id,
 * });
 * ```
 */
export function defineDomainType<const Name extends string, Schema extends StandardSchemaV1>(
  config: DomainTypeConfig<Name, Schema>,
): DomainType<Name, StandardSchemaV1.InferOutput<Schema>, StandardSchemaV1.InferInput<Schema>> {
  const fault = literals?.fault(config, 'defineDomainType');
  if (fault) throw new DomainTypeError(nameIn(config), fault.field, fault.problem);
  const { name, schema, id, prefix = '', tools, content, infoString } = config;
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    throw new DomainTypeError(name, 'name', 'is not a name: use 1 to 64 of the characters A-Z a-z 0-9 _ -');
  }
  if (!/^[A-Za-z0-9_-]{0,32}$/.test(prefix)) {
    const problem = `cannot begin names with '${prefix.slice(0, 80)}': use at most 32 of the characters A-Z a-z 0-9 _ -`;
    throw new DomainTypeError(name, 'prefix', problem);
  }
  const parse = (value: unknown): ParsedInput<StandardSchemaV1.InferOutput<Schema>> =>
    parsed(name, schema, value);
  const json = jsonOf(name, schema);
  const say = infoString ? (value: Value<Schema>) => infoString(value, { verbose: true }) : content;
  const standard: DomainType<string, Value<Schema>, StandardSchemaV1.InferInput<Schema>>['~standard'] = {
    version: 1,
    vendor: VENDOR,
    validate: (value) => schema['~standard'].validate(value),
    jsonSchema: { input: () => json, output: () => json },
  };
  return {
    name,
    json,
    parse,
    '~standard': standard,
    ...(tools && {
      objects: domainObjects({ type: name, prefix: prefix || name.toLowerCase(), parse, id, tools }),
    }),
    ...(say && { inWords: (value: unknown) => saidBy(say, parse(value)) }),
  };
}

const VENDOR = 'domain-type';

type Value<Schema extends StandardSchemaV1> = StandardSchemaV1.InferOutput<Schema>;

/** Plain JavaScript may answer anything. */
function saidBy<Of>(say: (value: Of) => unknown, parsed: ParsedInput<Of>): string | undefined {
  const said = attempt(() => (parsed.ok ? say(parsed.value) : undefined));
  return said.ok && typeof said.value === 'string' ? said.value : undefined;
}

/** Returns whether this is a domain type, and not another schema or a bare name. */
export const isDomainType = (type: ArtifactType | StandardSchemaV1): type is DomainType =>
  '~standard' in type && type['~standard'].vendor === VENDOR;

/**
 * Returns everything that a schema or a domain type finds wrong with a value that a tool returned; nothing if it fits. A list fits a
 * domain type if something in it does: readers pass over the rest.
 */
export async function outputProblems(output: StandardSchemaV1, value: unknown): Promise<readonly string[]> {
  const found = await problemsOf(output, value);
  if (found.length === 0 || !isDomainType(output) || !Array.isArray(value)) return found;
  const items = value.filter((item) => item !== null);
  const each = await Promise.all(items.map((item) => problemsOf(output, item)));
  return each.some(({ length }) => length === 0) ? [] : (each[0] ?? []);
}

async function problemsOf(output: StandardSchemaV1, value: unknown): Promise<readonly string[]> {
  if (isDomainType(output)) {
    const read = output.parse(value);
    return read.ok ? [] : read.problems;
  }
  try {
    const { issues = [] } = await output['~standard'].validate(value);
    return issueLines(issues);
  } catch (cause) {
    return [`It could not be checked: ${shorten(reasonOf(cause), 240)}`];
  }
}

function jsonOf(name: string, schema: StandardSchemaV1): JsonSchema {
  try {
    return toInputSchema(schema).json;
  } catch (cause) {
    if (!(cause instanceof InputSchemaError)) throw cause;
    const problem = 'needs a schema of a JSON object that can be written as JSON Schema';
    throw new DomainTypeError(name, 'schema', { problem, cause });
  }
}

function parsed<Value>(
  name: string,
  schema: StandardSchemaV1<unknown, Value>,
  value: unknown,
): ParsedInput<Value> {
  const made = attempt(() => schema['~standard'].validate(value));
  const result = made.ok ? made.value : undefined;
  if (result instanceof Promise) {
    result.catch(() => undefined); // Nobody will wait for it.
    return refused(`The schema of '${name}' is asynchronous; use a synchronous one.`);
  }
  if (result === undefined) return refused(`The schema of '${name}' failed.`);
  return result.issues
    ? { ok: false, problems: issueLines(result.issues) }
    : { ok: true, value: result.value };
}

/**
 * The artifact of a tool, as readers of it are given it: a value of the type that was asked for; without a type what
 * `run` returns, as JSON keeps it, when that is an object or a list; `Json` when nothing more is known.
 */
export type ToolArtifact<T extends AnyTool, Type extends ArtifactType | undefined> = Type extends ArtifactType
  ? Type extends DomainType<string, infer Value>
    ? Value
    : Json
  : unknown extends ToolOutput<T>
    ? Json
    : Known<Kept<Exclude<ToolOutput<T>, Words>>>;

/** The artifact of a tool as readers are given it who take lists item by item. */
export type ToolArtifactItem<T extends AnyTool, Type extends ArtifactType | undefined> =
  ToolArtifact<T, Type> extends infer Whole ? (Whole extends readonly (infer Item)[] ? Item : Whole) : never;

/** A result that `run` made itself may hold any artifact. */
type Known<Output> = [Output] extends [never] ? Json : Output extends ToolResult ? Json : Output;

/** As the journal gives it back, when it is an object or a list then. */
type Kept<Output> = Output extends ToolResult ? Output : Extract<AsJson<Output>, object>;

/** The results that hold no artifact. */
type Words = Extract<ToolResult, { readonly type: 'text' | 'error' }>;

/** The artifact of a result as the journal will keep it, before its type has read it. */
export interface KeptArtifact {
  readonly json: Json;
  readonly type: string | undefined;
}

/**
 * A copy of a result's artifact, without secrets, if it has one and it is of this type; a call's end journals the same.
 * `undefined` also for a value of which JSON keeps nothing.
 */
export function keptArtifact(
  result: ToolResult,
  type: ArtifactType | undefined,
  { secrets }: Pick<CallContext, 'secrets'>,
): KeptArtifact | undefined {
  if (result.type !== 'artifact') return undefined;
  if (type !== undefined && result.artifactType !== type.name) return undefined;
  const { value } = keepJson(result.value);
  return value === undefined ? undefined : { json: secrets.redact(value), type: result.artifactType };
}

/** As `keptArtifact`, of each artifact of a result by itself: a list is its items. */
export function keptArtifacts(
  result: ToolResult,
  type: ArtifactType | undefined,
  { secrets }: Pick<CallContext, 'secrets'>,
): readonly KeptArtifact[] {
  return artifactItems(result).flatMap((item) => {
    if (type !== undefined && item.type !== type.name) return [];
    const { value } = keepJson(item.value);
    return value === undefined ? [] : [{ json: secrets.redact(value), type: item.type }];
  });
}

/** A JSON value read through a type, if it is one of its values; without a type, or of one without a schema, itself. */
export function readAs(json: Json, type: ArtifactType | undefined): { readonly value: unknown } | undefined {
  if (type === undefined || !isDomainType(type)) return { value: json };
  const parsed = type.parse(json);
  return parsed.ok ? { value: parsed.value } : undefined;
}
