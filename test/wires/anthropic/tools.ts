/** The tools that a request allows, with those that the conversation adds and removes. */
import { createOwnRefusal, RefusalError } from '../wire.ts';
import type { SaidMessage } from './conversation.ts';
import type { AnthropicBlock, AnthropicBody, AnthropicTool } from './request.ts';

/** Returns the names of the tools that the model may call at the end of the conversation. */
export function collectToolsAtEnd(
  { tools = [] }: AnthropicBody,
  conversation: readonly SaidMessage[],
): ReadonlySet<string> {
  const declared = new Map(tools.map((tool) => [tool.name, tool]));
  if (declared.size < tools.length) throw new RefusalError(400, 'tools: Tool names must be unique.');
  const offered = new Set(tools.filter((tool) => tool.defer_loading !== true).map(({ name }) => name));
  for (const [index, said] of conversation.entries()) {
    if (said.role === 'system') checkSystemPlace(said, conversation[index + 1]);
    for (const { block } of said.blocks) applyChange(block, declared, offered);
  }
  return offered;
}

function applyChange(
  block: AnthropicBlock,
  declared: ReadonlyMap<string, AnthropicTool>,
  offered: Set<string>,
): void {
  if (block.type === 'tool_result' && typeof block.content === 'object') {
    for (const part of block.content) {
      if (part.type === 'tool_reference') offered.add(checkToolName(part.tool_name, declared));
    }
  }
  if (block.type === 'tool_removal') offered.delete(getToolName(block));
  if (block.type !== 'tool_addition') return;
  if (block.tool.type === 'tool_reference') checkToolName(block.tool.name, declared);
  offered.add(getToolName(block));
}

function getToolName({ tool }: Extract<AnthropicBlock, { type: 'tool_addition' | 'tool_removal' }>): string {
  return tool.type === 'tool_reference' ? tool.name : tool.definition.name;
}

function checkToolName(name: string, declared: ReadonlyMap<string, AnthropicTool>): string {
  if (!declared.has(name))
    throw new RefusalError(400, `Tool reference '${name}' not found in available tools`);
  return name;
}

/**
 * Checks that a system message is the last message or directly precedes a reply. The API's own error message
 * for this is unknown.
 */
function checkSystemPlace({ path }: SaidMessage, next: SaidMessage | undefined): void {
  if (next !== undefined && next.role !== 'assistant') {
    throw createOwnRefusal(`${path}: a system message stands last or right before an assistant message`);
  }
}
