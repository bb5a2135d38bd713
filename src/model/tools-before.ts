import type { ModelMessage, ToolDefinition } from './chat-model.ts';

/**
 * The tools that a conversation has begun with: those of now, without what came and with what went in it. Each stands where it
 * stands now; once one that is gone is among them, all stand by name, as at the start.
 */
export function toolsBefore(
  messages: readonly ModelMessage[],
  tools: readonly ToolDefinition[],
): readonly ToolDefinition[] {
  let before = tools;
  let isSettled = true;
  for (const message of messages.toReversed()) {
    const { came = [], went = [] } = (message.role === 'system' && message.toolsChange) || {};
    const [gone, back] = [came, went].map((list) => new Map(list.map((tool) => [tool.name, tool])));
    const there = new Set(before.map(({ name }) => name));
    const missing = went.filter(({ name }) => !there.has(name));
    if (missing.length > 0) isSettled = false;
    before = [
      ...before.flatMap((tool) => back?.get(tool.name) ?? (gone?.has(tool.name) ? [] : tool)),
      ...missing,
    ];
  }
  return isSettled ? before : before.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
