/** The conversation of a request to the Messages API, in a normalized form. */
import type { AnthropicBlock, AnthropicBody } from './request.ts';

/** A block with its path in errors. */
export interface PlacedBlock {
  readonly path: string;
  readonly block: AnthropicBlock;
}

/** Consecutive messages of one role, combined. */
export interface SaidMessage {
  readonly role: 'user' | 'assistant' | 'system';
  /** The path of its first message, such as `messages.0`. */
  readonly path: string;
  readonly blocks: readonly PlacedBlock[];
}

export type ThinkingBlock = Extract<AnthropicBlock, { type: 'thinking' | 'redacted_thinking' }>;

export function groupMessages({ messages }: AnthropicBody): readonly SaidMessage[] {
  const said: { role: SaidMessage['role']; path: string; blocks: PlacedBlock[] }[] = [];
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

/** Returns the start of the current turn: the last user message without tool results. */
export function findCurrentTurn(conversation: readonly SaidMessage[]): number {
  return conversation.findLastIndex(
    ({ role, blocks }) => role === 'user' && !blocks.some(({ block }) => block.type === 'tool_result'),
  );
}

export function isThinking(block: AnthropicBlock): block is ThinkingBlock {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}

export function joinText({ blocks }: SaidMessage): string {
  return blocks.map(({ block }) => (block.type === 'text' ? block.text : '')).join('');
}

/**
 * Orders blocks as clients send them, with calls at the end of their segment. A segment ends at the next
 * thinking block.
 */
export function withoutPending<Item>(
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

/** Returns a block without the fields that may change between requests: cache marks and the caller. */
export function withoutMarks(block: AnthropicBlock): object {
  const { cache_control: _, caller: __, ...rest } = { cache_control: undefined, caller: undefined, ...block };
  return rest;
}
