/** JSON that came from outside, narrowed without trusting its shape. */

/** A JSON object of unknown content. Read it under fixed names or by `Object.entries`, never under a model's word. */
export type UntrustedRecord = Readonly<Record<string, unknown>>;

/** One value that can be shown and be sent as an input. */
export type Scalar = string | number | boolean;

/** True for a JSON object: not `null`, not an array. */
export const isRecord = (value: unknown): value is UntrustedRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** True for a string, a number or a boolean: not `null`. */
export const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** The parsed JSON, or `undefined` for text that is not JSON (JSON itself has no `undefined`). Never throws. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
