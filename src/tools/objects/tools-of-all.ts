import { distinctTools } from '../distinct-tools.ts';
import type { AnyTool } from '../tool.ts';
import { type ToolsOfOptions, toolsOf } from './tools-of.ts';

/**
 * The tools of several objects in one list, sorted by name; tools among them pass through. Of several tools that come
 * to one name, the first stays (ANN-12).
 *
 * @throws ToolObjectError and ToolDefinitionError as `toolsOf`.
 */
export const toolsOfAll = (objects: Iterable<object>, options?: ToolsOfOptions): readonly AnyTool[] =>
  distinctTools([...objects].flatMap((object) => toolsOf(object, options)));
