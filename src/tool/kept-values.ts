import type { StandardSchemaV1 } from '@standard-schema/spec';
import { copyJson } from './copy-json.ts';
import type { Json, JsonLike } from './json.ts';
import { issueLines, type ParsedInput } from './problem-lines.ts';
import { ANY_JSON, type Infer, OPTIONAL_TEXT, type Shape } from './shape.ts';
import type { ArtifactType } from './tool-result.ts';

/** Values that tools of one agent (or of one frame) share; they are journaled when the call succeeds. */
export interface CallState {
  /**
   * The value as of the start of the batch, earlier calls of the same `serial`, and this call's own writes; through a schema, what
   * that makes of it.
   *
   * @throws TypeError when the schema refuses the value: what is kept was written by other code, or an older version of this one.
   */
  get(key: string): Json | undefined;
  get<Schema extends StandardSchemaV1>(
    key: string,
    schema: Schema,
  ): StandardSchemaV1.InferOutput<Schema> | undefined;
  /**
   * Takes effect when the call ends successfully; a failed call leaves no trace. What has `toJSON` is kept as what that says.
   *
   * @throws TypeError when something of the value is not JSON.
   */
  set(key: string, value: JsonLike): void;
  /**
   * Sets what `change` makes of the value, which must be as the schema says, and answers it as the schema reads it.
   *
   * @throws TypeError when the schema refuses the old value or the new one, or something of it is not JSON.
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

/** The session's blackboard as one call sees it. Additions take effect when the call succeeds. */
export interface CallBlackboard {
  /** The newest entry bound to this name. */
  get(name: string): Json | undefined;
  /** All entries, oldest first. */
  entries(): readonly BlackboardEntry[];
  add(value: JsonLike, names?: EntryNames): void;
  /** Adds a value of a type, under the type's name. @throws TypeError when the type's schema refuses it. */
  add<Sent>(type: CheckedType<string, unknown, Sent>, value: Sent, names?: Pick<EntryNames, 'name'>): void;
  /** The newest entry of a type, read through the type's schema; one that it refuses is passed over. */
  last<Value>(type: CheckedType<string, Value>): Value | undefined;
}

/** By what an entry of the blackboard is found. */
export interface EntryNames {
  readonly name?: string | undefined;
  readonly type?: string | undefined;
}

/** One object on the blackboard, in the order in which it was added. */
export interface BlackboardEntry extends Infer<typeof BLACKBOARD_ENTRY> {}
export const BLACKBOARD_ENTRY = {
  object: { name: OPTIONAL_TEXT, type: OPTIONAL_TEXT, value: ANY_JSON },
} as const satisfies Shape;

/** A type whose values are read through a schema, as `defineDomainType` makes one. It is a Standard Schema itself. */
export interface CheckedType<Name extends string = string, Value = unknown, Sent = unknown>
  extends ArtifactType,
    StandardSchemaV1<Sent, Value> {
  readonly name: Name;
  /** A value as it came back from the journal, read through the schema; or what is wrong with it. Never throws. */
  parse(value: unknown): ParsedInput<Value>;
}

/** Where values of a call are kept, as JSON. */
interface KeptState {
  get(key: string): Json | undefined;
  set(key: string, value: JsonLike): void;
}

interface KeptEntries {
  /** Those themselves: nobody else is given them. */
  entries(): readonly BlackboardEntry[];
  add(value: JsonLike, names: EntryNames): void;
}

/** The state of a call over where its values are kept: read through a schema where one is given. */
export function callState({ get, set }: KeptState): CallState {
  const read = <Schema extends StandardSchemaV1>(key: string, schema: Schema) => {
    const kept = get(key);
    return kept === undefined ? undefined : readThrough(schema, kept, `call.state '${key}'`);
  };
  function getAs(key: string): Json | undefined;
  function getAs<Schema extends StandardSchemaV1>(
    key: string,
    schema: Schema,
  ): StandardSchemaV1.InferOutput<Schema> | undefined;
  function getAs(key: string, schema?: StandardSchemaV1): unknown {
    return schema ? read(key, schema) : get(key);
  }
  return {
    get: getAs,
    set,
    update(key, schema, change) {
      const next = change(read(key, schema));
      const value = readThrough(schema, next, `What call.state '${key}' is updated to`);
      set(key, next as JsonLike); // what is no JSON is refused there
      return value;
    },
  };
}

/** The blackboard of a call over where its entries are kept. */
export function callBlackboard({ entries, add }: KeptEntries): CallBlackboard {
  function addAs(value: JsonLike, names?: EntryNames): void;
  function addAs<Sent>(
    type: CheckedType<string, unknown, Sent>,
    value: Sent,
    names?: Pick<EntryNames, 'name'>,
  ): void;
  function addAs(first: unknown, second?: unknown, third?: Pick<EntryNames, 'name'>): void {
    if (!isType(first)) {
      add(first as JsonLike, second ?? {}); // of no type, as its overload says
      return;
    }
    const copy = copyJson(second);
    const parsed = copy.ok && first.parse(copy.value);
    if (parsed && !parsed.ok)
      throw new TypeError(`call.blackboard: this is no ${first.name}: ${parsed.problems.join('; ')}`);
    add(second as JsonLike, { ...third, type: first.name }); // what is no JSON is refused there
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

const isType = (value: unknown): value is CheckedType =>
  typeof value === 'object' && value !== null && 'parse' in value;

/** What an artifact is a part of: the answer of a turn. */
interface Answer {
  readonly turn: string;
  /** Absent while there is no answer yet. */
  readonly artifacts?: readonly AnswerArtifact[];
}

interface AnswerArtifact {
  readonly type?: string | undefined;
  readonly types?: readonly (string | null)[] | undefined;
  readonly value: Json;
}

/** The answer of a turn, whose artifacts are read by their type. */
export type WithArtifacts<Given> = Given & {
  /**
   * Its artifacts of a type, in order, each read through the type's schema: of a list the items of that type. One that the schema
   * refuses is left out.
   */
  artifactsOf<Value>(type: CheckedType<string, Value>): readonly Value[];
};

/** Adds `artifactsOf`, which nobody sees who looks through the answer. */
export function withArtifacts<Given extends Answer>(answer: Given): WithArtifacts<Given> {
  const artifactsOf = <Value>(type: CheckedType<string, Value>): readonly Value[] =>
    (answer.artifacts ?? []).flatMap(({ value, type: of, types }) =>
      [value].flat().flatMap((item, at) => {
        const parsed = (types ? types[at] : of) === type.name ? type.parse(item) : undefined;
        return parsed?.ok ? [parsed.value] : [];
      }),
    );
  return Object.defineProperty({ ...answer }, 'artifactsOf', { value: artifactsOf }) as WithArtifacts<Given>; // just added
}

/** @throws TypeError when the schema refuses the value, or takes time. */
function readThrough<Schema extends StandardSchemaV1>(
  schema: Schema,
  value: unknown,
  what: string,
): StandardSchemaV1.InferOutput<Schema> {
  const result = schema['~standard'].validate(value);
  if (result instanceof Promise) {
    result.catch(() => undefined); // Nobody will wait for it.
    throw new TypeError(`${what} is read through an asynchronous schema: use a synchronous one.`);
  }
  if (!result.issues) return result.value;
  throw new TypeError(`${what} is not as its schema says: ${issueLines(result.issues).join('; ')}`);
}
