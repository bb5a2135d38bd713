import type { AnyTool } from '../../tool/tool.ts';
import { withInnerTools } from '../unfolding/with-unfolding.ts';
import { type ToolsOfOptions, toolsOf } from './tools-of.ts';

/**
 * `withInnerTools` with the tools of an object, as `toolsOf` takes them: of an object that unfolds itself, one.
 *
 * @throws ToolObjectError as `toolsOf`; ToolDefinitionError as `withInnerTools`.
 *
 * @example
 * ```ts
 * const more = withInnerToolObject(orders, new Invoices());
 * ```
 */
export const withInnerToolObject = <T extends AnyTool>(
  unfolding: T,
  object: object,
  options?: ToolsOfOptions,
): T => withInnerTools(unfolding, ...toolsOf(object, options));
