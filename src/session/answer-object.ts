import type { Json } from '../tools/json.ts';

/**
 * The type of an answer's `object` when the agent's output has the type `Output`: the same when that is JSON, else
 * JSON, of which no more is known.
 */
export type AnswerObject<Output> = [Output] extends [OptionalJson] ? Output : Json;

/** JSON in which properties may be left out, as the types of schemas say it. */
type OptionalJson =
  | null
  | boolean
  | number
  | string
  | undefined
  | readonly OptionalJson[]
  | { readonly [key: string]: OptionalJson };
