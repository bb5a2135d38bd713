import type * as v from 'valibot';

/** A value that a thing may hold. */
export type Value = string | number | boolean;

/** The values of a thing, as a model sends them. */
export type Fields = Readonly<Record<string, v.GenericSchema<Value | undefined>>>;

/** One kind of thing in the workspace. */
export interface Collection {
  /** `task` */
  readonly one: string;
  /** `tasks` */
  readonly many: string;
  /** Its ids begin so: `T` for `T-7`. */
  readonly prefix: string;
  readonly fields: Fields;
  /** Which collection the id in a field belongs to. */
  readonly refersTo: Readonly<Record<string, string>>;
  /** What a new thing holds beside its fields. */
  readonly starts: Readonly<Record<string, Value>>;
  /** Changes with a verb of their own, and what they set. */
  readonly moves: Readonly<Record<string, Readonly<Record<string, Value>>>>;
}

/** A collection by the name of one thing, and of many where that is not just an `s`. */
export function collection(
  name: string | readonly [one: string, many: string],
  prefix: string,
  { fields, refersTo = {}, starts = {}, moves = {} }: Pick<Collection, 'fields'> & Partial<Collection>,
): Collection {
  const [one, many] = typeof name === 'string' ? [name, `${name}s`] : name;
  return { one, many, prefix, fields, refersTo, starts, moves };
}
