import type { StandardSchemaV1 } from '@standard-schema/spec';
import { attempt } from './async.ts';
import { copyJson } from './copy-json.ts';
import { isEqualJson, isJsonObject, type Json, type JsonLike, type JsonObject, shorten } from './json.ts';

/** The problem of a context value. */
export type ContextProblem = 'missing' | 'invalid' | 'not-json' | 'asynchronous-schema';

/** Thrown if a tool-call context lacks a requested value. The message includes the key, never the value. */
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

/** The key under which the loop stores its id in the context of calls. */
export const LOOP_ID_KEY = 'holdfast.loopId';

/**
 * Returns the id of the loop that a call belongs to: one turn, or several turns whose messages have the same
 * `loopId`.
 *
 * @example
 * ```ts
 * const group = loopId(call.context); // the same for all calls of a loop
 * ```
 */
export function loopId(context: ToolCallContext): string | undefined {
  const id = context.get(LOOP_ID_KEY);
  return typeof id === 'string' ? id : undefined;
}

/** Values of a context by their keys, as code passes them. */
export type ContextValues = Readonly<Record<string, JsonLike>>;

const inspect: unique symbol = Symbol.for('nodejs.util.inspect.custom');

/**
 * Values beside the input that the model never sees, such as the user, the tenant or the locale. Immutable.
 * It is journaled, so it contains JSON and no credentials. Printing it shows only its keys.
 */
export class ToolCallContext {
  /** The empty context. `of` and `merge` return this same object if there are no values. */
  static readonly EMPTY: ToolCallContext = new ToolCallContext(new Map());

  readonly #values: ReadonlyMap<string, Json>;

  private constructor(values: ReadonlyMap<string, Json>) {
    this.#values = values;
  }

  /**
   * Copies the values of an object, a `Map` or pairs. If several pairs have the same key, the last one
   * counts. Returns an existing context unchanged.
   *
   * @throws ToolCallContextError if a value is not JSON.
   */
  static of(
    values: ToolCallContext | ContextValues | Iterable<readonly [string, JsonLike]>,
  ): ToolCallContext {
    if (values instanceof ToolCallContext) return values;
    const copies = new Map<string, Json>();
    for (const [key, value] of isIterable(values) ? values : Object.entries(values)) {
      if (value !== undefined) copies.set(key, copyValue(key, value));
    }
    return copies.size === 0 ? ToolCallContext.EMPTY : new ToolCallContext(copies);
  }

  /**
   * Returns the value of a key, or `undefined`. With a schema, returns the schema's output. The schema also
   * receives `undefined`, so that it can supply a default: `v.nullish(v.string(), 'en')` also handles `null`.
   *
   * @throws ToolCallContextError if the schema refuses the value or is asynchronous.
   */
  get(key: string): Json | undefined;
  get<Schema extends StandardSchemaV1>(key: string, schema: Schema): StandardSchemaV1.InferOutput<Schema>;
  get(key: string, schema?: StandardSchemaV1): unknown {
    const value = this.#values.get(key);
    return schema === undefined ? value : validateValue(key, value, schema);
  }

  has(key: string): boolean {
    return this.#values.has(key);
  }

  keys(): readonly string[] {
    return [...this.#values.keys()];
  }

  /**
   * Returns the values of both contexts. `other` takes precedence. Merging with `EMPTY` returns the other
   * context itself.
   */
  merge(other: ToolCallContext): ToolCallContext {
    if (other.#values.size === 0) return this;
    if (this.#values.size === 0) return other;
    return new ToolCallContext(new Map([...this.#values, ...other.#values]));
  }

  /** Returns whether both have the same keys with the same values, in any order. */
  equals(other: ToolCallContext): boolean {
    return isEqualJson(this.toJSON(), other.toJSON());
  }

  /** Returns the values, for the journal. `of` restores the same context from them. */
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

function validateValue(key: string, value: Json | undefined, schema: StandardSchemaV1): unknown {
  const made = attempt(() => schema['~standard'].validate(value));
  const result = made.ok ? made.value : undefined;
  if (result instanceof Promise) {
    result.catch(() => undefined); // Prevents an unhandled rejection.
    throw createContextError(
      key,
      'asynchronous-schema',
      'is read through an asynchronous schema. Use a synchronous one',
    );
  }
  if (result !== undefined && !result.issues) return result.value;
  // A schema's messages can quote the value, so they are not passed on.
  if (value === undefined) throw createContextError(key, 'missing', 'is missing');
  throw createContextError(key, 'invalid', 'does not match the schema it is read with');
}

function copyValue(key: string, value: JsonLike): Json {
  const copy = copyJson(value);
  if (copy.ok) return freeze(copy.value);
  throw createContextError(
    key,
    'not-json',
    `is not JSON: at \`${copy.problem.path}\` it is ${copy.problem.what}`,
  );
}

/** Freezes a value, since its readers share it. */
function freeze(value: Json): Json {
  if (Array.isArray(value)) for (const item of value) freeze(item);
  else if (isJsonObject(value)) for (const item of Object.values(value)) freeze(item);
  return Object.freeze(value);
}

const createContextError = (key: string, problem: ContextProblem, what: string): ToolCallContextError =>
  new ToolCallContextError(key, problem, `The tool-call context's '${shorten(key, 80)}' ${what}.`);

const isIterable = <Item>(values: object | Iterable<Item>): values is Iterable<Item> =>
  Symbol.iterator in values;
