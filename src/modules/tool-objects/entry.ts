/**
 * The entry `holdfast/tool-objects`: tools from methods of objects, and tools that are created for each
 * invocation.
 */

export type { ToolEntry, ToolTable } from './tool-entry.ts';
export { type MadeTools, toolFactory } from './tool-factory.ts';
export { type ToolMethodConfig, toolMethod, toolTable } from './tool-method.ts';
export { ToolObjectError } from './tool-object.ts';
export {
  hasTools,
  type ToolsOfOptions,
  toolsOf,
  toolsOfAll,
  toolsOfSafely,
  type UnfoldingDeclaration,
  unfoldingOf,
  unfoldingOfSafely,
  withInnerToolObject,
} from './tools-of.ts';
