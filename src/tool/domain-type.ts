import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { attempt, getErrorMessage } from './async.ts';
import type { CallContext } from './call.ts';
import { copyJsonPart } from './copy-json.ts';
import { createDomainObjects, type DomainObjects, DomainTypeError } from './domain-objects.ts';
import { createRefusedInput, InputSchemaError, toInputSchema } from './input-schema.ts';
import { type AsJson, type Json, type JsonSchema, shorten } from './json.ts';
import type { CheckedType } from './kept-values.ts';
import { literals } from './literals.ts';
import { formatIssues, type ParsedInput } from './problem-lines.ts';
import { readName } from './shown.ts';
import type { AnyTool, ToolOutput } from './tool.ts';
import { type ArtifactType, listArtifactItems, type ToolResult } from './tool-result.ts';

/**
 * A type of artifacts whose values are checked. It is nominal: the journal stores its name, so a renamed type
 * is a new type.
 */
export interface DomainType<Name extends string = string, Value = unknown, Sent = unknown>
  extends CheckedType<Name, Value, Sent> {
  readonly '~standard': StandardSchemaV1.Props<Sent, Value> & StandardJSONSchemaV1.Props<Sent, Value>;
  /** The JSON Schema of its values. The same object on every read. */
  readonly json: JsonSchema;
  /** Absent if its values have no tools. */
  readonly objects?: DomainObjects | undefined;
  /**
   * Returns the text for a value, given its JSON. Returns `undefined` if the value is not of the type or the
   * type has no text. Never throws.
   */
  readonly inWords?: ((value: unknown) => string | undefined) | undefined;
}

/** The options of `defineDomainType`. */
export interface DomainTypeConfig<Name extends string, Schema extends StandardSchemaV1> {
  /** Letters, digits, `_` and `-`, at most 64. */
  readonly name: Name;
  /**
   * The schema of a JSON object, of Valibot, Zod 4 or ArkType. It must be synchronous, since conditions are
   * evaluated between two events.
   */
  readonly schema: Schema;
  /**
   * Returns the id that distinguishes an object from others of its type, at most 256 characters. Defaults to
   * its property `id`.
   */
  readonly id?:
    | ((value: StandardSchemaV1.InferOutput<Schema>) => string | number | null | undefined)
    | undefined;
  /**
   * The prefix of the tool names of an object if `discover` offers several objects. Defaults to the type's
   * name in lowercase.
   */
  readonly prefix?: string | undefined;
  /**
   * Returns the tools that an object adds to loops that chain the type. They are recreated from the object's
   * JSON in every invocation, so do not keep state in closures: use `call.state`. An agentic tool among them
   * needs `key: () => value.id`. Otherwise, all objects share its state.
   *
   * The function is also called once without an object, to describe the tools to the model in advance. It can
   * read properties to pass them on, but must use their values only inside `run`.
   */
  readonly tools?: ((value: StandardSchemaV1.InferOutput<Schema>) => readonly AnyTool[]) | undefined;
  /** Returns the text that a model sees in place of a value's JSON. Used by `blackboardTools({ types })`. */
  readonly content?: ((value: StandardSchemaV1.InferOutput<Schema>) => string) | undefined;
  /** Like `content`, and takes precedence over it. `verbose`: with all details. */
  readonly infoString?:
    | ((value: StandardSchemaV1.InferOutput<Schema>, options: { readonly verbose: boolean }) => string)
    | undefined;
}

/**
 * Defines a type of artifacts. Use it as `output: Customer` of a tool or an agent, or in `artifact(text,
 * Customer, value)`. The journal stores the value's JSON, the schema's input. Sinks, conditions and other
 * readers receive the schema's output. The type is accepted wherever a schema is.
 *
 * @throws DomainTypeError if the name or the prefix is invalid, the schema cannot be converted to the JSON
 * Schema of an object, or the tools cannot be made without an object.
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
  if (fault) throw new DomainTypeError(readName(config), fault.field, fault.problem);
  const { name, schema, id, prefix = '', tools, content, infoString } = config;
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    throw new DomainTypeError(
      name,
      'name',
      'is not a valid name. Use 1 to 64 of the characters A-Z a-z 0-9 _ -',
    );
  }
  if (!/^[A-Za-z0-9_-]{0,32}$/.test(prefix)) {
    const problem = `cannot begin names with '${prefix.slice(0, 80)}'. Use at most 32 of the characters A-Z a-z 0-9 _ -`;
    throw new DomainTypeError(name, 'prefix', problem);
  }
  const parse = (value: unknown): ParsedInput<StandardSchemaV1.InferOutput<Schema>> =>
    parseValue(name, schema, value);
  const json = toSchemaJson(name, schema);
  const say = infoString ? (value: OutputValue<Schema>) => infoString(value, { verbose: true }) : content;
  const standard: DomainType<string, OutputValue<Schema>, StandardSchemaV1.InferInput<Schema>>['~standard'] =
    {
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
      objects: createDomainObjects({ type: name, prefix: prefix || name.toLowerCase(), parse, id, tools }),
    }),
    ...(say && { inWords: (value: unknown) => describeBy(say, parse(value)) }),
  };
}

const VENDOR = 'domain-type';

type OutputValue<Schema extends StandardSchemaV1> = StandardSchemaV1.InferOutput<Schema>;

/**
 * Returns the text that `say` makes of a value. Returns `undefined` for anything else that plain JavaScript
 * can return.
 */
function describeBy<Of>(say: (value: Of) => unknown, parsed: ParsedInput<Of>): string | undefined {
  const said = attempt(() => (parsed.ok ? say(parsed.value) : undefined));
  return said.ok && typeof said.value === 'string' ? said.value : undefined;
}

/** Returns whether a type is a domain type, not another schema or a mere name. */
export const isDomainType = (type: ArtifactType | StandardSchemaV1): type is DomainType =>
  '~standard' in type && type['~standard'].vendor === VENDOR;

/**
 * Returns all problems that a schema or a domain type finds in a tool's return value, or an empty array if it
 * fits. A list fits a domain type if any of its items fits, since readers skip the others.
 */
export async function listOutputProblems(
  output: StandardSchemaV1,
  value: unknown,
): Promise<readonly string[]> {
  const found = await findProblems(output, value);
  if (found.length === 0 || !isDomainType(output) || !Array.isArray(value)) return found;
  const items = value.filter((item) => item !== null);
  const each = await Promise.all(items.map((item) => findProblems(output, item)));
  return each.some(({ length }) => length === 0) ? [] : (each[0] ?? []);
}

async function findProblems(output: StandardSchemaV1, value: unknown): Promise<readonly string[]> {
  if (isDomainType(output)) {
    const read = output.parse(value);
    return read.ok ? [] : read.problems;
  }
  try {
    const { issues = [] } = await output['~standard'].validate(value);
    return formatIssues(issues);
  } catch (cause) {
    return [`It could not be checked: ${shorten(getErrorMessage(cause), 240)}`];
  }
}

function toSchemaJson(name: string, schema: StandardSchemaV1): JsonSchema {
  try {
    return toInputSchema(schema).json;
  } catch (cause) {
    if (!(cause instanceof InputSchemaError)) throw cause;
    const problem = 'needs a schema of a JSON object that can be written as JSON Schema';
    throw new DomainTypeError(name, 'schema', { problem, cause });
  }
}

function parseValue<Value>(
  name: string,
  schema: StandardSchemaV1<unknown, Value>,
  value: unknown,
): ParsedInput<Value> {
  const made = attempt(() => schema['~standard'].validate(value));
  const result = made.ok ? made.value : undefined;
  if (result instanceof Promise) {
    result.catch(() => undefined); // Prevents an unhandled rejection.
    return createRefusedInput(`The schema of '${name}' is asynchronous. Use a synchronous one.`);
  }
  if (result === undefined) return createRefusedInput(`The schema of '${name}' failed.`);
  return result.issues
    ? { ok: false, problems: formatIssues(result.issues) }
    : { ok: true, value: result.value };
}

/**
 * The artifact of a tool as its readers receive it: a value of the requested type. Without a type, the return
 * value of `run` as JSON if it is an object or a list, or else `Json`.
 */
export type ToolArtifact<T extends AnyTool, Type extends ArtifactType | undefined> = Type extends ArtifactType
  ? Type extends DomainType<string, infer Value>
    ? Value
    : Json
  : unknown extends ToolOutput<T>
    ? Json
    : KnownArtifact<JournaledOutput<Exclude<ToolOutput<T>, TextualResult>>>;

/** The artifact of a tool for readers that process lists item by item. */
export type ToolArtifactItem<T extends AnyTool, Type extends ArtifactType | undefined> =
  ToolArtifact<T, Type> extends infer Whole ? (Whole extends readonly (infer Item)[] ? Item : Whole) : never;

/** The artifact type of an output. A result that `run` creates itself can contain any artifact. */
type KnownArtifact<Output> = [Output] extends [never] ? Json : Output extends ToolResult ? Json : Output;

/** The type of the journaled value, if it is an object or a list. */
type JournaledOutput<Output> = Output extends ToolResult ? Output : Extract<AsJson<Output>, object>;

/** The results that contain no artifact. */
type TextualResult = Extract<ToolResult, { readonly type: 'text' | 'error' }>;

/** The artifact of a result as the journal will store it, not yet parsed by its type. */
export interface ArtifactCopy {
  readonly json: Json;
  readonly type: string | undefined;
}

/**
 * Returns a copy of a result's artifact without secrets, if it has one of this type. The same value is
 * journaled when the call ends. Returns `undefined` for a value that JSON cannot represent.
 */
export function copyArtifact(
  result: ToolResult,
  type: ArtifactType | undefined,
  { secrets }: Pick<CallContext, 'secrets'>,
): ArtifactCopy | undefined {
  if (result.type !== 'artifact') return undefined;
  if (type !== undefined && result.artifactType !== type.name) return undefined;
  const { value } = copyJsonPart(result.value);
  return value === undefined ? undefined : { json: secrets.redact(value), type: result.artifactType };
}

/** Like `copyArtifact`, but for each artifact of a result: for a list, each item. */
export function copyArtifacts(
  result: ToolResult,
  type: ArtifactType | undefined,
  { secrets }: Pick<CallContext, 'secrets'>,
): readonly ArtifactCopy[] {
  return listArtifactItems(result).flatMap((item) => {
    if (type !== undefined && item.type !== type.name) return [];
    const { value } = copyJsonPart(item.value);
    return value === undefined ? [] : [{ json: secrets.redact(value), type: item.type }];
  });
}

/**
 * Returns a JSON value parsed by a type, or `undefined` if the type refuses it. Without a type or a schema,
 * returns the value itself.
 */
export function readAsType(
  json: Json,
  type: ArtifactType | undefined,
): { readonly value: unknown } | undefined {
  if (type === undefined || !isDomainType(type)) return { value: json };
  const parsed = type.parse(json);
  return parsed.ok ? { value: parsed.value } : undefined;
}
