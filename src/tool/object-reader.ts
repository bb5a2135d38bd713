import type { TOOL_MEMBER_KEY } from './object-class.ts';
import type { AnyTool } from './tool.ts';

/** An object or a class with marked members. */
export interface MarkedObject {
  readonly [TOOL_MEMBER_KEY]: true;
}

/**
 * Returns the tools of an object or of a class, or `undefined` if it has no marked members. `isShared`: all
 * sessions share the object, so the console warns about state in it.
 *
 * @throws ToolObjectError and ToolDefinitionError as `toolsOf` does.
 */
export type ObjectReader = (
  object: unknown,
  options: { readonly isShared: boolean },
) => readonly AnyTool[] | undefined;

/**
 * Reads the objects in lists of tools. It has no effect until a member is marked, so that a Worker without
 * tool objects does not bundle the code.
 */
export let readObject: ObjectReader = () => undefined;

/** Sets the reader of objects in lists of tools. Every function that marks members calls it. */
export function setObjectReader(reader: ObjectReader): void {
  readObject = reader;
}
