import type * as v from 'valibot';

/** A value of an item. */
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
  /** The collection that the id in each of these fields belongs to. */
  readonly refersTo: Readonly<Record<string, string>>;
  /** The initial values of a new item, in addition to its fields. */
  readonly starts: Readonly<Record<string, Value>>;
  /** Changes with a verb of their own, and the values that they set. */
  readonly moves: Readonly<Record<string, Readonly<Record<string, Value>>>>;
}

/** Makes a collection from its singular, and its plural if that does not just end in `s`. */
export function collection(
  name: string | readonly [one: string, many: string],
  prefix: string,
  { fields, refersTo = {}, starts = {}, moves = {} }: Pick<Collection, 'fields'> & Partial<Collection>,
): Collection {
  const [one, many] = typeof name === 'string' ? [name, `${name}s`] : name;
  return { one, many, prefix, fields, refersTo, starts, moves };
}
