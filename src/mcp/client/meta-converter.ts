import type { JsonObject } from '../../tool/json.ts';
import type { ToolCallContext } from '../../tool/tool-call-context.ts';

/**
 * Decides what of a tool-call context a server is sent as `_meta`. It is applied on every path, and must not throw: a
 * call for which it does is answered with an error.
 */
export type MetaConverter = (context: ToolCallContext) => JsonObject;

/** Lets everything cross but what Holdfast itself put there, for a server that is trusted with whatever the context holds. */
export const passThrough: MetaConverter = (context) => picked(context, isOfTheApp);

/** Lets nothing cross, as without a converter. */
export const noOp: MetaConverter = () => ({});

/** Lets these keys cross, as far as the context has them. */
export function allowKeys(...keys: readonly string[]): MetaConverter {
  const allowed = new Set(keys);
  return (context) => picked(context, (key) => allowed.has(key));
}

/**
 * Lets all keys but these cross, and but what Holdfast itself put there. Use it only where all secrets that a context may ever
 * hold are known.
 */
export function denyKeys(...keys: readonly string[]): MetaConverter {
  const denied = new Set(keys);
  return (context) => picked(context, (key) => isOfTheApp(key) && !denied.has(key));
}

/** The ids of loops are nobody's business outside: by them a server could tell which of its calls belong together. */
const isOfTheApp = (key: string): boolean => !key.startsWith('holdfast.');

/** `fromEntries` makes own properties, also of a key such as `__proto__`. */
const picked = (context: ToolCallContext, isSent: (key: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(context.toJSON()).filter(([key]) => isSent(key)));
