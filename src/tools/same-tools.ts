import type { AnyTool } from './tool.ts';

/** Whether two lists hold the same tools in the same order. What a provider answers may be the same tools in a new list. */
export const sameTools = (a: readonly AnyTool[], b: readonly AnyTool[]): boolean =>
  a === b || (a.length === b.length && a.every((tool, index) => tool === b[index]));
