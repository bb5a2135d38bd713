import type { StandardSchemaV1 } from '@standard-schema/spec';
import { copyJson } from './copy-json.ts';
import type { Json, JsonLike } from './json.ts';
import { formatIssues, type ParsedInput } from './problem-lines.ts';
import { ANY_JSON, type Infer, OPTIONAL_TEXT, type Shape } from './shape.ts';
import type { ArtifactType } from './tool-result.ts';

/** Values that the tools of an agent or of a frame share. They are journaled if the call succeeds. */
export interface CallState {
  /**
   * Returns the value as of the start of the batch, with the writes of earlier calls of the same `serial` and
   * of this call. With a schema, returns the schema's output.
   *
   * @throws TypeError if the schema refuses the value, such as a value stored by other or older code.
   */
  get(key: string): Json | undefined;
  get<Schema extends StandardSchemaV1>(
    key: string,
    schema: Schema,
  ): StandardSchemaV1.InferOutput<Schema> | undefined;
  /**
   * Sets a value. It takes effect if the call succeeds. For an object with `toJSON`, stores the result of
   * `toJSON`.
   *
   * @throws TypeError if part of the value is not JSON.
   */
  set(key: string, value: JsonLike): void;
  /**
   * Replaces the value with the result of `change`, and returns the schema's output for it. Both the old and
   * the new value must match the schema.
   *
   * @throws TypeError if the schema refuses one of the values, or if part of the new one is not JSON.
   *
   * @example
   * ```ts
   * const visits = call.state.update('visits', v.number(), (before = 0) => before + 1);
   * ```
   */
  update<Schema extends StandardSchemaV1>(
    key: string,
    schema: Schema,
    change: (old: StandardSchemaV1.InferOutput<Schema> | undefined) => StandardSchemaV1.InferInput<Schema>,
  ): StandardSchemaV1.InferOutput<Schema>;
}

/** One call's view of the session's blackboard. Additions take effect if the call succeeds. */
export interface CallBlackboard {
  /** Returns the newest entry with this name. */
  get(name: string): Json | undefined;
  /** Returns all entries, oldest first. */
  entries(): readonly BlackboardEntry[];
  add(value: JsonLike, names?: EntryNames): void;
  /**
   * Adds a value of a type, under the type's name.
   *
   * @throws TypeError if the type's schema refuses it.
   */
  add<Sent>(type: CheckedType<string, unknown, Sent>, value: Sent, names?: Pick<EntryNames, 'name'>): void;
  /**
   * Returns the newest entry of a type, read through the type's schema. Skips entries that the schema
   * refuses.
   */
  last<Value>(type: CheckedType<string, Value>): Value | undefined;
}

/** The names by which an entry of the blackboard is found. */
export interface EntryNames {
  readonly name?: string | undefined;
  readonly type?: string | undefined;
}

/** An entry of the blackboard. Entries are in the order in which they were added. */
export interface BlackboardEntry extends Infer<typeof BLACKBOARD_ENTRY> {}
export const BLACKBOARD_ENTRY = {
  object: { name: OPTIONAL_TEXT, type: OPTIONAL_TEXT, value: ANY_JSON },
} as const satisfies Shape;

/**
 * A type whose values are read through a schema, such as one made by `defineDomainType`. It is itself a
 * Standard Schema.
 */
export interface CheckedType<Name extends string = string, Value = unknown, Sent = unknown>
  extends ArtifactType,
    StandardSchemaV1<Sent, Value> {
  readonly name: Name;
  /** Reads a value from the journal through the schema, or returns its problems. Never throws. */
  parse(value: unknown): ParsedInput<Value>;
}

/** The store of a call's values, as JSON. */
interface StateStore {
  get(key: string): Json | undefined;
  set(key: string, value: JsonLike): void;
}

interface EntryStore {
  /** Returns the entries themselves, without copies. Do not pass them on. */
  entries(): readonly BlackboardEntry[];
  add(value: JsonLike, names: EntryNames): void;
}

/** Creates a call's state from a store. Reads with a schema validate the value. */
export function createCallState({ get, set }: StateStore): CallState {
  const readKept = <Schema extends StandardSchemaV1>(key: string, schema: Schema) => {
    const kept = get(key);
    return kept === undefined ? undefined : parseWithSchema(schema, kept, `call.state '${key}'`);
  };
  function getAs(key: string): Json | undefined;
  function getAs<Schema extends StandardSchemaV1>(
    key: string,
    schema: Schema,
  ): StandardSchemaV1.InferOutput<Schema> | undefined;
  function getAs(key: string, schema?: StandardSchemaV1): unknown {
    return schema ? readKept(key, schema) : get(key);
  }
  return {
    get: getAs,
    set,
    update(key, schema, change) {
      const next = change(readKept(key, schema));
      const value = parseWithSchema(schema, next, `The new value of call.state '${key}'`);
      set(key, next as JsonLike); // `set` refuses a value that is not JSON.
      return value;
    },
  };
}

/** Creates a call's blackboard from a store. */
export function createCallBlackboard({ entries, add }: EntryStore): CallBlackboard {
  function addAs(value: JsonLike, names?: EntryNames): void;
  function addAs<Sent>(
    type: CheckedType<string, unknown, Sent>,
    value: Sent,
    names?: Pick<EntryNames, 'name'>,
  ): void;
  function addAs(first: unknown, second?: unknown, third?: Pick<EntryNames, 'name'>): void {
    if (!isCheckedType(first)) {
      add(first as JsonLike, second ?? {}); // The overload without a type.
      return;
    }
    const copy = copyJson(second);
    const parsed = copy.ok && first.parse(copy.value);
    if (parsed && !parsed.ok)
      throw new TypeError(
        `call.blackboard: this is not a valid ${first.name}: ${parsed.problems.join('; ')}`,
      );
    add(second as JsonLike, { ...third, type: first.name }); // `add` refuses a value that is not JSON.
  }
  return {
    get: (name) => structuredClone(entries().findLast((entry) => entry.name === name)?.value),
    entries: () => entries().map((entry) => structuredClone(entry)),
    add: addAs,
    last<Value>(type: CheckedType<string, Value>): Value | undefined {
      for (const entry of entries().toReversed()) {
        const parsed = entry.type === type.name ? type.parse(structuredClone(entry.value)) : undefined;
        if (parsed?.ok) return parsed.value;
      }
      return undefined;
    },
  };
}

const isCheckedType = (value: unknown): value is CheckedType =>
  typeof value === 'object' && value !== null && 'parse' in value;

/** The part of a turn's answer with its artifacts. */
interface TurnWithArtifacts {
  readonly turn: string;
  /** Absent if there is no answer yet. */
  readonly artifacts?: readonly AnswerArtifact[];
}

interface AnswerArtifact {
  readonly type?: string | undefined;
  readonly types?: readonly (string | null)[] | undefined;
  readonly value: Json;
}

/** The answer of a turn, with access to its artifacts by type. */
export type AnswerWithArtifacts<Given> = Given & {
  /**
   * Returns its artifacts of a type in order, each read through the type's schema. For a list, returns the
   * items of that type. Skips values that the schema refuses.
   */
  artifactsOf<Value>(type: CheckedType<string, Value>): readonly Value[];
};

/** Adds `artifactsOf` to an answer as a property that is not enumerable. */
export function withArtifacts<Given extends TurnWithArtifacts>(answer: Given): AnswerWithArtifacts<Given> {
  const listArtifacts = <Value>(type: CheckedType<string, Value>): readonly Value[] =>
    (answer.artifacts ?? []).flatMap(({ value, type: of, types }) =>
      [value].flat().flatMap((item, at) => {
        const parsed = (types ? types[at] : of) === type.name ? type.parse(item) : undefined;
        return parsed?.ok ? [parsed.value] : [];
      }),
    );
  return Object.defineProperty({ ...answer }, 'artifactsOf', {
    value: listArtifacts,
  }) as AnswerWithArtifacts<Given>; // just added
}

/** @throws TypeError if the schema refuses the value or is asynchronous. */
function parseWithSchema<Schema extends StandardSchemaV1>(
  schema: Schema,
  value: unknown,
  what: string,
): StandardSchemaV1.InferOutput<Schema> {
  const result = schema['~standard'].validate(value);
  if (result instanceof Promise) {
    result.catch(() => undefined); // Prevents an unhandled rejection.
    throw new TypeError(`${what} is read through an asynchronous schema. Use a synchronous one.`);
  }
  if (!result.issues) return result.value;
  throw new TypeError(`${what} does not match its schema: ${formatIssues(result.issues).join('; ')}`);
}
