/**
 * Checks calls and results: each call has exactly one result directly after it, and each result has a call.
 */
import { RefusalError } from '../wire.ts';
import type { SaidMessage } from './conversation.ts';

export function checkPairs(conversation: readonly SaidMessage[]): void {
  checkIdsDiffer(conversation);
  for (const [index, said] of conversation.entries()) {
    if (said.role === 'assistant') checkAnswered(said, conversation[index + 1]);
    if (said.role === 'user') checkCalled(said, conversation[index - 1]);
    checkSearches(said);
  }
}

function checkIdsDiffer(conversation: readonly SaidMessage[]): void {
  const ids = conversation.flatMap(getCallIds);
  if (new Set(ids).size < ids.length) throw new RefusalError(400, 'messages: `tool_use` ids must be unique');
}

/** Checks that results come first in the next message. A result after other content counts as missing. */
function checkAnswered(said: SaidMessage, next: SaidMessage | undefined): void {
  if (next === undefined) return;
  const first = next.blocks.findIndex(({ block }) => block.type !== 'tool_result');
  const leading = first === -1 ? next.blocks : next.blocks.slice(0, first);
  const answered = new Set(
    leading.map(({ block }) => (block.type === 'tool_result' ? block.tool_use_id : '')),
  );
  const missing = getCallIds(said).filter((id) => !answered.has(id));
  if (missing.length === 0) return;
  throw new RefusalError(
    400,
    `${said.path}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. ` +
      'Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
  );
}

function checkCalled(said: SaidMessage, before: SaidMessage | undefined): void {
  const called = new Set(before === undefined ? [] : getCallIds(before));
  const seen = new Set<string>();
  for (const { block, path } of said.blocks) {
    if (block.type !== 'tool_result') continue;
    const id = block.tool_use_id;
    if (!called.has(id)) {
      throw new RefusalError(
        400,
        `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. ` +
          'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
      );
    }
    if (seen.has(id)) {
      throw new RefusalError(
        400,
        `${path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      );
    }
    seen.add(id);
  }
}

function checkSearches({ path, blocks }: SaidMessage): void {
  const found = new Set(
    blocks.map(({ block }) => (block.type === 'web_search_tool_result' ? block.tool_use_id : undefined)),
  );
  for (const { block } of blocks) {
    if (block.type !== 'server_tool_use' || found.has(block.id)) continue;
    throw new RefusalError(
      400,
      `${path}: \`${block.name}\` tool use with id \`${block.id}\` was found without a corresponding ` +
        `\`${block.name}_tool_result\` block`,
    );
  }
}

function getCallIds({ blocks }: SaidMessage): readonly string[] {
  return blocks.flatMap(({ block }) => (block.type === 'tool_use' ? [block.id] : []));
}
