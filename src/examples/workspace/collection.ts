import type * as v from 'valibot';

export type Value = string | number | boolean;

/** The fields of an item, as a model sends them. */
export type Fields = Readonly<Record<string, v.GenericSchema<Value | undefined>>>;

/** One kind of item in the workspace. */
export interface Collection {
  /** The singular, such as `task`. */
  readonly one: string;
  /** The plural, such as `tasks`. */
  readonly many: string;
  /** The prefix of its ids: `T` for `T-7`. */
  readonly prefix: string;
  readonly fields: Fields;
  /** The fields that contain the id of another item, with its collection. */
  readonly refersTo: Readonly<Record<string, string>>;
  /** The initial values of a new item, in addition to its fields. */
  readonly starts: Readonly<Record<string, Value>>;
  /** Changes with their own verb, and the values that they set. */
  readonly moves: Readonly<Record<string, Readonly<Record<string, Value>>>>;
}

/** Creates a collection from its singular. The plural defaults to the singular with an `s`. */
export function defineCollection(
  name: string | readonly [one: string, many: string],
  prefix: string,
  { fields, refersTo = {}, starts = {}, moves = {} }: Pick<Collection, 'fields'> & Partial<Collection>,
): Collection {
  const [one, many] = typeof name === 'string' ? [name, `${name}s`] : name;
  return { one, many, prefix, fields, refersTo, starts, moves };
}
