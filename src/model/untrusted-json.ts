/** Helpers that narrow untrusted JSON. */

/**
 * A JSON object of unknown content. Read it by fixed names or with `Object.entries`, never by a name from a
 * model.
 */
export type UntrustedRecord = Readonly<Record<string, unknown>>;

/** A scalar, which can be displayed and sent as an input. */
export type Scalar = string | number | boolean;

/** Returns whether the value is a JSON object: not `null`, not an array. */
export const isRecord = (value: unknown): value is UntrustedRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns whether the value is a string, a number or a boolean. */
export const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/**
 * Returns the parsed JSON, or `undefined` for invalid JSON. (JSON itself has no `undefined`.) Never throws.
 */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
