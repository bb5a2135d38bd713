/** Checks that returned thinking is unchanged and still follows its original prefix. */
import { type SealFields, unseal } from '../seal.ts';
import { createOwnRefusal, RefusalError } from '../wire.ts';
import { findCurrentTurn, isThinking, type SaidMessage, type ThinkingBlock } from './conversation.ts';
import { PrefixReader, readConversation } from './prefix.ts';
import { hashWords } from './replies.ts';
import type { AnthropicBody } from './request.ts';

export const bindingBeta = 'thinking-binding-controls-2026-08-01';

/** A thinking block whose prefix changed and that was dropped, as the API reports it. */
export interface InputTransformation {
  readonly type: 'thinking_dropped';
  readonly path: string;
  readonly reason: 'prefix_binding_mismatch';
}

export interface ThinkingCheck {
  readonly seed: string;
  /** The seeds of other models whose thinking this model reads. Their thinking is not checked. */
  readonly kin?: readonly string[];
  readonly body: AnthropicBody;
  readonly conversation: readonly SaidMessage[];
  /** If `true`, the model binds its thinking to its whole prefix. */
  readonly preserved: boolean;
  /** If `true`, the request uses the beta that lets it choose what happens when a prefix changes. */
  readonly bindingControls: boolean;
}

/**
 * Returns the fields in a block's signature. Refuses a signature that the wire did not make, or that belongs to
 * other text.
 */
export function placeOfThinking(
  seeds: string | readonly string[],
  block: ThinkingBlock,
  path: string,
): SealFields {
  const blob = block.type === 'thinking' ? block.signature : block.data;
  const fields = [seeds]
    .flat()
    .map((seed) => unseal(seed, blob))
    .find((one) => one !== undefined);
  if (fields === undefined) throw new RefusalError(400, formatInvalidBlock(block, path));
  return fields;
}

/** Refuses a block whose text does not match its signature. Only called for blocks of the current turn. */
export function checkWords(block: ThinkingBlock, { of }: SealFields, path: string): void {
  if (of !== hashWords(block)) throw createModifiedError(path);
}

export function createModifiedError(path: string): RefusalError {
  return new RefusalError(
    400,
    `${path}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. ` +
      'These blocks must remain as they were in the original response.',
  );
}

/**
 * Checks the prefix of each thinking block, and returns the blocks dropped because the request allows it. If
 * a model does not bind its thinking, this wire only checks that no earlier thinking is missing between later
 * blocks.
 */
export function checkPrefixes(check: ThinkingCheck): readonly InputTransformation[] {
  const { seed, kin = [], body, conversation, preserved } = check;
  const dropped: InputTransformation[] = [];
  const drops = isDroppingBlocks(body);
  const leftOut = isFreeOfThinking(conversation, findCurrentTurn(conversation));
  const reader = new PrefixReader(body);
  readConversation(reader, conversation, (block, path) => {
    if (!isThinking(block)) return;
    if (isOfKin(block, kin)) return;
    const given = placeOfThinking(seed, block, path);
    const now = reader.prefix;
    if (!preserved) {
      if (given.thinking === now.thinking || leftOut || drops) return;
      throw createOwnRefusal(`${path}: thinking that was given before this block did not come back`);
    }
    const changed = (['system', 'tools', 'messages', 'thinking'] as const).find(
      (part) => given[part] !== now[part],
    );
    if (changed === undefined && dropped.length === 0) return;
    if (!drops) throw new RefusalError(400, formatBoundElsewhere(block, path, { changed, ...check }));
    dropped.push({ type: 'thinking_dropped', path, reason: 'prefix_binding_mismatch' });
  });
  return dropped;
}

const isOfKin = (block: ThinkingBlock, kin: readonly string[]): boolean =>
  kin.some((seed) => unseal(seed, block.type === 'thinking' ? block.signature : block.data) !== undefined);

export function isDroppingBlocks({ thinking }: AnthropicBody): boolean {
  return thinking?.block_binding?.prefix_mismatch_behavior === 'drop_block';
}

function isFreeOfThinking(conversation: readonly SaidMessage[], end: number): boolean {
  return !conversation.slice(0, end).some(({ blocks }) => blocks.some(({ block }) => isThinking(block)));
}

function formatInvalidBlock(block: ThinkingBlock, path: string): string {
  const field = block.type === 'thinking' ? 'signature' : 'data';
  return `${path}: Invalid \`${field}\` in \`${block.type}\` block`;
}

function formatBoundElsewhere(
  block: ThinkingBlock,
  path: string,
  { changed, bindingControls }: { readonly changed: string | undefined; readonly bindingControls: boolean },
): string {
  const sentences = [
    `${formatInvalidBlock(block, path)}.`,
    'The block is bound to a different conversation.',
    'Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
  ];
  if (!bindingControls) {
    sentences.push(`That setting requires the \`${bindingBeta}\` value in the \`anthropic-beta\` header.`);
  }
  // The published errors distinguish only these two cases.
  if (changed === 'system')
    sentences.push('The `system` prompt differs from the one this block was created with.');
  if (changed === 'thinking') {
    sentences.push(
      'The `thinking` block that preceded this one when it was created is missing from this request.',
    );
  }
  return sentences.join(' ');
}
