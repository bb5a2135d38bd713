/** The conversation of a request to Anthropic's messages, in one form for all that may be written in several. */
import type { AnthropicBlock, AnthropicBody } from './request.ts';

/** A block with its path, by which errors name it. */
export interface PlacedBlock {
  readonly path: string;
  readonly block: AnthropicBlock;
}

/** All that one side said before the other did: messages of one role that follow each other are one. */
export interface Said {
  readonly role: 'user' | 'assistant' | 'system';
  /** Where its first message stands: `messages.0`. */
  readonly path: string;
  readonly blocks: readonly PlacedBlock[];
}

export type ThinkingBlock = Extract<AnthropicBlock, { type: 'thinking' | 'redacted_thinking' }>;

export function conversationOf({ messages }: AnthropicBody): readonly Said[] {
  const said: { role: Said['role']; path: string; blocks: PlacedBlock[] }[] = [];
  for (const [index, { role, content }] of messages.entries()) {
    const path = `messages.${index}`;
    const blocks: AnthropicBlock[] =
      typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    const placed = blocks.map((block, at) => ({ path: `${path}.content.${at}`, block }));
    const last = said.at(-1);
    if (last?.role === role) last.blocks.push(...placed);
    else said.push({ role, path, blocks: placed });
  }
  return said;
}

/** Where the current turn begins: after the last message of the user that brings no results of tools. */
export function currentTurnOf(conversation: readonly Said[]): number {
  return conversation.findLastIndex(
    ({ role, blocks }) => role === 'user' && !blocks.some(({ block }) => block.type === 'tool_result'),
  );
}

export function isThinking(block: AnthropicBlock): block is ThinkingBlock {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}

export function textOf({ blocks }: Said): string {
  return blocks.map(({ block }) => (block.type === 'text' ? block.text : '')).join('');
}

/**
 * Blocks in the order in which calls stand behind the rest of their segment, as clients send them: segments end where
 * something was thought.
 */
export function settled<Item>(
  items: readonly Item[],
  blockOf: (item: Item) => AnthropicBlock,
): readonly Item[] {
  const result: Item[] = [];
  let calls: Item[] = [];
  for (const item of items) {
    const block = blockOf(item);
    if (block.type === 'tool_use') {
      calls.push(item);
      continue;
    }
    if (isThinking(block)) {
      result.push(...calls);
      calls = [];
    }
    result.push(item);
  }
  return [...result, ...calls];
}

/** A block without what may change between requests: the marks of caches, and who called. */
export function withoutMarks(block: AnthropicBlock): object {
  const { cache_control: _, caller: __, ...rest } = { cache_control: undefined, caller: undefined, ...block };
  return rest;
}
