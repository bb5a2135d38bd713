import type { AnyTool } from '../tool/tool.ts';

/** Finds a tool by its name; `undefined` when it knows none. */
export type ToolResolver = (name: string) => AnyTool | undefined | Promise<AnyTool | undefined>;

/** Finds the tools of a list; of several with one name the last. */
export function staticResolver(tools: readonly AnyTool[]): ToolResolver {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return (name) => byName.get(name);
}

/** Asks resolvers in order; the first that finds a tool is the last that is asked. */
export const chainResolvers =
  (...resolvers: readonly ToolResolver[]): ToolResolver =>
  async (name) => {
    for (const resolver of resolvers) {
      const tool = await resolver(name);
      if (tool) return tool;
    }
    return undefined;
  };
