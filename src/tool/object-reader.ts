import type { READS } from './object-class.ts';
import type { AnyTool } from './tool.ts';

/** An object or a class that is marked. */
export interface ReadByIts {
  readonly [READS]: true;
}

/**
 * Returns the tools of an object or of a class, or `undefined` if it has nothing that is marked. `isShared`: all sessions share the
 * object, and the console warns of state in it.
 *
 * @throws ToolObjectError and ToolDefinitionError as `toolsOf`.
 */
export type ObjectReader = (
  object: unknown,
  options: { readonly isShared: boolean },
) => readonly AnyTool[] | undefined;

/** Reads the objects in lists of tools. Until something is marked there is none, so that a Worker without tool objects lacks the code. */
export let readObject: ObjectReader = () => undefined;

/** Has objects in lists of tools be read by this code from now on. Called by all that marks something. */
export function readObjectsBy(reader: ObjectReader): void {
  readObject = reader;
}
