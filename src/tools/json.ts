/** Any value that survives `JSON.parse(JSON.stringify(value))` unchanged. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A JSON object; the shape of every tool input and of a tool-call context. */
export type JsonObject = { readonly [key: string]: Json };

/** What is kept as JSON: it is JSON, or says by `toJSON` what it is there, as a `Date` and a `URL` do. */
export type JsonLike =
  | Json
  | { toJSON(key: string): unknown }
  | readonly JsonLike[]
  | { readonly [key: string]: JsonLike };

/** What a value of a type is once it has been kept as JSON. */
export type AsJson<Value> = [Value] extends [Json]
  ? Value
  : Value extends { toJSON(...given: never[]): infer Said }
    ? PartsAsJson<Said>
    : PartsAsJson<Value>;

/** What `toJSON` says is not asked again; what is in it is. */
type PartsAsJson<Value> = [Value] extends [Json]
  ? Value
  : Value extends object
    ? { [Key in keyof Value]: AsJson<Value[Key]> }
    : Value;

/** True for a plain JSON object: not `null`, not an array. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
