/** Values that came from outside, narrowed without trusting their shape. */

/** One value that can be shown and be sent as an input. */
export type Scalar = string | number | boolean;

export const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** True for an object that is not an array. Read it by fixed names or by `Object.entries`, never by a model's word. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The parsed JSON, or `undefined` for anything that is not JSON. Never throws. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
