import type { JsonObject } from '../../tool/json.ts';
import type { ToolCallContext } from '../../tool/tool-call-context.ts';

/**
 * Decides what of a tool-call context a server is sent as `_meta` (MCP-06). Applied on every path (MCP-05); must not throw,
 * and a call for which it does is answered with an error (MCP-11).
 */
export type MetaConverter = (context: ToolCallContext) => JsonObject;

/** Everything crosses: for a server that is trusted with whatever the context holds (MCP-07). */
export const passThrough: MetaConverter = (context) => context.toJSON();

/** Nothing crosses; as without a converter. */
export const noOp: MetaConverter = () => ({});

/** These keys cross, as far as the context has them. */
export function allowKeys(...keys: readonly string[]): MetaConverter {
  const allowed = new Set(keys);
  return (context) => picked(context, (key) => allowed.has(key));
}

/** All keys but these cross: only where all secrets that a context may ever hold are known. */
export function denyKeys(...keys: readonly string[]): MetaConverter {
  const denied = new Set(keys);
  return (context) => picked(context, (key) => !denied.has(key));
}

/** `fromEntries` makes own properties, also of a key such as `__proto__`. */
const picked = (context: ToolCallContext, isSent: (key: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(context.toJSON()).filter(([key]) => isSent(key)));
