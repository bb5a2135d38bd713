/** Checks that returned thinking is unchanged, at its place and after its original prefix. */
import { type Sealed, unseal } from '../seal.ts';
import { ownRefusal, Refused } from '../wire.ts';
import { currentTurnOf, isThinking, type Said, type ThinkingBlock } from './conversation.ts';
import { PrefixReader, readConversation } from './prefix.ts';
import { wordsHash } from './replies.ts';
import type { AnthropicBody } from './request.ts';

export const bindingBeta = 'thinking-binding-controls-2026-08-01';

/** A thinking block that failed the check of its prefix and was left out, as the API reports it. */
export interface InputTransformation {
  readonly type: 'thinking_dropped';
  readonly path: string;
  readonly reason: 'prefix_binding_mismatch';
}

export interface ThinkingCheck {
  readonly seed: string;
  /** Seeds of other models whose thoughts this one reads. What it cannot check it leaves. */
  readonly kin?: readonly string[];
  readonly body: AnthropicBody;
  readonly conversation: readonly Said[];
  /** Whether the model binds its thinking to all that stands before it. */
  readonly preserved: boolean;
  /** Whether the request names the beta that lets it choose what a changed prefix does. */
  readonly bindingControls: boolean;
}

/** What the signature of a block says; refuses one that the wire did not make, or made for other words. */
export function placeOfThinking(
  seeds: string | readonly string[],
  block: ThinkingBlock,
  path: string,
): Sealed {
  const blob = block.type === 'thinking' ? block.signature : block.data;
  const fields = [seeds]
    .flat()
    .map((seed) => unseal(seed, blob))
    .find((one) => one !== undefined);
  if (fields === undefined) throw new Refused(400, invalid(block, path));
  return fields;
}

/** Refuses words that a signature was not made for. Behind the current turn nobody looks at words. */
export function checkWords(block: ThinkingBlock, { of }: Sealed, path: string): void {
  if (of !== wordsHash(block)) throw modified(path);
}

export function modified(path: string): Refused {
  return new Refused(
    400,
    `${path}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. ` +
      'These blocks must remain as they were in the original response.',
  );
}

/**
 * Checks what each thinking block stands behind, and tells which blocks were dropped on the request's own wish. A model
 * that does not bind its thinking is held to one thing, which is the wire's own: that no earlier thinking is missing
 * between others.
 */
export function checkPrefixes(check: ThinkingCheck): readonly InputTransformation[] {
  const { seed, kin = [], body, conversation, preserved } = check;
  const dropped: InputTransformation[] = [];
  const drops = dropsBlocks(body);
  const leftOut = thinksNothingBefore(conversation, currentTurnOf(conversation));
  const reader = new PrefixReader(body);
  readConversation(reader, conversation, (block, path) => {
    if (!isThinking(block)) return;
    if (isOfKin(block, kin)) return;
    const given = placeOfThinking(seed, block, path);
    const now = reader.prefix;
    if (!preserved) {
      if (given.thinking === now.thinking || leftOut || drops) return;
      throw ownRefusal(`${path}: thinking that was given before this block did not come back`);
    }
    const changed = (['system', 'tools', 'messages', 'thinking'] as const).find(
      (part) => given[part] !== now[part],
    );
    if (changed === undefined && dropped.length === 0) return;
    if (!drops) throw new Refused(400, boundElsewhere(block, path, { changed, ...check }));
    dropped.push({ type: 'thinking_dropped', path, reason: 'prefix_binding_mismatch' });
  });
  return dropped;
}

const isOfKin = (block: ThinkingBlock, kin: readonly string[]): boolean =>
  kin.some((seed) => unseal(seed, block.type === 'thinking' ? block.signature : block.data) !== undefined);

export function dropsBlocks({ thinking }: AnthropicBody): boolean {
  return thinking?.block_binding?.prefix_mismatch_behavior === 'drop_block';
}

function thinksNothingBefore(conversation: readonly Said[], end: number): boolean {
  return !conversation.slice(0, end).some(({ blocks }) => blocks.some(({ block }) => isThinking(block)));
}

function invalid(block: ThinkingBlock, path: string): string {
  const field = block.type === 'thinking' ? 'signature' : 'data';
  return `${path}: Invalid \`${field}\` in \`${block.type}\` block`;
}

function boundElsewhere(
  block: ThinkingBlock,
  path: string,
  { changed, bindingControls }: { readonly changed: string | undefined; readonly bindingControls: boolean },
): string {
  const sentences = [
    `${invalid(block, path)}.`,
    'The block is bound to a different conversation.',
    'Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
  ];
  if (!bindingControls) {
    sentences.push(`That setting requires the \`${bindingBeta}\` value in the \`anthropic-beta\` header.`);
  }
  // Only these two are told apart in the errors that people have published.
  if (changed === 'system')
    sentences.push('The `system` prompt differs from the one this block was created with.');
  if (changed === 'thinking') {
    sentences.push(
      'The `thinking` block that preceded this one when it was created is missing from this request.',
    );
  }
  return sentences.join(' ');
}
