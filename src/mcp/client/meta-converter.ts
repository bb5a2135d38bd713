import type { JsonObject } from '../../tool/json.ts';
import type { ToolCallContext } from '../../tool/tool-call-context.ts';

/**
 * Decides what of a tool-call context a server is sent as `_meta`. It is applied on every path, and must not throw: a
 * call for which it does is answered with an error.
 */
export type MetaConverter = (context: ToolCallContext) => JsonObject;

/** Lets everything cross, for a server that is trusted with whatever the context holds. */
export const passThrough: MetaConverter = (context) => context.toJSON();

/** Lets nothing cross, as without a converter. */
export const noOp: MetaConverter = () => ({});

/** Lets these keys cross, as far as the context has them. */
export function allowKeys(...keys: readonly string[]): MetaConverter {
  const allowed = new Set(keys);
  return (context) => picked(context, (key) => allowed.has(key));
}

/** Lets all keys but these cross. Use it only where all secrets that a context may ever hold are known. */
export function denyKeys(...keys: readonly string[]): MetaConverter {
  const denied = new Set(keys);
  return (context) => picked(context, (key) => !denied.has(key));
}

/** `fromEntries` makes own properties, also of a key such as `__proto__`. */
const picked = (context: ToolCallContext, isSent: (key: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(context.toJSON()).filter(([key]) => isSent(key)));
