import type { AnyTool } from '../tool/tool.ts';
import { ToolCallContext } from '../tool/tool-call-context.ts';
import {
  defineToolCallingOptions,
  type ToolCallingConfig,
  type ToolCallingOptions,
} from './tool-calling-options.ts';

/** The names of the request, or the default ones when it has none; a copy (SPA-03). */
export const mergeToolNames = (
  runtime: readonly string[] | undefined,
  defaults: readonly string[] | undefined,
): readonly string[] => filledOf(runtime, defaults);

/** The tools of the request, or the default ones when it has none; a copy (SPA-04). */
export const mergeTools = (
  runtime: readonly AnyTool[] | undefined,
  defaults: readonly AnyTool[] | undefined,
): readonly AnyTool[] => filledOf(runtime, defaults);

/** All values of both contexts; the request's win (SPA-05). */
export const mergeToolContext = (
  runtime: ToolCallingConfig['toolContext'],
  defaults: ToolCallingConfig['toolContext'],
): ToolCallContext => ToolCallContext.of(defaults ?? {}).merge(ToolCallContext.of(runtime ?? {}));

/** The options of a request over default ones: each of its parts as above, and of the rest what the request says. */
export function mergeToolCallingOptions(
  runtime: ToolCallingConfig,
  defaults: ToolCallingConfig,
): ToolCallingOptions {
  const said = Object.entries(runtime).filter(([, value]) => value !== undefined && value !== null);
  return defineToolCallingOptions({
    ...defaults,
    ...Object.fromEntries(said),
    tools: mergeTools(runtime.tools, defaults.tools),
    toolNames: mergeToolNames(runtime.toolNames, defaults.toolNames),
    toolContext: mergeToolContext(runtime.toolContext, defaults.toolContext),
  });
}

const filledOf = <T>(runtime: readonly T[] | undefined, defaults: readonly T[] = []): readonly T[] => [
  ...(runtime?.length ? runtime : defaults),
];
