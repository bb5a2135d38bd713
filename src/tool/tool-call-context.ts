import type { StandardSchemaV1 } from '@standard-schema/spec';
import { attempt } from './async.ts';
import { copyJson } from './copy-json.ts';
import { isJsonObject, type Json, type JsonLike, type JsonObject, sameJson, shorten } from './json.ts';

/** What is wrong with a value of the context. */
export type ContextProblem = 'missing' | 'invalid' | 'not-json' | 'asynchronous-schema';

/** A tool-call context does not hold what was asked of it. It names the key, never the value. */
export class ToolCallContextError extends Error {
  override readonly name = 'ToolCallContextError';
  readonly key: string;
  readonly problem: ContextProblem;

  constructor(key: string, problem: ContextProblem, message: string) {
    super(message);
    this.key = key;
    this.problem = problem;
  }
}

/** The key under which the loop stamps the id of the loop that a call belongs to. */
export const LOOP_ID_KEY = 'holdfast.loopId';

/** The id of the loop that a call belongs to: one turn, or several that were sent the same `loopId`. */
export function loopId(context: ToolCallContext): string | undefined {
  const id = context.get(LOOP_ID_KEY);
  return typeof id === 'string' ? id : undefined;
}

/** Values of a context by their keys, as code hands them over. */
export type ContextValues = Readonly<Record<string, JsonLike>>;

const inspect: unique symbol = Symbol.for('nodejs.util.inspect.custom');

/**
 * Values beside the input that the model never sees: who asks, for which tenant, in which locale.
 * Immutable. It is journaled, so it holds JSON and no credentials; printing it shows its keys only.
 */
export class ToolCallContext {
  /** The context without values; `of` and `merge` answer this very object when there are none. */
  static readonly EMPTY: ToolCallContext = new ToolCallContext(new Map());

  readonly #values: ReadonlyMap<string, Json>;

  private constructor(values: ReadonlyMap<string, Json>) {
    this.#values = values;
  }

  /**
   * Copies values out of an object, a `Map` or pairs; of pairs with one key the last stands. A context is itself.
   *
   * @throws ToolCallContextError when a value is not JSON.
   */
  static of(
    values: ToolCallContext | ContextValues | Iterable<readonly [string, JsonLike]>,
  ): ToolCallContext {
    if (values instanceof ToolCallContext) return values;
    const copies = new Map<string, Json>();
    for (const [key, value] of isIterable(values) ? values : Object.entries(values)) {
      if (value !== undefined) copies.set(key, copyOf(key, value));
    }
    return copies.size === 0 ? ToolCallContext.EMPTY : new ToolCallContext(copies);
  }

  /**
   * The value of a key, `undefined` when there is none; with a schema, the schema's output. The schema is asked about
   * `undefined` too, so that it may supply a default: `v.nullish(v.string(), 'en')` also for a value that is `null`.
   *
   * @throws ToolCallContextError when the schema refuses the value or answers with a promise.
   */
  get(key: string): Json | undefined;
  get<Schema extends StandardSchemaV1>(key: string, schema: Schema): StandardSchemaV1.InferOutput<Schema>;
  get(key: string, schema?: StandardSchemaV1): unknown {
    const value = this.#values.get(key);
    return schema === undefined ? value : validated(key, value, schema);
  }

  has(key: string): boolean {
    return this.#values.has(key);
  }

  keys(): readonly string[] {
    return [...this.#values.keys()];
  }

  /** All values of both; `other` wins. Merging with `EMPTY` answers the other object itself. */
  merge(other: ToolCallContext): ToolCallContext {
    if (other.#values.size === 0) return this;
    if (this.#values.size === 0) return other;
    return new ToolCallContext(new Map([...this.#values, ...other.#values]));
  }

  /** Whether both have the same keys with the same values, in any order. */
  equals(other: ToolCallContext): boolean {
    return sameJson(this.toJSON(), other.toJSON());
  }

  /** The values, for the journal; `of` makes the same context of them again. */
  toJSON(): JsonObject {
    return Object.fromEntries(this.#values);
  }

  toString(): string {
    return `ToolCallContext(${this.keys().join(', ')})`;
  }

  [inspect](): string {
    return this.toString();
  }
}

function validated(key: string, value: Json | undefined, schema: StandardSchemaV1): unknown {
  const made = attempt(() => schema['~standard'].validate(value));
  const result = made.ok ? made.value : undefined;
  if (result instanceof Promise) {
    result.catch(() => undefined); // Nobody will wait for it.
    throw contextError(
      key,
      'asynchronous-schema',
      'is read through an asynchronous schema; use a synchronous one',
    );
  }
  if (result !== undefined && !result.issues) return result.value;
  // A schema's messages quote the value, so they are not passed on.
  if (value === undefined) throw contextError(key, 'missing', 'is missing');
  throw contextError(key, 'invalid', 'does not match the schema it is read with');
}

function copyOf(key: string, value: JsonLike): Json {
  const copy = copyJson(value);
  if (copy.ok) return freeze(copy.value);
  throw contextError(key, 'not-json', `is not JSON: at \`${copy.problem.path}\` it is ${copy.problem.what}`);
}

/** Readers share the values, and so must not be able to change them. */
function freeze(value: Json): Json {
  if (Array.isArray(value)) for (const item of value) freeze(item);
  else if (isJsonObject(value)) for (const item of Object.values(value)) freeze(item);
  return Object.freeze(value);
}

const contextError = (key: string, problem: ContextProblem, what: string): ToolCallContextError =>
  new ToolCallContextError(key, problem, `The tool-call context's '${shorten(key, 80)}' ${what}.`);

const isIterable = <Item>(values: object | Iterable<Item>): values is Iterable<Item> =>
  Symbol.iterator in values;
