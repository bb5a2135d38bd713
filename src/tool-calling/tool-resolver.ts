import type { ModelReply } from '../model/chat-model.ts';
import { type Log, warning } from '../tool/log.ts';
import type { AnyTool } from '../tool/tool.ts';
import { ToolCallingError, type ToolCallingOptions, validateTools } from './tool-calling-options.ts';

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

/**
 * The tools of the options, and those of their names that none of them has.
 *
 * @throws ToolCallingError when the resolver does not know a name, or two tools share one.
 */
export async function listedTools(
  options: ToolCallingOptions,
  resolver: ToolResolver,
  log: Log,
): Promise<readonly AnyTool[]> {
  const tools = [...options.tools];
  validateTools(tools);
  for (const name of options.toolNames) {
    if (tools.some((tool) => tool.name === name)) continue;
    const tool = await resolver(name);
    if (!tool) {
      log(
        warning(
          `no tool of the name '${name.slice(0, 80)}' is known. If it comes from a model or an MCP server, its prefix may have changed.`,
        ),
      );
      throw new ToolCallingError('unknown-tool', `No tool found for tool name: ${name}`, [name]);
    }
    tools.push(tool);
  }
  return tools;
}

/** Finds the tools of a reply's calls that are not listed and that the resolver knows. */
export async function unlistedTools(
  { toolCalls }: ModelReply,
  listed: readonly AnyTool[],
  resolver: ToolResolver,
): Promise<readonly AnyTool[]> {
  const known = new Set(listed.map(({ name }) => name));
  const names = [...new Set(toolCalls.map(({ name }) => name))].filter((name) => !known.has(name));
  const found = await Promise.all(names.map(async (name) => resolver(name)));
  return found.flatMap((tool) => tool ?? []);
}
