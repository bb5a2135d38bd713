import type { AnyTool } from './tool.ts';

/** The first tool of each name, sorted by name, as a model is shown them: its provider's prompt cache then holds (TOOL-21). */
export function distinctTools(tools: readonly AnyTool[]): readonly AnyTool[] {
  const byName = new Map<string, AnyTool>();
  for (const tool of tools) if (!byName.has(tool.name)) byName.set(tool.name, tool);
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
