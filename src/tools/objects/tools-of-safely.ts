import type { AnyTool } from '../tool.ts';
import { type ToolsOfOptions, toolsOf } from './tools-of.ts';

/**
 * `toolsOf` for objects that may have no tools: where that throws, whatever the reason, there are none, and one debug
 * line says why (ANN-04).
 */
export function toolsOfSafely(object: unknown, options?: ToolsOfOptions): readonly AnyTool[] {
  try {
    return toolsOf(Object(object), options);
  } catch (reason) {
    console.debug('holdfast: no tools of an object', reason);
    return [];
  }
}
