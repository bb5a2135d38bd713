import { carriersOf, carriesReader, READS } from './object-class.ts';
import type { AnyTool } from './tool.ts';

/** What carries that code, so that a Worker without tool objects does not have it. */
export interface ReadByIts {
  readonly [READS]: ObjectReader;
}

/**
 * Returns the tools of an object or of a class. `isShared`: all sessions share the object, and the console warns of state in it.
 *
 * @throws ToolObjectError and ToolDefinitionError as `toolsOf`.
 */
export type ObjectReader = (object: object, options: { readonly isShared: boolean }) => readonly AnyTool[];

/** Returns the code that an object, or its class, carries to be read by, or `undefined`. No getter but of `tools` is asked. */
export const readerOf = (object: object): ObjectReader | undefined =>
  carriersOf(object).find(isReadByIts)?.[READS];

const isReadByIts = (value: unknown): value is ReadByIts => carriesReader(value);
