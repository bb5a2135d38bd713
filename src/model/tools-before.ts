import type { ModelMessage, ToolDefinition } from './chat-model.ts';

/** The tools that a conversation has begun with, sorted by name: those of now, without what came and with what went in it. */
export function toolsBefore(
  messages: readonly ModelMessage[],
  tools: readonly ToolDefinition[],
): readonly ToolDefinition[] {
  const before = new Map(tools.map((tool) => [tool.name, tool]));
  for (const message of messages.toReversed()) {
    const { came = [], went = [] } = (message.role === 'system' && message.toolsChange) || {};
    for (const { name } of came) before.delete(name);
    for (const tool of went) before.set(tool.name, tool);
  }
  return [...before.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
