import type { ModelReply } from '../model/chat-model.ts';
import type { AnyTool } from '../tools/tool.ts';
import { ToolCallingError } from './tool-calling-error.ts';
import type { ToolCallingOptions } from './tool-calling-options.ts';
import type { ToolResolver } from './tool-resolver.ts';
import { validateTools } from './validate-tools.ts';

/**
 * The tools of the options, and those of their names that none of them has (SPM-01).
 *
 * @throws ToolCallingError when the resolver does not know a name, or two tools share one.
 */
export async function listedTools(
  options: ToolCallingOptions,
  resolver: ToolResolver,
): Promise<readonly AnyTool[]> {
  const tools = [...options.tools];
  validateTools(tools);
  for (const name of options.toolNames) {
    if (tools.some((tool) => tool.name === name)) continue;
    const tool = await resolver(name);
    if (!tool) {
      console.warn(
        `holdfast: no tool of the name '${name.slice(0, 80)}' is known. If it comes from a model or an MCP server, its prefix may have changed.`,
      );
      throw new ToolCallingError('unknown-tool', `No tool found for tool name: ${name}`, [name]);
    }
    tools.push(tool);
  }
  return tools;
}

/** What of a reply's calls the resolver knows beside the listed tools (SPM-12). */
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
