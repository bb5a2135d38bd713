import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { BlackboardEntry, CallBlackboard, CallState, EntryNames } from './call.ts';
import { copyJson } from './copy-json.ts';
import { type DomainType, isDomainType } from './domain-type.ts';
import type { Json, JsonLike } from './json.ts';
import { issueLines } from './json-schema.ts';

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
    type: DomainType<string, unknown, Sent>,
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
    last<Value>(type: DomainType<string, Value>): Value | undefined {
      for (const entry of entries().toReversed()) {
        const parsed = entry.type === type.name ? type.parse(structuredClone(entry.value)) : undefined;
        if (parsed?.ok) return parsed.value;
      }
      return undefined;
    },
  };
}

const isType = (value: unknown): value is DomainType =>
  typeof value === 'object' && value !== null && isDomainType(value as DomainType);

/** What an artifact is a part of: the answer of a turn. */
interface Answer {
  readonly artifacts: readonly { readonly type?: string | undefined; readonly value: Json }[];
}

/** The answer of a turn, whose artifacts are read by their type. */
export type WithArtifacts<Given> = Given & {
  /** Its artifacts of a type, in order, each read through the type's schema. One that the schema refuses is left out. */
  artifactsOf<Value>(type: DomainType<string, Value>): readonly Value[];
};

/** Adds `artifactsOf`, which nobody sees who looks through the answer. */
export function withArtifacts<Given extends Answer>(answer: Given): WithArtifacts<Given> {
  const artifactsOf = <Value>(type: DomainType<string, Value>): readonly Value[] =>
    answer.artifacts.flatMap((one) => {
      const parsed = one.type === type.name ? type.parse(one.value) : undefined;
      return parsed?.ok ? [parsed.value] : [];
    });
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
