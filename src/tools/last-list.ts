import type { AnyTool } from './tool.ts';

/**
 * Makes a list of tools anew only when it is made of another list, or `by` something else. For strategies: as long as they
 * answer the same they answer the same list, because the definitions that a model is sent are kept by it.
 */
export function lastList(): (
  tools: readonly AnyTool[],
  by: string | undefined,
  make: () => readonly AnyTool[],
) => readonly AnyTool[] {
  let last: { tools: readonly AnyTool[]; by: string | undefined; made: readonly AnyTool[] } | undefined;
  return (tools, by, make) => {
    if (last?.tools !== tools || last.by !== by) last = { tools, by, made: make() };
    return last.made;
  };
}
