import type { AnyTool } from './tool.ts';

/**
 * A copy of a tool with changes, which remembers what it was made of. Everything that is not changed is forwarded:
 * name, schema, metadata, effect, serial, returnDirect. `call` hands on the invocation that it was given, and with it
 * the context (CTX-09).
 */
export const decorate = <T extends AnyTool>(tool: T, changes: Partial<AnyTool>): T => ({
  ...tool,
  ...changes,
  delegate: tool,
});

/** The first tool along the chain of delegates, this one included, that `is` recognises (DEC-02). */
export function unwrapAs<T extends AnyTool>(tool: AnyTool, is: (one: AnyTool) => one is T): T | undefined {
  for (let one: AnyTool | undefined = tool; one !== undefined; one = one.delegate) if (is(one)) return one;
  return undefined;
}
